package formulation

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/evaluate"
	"optcomplete/internal/lists"
	"optcomplete/internal/progress"
	"optcomplete/model/estimate"
	"optcomplete/pass"
	"optcomplete/result"
	"optcomplete/selection"
)

// standardise gives the features mean 0 and variance 1 over the columns that have entries,
// so that it does not matter in which units they are. The encoding of the problem says how,
// and models tell coefficients in the units that features came in. A model that takes features
// as they are given keeps them.
func (t *formulation) standardise(ctx context.Context, problem *Problem) error {
	if t.Model.AsGiven() {
		return nil
	}
	var count []int
	if problem.Ratings.Observed() <= countable {
		survey, err := pass.Survey(context.WithoutCancel(ctx), problem.Ratings.Source(), t.Threads)
		if err != nil {
			return err
		}
		count = survey.Columns
	}
	old := problem.Features
	m, p := old.Dims()
	encoding := problem.Encoding
	if encoding == nil {
		encoding = encode.Plain(old.Names, old.Values)
	}
	changed := *encoding
	changed.Scale, changed.Features = encode.ZScore, slices.Clone(encoding.Features)
	values := slices.Clone(old.Values)
	column := make([]float64, 0, m)
	for f := range p {
		column = column[:0]
		for j := range m {
			if count == nil || count[j] > 0 {
				column = append(column, old.Values[j*p+f])
			}
		}
		centre, scale := centreAndScale(column)
		for j := range m {
			values[j*p+f] = (values[j*p+f] - centre) / scale
		}
		feature := &changed.Features[f]
		feature.Centre, feature.Scale = feature.Centre+centre*feature.Scale, feature.Scale*scale
	}
	problem.Features, problem.Encoding = data.NewFeatures(old.IDs, old.Names, values), &changed
	t.features = problem.Features
	return nil
}

// centreAndScale are mean and standard deviation; 1 where all are the same.
func centreAndScale(x []float64) (centre, scale float64) {
	if len(x) == 0 {
		return 0, 1
	}
	from, largest := x[0], 0.0 // what all have in common takes no digits
	for _, v := range x {
		largest = max(largest, math.Abs(v-from))
	}
	if largest == 0 {
		return from, 1
	}
	mean := 0.0
	for _, v := range x {
		mean += (v - from) / largest
	}
	mean /= float64(len(x))
	square := 0.0
	for _, v := range x {
		square += ((v-from)/largest - mean) * ((v-from)/largest - mean)
	}
	return from + mean*largest, math.Sqrt(square/float64(len(x))) * largest
}

// ChooseGamma is the γ that Fit would take for the problem on all its entries; of models in
// which every feature has its own, the factor of those.
func ChooseGamma(ctx context.Context, problem Problem, settings Settings) (float64, error) {
	t, err := newChecked(ctx, &problem, &settings)
	if err != nil {
		return 0, err
	}
	c, err := t.learn(ctx, problem.Ratings.Source(), nil)
	return oneGammaOf(c), err
}

// Sizes of the samples of rows that variances are learned on: as many multiplications a
// reading as there are entries times features, times this, so that learning takes no longer than the
// rest of a fit; at least so many, and at most and at least so many rows.
const (
	firstWork        = 3
	lastWork         = 20
	leastWork        = 1e7
	leastRowsLearned = 400
	mostRowsLearned  = 20_000
)

// mostGamma is the largest variance of a feature, in parts of the noise: rows with one entry
// then know its coefficient to a hundredth, and more only costs digits.
const mostGamma = 1e4

