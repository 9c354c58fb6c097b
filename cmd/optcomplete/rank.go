package main

import (
	"errors"
	"strconv"

	"optcomplete/formulation"
)

// rankFlag is a rank, or auto.
type rankFlag int

func (r *rankFlag) Set(text string) error {
	if text == "auto" {
		*r = formulation.AutoRank
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("it must be a whole number of at least 0, or auto")
	}
	*r = rankFlag(n)
	return nil
}

func (r *rankFlag) String() string {
	if *r == formulation.AutoRank {
		return "auto"
	}
	return strconv.Itoa(int(*r))
}

func (r *rankFlag) Type() string { return "rank" }
