package selection

import (
	"cmp"
	"context"
	"slices"

	"optcomplete/internal/lists"
	"optcomplete/result"
	"optcomplete/search"
)

// Stability is how a selection fares when the rows are drawn anew, with
// replacement (the bootstrap, Efron 1979).
type Stability struct {
	K            int              `json:"k"`
	Resamples    int              `json:"resamples"`
	Selected     []string         `json:"selected"` // on all rows
	Same         int              `json:"same"`     // resamples that select exactly these
	Features     []Frequency      `json:"features"` // those selected at least once, most often first
	Replacements []Replacement    `json:"replacements"`
	NearTies     []result.NearTie `json:"near_ties"` // of the selection on all rows
}

// Frequency is how many resamples select a feature.
type Frequency struct {
	Feature string `json:"feature"`
	Times   int    `json:"times"`
}

// Replacement is how many resamples lack a selected feature and have another.
type Replacement struct {
	Out   string `json:"out"`
	In    string `json:"in"`
	Times int    `json:"times"`
}

// resamplePasses is how many evaluations a resample takes at most. It starts from the
// selection on all rows and ends where no swap helps, which its relaxation only guides:
// many resamples tell more than one that is searched long.
const resamplePasses = 20

// stability selects on resampled rows, with the choices made on all of them. The
// search ends at its root: it starts from the selection on all rows, and no swap of one
// feature makes what it finds cheaper, so that a difference is not where it ended.
func stability[Data any](ctx context.Context, f Formulation[Data], all Data, c Learned, path PathSettings, r *PathResult) (*Stability, error) {
	k := path.K
	if k == 0 {
		k = r.Chosen
	}
	at := slices.IndexFunc(r.Points, func(p PathPoint) bool { return p.K == k })
	if at < 0 {
		return nil, nil // an interrupted path has no such k
	}
	point := r.Points[at]
	out := &Stability{K: k, Selected: point.Selected, NearTies: point.NearTies}
	times, swaps := map[string]int{}, map[Replacement]int{}
	for b := range path.Bootstrap {
		rows, err := f.Resample(all, b)
		if err != nil {
			return nil, err
		}
		c := c
		if c.Units != nil && !c.Given { // a resample learns its own, from those of all rows on
			if c, err = f.Learn(ctx, rows, k, &c, nil); err != nil {
				return nil, search.SettingsError(err)
			}
		}
		cost, err := f.Cost(ctx, rows, k, c)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		cost.Limit(resamplePasses)
		cost.Find.Start = append(slices.Clone(cost.Find.Start), cost.selection(f.Names(), point.Selected))
		found, err := search.Minimize(ctx, cost.Oracle, cost.Find)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, search.SettingsError(err)
		}
		names := lists.Pick(f.Names(), cost.Selected(found.Selection))
		gone, come := lists.Without(point.Selected, names), lists.Without(names, point.Selected)
		for _, name := range names {
			times[name]++
		}
		for _, a := range gone {
			for _, b := range come {
				swaps[Replacement{Out: a, In: b}]++
			}
		}
		if len(gone) == 0 {
			out.Same++
		}
		out.Resamples++
		if path.OnResample != nil {
			path.OnResample(out.Resamples, path.Bootstrap)
		}
	}
	for name, n := range times {
		out.Features = append(out.Features, Frequency{name, n})
	}
	slices.SortFunc(out.Features, func(a, b Frequency) int {
		return cmp.Or(b.Times-a.Times, cmp.Compare(a.Feature, b.Feature))
	})
	for swap, n := range swaps {
		swap.Times = n
		out.Replacements = append(out.Replacements, swap)
	}
	slices.SortFunc(out.Replacements, func(a, b Replacement) int {
		return cmp.Or(b.Times-a.Times, cmp.Compare(a.Out, b.Out), cmp.Compare(a.In, b.In))
	})
	return out, nil
}
