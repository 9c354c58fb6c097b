package twosided

import (
	"context"
	"time"

	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/gammapath"
	"optcomplete/model"
	"optcomplete/objective"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/spec"
)

// Settings say how to fit. All but K may be left at zero. Of the statistics, a
// two-sided model has no use for γ₀ and the shrinkage of effects: giving one is an
// error.
type Settings struct {
	K int // how many products to select, 1..p₁p₂
	spec.Choice
	spec.Limits
	spec.Statistics // Refit: least squares (the default), or ridge: the L of the cost, with γ

	Constants bool     // add the constant feature "1" to either side
	Heredity  Heredity // what a product may only be selected with

	Version string // of the program, recorded in the model

	OnEvent func(search.Event)      // called for everything the search does; may be nil
	OnGamma func(result.GammaPoint) // called for every γ tried; may be nil
}

// gammaPasses is the evaluations spent on one γ at most.
const gammaPasses = 60

// Fit selects settings.K products, proves how good the selection is, and fits
// their coefficients. A limit or a cancelled context is not an error: the model
// then has the best selection found, a true bound, and a status that says so.
func Fit(ctx context.Context, problem Problem, settings Settings) (*Model, error) {
	models, err := fit(ctx, problem, settings, func(oracle search.Oracle, find search.Settings) ([]search.Result, error) {
		result, err := search.Minimize(ctx, oracle, find)
		return []search.Result{result}, err
	})
	if err != nil {
		return nil, err
	}
	return models[0], nil
}

// Path fits every number of products up to settings.K, at one γ, and reuses
// every cut of the search on the way.
func Path(ctx context.Context, problem Problem, settings Settings) ([]*Model, error) {
	return fit(ctx, problem, settings, func(oracle search.Oracle, find search.Settings) ([]search.Result, error) {
		return search.Path(ctx, oracle, find)
	})
}

// fit prepares the cost, lets run search it, and makes a model of each result.
func fit(ctx context.Context, problem Problem, settings Settings, run func(search.Oracle, search.Settings) ([]search.Result, error)) ([]*Model, error) {
	start := time.Now()
	if err := validate(settings); err != nil {
		return nil, err
	}
	s, err := align(problem, settings.Constants)
	if err != nil {
		return nil, err
	}
	switch settings.Refit {
	case spec.AutoRefit:
		settings.Refit = spec.LeastSquares
	case spec.LearnedPrior:
		return nil, &spec.Error{Problem: "a two-sided model has one coefficient for all rows, so no prior can be learned: the refit must be ls or ridge"}
	}
	find, err := s.search(settings)
	if err != nil {
		return nil, err
	}
	train, err := data.Collect(problem.Ratings.Source(), nil) // every entry's products are added up once: rows are read in order
	if err != nil {
		return nil, err
	}
	held := (*data.Matrix)(nil)
	if settings.Holdout > 0 {
		train, held = evaluate.SplitMatrix(train, settings.Holdout, settings.Seed)
	}
	summary := Summary{Summary: model.Summary{
		Method: "certified", Model: Kind, Refit: settings.Refit,
		Gamma: settings.Gamma, Seed: settings.Seed, Always: settings.Always, Never: settings.Never, Version: settings.Version,
		Features: len(s.known.Names) * len(s.columns.Names), Observed: train.Observed(),
	}, RowFeatures: len(s.known.Names), ColumnFeatures: len(s.columns.Names), Constants: settings.Constants, Heredity: settings.Heredity.String()}
	summary.Rows, summary.Columns = train.Dims()
	if settings.Gamma == 0 {
		if summary.Gamma, summary.GammaPath, err = s.chooseGamma(ctx, train, settings, find); err != nil {
			return nil, search.SettingsError(err)
		}
	}
	products, err := objective.NewTwoSided(ctx, train, s.rows, s.columns, settings.Threads)
	if err != nil {
		return nil, err
	}
	oracle := objective.NewQuadratic(products, summary.Gamma, float64(summary.Rows)*float64(summary.Columns))
	accumulated := time.Since(start)
	last := map[int]time.Duration{} // when the last incumbent came, for each k
	traces := map[int]*model.Trace{}
	find.OnEvent = func(e search.Event) {
		if traces[e.K] == nil {
			traces[e.K] = new(model.Trace)
		}
		traces[e.K].Event(e)
		if e.Kind == search.EventIncumbent {
			last[e.K] = e.Elapsed
		}
		if settings.OnEvent != nil {
			settings.OnEvent(e)
		}
	}
	results, err := run(oracle, find)
	if err != nil {
		return nil, search.SettingsError(err)
	}
	finish := context.WithoutCancel(ctx) // an interrupt ends the search, not the answer
	var models []*Model
	for _, found := range results {
		at := time.Now()
		fitted := &Model{Summary: summary}
		if err := fitted.complete(finish, s, oracle, products, found, train, held, settings); err != nil {
			return nil, err
		}
		if trace := traces[len(found.Selection)]; trace != nil {
			fitted.Summary.Trace = trace.Points()
		}
		selected := accumulated + last[len(found.Selection)]
		fitted.Summary.Seconds = model.Seconds{
			Select: selected.Seconds(), Certify: (accumulated + found.Elapsed - selected).Seconds(),
			Complete: time.Since(at).Seconds(), Total: (accumulated + found.Elapsed + time.Since(at)).Seconds(),
		}
		if err := fitted.Summary.Normalize(); err != nil {
			return nil, err
		}
		models = append(models, fitted)
	}
	return models, nil
}

