package twosided

import (
	"cmp"
	"context"
	"encoding/gob"
	"time"

	"optcomplete/checkpoint"
	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/internal/fingerprint"
	"optcomplete/internal/gammapath"
	"optcomplete/internal/lists"
	"optcomplete/internal/timelimit"
	"optcomplete/model"
	"optcomplete/objective"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/search"
	"optcomplete/selection"
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

	// Checkpoint is a folder that keeps what was computed, so that a run that was
	// killed continues from there; empty: none. See package checkpoint.
	Checkpoint string

	OnEvent  func(search.Event)                             // called for everything the search does; may be nil
	OnGamma  func(result.GammaPoint)                        // called for every γ tried; may be nil
	OnChosen func(gamma float64, tried []result.GammaPoint) // called with the γ taken, if several were tried; may be nil

	OnDivided func(selection.Division) // called before the search with how the time limit is divided; may be nil
}

// gammaPasses is the evaluations spent on one γ at most.
const gammaPasses = 60

// Fit selects settings.K products, proves how good the selection is, and fits
// their coefficients. A limit or a cancelled context is not an error: the model
// then has the best selection found, a true bound, and a status that says so.
func Fit(ctx context.Context, problem Problem, settings Settings) (*Model, error) {
	start := time.Now()
	ctx, readings := pass.WithCounts(ctx)
	f, err := newFormulation(ctx, problem, &settings)
	if err != nil {
		return nil, err
	}
	entries, err := pass.Collect(ctx, problem.Ratings.Source(), settings.Threads, "entries") // γ and the sums of products are computed from them in turn
	if err != nil {
		return nil, err
	}
	train, held := part{entries, f.rows}, (*data.Matrix)(nil)
	if settings.Holdout > 0 {
		train.entries, held = evaluate.SplitMatrix(entries, settings.Holdout, settings.Seed)
	}
	f.clock = timelimit.New(settings.TimeLimit, cmp.Or(settings.Began, start))
	before := time.Since(start)
	run := selection.Run{K: settings.K, Clock: f.clock, Limit: settings.TimeLimit, OnEvent: settings.OnEvent, OnGamma: settings.OnGamma, OnDivided: settings.OnDivided, OnChosen: settings.OnChosen}
	if settings.Checkpoint != "" {
		if run.Memory, err = openCheckpoint(ctx, problem, entries, settings); err != nil {
			return nil, err
		}
		defer run.Memory.Close()
	}
	found, err := selection.Fit(ctx, f, train, run)
	if err != nil {
		return nil, err
	}
	c := found.Choices
	searched := time.Since(start)
	finish := context.WithoutCancel(ctx) // an interrupt ends the search, not the answer
	fitted := &Model{Summary: f.summary(found, c)}
	if err := fitted.complete(finish, f, found, c, train, held); err != nil {
		return nil, err
	}
	fitted.Summary.ColumnEncoding = usedOf(problem.ColumnEncoding, fitted.Columns)
	fitted.Summary.RowEncoding = usedOf(problem.RowEncoding, fitted.Rows)
	fitted.entries = entriesOf(fitted.Rows, problem.Ratings.RowIDs, entries, train.entries)
	selected, total := before+found.Prepared+found.At, time.Since(start)
	fitted.Summary.Seconds = result.Seconds{
		Choose: (before + found.Chosen).Seconds(), Select: selected.Seconds(), Certify: (searched - selected).Seconds(),
		Complete: (total - searched).Seconds(), Total: total.Seconds(),
	}
	fitted.Summary.Readings = readings.Of()
	return fitted, fitted.Summary.Normalize()
}