// learn fills in what the settings leave open: the shrinkage of column effects from their
// variances, and by how much rows differ on each feature by maximum evidence.
func (t *formulation) learn(ctx context.Context, train data.Source, near *selection.Learned) (c selection.Learned, err error) {
	c = selection.Learned{Gamma: t.Gamma, Gamma0: t.Gamma0, Column: t.ColumnShrinkage, Delta: t.Delta, Factor: cmp.Or(t.GammaFactor, 1), Given: t.Gamma > 0, Fixed: t.ColumnShrinkage > 0}
	if t.Model.AsGiven() && c.Gamma > 0 {
		return c, nil
	}
	c.Observed = train.Observed()
	drawing := progress.Start(ctx, "Drawing rows to learn from", 0, "")
	sample, err := evaluate.SampleRows(ctx, train, evaluate.TrialEntries, t.Seed, t.Threads)
	drawing.Done()
	if err != nil {
		return c, err
	}
	choosing, cancel := t.clock.Choice(pass.WithLabel(ctx, "learning")) // it reads this sample, not the data
	defer cancel()
	defer progress.Start(ctx, "Learning how much rows differ on each feature", 0, "").Done()
	learning := context.WithoutCancel(choosing)
	if l := t.scaled(c); l.Loss.HasUnit() && c.Delta == 0 {
		if c.Delta, err = usualDelta(learning, sample, t.Threads); err != nil {
			return c, err
		}
	}
	has := t.Model.Effects()
	var effects *estimate.Effects
	if has.Rows {
		row, column, err := evaluate.ChooseShrinkage(choosing, sample, t.Threads)
		if err != nil && choosing.Err() == nil {
			return c, err
		}
		c.Row = selection.Round(row)
		if !has.Columns {
			column = math.Inf(1)
		}
		if c.Column == 0 && has.Columns {
			c.Column = selection.Round(column)
		}
		if effects, err = estimate.FitLevels(learning, sample, t.scaled(c), c.Row, cmp.Or(c.Column, column), t.Threads); err != nil {
			return c, err
		}
	}
	n, _ := train.Dims()
	if c.Gamma0 == 0 {
		c.Gamma0 = math.Sqrt(float64(max(n, 1))) // the population has all rows to learn from
	}
	if c.Given && !t.Model.AsGiven() {
		c.Units = &result.Variances{Level: 1 / c.Row, Features: slices.Repeat([]float64{c.Gamma}, len(t.features.Names))}
		c.Gamma = 1
		return c, nil
	}
	learned, err := t.variances(choosing, sample, effects, c, t.features, near)
	if err != nil {
		return c, err
	}
	c.Cut = choosing.Err()
	if t.Model.AsGiven() {
		c.Gamma, c.Units = selection.RoundGamma(c.Factor*oneGamma(learned.Features, t.find.K)), nil
		return c, nil
	}
	learned.Own = slices.Clone(learned.Features)
	shareCopies(learned.Features, t.features, t.members(t.find.Always), t.members(t.find.Never))
	c.Units, c.Gamma = learned, 1
	return c, nil
}

// learnAgain learns how much rows differ on the selected features alone, beside what is
// predicted without them; γ that was given stays.
func (t *formulation) learnAgain(ctx context.Context, train data.Source, members []int, c selection.Learned) (*result.Variances, error) {
	chosen := &result.Variances{Level: c.Units.Level, Features: lists.Pick(c.Units.Features, members), Noise: c.Units.Noise}
	if c.Given {
		return chosen, nil
	}
	ctx = pass.WithLabel(ctx, "learning")
	sample, err := evaluate.SampleRows(ctx, train, evaluate.TrialEntries, t.Seed, t.Threads)
	if err != nil {
		return nil, err
	}
	features := data.NewFeatures(t.features.IDs, lists.Pick(t.features.Names, members), estimate.Chosen(t.features, members))
	effects := &estimate.Effects{}
	if c.Offsets != nil {
		effects.Mean, effects.Columns = c.Offsets.Mean, c.Offsets.Column
	}
	again, err := t.variances(ctx, sample, effects, c, features, nil)
	if err != nil || again.Noise == 0 {
		return chosen, err
	}
	return again, nil
}

// variances learns how much rows differ on features: on some of the rows of the sample, from what is near on.
func (t *formulation) variances(ctx context.Context, sample *data.Matrix, effects *estimate.Effects, c selection.Learned, features *data.Features, near *selection.Learned) (*result.Variances, error) {
	_, p := features.Dims()
	rows, _ := sample.Dims()
	survey, err := pass.Survey(context.WithoutCancel(ctx), sample, t.Threads)
	if err != nil {
		return nil, err
	}
	entries := float64(max(sample.Observed(), 1)) / float64(max(rows, 1))
	work := math.Min(float64(p*p*p)/2, entries*entries*float64(min(p, 400))) + entries*float64(p)
	if t.scaled(c).Loss.Linked() {
		work *= 4
	}
	size := func(total float64) int {
		total = max(total*float64(c.Observed)*float64(p), leastWork)
		return int(entries * min(max(total/work, leastRowsLearned), mostRowsLearned))
	}
	samples, err := evaluate.Samples(sample, []int{size(firstWork), size(lastWork)}, t.Seed)
	if err != nil {
		return nil, err
	}
	if len(samples) == 2 && samples[0].Observed() == samples[1].Observed() {
		samples = samples[:1]
	}
	in := &estimate.Learning{
		Rows: samples, Design: features.Values, P: p, Loss: t.scaled(c), Unit: survey.Unit(), NoLevel: effects == nil, Threads: t.Threads,
	}
	if effects != nil {
		in.Mean, in.Columns = effects.Mean, effects.Columns
	}
	scale := 1.0
	if in.Loss.Loss.Linked() {
		scale = 2 // a log-likelihood and half the square of a coefficient, over its variance
	}
	if near != nil && near.Units != nil {
		from := *near.Units
		if from.Own != nil {
			from.Features = from.Own
		}
		from.Level, from.Features = from.Level/scale, lists.Each(from.Features, func(g float64) float64 { return g / scale })
		in.Near = &from
	}
	learned, ok, err := in.LearnVariances(ctx)
	if err != nil {
		return nil, err
	}
	if !ok {
		learned.Noise = 0
	}
	learned.Level = min(learned.Level*scale, mostGamma/in.Unit)
	for f, g := range learned.Features {
		learned.Features[f] = min(g*scale, mostGamma/in.Unit)
	}
	return learned, nil
}

