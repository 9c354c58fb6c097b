package proof

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/parallel"
)

// Problem is what a proof must be about, and what is claimed about it.
type Problem struct {
	Entries  data.Source    // the observed entries that were fitted
	Features *data.Features // of their columns
	Model    string         // paper, pooled or full
	Units    []Unit         // what can be selected

	K             int
	Gamma, Gamma0 float64
	// Gammas are γ of each feature, and last that of the rows' level, which is always
	// selected: Σ_f u_f²/γ_f is added to a row's squares. nil: all features have Gamma, and there
	// is no level. Gamma is 1 where they are given, and Gamma0 in parts of each.
	Gammas          []float64
	RowShrinkage    float64
	ColumnShrinkage float64
	Always, Never   []int // units
	Families        []Family

	Selected    []int   // units, increasing
	Cost, Bound float64 // as the model claims
	Gap         float64 // (Cost − Bound)/Cost, as the model claims
	lost        float64 // n·m·cost of what rounding leaves of values less mean and effects
	Within      float64 // the gap that the model's status says was reached; +Inf: it says nothing of the kind
}

// Unit is a feature, or a group of features that are selected together.
type Unit struct {
	Name     string
	Features []int
}

// Family is units of which a selection has at most some. Families share no units.
type Family struct {
	Units []int `json:"units"`
	Most  int   `json:"most"`
}

// Statement is the first line of a proof about the problem.
func (p *Problem) Statement(ctx context.Context, threads int) (Statement, error) {
	s := Statement{
		Version: Version, Model: p.Model, K: p.K, Gamma: p.Gamma, Gamma0: p.Gamma0,
		RowShrinkage: p.RowShrinkage, ColumnShrinkage: p.ColumnShrinkage,
		Gammas: p.Gammas, Always: sorted(p.Always), Never: sorted(p.Never), Families: p.Families, Entries: p.Entries.Observed(),
	}
	s.Rows, s.Columns = p.Entries.Dims()
	if p.Gammas != nil && len(p.Gammas) != len(p.Features.Names)+1 {
		return s, fmt.Errorf("proof: γ of %d features and a level, not of %d", len(p.Gammas)-1, len(p.Features.Names))
	}
	for _, u := range p.Units {
		s.Units = append(s.Units, u.Name)
	}
	of := map[int]bool{}
	for _, f := range p.Families {
		for _, u := range f.Units {
			if u < 0 || u >= len(p.Units) || of[u] {
				return s, fmt.Errorf("proof: a family has the unit %d of %d, or two have", u, len(p.Units))
			}
			of[u] = true
		}
	}
	entries, err := digestEntries(ctx, p.Entries, p.Features.IDs, threads)
	s.Data = fmt.Sprintf("%016x", entries)
	s.Features = fmt.Sprintf("%016x", digestFeatures(p.Features, p.Units))
	return s, err
}

func sorted(list []int) []int {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}

// differs says in what another statement differs, or nothing.
func (s *Statement) differs(o *Statement) string {
	switch {
	case s.Model != o.Model:
		return fmt.Sprintf("model %s, not %s", s.Model, o.Model)
	case s.Rows != o.Rows || s.Columns != o.Columns || s.Entries != o.Entries:
		return fmt.Sprintf("%d entries of %d rows and %d columns, not %d of %d and %d", s.Entries, s.Rows, s.Columns, o.Entries, o.Rows, o.Columns)
	case s.Data != o.Data:
		return "other entries, or other weights of them"
	case !slices.Equal(s.Units, o.Units) || s.Features != o.Features:
		return "other features"
	case s.K != o.K:
		return fmt.Sprintf("k = %d, not %d", s.K, o.K)
	case s.Gamma != o.Gamma || s.Gamma0 != o.Gamma0 || !slices.Equal(s.Gammas, o.Gammas):
		return "another γ"
	case s.RowShrinkage != o.RowShrinkage || s.ColumnShrinkage != o.ColumnShrinkage:
		return "another shrinkage of the effects"
	case !slices.EqualFunc(s.Families, o.Families, func(a, b Family) bool { return a.Most == b.Most && slices.Equal(a.Units, b.Units) }):
		return "other families, of which at most so many may be selected"
	case !slices.Equal(s.Always, o.Always) || !slices.Equal(s.Never, o.Never):
		return "other features that must or must not be selected"
	}
	return ""
}

// digestEntries is a number that other entries are unlikely to have. It depends
// on the columns' ids and not on the order of rows or columns. A weight of 1 is none.
func digestEntries(ctx context.Context, s data.Source, ids []string, threads int) (uint64, error) {
	columns := make([]uint64, len(ids))
	for j, id := range ids {
		h := fnv.New64a()
		h.Write([]byte(id))
		columns[j] = mix(h.Sum64())
	}
	n, _ := s.Dims()
	parts := min(n, 64)
	sums := make([]uint64, parts)
	err := parallel.Do(ctx, parts, threads, func(int) func(int) error {
		reader := data.NewRowReader(s)
		return func(part int) error {
			for i := part * n / parts; i < (part+1)*n/parts; i++ {
				at, values, weights, err := reader.Weighed(i)
				if err != nil {
					return err
				}
				row := uint64(len(at))
				for x, c := range at {
					value := mix(math.Float64bits(values[x]))
					if weights != nil && weights[x] != 1 {
						value = mix(value ^ math.Float64bits(weights[x]))
					}
					row += mix(columns[c] ^ value)
				}
				sums[part] += mix(row)
			}
			return nil
		}
	})
	total := uint64(0)
	for _, s := range sums {
		total += s
	}
	return total, err
}

// digestFeatures is the same of the features and of what they are grouped into.
func digestFeatures(f *data.Features, units []Unit) uint64 {
	total := uint64(0)
	buffer := make([]byte, 8)
	for j, id := range f.IDs {
		h := fnv.New64a()
		h.Write([]byte(id))
		for _, x := range f.Row(j) {
			binary.LittleEndian.PutUint64(buffer, math.Float64bits(x))
			h.Write(buffer)
		}
		total += mix(h.Sum64())
	}
	for u, unit := range units {
		for _, j := range unit.Features {
			total += mix(mix(uint64(u)) ^ uint64(j))
		}
	}
	return total
}

// mix spreads the bits of x (SplitMix64's finisher).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