// complete makes a model of what the search found: coefficients and scores.
func (m *Model) complete(ctx context.Context, s *sides, oracle *objective.Quadratic, products *objective.TwoSided, found search.Result, train, held *data.Matrix, settings Settings) error {
	u, err := oracle.Coefficients(ctx, found.Selection)
	if err != nil {
		return err
	}
	summary := &m.Summary
	cost, hard, err := oracle.Cost(ctx, found.Selection)
	if err != nil {
		return err
	}
	if !hard {
		cost = products.Cost(found.Selection, u, summary.Gamma) / (float64(summary.Rows) * float64(summary.Columns))
	}
	if settings.Refit == spec.LeastSquares {
		if u, err = oracle.LeastSquares(ctx, found.Selection); err != nil {
			return err
		}
	}
	s.record(summary, found, u, cost, settings.Gap)
	if summary.Removal, err = s.removal(ctx, oracle, found.Selection); err != nil {
		summary.WithoutDiagnostic("the cost of removing each product is", err)
	}
	m.take(s, found.Selection)
	predict := s.predictor(found.Selection, u)
	if summary.Train, err = evaluate.Score(ctx, train, predict, settings.Threads); err != nil || held == nil {
		return err
	}
	score, err := evaluate.Score(ctx, held, predict, settings.Threads)
	summary.Holdout = &score
	return err
}

// record puts the outcome of the search into the summary. The cost comes from
// residuals, and the gap and the status from it, the bound and the gap asked for.
func (s *sides) record(summary *Summary, found search.Result, u []float64, cost, asked float64) {
	summary.K, summary.Selected = len(found.Selection), s.names(found.Selection)
	found.Certify(cost, asked)
	gammaPath := summary.GammaPath
	summary.Certificate = found.Certificate(true, s.names)
	summary.GammaPath = gammaPath
	p2 := len(s.columns.Names)
	for x, j := range found.Selection {
		summary.Products = append(summary.Products, Product{Row: s.known.Names[j/p2], Column: s.columns.Names[j%p2], Coefficient: u[x]})
	}
}

// search turns the settings into those of the search.
func (s *sides) search(settings Settings) (search.Settings, error) {
	if p := len(s.known.Names) * len(s.columns.Names); settings.K > p {
		return search.Settings{}, spec.Errorf("k is %d, but there are only %d products", settings.K, p)
	}
	find := search.Settings{
		K: settings.K, Gap: settings.Gap, TimeLimit: settings.TimeLimit, MaxNodes: settings.MaxNodes, NearTies: settings.NearTies,
	}
	var err error
	if find.Always, err = s.indices(settings.Always, "always"); err != nil {
		return find, err
	}
	if find.Never, err = s.indices(settings.Never, "never"); err != nil {
		return find, err
	}
	find.Requires, err = s.requirements(settings.Heredity)
	return find, err
}

// chooseGamma picks γ on a fifth of the entries; see package gammapath. The unit
// is the mean square of the products.
func (s *sides) chooseGamma(ctx context.Context, train *data.Matrix, settings Settings, find search.Settings) (float64, []result.GammaPoint, error) {
	fit, held := evaluate.SplitMatrix(train, 0.2, settings.Seed+1)
	if fit.Observed() == 0 || held.Observed() == 0 {
		fit, held = train, train // nothing to validate on
	}
	products, err := objective.NewTwoSided(ctx, fit, s.rows, s.columns, settings.Threads)
	if err != nil {
		return 0, nil, err
	}
	_, diagonal, _ := products.Target()
	unit := 0.0
	for _, d := range diagonal {
		unit += d / float64(len(diagonal))
	}
	n, m := fit.Dims()
	oracle := objective.NewQuadratic(products, 1, float64(n)*float64(m))
	find.MaxNodes, find.MaxPasses, find.NearTies, find.Gap, find.TimeLimit = 1, gammaPasses, -1, 0, 0
	return gammapath.Standard(unit).Choose(ctx, func(gamma float64) (result.GammaPoint, error) {
		point := result.GammaPoint{Gamma: gamma}
		at := oracle.WithGamma(gamma)
		result, err := search.Minimize(ctx, at, find)
		if err != nil {
			return point, err
		}
		find.Start = [][]int{result.Selection}
		coefficients := at.LeastSquares
		if settings.Refit == spec.Ridge {
			coefficients = at.Coefficients
		}
		u, err := coefficients(ctx, result.Selection)
		if err != nil {
			return point, err
		}
		score, err := evaluate.Score(ctx, held, s.predictor(result.Selection, u), settings.Threads)
		if err != nil {
			return point, err
		}
		point.RMSE = score.RMSE
		point.RootGap = min(result.RootGap, 1)
		point.Selected = s.names(result.Selection)
		return point, nil
	}, settings.OnGamma)
}

// predictor predicts entries of the matrix: Σ u·x·b over the selection.
func (s *sides) predictor(selection []int, u []float64) func(row int, columns []int32, out []float64) {
	p2 := len(s.columns.Names)
	return func(row int, columns []int32, out []float64) {
		x := s.rows.Row(row)
		for e, c := range columns {
			b := s.columns.Row(int(c))
			out[e] = 0
			for i, j := range selection {
				out[e] += u[i] * x[j/p2] * b[j%p2]
			}
		}
	}
}

func validate(s Settings) error {
	if s.K < 1 {
		return spec.Errorf("k is %d, but at least one product must be selected", s.K)
	}
	if err := s.Limits.Validate(); err != nil {
		return err
	}
	if s.Gamma0 != 0 || s.RowShrinkage != 0 || s.ColumnShrinkage != 0 {
		return spec.Errorf("a two-sided model has no population and no effects: gamma0 and shrinkages mean nothing to it")
	}
	return s.Statistics.Validate()
}