// Path selects 1, 2, … path.KMax products, at one γ, and validates each number; see
// selection.Path. K and Holdout are not used.
func Path(ctx context.Context, problem Problem, settings Settings, path selection.PathSettings) (*selection.PathResult, error) {
	ctx, readings := pass.WithCounts(ctx)
	settings.K, settings.Holdout = path.KMax, 0
	f, err := newFormulation(ctx, problem, &settings)
	if err != nil {
		return nil, err
	}
	entries, err := pass.Collect(ctx, problem.Ratings.Source(), settings.Threads, "entries")
	if err != nil {
		return nil, err
	}
	path.OnGamma, path.OnEvent = settings.OnGamma, settings.OnEvent
	path.TimeLimit, path.SearchTime, path.Began = settings.TimeLimit, settings.SearchTime, settings.Began
	r, err := selection.Path(ctx, f, part{entries, f.rows}, path)
	if err != nil {
		return nil, err
	}
	r.Model, r.Weighted, r.Readings = Kind, entries.Weighted(), readings.Of()
	return r, nil
}

// changesNoAnswer are the fields that runs may differ in and still share what was
// computed.
var changesNoAnswer = fingerprint.LeftOut{
	"Problem.Ratings":     "written as the hashes of ids and entries",
	"Settings.Limits":     "ends a search, at costs that are what they are, and uses more or less of the machine",
	"Settings.Checkpoint": "where the answers are kept",
	"Settings.OnEvent":    "only watches",
	"Settings.OnGamma":    "only watches",
	"Settings.OnChosen":   "only watches",
	"Settings.OnDivided":  "only watches",
}

// openCheckpoint opens the memory of this run.
func openCheckpoint(ctx context.Context, problem Problem, entries *data.Matrix, settings Settings) (*checkpoint.Store, error) {
	hash, err := pass.Fingerprint(ctx, entries, settings.Threads)
	if err != nil {
		return nil, err
	}
	ids := struct{ RowIDs, ColumnIDs []string }{problem.Ratings.RowIDs, problem.Ratings.ColumnIDs}
	return checkpoint.Open(settings.Checkpoint, fingerprint.Run()+"entries "+hash+"\n"+fingerprint.Text("Ratings", ids, nil)+
		fingerprint.Text("Problem", problem, changesNoAnswer)+fingerprint.Text("Settings", settings, changesNoAnswer))
}

// summary is what is known once the search is over.
func (f *formulation) summary(found *selection.Found, c selection.Choices) Summary {
	settings := f.settings
	s := Summary{Summary: model.Summary{
		Method: "certified", Model: Kind, Refit: settings.Refit, K: len(found.Units), Selected: lists.Pick(f.all, found.Units),
		Gamma: c.Gamma, Seed: settings.Seed, Choice: settings.Choice, Version: spec.Version,
		Features: len(f.all), Certificate: found.Certificate, Removal: found.Removal, Trace: found.Trace,
	}, RowFeatures: len(f.known.Names), ColumnFeatures: len(f.columns.Names), Constants: settings.Constants, Heredity: settings.Heredity.String()}
	s.GammaPath, s.Alike = c.GammaPath, result.AlikeOf(c.GammaPath, s.Selected)
	if found.RemovalError != nil {
		s.WithoutDiagnostic("the cost of removing each product is", found.RemovalError)
	}
	return s
}

// complete makes a model of what the search found: coefficients and scores.
func (m *Model) complete(ctx context.Context, f *formulation, found *selection.Found, c selection.Choices, train part, held *data.Matrix) error {
	u, err := f.coefficients(ctx, train, found.Units, c)
	if err != nil {
		return err
	}
	summary := &m.Summary
	summary.Observed = train.entries.Observed()
	summary.Rows, summary.Columns = train.entries.Dims()
	if summary.Weighted = train.entries.Weighted(); summary.Weighted {
		survey, err := pass.Survey(ctx, train.entries, f.settings.Threads)
		if err != nil {
			return err
		}
		summary.Weight = survey.Counts()
	}
	p2 := len(f.columns.Names)
	for x, j := range found.Units {
		summary.Products = append(summary.Products, Product{Row: f.known.Names[j/p2], Column: f.columns.Names[j%p2], Coefficient: u[x]})
	}
	m.take(f.sides, found.Units)
	predict := f.predictor(f.rows, found.Units, u)
	if summary.Train, err = evaluate.Score(ctx, train.entries, predict, f.settings.Threads); err != nil || held == nil {
		return err
	}
	score, err := evaluate.Score(ctx, held, predict, f.settings.Threads)
	summary.Holdout = &score
	return err
}

