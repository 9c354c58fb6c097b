package main

import (
	"optcomplete/formulation"
	"optcomplete/internal/memory"
	"optcomplete/model/store"
)

// largeFlags are for large data and long runs.
type largeFlags struct {
	Memory    string
	WarmStart string
}

// resolve puts what the flags say into the settings of a fit.
func (f *largeFlags) resolve(s *formulation.Settings) error {
	s.Memory = memory.Default()
	if err := memoryFlag("memory", f.Memory, &s.Memory); err != nil {
		return err
	}
	if f.WarmStart != "" {
		if err := ofMatrixOnly(f.WarmStart); err != nil {
			return err
		}
		summary, err := store.LoadSummary(f.WarmStart)
		if err != nil {
			return &usageError{err}
		}
		s.Start = summary.Selected
	}
	return nil
}
