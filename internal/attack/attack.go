// Package attack lets a test that tries random cases try more of them: a given
// number, or as many as fit into a given time. What a test tried it tells in a
// line that scripts/soak.sh puts into its table.
package attack

import (
	"fmt"
	"iter"
	"os"
	"strconv"
	"testing"
	"time"
)

// Rounds yields the numbers of the cases that a test tries: few of them; where
// OPTCOMPLETE_ATTACK is a number, that many; where it is a time such as 30s, as
// many as begin within it, and one at least. They count from
// OPTCOMPLETE_ATTACK_FROM, or 0, so that a run can try what no other did.
func Rounds(few int) iter.Seq[uint64] {
	from, err := number("OPTCOMPLETE_ATTACK_FROM")
	n, unit := uint64(few), time.Duration(0)
	if text := os.Getenv("OPTCOMPLETE_ATTACK"); text != "" && err == nil {
		if unit, err = time.ParseDuration(text); err != nil {
			n, err = number("OPTCOMPLETE_ATTACK")
		}
	}
	if err != nil {
		panic(err)
	}
	return func(yield func(uint64) bool) {
		start := time.Now()
		for round := uint64(0); ; round++ {
			switch {
			case unit > 0 && round > 0 && time.Since(start) >= unit, unit == 0 && round >= n:
				return
			case !yield(from + round):
				return
			}
		}
	}
}

// number reads a variable of the environment; without it, 0.
func number(name string) (uint64, error) {
	text := os.Getenv(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s=%q is not a number (or a time such as 30s)", name, text)
	}
	return n, nil
}

// Report tells how many cases of a kind a test tried, how many of them went wrong,
// and what else there is to say of them.
func Report(t testing.TB, kind string, tried, wrong int, format string, args ...any) {
	if t.Failed() {
		wrong = max(wrong, 1)
	}
	fmt.Printf("attack: | %s | %d | %d | %s |\n", kind, tried, wrong, fmt.Sprintf(format, args...))
}
