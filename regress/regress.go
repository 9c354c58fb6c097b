package regress

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"optcomplete/internal/suggest"
	"optcomplete/objective"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// Problem is a table: what is known of each row and what is to be explained.
type Problem struct {
	Names []string  // p features, distinct
	X     []float64 // n×p, row by row
	Y     []float64 // n
}

// Settings say how to fit. All but K may be left at zero. γ is that of columns with
// Σx² = n. Of the statistics, the table has no use for γ₀, the shrinkage of effects
// and the hold-out: giving one is an error.
type Settings struct {
	K int // how many features to select, 1..p
	spec.Choice
	spec.Limits
	spec.Statistics // Refit: least squares (the default), or ridge: the coefficients of the cost, with γ

	NoIntercept bool // no intercept: the columns and the values are not centred
	Folds       int  // parts of the table to validate γ on in turn; zero means 5

	OnEvent func(search.Event)      // called for everything the search does; may be nil
	OnGamma func(result.GammaPoint) // called for every γ tried; may be nil
}

// largest is the largest number that may occur in a table: its square, summed
// over any number of rows, stays finite.
const largest = 1e100

// Fit selects settings.K features and proves how good the selection is. A limit
// or a cancelled context is not an error: the result then has the best selection
// found, a true bound, and a status that says so.
func Fit(ctx context.Context, problem Problem, settings Settings) (*Result, error) {
	results, err := fit(ctx, problem, settings, func(ctx context.Context, oracle search.Oracle, find search.Settings) ([]search.Result, error) {
		result, err := search.Minimize(ctx, oracle, find)
		return []search.Result{result}, err
	})
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// Path fits every k from 1 (or the number of features always selected) to
// settings.K, each as Fit would with the same γ, which is chosen for the last.
func Path(ctx context.Context, problem Problem, settings Settings) ([]*Result, error) {
	return fit(ctx, problem, settings, search.Path)
}

type searcher func(context.Context, search.Oracle, search.Settings) ([]search.Result, error)

func fit(ctx context.Context, problem Problem, settings Settings, run searcher) ([]*Result, error) {
	if settings.Refit == spec.AutoRefit {
		settings.Refit = spec.LeastSquares
	}
	start := time.Now()
	if err := validate(problem, settings); err != nil {
		return nil, err
	}
	find := search.Settings{
		K: settings.K, Gap: settings.Gap, TimeLimit: settings.TimeLimit, MaxNodes: settings.MaxNodes, NearTies: settings.NearTies,
	}
	var err error
	if find.Always, err = indices(problem.Names, settings.Always, "always"); err != nil {
		return nil, err
	}
	if find.Never, err = indices(problem.Names, settings.Never, "never"); err != nil {
		return nil, err
	}
	n := len(problem.Y)
	gamma, path := settings.Gamma, []result.GammaPoint(nil)
	if gamma == 0 {
		if gamma, path, err = chooseGamma(ctx, problem, settings, find); err != nil {
			return nil, search.SettingsError(err)
		}
	}
	find.OnEvent = settings.OnEvent
	whole := standardise(problem, nil, settings)
	oracle := objective.NewQuadratic(whole.table, gamma, float64(n))
	found, err := run(ctx, oracle, find)
	if err != nil {
		return nil, search.SettingsError(err)
	}
	finish := context.WithoutCancel(ctx) // an interrupt ends the search, not the answer
	var results []*Result
	for _, one := range found {
		result, err := newResult(finish, problem, settings, whole, oracle, one)
		if err != nil {
			return nil, err
		}
		result.GammaPath = path
		result.Seconds = time.Since(start).Seconds()
		results = append(results, result)
	}
	return results, nil
}

func validate(problem Problem, s Settings) error {
	n, p := len(problem.Y), len(problem.Names)
	if len(problem.X) != n*p {
		panic(fmt.Sprintf("regress: %d numbers for %d rows × %d features", len(problem.X), n, p))
	}
	if n == 0 {
		return spec.Errorf("there are no rows")
	}
	if err := spec.ValidateK(s.K, p, "feature"); err != nil {
		return err
	}
	if err := s.Limits.Validate(); err != nil {
		return err
	}
	if err := s.Statistics.Validate(); err != nil {
		return err
	}
	switch {
	case s.Gamma0 != 0 || s.RowShrinkage != 0 || s.ColumnShrinkage != 0 || s.Holdout != 0:
		return spec.Errorf("a regression has no population, no effects and no hold-out: gamma0, shrinkages and holdout mean nothing to it")
	case s.Folds < 0 || s.Folds == 1:
		return spec.Errorf("the number of folds is %d, but must be at least 2", s.Folds)
	}
	for at, v := range problem.X {
		if !(math.Abs(v) <= largest) {
			return spec.Errorf("feature %q has the value %g: too large to compute with (rescale it)", problem.Names[at%p], v)
		}
	}
	for _, v := range problem.Y {
		if !(math.Abs(v) <= largest) {
			return spec.Errorf("a row is to be explained as %g: too large to compute with (rescale the values)", v)
		}
	}
	return nil
}

// indices finds features by name.
func indices(names, wanted []string, list string) ([]int, error) {
	var found []int
	for _, name := range wanted {
		j := slices.Index(names, name)
		if j < 0 {
			return nil, spec.Errorf("the %s list names %q, which is not a feature%s", list, name, suggest.After(name, names))
		}
		found = append(found, j)
	}
	return found, nil
}
