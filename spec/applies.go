package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Use says in which fits a setting does something: those by one of the methods, of
// one of the models. Nil: by any, of any. A method that selects nothing has the
// model "".
type Use struct {
	Methods, Models []string
	Squares         bool // only by squared errors, with coefficients of any sign
}

// Methods and models that share settings.
var (
	Selecting   = []string{"certified", "cutplanes", "optcomplete"}
	OfMatrix    = []string{"full", "pooled", "paper"}
	withEffects = []string{"full", "pooled"}
)

// Uses are those of the settings that not every fit has a use for, by the names that
// flags and files call them.
var Uses = map[string]Use{
	"k":                {Methods: Selecting},
	"always":           {Methods: Selecting},
	"never":            {Methods: Selecting},
	"at-most":          {Methods: Selecting},
	"gamma":            {Methods: Selecting},
	"gamma0":           {Methods: Selecting, Models: []string{"pooled"}},
	"column-shrinkage": {Models: []string{"full"}},
	"gamma-factor":     {Methods: Selecting, Models: withEffects},
	"refit":            {Methods: Selecting, Models: []string{"paper", "twosided", "regress"}},
	"clip":             {Models: withEffects},
	"gap":              {Methods: Selecting},
	"time-limit":       {Methods: Selecting},
	"search-time":      {Methods: Selecting},
	"max-nodes":        {Methods: Selecting},
	"near-ties":        {Methods: Selecting},
	"split":            {Models: OfMatrix},
	"residual-rank":    {Methods: Selecting, Models: OfMatrix},
	"loss":             {Methods: []string{"certified"}, Models: []string{"full", "twosided"}},
	"delta":            {Methods: []string{"certified"}, Models: []string{"full", "twosided"}},
	"nonnegative":      {Methods: []string{"certified"}, Models: []string{"full"}},
	"checkpoint":       {Methods: Selecting},
	"warm-start":       {Methods: Selecting, Models: OfMatrix},
	"proof":            {Methods: []string{"certified", "optcomplete"}, Models: append(slices.Clip(OfMatrix), "twosided"), Squares: true},
}

// Applies tells whether the setting does something in a fit by the method, of the
// model.
func (u Use) Applies(method, model string) bool {
	return (u.Methods == nil || slices.Contains(u.Methods, method)) &&
		(u.Models == nil || model == "" || slices.Contains(u.Models, model))
}

// String says what the setting applies to: "method cutplanes; model paper".
func (u Use) String() string {
	var parts []string
	for _, of := range []struct {
		word  string
		names []string
	}{{"method", u.Methods}, {"model", u.Models}} {
		if len(of.names) > 1 {
			of.word += "s"
		}
		if of.names != nil {
			parts = append(parts, of.word+" "+strings.Join(of.names, ", "))
		}
	}
	return strings.Join(parts, " and the ")
}

// Refusal is the error of a setting that is given and does not apply.
func (u Use) Refusal(name, method, model string) *Error {
	to := "the model " + model
	switch {
	case u.Methods != nil && !slices.Contains(u.Methods, method):
		to = "the method " + method
	case model == "twosided":
		to = "two-sided models"
	case model == "regress":
		to = "regressions"
	}
	return &Error{Setting: name, Problem: fmt.Sprintf("does not apply to %s: it is for the %v (leave it out)", to, u)}
}

// Given says whether a setting is given.
type Given struct {
	Name string
	Is   bool
}

// Refuse finds what is given and would do nothing in a fit by the method, of the
// model: settings that all fits share, and more that only some have. Linked tells
// that the loss is another than squared errors, or that coefficients have signs.
func Refuse(method, model string, linked bool, c Choice, l Limits, s Statistics, more ...Given) error {
	for _, given := range append([]Given{
		{"always", len(c.Always) > 0},
		{"never", len(c.Never) > 0},
		{"at-most", len(c.AtMost) > 0},
		{"gap", l.Gap != 0},
		{"time-limit", l.TimeLimit != 0},
		{"search-time", l.SearchTime != 0},
		{"max-nodes", l.MaxNodes != 0},
		{"near-ties", l.NearTies != 0},
		{"gamma", s.Gamma != 0},
		{"gamma0", s.Gamma0 != 0},
		{"gamma-factor", s.GammaFactor != 0},
		{"column-shrinkage", s.ColumnShrinkage != 0},
		{"refit", s.Refit != AutoRefit},
		{"split", s.Split != RandomSplit},
	}, more...) {
		if use := Uses[given.Name]; given.Is && !use.Applies(method, model) {
			return use.Refusal(given.Name, method, model)
		} else if given.Is && linked && use.Squares {
			return &Error{Setting: given.Name, Problem: "does not apply here: it is for squared errors and coefficients of any sign (leave it out" + otherwise(more) + ")"}
		}
	}
	return nil
}

// otherwise says what else would do where a setting is for squared errors only.
func otherwise(more []Given) (out string) {
	for _, given := range more {
		switch {
		case given.Is && given.Name == "loss":
			out += ", or use Settings.Loss squared"
		case given.Is && given.Name == "nonnegative":
			out += ", or leave out Settings.Nonnegative"
		}
	}
	return strings.Replace(out, "squared, or leave", "squared and leave", 1)
}
