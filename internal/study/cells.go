package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"optcomplete"
	"optcomplete/internal/chart"
	"optcomplete/result"
)

// cell is what a method did on the data of one seed.
type cell struct {
	Data     string  `json:"data"` // which data: a row of the paper's tables
	Method   string  `json:"method"`
	K        int     `json:"k"` // 0: it selects no features
	Seed     uint64  `json:"seed"`
	Limit    float64 `json:"limit"`             // seconds it had; 0: any
	Skipped  string  `json:"skipped,omitempty"` // why there is no result
	Observed int     `json:"observed"`          // training entries
	// Generated: they were made anew at every reading, not kept in memory.
	Generated bool `json:"generated,omitempty"`

	Holdout    result.Metrics    `json:"holdout"`
	CleanMAPE  float64           `json:"clean_mape"` // against values without noise, where they are known
	Ratio      float64           `json:"ratio"`      // of the error to that of the first method on the same data
	CleanRatio float64           `json:"clean_ratio"`
	Coverage   []result.Coverage `json:"coverage,omitempty"` // of held-out entries by their intervals

	Found    int      `json:"found"` // true features among the selected, where they are known
	Selected []string `json:"selected,omitempty"`
	Gamma    float64  `json:"gamma,omitempty"`
	Bounded  bool     `json:"bounded"` // it proves a gap
	Gap      float64  `json:"gap"`
	Cuts     int      `json:"cuts"`
	Nodes    int      `json:"nodes"`
	Passes   int      `json:"passes"`
	Status   string   `json:"status,omitempty"`

	Memory  int64         `json:"memory"` // bytes at the peak, the data included
	Seconds seconds       `json:"seconds"`
	Trace   []chart.Point `json:"trace,omitempty"` // gap over seconds
}

// seconds is the wall time of a cell.
type seconds struct {
	Choose float64 `json:"choose"` // γ or other parameters
	Search float64 `json:"search"` // selection and proof
	Total  float64 `json:"total"`  // with the coefficients of all rows
}

// of tells whether two cells are of the same run.
func (c *cell) of(d cell) bool {
	return c.Data == d.Data && c.Method == d.Method && c.K == d.K && c.Seed == d.Seed
}

// cutShort tells whether another limit would have given another result.
func (c *cell) cutShort() bool { return c.Skipped != "" || c.Status == result.TimeLimit.String() }

// study is a run of methods on data, the first of which the others are measured
// against.
type study struct {
	methods []method
	seeds   int
	first   uint64
	optcomplete.Limits
	folder string

	error  func(cell) float64 // which ratios are of
	onCell func(cell, bool)   // called for every cell, and whether it was there already; nil: it is printed

	file  *os.File
	cells []cell // those in the folder
}

// cellsFile holds a head and then one line of JSON for each cell that is done.
const cellsFile = "cells.jsonl"

// open reads the cells of the folder and opens their file for more. What is on its
// first line must be equal for results to stand in one folder. A last line that a
// crash left half written is dropped.
func (s *study) open(head any) error {
	if err := os.MkdirAll(s.folder, 0o777); err != nil {
		return err
	}
	path := filepath.Join(s.folder, cellsFile)
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	first, err := json.Marshal(head)
	if err != nil {
		return err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	for at, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		var c cell
		switch {
		case len(text) == 0:
		case at == 0 && !bytes.Equal(line, first):
			return fmt.Errorf("%s holds results of other data or other settings: use another folder, or delete it", s.folder)
		case at > 0:
			if err := json.Unmarshal(line, &c); err != nil {
				return fmt.Errorf("%s:%d: %w", path, at+1, err)
			}
			s.cells = append(s.cells, c)
		}
	}
	if s.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666); err != nil {
		return err
	}
	if err = s.file.Truncate(int64(len(text))); err == nil {
		_, err = s.file.Seek(0, 2)
	}
	if err == nil && len(text) == 0 {
		err = s.line(head)
	}
	return err
}

func (s *study) line(value any) error {
	text, err := json.Marshal(value)
	if err == nil {
		_, err = s.file.Write(append(text, '\n'))
	}
	return errors.Join(err, s.file.Sync())
}

