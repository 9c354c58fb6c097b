package regress

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
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

// Settings say how to fit. All but K may be left at zero.
type Settings struct {
	K           int      // how many features to select, 1..p
	Gamma       float64  // γ for columns with Σx² = n; zero: chosen by validation
	NoIntercept bool     // no intercept: the columns and the values are not centred
	Always      []string // names of features to select in any case
	Never       []string // names of features never to select

	// Refit says how the selection's coefficients are fitted: by least squares
	// (the default) or as those of the cost, with γ.
	Refit spec.Refit

	Gap       float64       // relative gap at which to stop; zero: prove optimality
	TimeLimit time.Duration // for the search of each k; zero: none
	MaxNodes  int           // for the search of each k; zero: none
	NearTies  int           // how many other good selections to report; zero means 5, negative none

	Folds   int    // parts of the table to validate γ on in turn; zero means 5
	Seed    uint64 // of the folds
	Threads int    // zero: all processors. Results do not depend on it.

	OnEvent func(search.Event)      // called for everything the search does; may be nil
	OnGamma func(result.GammaPoint) // called for every γ tried; may be nil
}

// SettingsError is returned for settings that cannot be meant, or that the
// problem cannot meet.
type SettingsError struct{ Problem string }

func (e *SettingsError) Error() string { return e.Problem }

func badf(format string, args ...any) error { return &SettingsError{fmt.Sprintf(format, args...)} }

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
			return nil, settingsError(err)
		}
	}
	find.OnEvent = settings.OnEvent
	whole := standardise(problem, nil, settings)
	oracle := objective.NewQuadratic(whole.table, gamma, float64(n))
	found, err := run(ctx, oracle, find)
	if err != nil {
		return nil, settingsError(err)
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
	switch {
	case n == 0:
		return badf("there are no rows")
	case s.K < 1:
		return badf("k is %d, but at least one feature must be selected", s.K)
	case s.K > p:
		return badf("k is %d, but there are only %d features", s.K, p)
	case !(s.Gamma >= 0) || math.IsInf(s.Gamma, 0):
		return badf("gamma is %v, but must be a positive number", s.Gamma)
	case !(s.Gap >= 0 && s.Gap < 1):
		return badf("the gap is %v, but must be at least 0 and below 1", s.Gap)
	case s.TimeLimit < 0:
		return badf("the time limit is %v, but must be positive", s.TimeLimit)
	case s.MaxNodes < 0:
		return badf("the node limit is %d, but must be positive", s.MaxNodes)
	case s.Folds < 0 || s.Folds == 1:
		return badf("the number of folds is %d, but must be at least 2", s.Folds)
	}
	for at, v := range problem.X {
		if !(math.Abs(v) <= largest) {
			return badf("feature %q has the value %g: too large to compute with (rescale it)", problem.Names[at%p], v)
		}
	}
	for _, v := range problem.Y {
		if !(math.Abs(v) <= largest) {
			return badf("a row is to be explained as %g: too large to compute with (rescale the values)", v)
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
			return nil, badf("the %s list names %q, which is not a feature%s", list, name, suggest.After(name, names))
		}
		found = append(found, j)
	}
	return found, nil
}

// settingsError turns the search's own complaint into one of this package.
func settingsError(err error) error {
	if errors.Is(err, search.ErrInfeasible) {
		return badf("%s", strings.TrimPrefix(err.Error(), "search: "))
	}
	return err
}
