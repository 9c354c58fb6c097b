package selection

import (
	"context"
	"slices"

	"optcomplete/internal/lists"
	"optcomplete/internal/random"
	"optcomplete/objective"
	"optcomplete/result"
	"optcomplete/search"
)

// Learned are the numbers around a selection that are learned from the data, or given. Those
// that a formulation does not have are 0.
type Learned struct {
	Gamma, Gamma0 float64
	Row, Column   float64 // shrinkage of the effects, in entries
	GammaPath     []result.GammaPoint
	Against       *result.Comparison `json:",omitempty"` // of that γ with effects alone, on what it was validated on; nil: nothing was
	Cut           error              `json:"-"`          // why not all was tried that would have been; nil: it was
	Given         bool               // γ is a setting
	Steps         int                // of learning a prior; zero: enough
	// Units are how much rows differ on each feature, and Factor multiplies their variances; nil:
	// one γ for all.
	Units    *result.Variances
	Factor   float64
	Observed int // entries of the data that they were learned for
	// Again are those of the selected features alone, as they were learned to fit rows by a loss.
	Again    *result.Variances `json:"-"`
	Fixed    bool              // the shrinkage of column effects is a setting: keep it
	Delta    float64           // of Huber's loss
	Heaviest float64           // the largest weight of an entry, which the cost by squares is to know; 0: they have none
	// Offsets are what is predicted of the entries besides the selection, where the cost
	// is not of what they leave; made again from the training data, not remembered.
	Offsets *objective.Offsets `json:"-"`
}

// Selectable is what is selected, of data of some type.
type Selectable[Data any] interface {
	// Names are those of what can be selected, the units.
	Names() []string

	// Learn fills in what the settings leave open, on the training data, for selections of
	// k units. It calls on for every γ tried, unless that is nil. It may begin at what was learned
	// of nearly the same data, near; nil: of none.
	Learn(ctx context.Context, train Data, k int, near *Learned, on func(result.GammaPoint)) (Learned, error)

	// Cost is the cost of selections of k units on the training data, ready to be
	// searched.
	Cost(ctx context.Context, train Data, k int, c Learned) (*Cost, error)
}

// Formulation is Selectable, and can be validated.
type Formulation[Data any] interface {
	Selectable[Data]

	// Score fits selected units on the training data and is the error of the predictions
	// for other data: the root of the mean square, or what loss.Measure names.
	Score(ctx context.Context, train, on Data, units []int, c Learned) (score float64, err error)

	// Fold is part f of the data, held out, and the others to train on.
	Fold(all Data, f, folds int) (train, held Data)

	// Repeat is one of several hold-outs of a fifth, each drawn by itself.
	Repeat(all Data, number int) (train, held Data)

	// Resample draws as many rows as there are, with replacement; see Draw.
	Resample(all Data, number int) (Data, error)
}

// Compared is a Formulation whose k = 0 is not what its fits are compared with.
type Compared[Data any] interface {
	// Alone is the error of row and column effects alone; NaN where k = 0 is that.
	Alone(ctx context.Context, train, on Data) (score float64, err error)
}

const bootstrapStream = 0x626f6f74 // "boot"

// Draw draws as many of n rows, with replacement, by a hash of the seed and the number of
// the resample.
func Draw(n int, seed uint64, number int) []int {
	rows := make([]int, n)
	for i := range rows {
		u := random.Unit(random.Hash(seed, bootstrapStream, uint64(number), uint64(i)))
		rows[i] = min(int(u*float64(n)), n-1)
	}
	return rows
}

// Cost is a cost over selections, and how to search it.
type Cost struct {
	Oracle search.Oracle
	Find   search.Settings // in the numbers of the oracle's features
	Units  int             // the oracle's features from this one on are no units: always selected, and not reported

	Unproven bool // the search of this cost proves nothing: there is no bound

	// Exactly computes what a selection of the oracle costs again, with more digits;
	// nil: the search's own cost stands.
	Exactly func(ctx context.Context, selection []int) (float64, error)

	// Removals are the costs of a selection without each of its units, if there is a
	// quicker way than an evaluation of each; nil: there is none.
	Removals func(ctx context.Context, selection []int) ([]float64, error)
}

// Selected drops what is no unit from a selection of the oracle.
func (c *Cost) Selected(selection []int) []int {
	return slices.DeleteFunc(slices.Clone(selection), func(u int) bool { return u >= c.Units })
}

// selection is the oracle's selection of the units with these names.
func (c *Cost) selection(names, selected []string) []int {
	var out []int
	for _, name := range selected {
		if u := slices.Index(names, name); u >= 0 {
			out = append(out, u)
		}
	}
	for u := c.Units; u < c.Oracle.Dim(); u++ {
		out = append(out, u)
	}
	slices.Sort(out)
	return out
}

// TrialPasses is how many evaluations a trial takes at most: enough to select well,
// not to prove.
const TrialPasses = 80

// Limit ends the search at its root, in silence: enough for a trial.
func (c *Cost) Limit(passes int) {
	c.Find.MaxNodes, c.Find.MaxPasses, c.Find.NearTies, c.Find.Brief = 1, passes, -1, true
	c.Find.Gap, c.Find.TimeLimit, c.Find.SearchTime, c.Find.OnEvent = 0, 0, 0, nil
}

// Certificate is what a search proved, with the cost computed exactly where the
// formulation can. Gap is the one that was asked for.
func (c *Cost) Certificate(ctx context.Context, found *search.Result, names []string, gap float64) (result.Certificate, error) {
	if c.Exactly != nil {
		cost, err := c.Exactly(ctx, found.Selection)
		if err != nil {
			return result.Certificate{}, err
		}
		found.Certify(cost, gap)
	}
	return found.Certificate(!c.Unproven, func(selection []int) []string { return lists.Pick(names, c.Selected(selection)) }), nil
}

// Removal costs a selection without each of its units in turn. An interrupt leaves
// it out.
func (c *Cost) Removal(ctx context.Context, selection []int, names []string) ([]result.Removal, error) {
	units := c.Selected(selection)
	costs := make([]float64, 0, len(units))
	var err error
	if c.Removals != nil {
		costs, err = c.Removals(ctx, selection)
	} else {
		weights := search.Indicator(c.Oracle.Dim(), selection)
		for _, u := range units {
			weights[u] = 0
			var at search.Cut
			if at, err = c.Oracle.Eval(ctx, weights); err != nil {
				break
			}
			weights[u] = 1
			costs = append(costs, at.Cost)
		}
	}
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []result.Removal
	for x, u := range units { // what is no unit comes last
		out = append(out, result.Removal{Name: names[u], Cost: costs[x]})
	}
	return out, nil
}
