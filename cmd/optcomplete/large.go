package main

import (
	"optcomplete"
	"optcomplete/internal/memory"
	"optcomplete/internal/settings"
	"optcomplete/model/store"
)

// largeFlags are for large data and long runs.
type largeFlags struct {
	memory    string
	warmStart string
	folder    string
}

func (f *largeFlags) register(flags *settings.Flags) {
	flags.Bind("checkpoint", &f.folder)
	flags.Bind("warm-start", &f.warmStart)
	flags.Bind("memory", &f.memory)
}

// resolve puts what the flags say into the settings of a fit.
func (f *largeFlags) resolve(s *optcomplete.Settings) error {
	s.Memory = memory.Default()
	if err := memoryFlag("memory", f.memory, &s.Memory); err != nil {
		return err
	}
	if f.warmStart != "" {
		if err := ofMatrixOnly(f.warmStart); err != nil {
			return err
		}
		summary, err := store.LoadSummary(f.warmStart)
		if err != nil {
			return &usageError{err}
		}
		s.Start = summary.Selected
	}
	return nil
}
