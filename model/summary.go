package model

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"optcomplete/encode"
	"optcomplete/loss"
	"optcomplete/model/estimate"
	"optcomplete/result"
	"optcomplete/spec"
)

// Summary is what a fit has to say for itself: `fit --json` prints it and
// model.json holds it.
type Summary struct {
	Method   string    `json:"method"`   // of the search: certified, optcomplete, cutplanes; or a baseline: softimpute, imc, effects
	Model    string    `json:"model"`    // paper, pooled, full
	Rows     int       `json:"rows"`     // n
	Columns  int       `json:"columns"`  // m
	Features int       `json:"features"` // p
	Observed int       `json:"observed"` // observed entries
	K        int       `json:"k"`
	Gamma    float64   `json:"gamma"`           // one for all features; where each has its own, in Units, the factor φ of them
	Loss     loss.Loss `json:"loss,omitempty"`  // what was minimised; squared errors if left out
	Delta    float64   `json:"delta,omitempty"` // of the loss huber
	// Weighted tells that entries have weights, which multiply their losses.
	Weighted bool     `json:"weighted,omitempty"`
	Weight   float64  `json:"weight,omitempty"` // the sum of the weights of the observed entries, if they have any
	Selected []string `json:"selected"`         // names of the k features, in the order of the coefficients

	result.Certificate

	Seconds result.Seconds `json:"seconds"`
	// Readings is how often the data were read, by what for. Those of trials and
	// samples have a label before a colon.
	Readings map[string]int `json:"readings,omitempty"`
	// Engine says which part of the work a cluster did, if one was used. It is not saved.
	Engine any `json:"engine,omitempty"`

	// Of the methods with a MILP master.
	Solver        string   `json:"solver,omitempty"`
	SolverVersion string   `json:"solver_version,omitempty"`
	MasterNodes   int      `json:"master_nodes,omitempty"`   // of all masters together
	MasterSeconds float64  `json:"master_seconds,omitempty"` // in the solver
	SampleRows    int      `json:"sample_rows,omitempty"`    // g, rows of each sample
	SampleColumns int      `json:"sample_columns,omitempty"` // f, columns drawn for each of its rows
	SampledGap    *float64 `json:"sampled_gap,omitempty"`    // of the samples' cost and bound: proves nothing

	Holdout *result.Metrics `json:"holdout,omitempty"`    // nil if nothing was held out
	Split   *TimeSplit      `json:"time_split,omitempty"` // nil if what was held out, if anything, was drawn at random
	// Coverage tells how many held-out entries lie in their intervals.
	Coverage []result.Coverage `json:"coverage,omitempty"`
	Train    result.Metrics    `json:"train"`

	// RemainderTrial is what a remainder would gain, where it was tried; nil: not known.
	RemainderTrial *RemainderTrial `json:"remainder_trial,omitempty"`

	Removal  []result.Removal `json:"removal,omitempty"`  // for each selected feature, in their order
	Variance *result.Variance `json:"variance,omitempty"` // nil if the training values are all the same

	Trace       []result.TracePoint `json:"trace,omitempty"`       // of the search, thinned
	Baselines   []result.Baseline   `json:"baselines,omitempty"`   // simpler predictions, on the entries of the diagnostics
	Diagnostics *result.Diagnostics `json:"diagnostics,omitempty"` // nil in models of earlier programs, and in two-sided ones

	Terms     []string            `json:"terms"`               // the features that rows have coefficients for: the selected ones, or the members of selected groups
	Structure *estimate.Structure `json:"structure,omitempty"` // what all rows and columns share

	CostPerEntry float64 `json:"cost_per_entry,omitempty"` // the cost is divided by rows × columns; this is by observed entries, or by their weight

	Gamma0          float64 `json:"gamma0,omitempty"`           // of the population, in pooled
	RowShrinkage    float64 `json:"row_shrinkage,omitempty"`    // in entries; of the level beside which column effects are fitted
	ColumnShrinkage float64 `json:"column_shrinkage,omitempty"` // in entries

	Encoding *encode.Encoding `json:"encoding,omitempty"` // from a raw record to the terms; nil: features as given

	Refit spec.Refit `json:"refit"`
	Seed  uint64     `json:"seed"`
	spec.Choice
	Settings map[string]string `json:"settings,omitempty"` // further options, by the name of their flag
	Warnings []string          `json:"warnings,omitempty"`
	Nouns    *result.Nouns     `json:"nouns,omitempty"`    // what the data call rows, columns and entries
	Version  string            `json:"version"`            // of the program that made it
	Platform string            `json:"platform,omitempty"` // what it ran on
	Format   int               `json:"format_version"`     // of the saved model; set by Normalize
}

