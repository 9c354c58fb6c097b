package loss

import "math"

// Scaled is a loss in the units of the values: of Huber, errors beyond Unit count
// by their size. It is Unit²·ℓ(a/Unit, x/Unit), so that with a large unit it is the
// squared error. Other losses have no unit.
type Scaled struct {
	Loss Loss    `json:"loss,omitempty"`  // squared if left out
	Unit float64 `json:"delta,omitempty"` // δ of Huber; zero: 1
}

// Mean is what a prediction x stands for in the units of the values; see Loss.Mean.
func (s Scaled) Mean(x float64) float64 { return s.Loss.Mean(x) }

// Link is the inverse of Mean.
func (s Scaled) Link(mean float64) float64 { return s.Loss.Link(mean) }

func (s Scaled) plain() bool { return !s.Loss.HasUnit() || s.Unit == 0 || s.Unit == 1 }

// At is the loss of predicting x for a, its slope and its curvature in x.
func (s Scaled) At(a, x float64) (value, slope, curvature float64) {
	slope, curvature = s.Slope(a, x)
	return s.Value(a, x), slope, curvature
}

// Value is the loss of predicting x for a.
func (s Scaled) Value(a, x float64) float64 {
	if s.plain() {
		return s.Loss.Value(a, x)
	}
	return s.Unit * s.Unit * s.Loss.Value(a/s.Unit, x/s.Unit)
}

// Slope is the slope of the loss in x, and its curvature; see Loss.Slope.
func (s Scaled) Slope(a, x float64) (slope, curvature float64) {
	if s.plain() {
		return s.Loss.Slope(a, x)
	}
	slope, curvature = s.Loss.Slope(a/s.Unit, x/s.Unit)
	return s.Unit * slope, curvature
}

// Working is the working response of an entry a that is predicted as x, and its weight:
// near x, the loss is that of squared errors of it, of half of them with a link. Where the
// loss is straight, the weight is that of the steepest square that touches it.
func (s Scaled) Working(a, x float64) (response, weight float64) {
	if s.Loss.Linked() {
		slope, curvature := s.Loss.Slope(a, x)
		curvature = math.Max(curvature, leastWorking)
		return x - slope/curvature, curvature
	}
	if far := math.Abs(a - x); s.Loss.HasUnit() && far > 0 {
		slope, _ := s.Slope(a, x)
		return a, math.Abs(slope) / (2 * far)
	}
	return a, 1
}

// leastWorking is the least weight of a working response: probabilities next to 0 and 1
// have none otherwise.
const leastWorking = 1e-4

// Conjugate is ℓ*(α); see Loss.Conjugate.
func (s Scaled) Conjugate(a, alpha float64) (value, size float64) {
	if s.plain() {
		return s.Loss.Conjugate(a, alpha)
	}
	if by := alpha / s.Unit; math.Abs(by) <= 2+rounded { // the slope was rounded when it was scaled
		value, size = s.Loss.Conjugate(a/s.Unit, math.Min(math.Max(by, -2), 2))
		return s.Unit * s.Unit * value, s.Unit * s.Unit * size
	}
	return math.Inf(1), 0
}

// surest is the least probability, and the least rate, that a prediction is
// charged for: one that was certain and wrong costs much, and not infinitely much.
const surest = 1e-12

// Of is the loss of a prediction in the units of the values: a probability, a rate
// or a value.
func (s Scaled) Of(a, mean float64) float64 {
	return s.Value(a, s.Link(s.Loss.Inside(mean, surest)))
}

// Measure is what the mean of a loss is called.
func (l Loss) Measure() string {
	switch l {
	case Logistic:
		return "log-loss"
	case Poisson:
		return "deviance" // twice the mean
	case Huber:
		return "Huber loss"
	}
	return "RMSE"
}

// Score is the number of that name, of a sum of losses and the sum of their weights:
// the mean, of counts twice it, of squared errors its root.
func (l Loss) Score(sum, weight float64) float64 {
	if l == Squared {
		return math.Sqrt(sum / weight)
	}
	return l.Times() * sum / weight
}

// Key is what files call that mean, among the measures of result.Measures.
func (l Loss) Key() string {
	switch l {
	case Logistic:
		return "log_loss"
	case Poisson:
		return "deviance"
	case Huber:
		return "huber_loss"
	}
	return "rmse"
}

// Kappa is half the curvature of an entry's loss where x is what it is expected to
// be: 1 of squared errors.
func (s Scaled) Kappa(x float64) float64 {
	if !s.Loss.Linked() {
		return 1
	}
	_, curvature := s.Loss.Slope(s.Mean(x), x)
	return curvature / 2
}

// Step is a large change of a prediction on the scale of the loss: a factor of e² in
// odds, of e in a rate, or where the loss is no longer a square.
func (s Scaled) Step() float64 {
	switch {
	case s.Loss == Logistic:
		return 2
	case s.Loss == Poisson:
		return 1
	case s.Loss == Huber && s.Unit > 0:
		return s.Unit
	case s.Loss == Huber:
		return 1
	}
	return math.Inf(1)
}