// on runs all seeds and methods on some data, which are made when a method needs
// them.
func (s *study) on(ctx context.Context, data string, ks []int, trialOf func(seed uint64) (*trial, error)) (all []cell, err error) {
	for seed := s.first; seed < s.first+uint64(s.seeds); seed++ {
		var t *trial
		var base *cell
		for _, m := range s.methods {
			of := ks
			if m.selects == nil {
				of = []int{0}
			}
			for _, k := range of {
				c := cell{Data: data, Method: m.name, K: k, Seed: seed, Limit: s.TimeLimit.Seconds()}
				have := s.find(&c)
				if c.Skipped = s.spared(c, have); c.Skipped == "" && !have {
					if t == nil {
						if t, err = trialOf(seed); err != nil {
							return all, err
						}
					}
					if err := s.fit(ctx, t, m, &c); err != nil {
						return all, fmt.Errorf("%s, %s with k = %d, seed %d: %w", data, m.name, k, seed, err)
					}
					if base == nil {
						base = &c
					}
					c.Ratio, c.CleanRatio = ratio(s.error(c), s.error(*base)), ratio(c.CleanMAPE, base.CleanMAPE)
					if err := s.line(c); err != nil {
						return all, err
					}
					s.cells = append(s.cells, c)
				}
				if base == nil {
					base = &c
				}
				if all = append(all, c); s.onCell == nil {
					fmt.Fprintln(os.Stderr, c.String(have))
				} else {
					s.onCell(c, have)
				}
			}
		}
	}
	return all, nil
}

// ratio is a/b, and 1 where there is no error at all.
func ratio(a, b float64) float64 {
	if b == 0 && a == 0 {
		return 1
	}
	return a / max(b, 1e-300)
}

// find looks up a cell that is done. One that was not done in time is only as
// good as its limit.
func (s *study) find(c *cell) bool {
	for _, d := range slices.Backward(s.cells) {
		if d.of(*c) && (d.Limit == c.Limit || !d.cutShort()) {
			*c = d
			return true
		}
	}
	return false
}

// hopeless is on how many seeds a search must meet its limit, and none end, for
// the others to be spared.
const hopeless = 3

// spared says why a cell has no result: a method need not be tried on a seed that
// failed on others.
func (s *study) spared(c cell, have bool) string {
	if have {
		return c.Skipped
	}
	stopped, ended := 0, 0
	for _, d := range s.cells {
		same := d
		same.Seed = c.Seed
		switch {
		case !same.of(c) || d.Limit != c.Limit:
		case d.Skipped != "":
			return "not tried on other seeds"
		case d.cutShort():
			stopped++
		default:
			ended++
		}
	}
	if stopped >= hopeless && ended == 0 {
		return fmt.Sprintf("not tried on other seeds: %d met the limit", stopped)
	}
	return ""
}

// fit runs a method and scores it.
func (s *study) fit(ctx context.Context, t *trial, m method, c *cell) error {
	limited, cancel := ctx, context.CancelFunc(func() {})
	within := s.TimeLimit * time.Duration(m.limits)
	if within > 0 {
		limited, cancel = context.WithTimeout(ctx, within)
	}
	defer cancel()
	peak := watchMemory()
	start := time.Now()
	predict, err := m.fit(limited, t, c)
	c.Seconds.Total = max(c.Seconds.Total, since(start))
	c.Memory, c.Generated = peak(), t.generated
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // what an interrupted method found is no result
	case errors.Is(err, context.DeadlineExceeded), err == nil && limited.Err() != nil:
		*c = cell{Data: c.Data, Method: c.Method, K: c.K, Seed: c.Seed, Limit: c.Limit, Skipped: fmt.Sprintf("not done in %v", within)}
		return nil
	case err != nil:
		return err
	}
	for _, name := range c.Selected {
		if slices.Contains(t.truth, name) {
			c.Found++
		}
	}
	return t.score(ctx, predict, c)
}

// String tells of a cell that is done.
func (c *cell) String(have bool) string {
	text := fmt.Sprintf("%s  seed %d  %-14s k %-2d ", c.Data, c.Seed, c.Method, c.K)
	if c.Skipped != "" {
		return text + "skipped: " + c.Skipped
	}
	text += fmt.Sprintf("RMSE %.5f  MAPE %s  ratio %.4f  %.3g s", c.Holdout.RMSE, percent(c.Holdout.MAPE.Value), c.Ratio, c.Seconds.Total)
	if c.Bounded {
		text += "  gap " + percent(c.Gap)
	}
	if have {
		text += "  (done before)"
	}
	return text
}

// watchMemory looks at the memory in use every few milliseconds until the
// function it returns is called, which gives the largest that was seen.
func watchMemory() (peak func() int64) {
	debug.FreeOSMemory() // what came before does not count
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	var most int64
	look := func() {
		metrics.Read(samples)
		most = max(most, int64(samples[0].Value.Uint64()-samples[1].Value.Uint64()))
	}
	look()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				look()
				return
			case <-tick.C:
				look()
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-stopped
		return most
	}
}