// RemainderTrial is by how much a remainder lowered the error of held-out entries, of a fit
// of some of the rows: 1 − score / score without, and its 95 % interval.
type RemainderTrial struct {
	Entries int     `json:"entries"`
	Gain    float64 `json:"gain"`
	result.Range
}

// TimeSplit says which entries were held out by their time.
type TimeSplit struct {
	From    float64 `json:"from"`         // those from this time on, in seconds since 1970
	Moment  string  `json:"moment"`       // the same for people, in UTC
	Without int     `json:"without_time"` // entries that have no time: trained on
}

// FormatVersion is the version of the saved model that this package writes. It
// changes when an older program could misread a newer model: version 4 may have a
// remainder, version 5 has checksums, in version 6 a remainder may have implicit feedback, in version 7 predictions a link, in
// version 8 both, and other names in a remainder.
// Versions from 3 on are read too.
const FormatVersion = 8

// Normalize makes the summary fit for writing: lists are not nil, and where
// nothing was proven (a bound of −Inf) the bound becomes 0, which no cost is
// below, and the gap 1. What is there to be looked at and is not finite is left
// out with a warning. Any other number that is not finite is an error that names
// it.
func (s *Summary) Normalize() error {
	s.Format = FormatVersion
	s.dropDiagnostics()
	s.CostPerEntry = s.PerEntry()
	if s.Selected == nil {
		s.Selected = []string{}
	}
	if s.Terms == nil {
		s.Terms = s.Selected
	}
	if s.NearTies == nil {
		s.NearTies = []result.NearTie{}
	}
	if math.IsInf(s.Bound, -1) {
		s.Bound, s.Gap = 0, 1
	}
	for _, x := range s.numbers() {
		if math.IsNaN(x.value) || math.IsInf(x.value, 0) {
			return fmt.Errorf("model: %s is %v, not a finite number", x.name, x.value)
		}
	}
	return nil
}

type number struct {
	name  string
	value float64
}

func (s *Summary) numbers() []number {
	all := []number{
		{"gamma", s.Gamma}, {"cost", s.Cost}, {"bound", s.Bound}, {"gap", s.Gap},
		{"seconds.load", s.Seconds.Load}, {"seconds.select", s.Seconds.Select},
		{"seconds.certify", s.Seconds.Certify}, {"seconds.complete", s.Seconds.Complete},
		{"seconds.total", s.Seconds.Total}, {"master_seconds", s.MasterSeconds},
		{"train.mape", s.Train.MAPE.Value}, {"train.rmse", s.Train.RMSE}, {"train.mae", s.Train.MAE},
	}
	if h := s.Holdout; h != nil {
		all = append(all, number{"holdout.mape", h.MAPE.Value}, number{"holdout.rmse", h.RMSE}, number{"holdout.mae", h.MAE})
	}
	if s.SampledGap != nil {
		all = append(all, number{"sampled_gap", *s.SampledGap})
	}
	for i, t := range s.NearTies {
		all = append(all, number{fmt.Sprintf("near_ties[%d].cost", i), t.Cost})
	}
	for _, r := range s.Removal {
		all = append(all, number{"removal of " + r.Name, r.Cost})
	}
	for i, g := range s.GammaPath {
		all = append(all, number{fmt.Sprintf("gamma_path[%d].rmse", i), g.RMSE}, number{fmt.Sprintf("gamma_path[%d].root_gap", i), g.Gap()})
	}
	return all
}

// PerEntry is the cost of an observed entry, or of a unit of weight, on average: the
// cost itself is divided by rows × columns, as the paper's.
func (s *Summary) PerEntry() float64 {
	if s.Observed == 0 {
		return 0
	}
	return s.Cost * float64(s.Rows) * float64(s.Columns) / cmp.Or(s.Weight, float64(s.Observed))
}

// PerWhat says what PerEntry is of.
func (s *Summary) PerWhat() string {
	if s.Weight > 0 {
		return "per unit of the entries' weight"
	}
	return "per observed entry"
}

// unselected is the summary of a method that selects nothing: null for what only a
// selection has.
type unselected struct {
	*Summary
	Gamma *float64 `json:"gamma"`
	Cost  *float64 `json:"cost"`
	Bound *float64 `json:"bound"`
	Gap   *float64 `json:"gap"`
}

// WriteJSON writes the summary as one indented JSON object and a newline,
// normalized; s itself is not changed.
func (s Summary) WriteJSON(w io.Writer) error {
	if err := s.Normalize(); err != nil {
		return err
	}
	var text any = &s
	if s.Status == result.Fitted {
		text = unselected{Summary: &s}
	}
	return result.WriteJSON(w, text)
}
