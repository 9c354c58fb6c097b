package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// page is a page of the manual with tables. Its words are written by hand.
type page struct {
	path  string
	lines []string
}

func readPage(path string) (*page, error) {
	text, err := os.ReadFile(path)
	return &page{path, strings.Split(string(text), "\n")}, err
}

func (p *page) write() error {
	return os.WriteFile(p.path, []byte(strings.Join(p.lines, "\n")), 0o644)
}

// rows is where the rows below the head of a table are.
func (p *page) rows(head string) (from, to int, err error) {
	at := slices.Index(p.lines, head)
	if at < 0 || at+2 > len(p.lines) {
		return 0, 0, fmt.Errorf("%s has no table with the head %s", p.path, head)
	}
	from = at + 2 // behind the head and the line below it
	for to = from; to < len(p.lines) && strings.HasPrefix(p.lines[to], "|"); to++ {
	}
	return from, to, nil
}

// replace gives a table other rows.
func (p *page) replace(head string, rows []string) error {
	from, to, err := p.rows(head)
	if err == nil {
		p.lines = slices.Replace(p.lines, from, to, rows...)
	}
	return err
}

// put replaces the row of a table with the same first cell, or adds it.
func (p *page) put(head, row string) error {
	from, to, err := p.rows(head)
	if err != nil {
		return err
	}
	for at := from; at < to; at++ {
		if firstCell(p.lines[at]) == firstCell(row) {
			p.lines[at] = row
			return nil
		}
	}
	p.lines = slices.Insert(p.lines, to, row)
	return nil
}

// firstCell of a row, without a mark behind it.
func firstCell(row string) string {
	cell, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
	return strings.Trim(cell, " *")
}
