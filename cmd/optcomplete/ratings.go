package main

import (
	"fmt"
	"path/filepath"

	"optcomplete/data/ingest"
	"optcomplete/internal/progress"
	"optcomplete/internal/settings"
)

// ratingsFlags adds the flags that say how to read observed entries.
func ratingsFlags(flags *settings.Flags, s *ingest.Settings) {
	flags.Bind("delimiter", (*delimiterFlag)(&s.Delimiter))
	flags.BindFields(s)
	flags.Bind("duplicates", (*duplicatesFlag)(&s.Duplicates))
}

// notes tells how an input was understood, if that was in doubt.
func (c *common) notes(r *ingest.Report) {
	for _, note := range r.Notes {
		c.notef("note: %s", note)
	}
}

// warn tells of faults that were dealt with, in a file if they do not name it.
func (c *common) warn(file string, warnings []string) {
	for _, w := range warnings {
		if file != "" {
			w = file + ": " + w
		}
		c.notef("warning: %s", w)
	}
}

// follow shows how far the reading of one file is, then the writing of another;
// over ends it.
func (c *common) follow(from, to string) (progressed func(done, total int64, phase ingest.Phase), over func()) {
	var task progress.Task = progress.None{}
	var now ingest.Phase
	return func(done, total int64, phase ingest.Phase) {
		if phase != now {
			task.Done()
			label, unit := "Reading "+filepath.Base(from), "bytes"
			if phase == ingest.Writing {
				label, unit = "Writing "+filepath.Base(to), "entries"
			}
			now, task = phase, c.reporter().Start(label, total, unit)
		}
		task.To(done)
	}, func() { task.Done() }
}

type delimiterFlag byte

func (d *delimiterFlag) Set(text string) error {
	switch {
	case text == "tab" || text == `\t`:
		*d = '\t'
	case len(text) == 1 && text[0] >= ' ' && text[0] < 0x7f && text[0] != '"' || text == "\t":
		*d = delimiterFlag(text[0])
	default:
		return fmt.Errorf("it must be one character, or tab")
	}
	return nil
}

func (d *delimiterFlag) String() string {
	switch *d {
	case 0:
		return ""
	case '\t':
		return "tab"
	}
	return string(rune(*d))
}

func (d *delimiterFlag) Type() string { return "char" }

type duplicatesFlag ingest.Duplicates

func (d *duplicatesFlag) Set(text string) (err error) {
	chosen, err := ingest.ParseDuplicates(text)
	*d = duplicatesFlag(chosen)
	return err
}

func (d *duplicatesFlag) String() string { return ingest.Duplicates(*d).String() }
func (d *duplicatesFlag) Type() string   { return "choice" }