// search turns the settings into those of the search.
func (s *sides) search(settings Settings) (search.Settings, error) {
	if p := len(s.known.Names) * len(s.columns.Names); settings.K > p {
		return search.Settings{}, spec.Errorf("k is %d, but there are only %d products", settings.K, p)
	}
	find, err := selection.Find(settings.K, settings.Choice, settings.Limits, s.indices)
	if err != nil {
		return find, err
	}
	find.Requires, err = s.requirements(settings.Heredity)
	return find, err
}

// chooseGamma picks γ on a fifth of the entries; see package gammapath. The unit
// is the mean square of the products.
func (s *sides) chooseGamma(ctx context.Context, train *data.Matrix, settings Settings, find search.Settings, clock *timelimit.Clock) (gamma float64, path []result.GammaPoint, cut, err error) {
	ctx = pass.WithLabel(ctx, "trials")
	fit, held := evaluate.SplitMatrix(train, 0.2, settings.Seed+1)
	if fit.Observed() == 0 || held.Observed() == 0 {
		fit, held = train, train // nothing to validate on
	}
	products, err := objective.NewTwoSided(ctx, fit, s.rows, s.columns, settings.Threads)
	if err != nil {
		return 0, nil, nil, err
	}
	_, diagonal, _ := products.Target()
	unit := 0.0
	for _, d := range diagonal {
		unit += d / float64(len(diagonal))
	}
	n, m := fit.Dims()
	oracle := objective.NewQuadratic(products, 1, float64(n)*float64(m))
	find.MaxNodes, find.MaxPasses, find.NearTies, find.Gap, find.TimeLimit, find.SearchTime = 1, gammaPasses, -1, 0, 0, 0
	ctx, cancel := clock.Choice(ctx)
	defer cancel()
	gamma, path, err = gammapath.Standard(unit).Choose(ctx, func(gamma float64) (result.GammaPoint, error) {
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
		score, err := evaluate.Score(ctx, held, s.predictor(s.rows, result.Selection, u), settings.Threads)
		if err != nil {
			return point, err
		}
		point.RMSE = score.RMSE
		gap := min(result.RootGap, 1)
		point.RootGap, point.Limited = &gap, result.Limited()
		point.Selected = s.names(result.Selection)
		return point, nil
	}, settings.OnGamma)
	return gamma, path, ctx.Err(), err
}

// predictor predicts entries of the matrix: Σ u·x·b over the selection.
func (s *sides) predictor(rows *data.Features, selection []int, u []float64) evaluate.Predictor {
	return &predictor{pass.Share(rows.Values), pass.Share(s.columns.Values), len(rows.Names), len(s.columns.Names), selection, u}
}

type predictor struct {
	Rows, Columns *pass.Shared[[]float64] // features: n×P1, m×P2
	P1, P2        int
	Selection     []int // of products
	U             []float64
}

// PredictRow adds the products up.
func (p *predictor) PredictRow(row int, columns []int32, out []float64) {
	x, all := p.Rows.Get()[row*p.P1:][:p.P1], p.Columns.Get()
	for e, c := range columns {
		b := all[int(c)*p.P2:][:p.P2]
		out[e] = 0
		for i, j := range p.Selection {
			out[e] += p.U[i] * x[j/p.P2] * b[j%p.P2]
		}
	}
}

func init() { gob.Register(new(predictor)) }

func validate(s Settings) error {
	if s.K < 1 {
		return spec.Errorf("k is %d, but at least one product must be selected", s.K)
	}
	if err := s.Limits.Validate(); err != nil {
		return err
	}
	if err := s.Statistics.Validate(); err != nil {
		return err
	}
	return spec.Refuse("certified", Kind, false, s.Choice, s.Limits, s.Statistics)
}