// oneGamma is one γ for all features: the mean of the k largest.
func oneGamma(gammas []float64, k int) float64 {
	sorted := slices.Clone(gammas)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	sum, used := 0.0, 0
	for _, g := range sorted[:min(k, len(sorted))] {
		if g > 0 {
			sum += g
			used++
		}
	}
	if used == 0 {
		return 1
	}
	return sum / float64(used)
}

// Features that are nearly copies of each other share a variance when all are in the model, so
// that each looks useful in part only. nearCopy is the square of their correlation, over
// columns, from which on one of them stands for all. At most so many are compared: those with the
// largest variances.
const (
	nearCopy     = 0.9
	mostCompared = 600
)

// shareCopies lets one of near copies stand for them: the one that rows differ on most, and none
// that is never to be selected. It has the variances of all, γ_f ← Σ_g γ_g·corr(f,g)², as it would
// without the others, and those keep the part of theirs, 1 − corr(f,g)², that it does not
// tell. What is always selected is copied by others and is no copy.
func shareCopies(gammas []float64, features *data.Features, always, never []int) {
	m, p := features.Dims()
	order := make([]int, 0, p)
	for f, g := range gammas {
		if g > 0 {
			order = append(order, f)
		}
	}
	rank := func(f int) int {
		switch {
		case slices.Contains(always, f):
			return 0
		case slices.Contains(never, f):
			return 2
		}
		return 1
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(gammas[b], gammas[a]))
	})
	order = order[:min(len(order), mostCompared)]
	columns := make([][]float64, len(order))
	for x, f := range order {
		columns[x] = make([]float64, m)
		for j := range m {
			columns[x][j] = features.Values[j*p+f]
		}
		floats.AddConst(-floats.Sum(columns[x])/float64(max(m, 1)), columns[x])
		if norm := floats.Norm(columns[x], 2); norm > 0 {
			floats.Scale(1/norm, columns[x])
		}
	}
	copied := make([]bool, len(order))
	for x, f := range order {
		for y := x + 1; y < len(order) && !copied[x] && rank(f) < 2; y++ {
			if g := order[y]; !copied[y] && rank(g) > 0 {
				if r := floats.Dot(columns[x], columns[y]); r*r > nearCopy {
					r = min(r*r, 1)
					copied[y] = true
					gammas[f] += r * gammas[g]
					gammas[g] *= 1 - r
				}
			}
		}
	}
}

// oneGammaOf is γ of all features, or the factor of those that each has.
func oneGammaOf(c selection.Learned) float64 {
	switch {
	case c.Units == nil:
		return c.Gamma
	case (c.Given || c.Units.Noise == 0) && len(c.Units.Features) > 0: // given, or nothing was learned
		return c.Factor * c.Units.Features[0]
	}
	return c.Factor
}

// inUnits is the features as the cost measures them: each times the root of φ·γ_f, and behind them the level
// of the rows, a constant.
func inUnits(features *data.Features, u *result.Variances, factor float64) *data.Features {
	scales := scalesOf(u, factor)
	m, p := features.Dims()
	values := make([]float64, 0, m*(p+1))
	for j := range m {
		for f, b := range features.Row(j) {
			values = append(values, b*scales[f])
		}
		values = append(values, scales[p])
	}
	return data.NewFeatures(features.IDs, append(slices.Clone(features.Names), "(level)"), values)
}

// scalesOf is what features are multiplied by, and last what the level is.
func scalesOf(u *result.Variances, factor float64) []float64 {
	scales := make([]float64, 0, len(u.Features)+1)
	for _, g := range u.Features {
		scales = append(scales, math.Sqrt(factor*g))
	}
	return append(scales, math.Sqrt(u.Level))
}

// describeUnits is the units as a model tells them.
func (t *formulation) describeUnits(c selection.Learned, encoding *encode.Encoding) *result.Units {
	if c.Units == nil {
		return nil
	}
	out := &result.Units{Learned: !c.Given && c.Units.Noise > 0, Factor: c.Factor, Level: c.Units.Level, Noise: c.Units.Noise}
	deviation := math.Sqrt(c.Units.Noise)
	if t.scaled(c).Loss.Linked() {
		deviation = math.Sqrt(0.5)
	}
	for f, name := range t.features.Names {
		u := result.FeatureUnit{Name: name, Gamma: c.Units.Features[f]}
		if out.Learned {
			own := u.Gamma
			if c.Units.Own != nil {
				own = c.Units.Own[f]
			}
			u.Spread, u.Measurable = math.Sqrt(own)*deviation, c.Units.Sure[f]
		}
		if encoding != nil {
			u.Deviation = encoding.Features[f].Scale
		}
		out.Features = append(out.Features, u)
	}
	return out
}
