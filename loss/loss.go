package loss

import (
	"math"

	"optcomplete/internal/names"
)

// Loss is one of the losses; the zero value is the squared error.
type Loss int

// Auto stands for the loss that suits the values; it is none.
const Auto Loss = -1

const (
	// Squared is (x − a)².
	Squared Loss = iota
	// Logistic is log(1 + eˣ) − ax for a in [0,1]: x is the log of the odds.
	Logistic
	// Poisson is eˣ − ax + a log a − a, half the deviance of a count a ≥ 0 whose
	// expectation is eˣ.
	Poisson
	// Huber is (x − a)² up to an error of 1, and 2|x − a| − 1 beyond: an outlier
	// pulls no harder than an error of 1 does. Values must be scaled for it.
	Huber
)

var losses = names.Of[Loss]{What: "loss", Are: []string{Squared: "squared", Logistic: "logistic", Poisson: "poisson", Huber: "huber"}}

// Known tells whether there is such a loss.
func (l Loss) Known() bool { return l >= 0 && int(l) < len(losses.Are) }

// Parse is the inverse of String.
func Parse(name string) (Loss, error) { return losses.Parse(name) }

// String returns the name by which flags and files call the loss.
func (l Loss) String() string { return losses.String(l) }

// MarshalText makes a Loss its name in JSON.
func (l Loss) MarshalText() ([]byte, error) { return losses.Marshal(l) }

// UnmarshalText reads what MarshalText wrote.
func (l *Loss) UnmarshalText(text []byte) error { return losses.Unmarshal(text, l) }

// Allows tells whether a value can be observed under the loss.
func (l Loss) Allows(a float64) bool {
	switch l {
	case Logistic:
		return a >= 0 && a <= 1
	case Poisson:
		return a >= 0 && !math.IsInf(a, 1)
	}
	return !math.IsNaN(a) && !math.IsInf(a, 0)
}

// Values says which values the loss is for.
func (l Loss) Values() string {
	switch l {
	case Logistic:
		return "0 (no), 1 (yes) and shares between them"
	case Poisson:
		return "counts, which are not negative"
	}
	return "any numbers"
}

// At is the loss of predicting x for a, its slope and its curvature in x.
func (l Loss) At(a, x float64) (value, slope, curvature float64) {
	slope, curvature = l.Slope(a, x)
	return l.Value(a, x), slope, curvature
}

// Value is the loss of predicting x for a.
func (l Loss) Value(a, x float64) float64 {
	switch l {
	case Logistic:
		switch tail := math.Log1p(math.Exp(-math.Abs(x))); {
		case a == 1 && x >= 0:
			return tail
		default:
			return tail + math.Max(x, 0) - a*x
		}
	case Poisson:
		if a == 0 {
			return math.Exp(x)
		}
		return a * beyond(x-math.Log(a))
	case Huber:
		if r := math.Abs(x - a); r > 1 {
			return 2*r - 1
		}
	}
	return (x - a) * (x - a)
}

// Slope is the slope of the loss in x, and its curvature. The slope is in the
// domain of the conjugate, however it was rounded.
func (l Loss) Slope(a, x float64) (slope, curvature float64) {
	switch l {
	case Logistic:
		e := math.Exp(-math.Abs(x))
		less, more := e/(1+e), 1/(1+e) // the smaller and the larger probability
		switch {
		case a == 1 && x >= 0:
			slope = -less
		case a == 1:
			slope = -more
		case x >= 0:
			slope = more - a
		default:
			slope = less - a
		}
		return slope, less * more
	case Poisson:
		e := math.Exp(x)
		return e - a, e
	case Huber:
		if r := x - a; math.Abs(r) > 1 {
			return math.Copysign(2, r), 0
		}
	}
	return 2 * (x - a), 2
}

// Conjugate is ℓ*(α) for an observed a, +Inf outside its domain, and a bound of
// the size of the terms that were rounded on the way.
func (l Loss) Conjugate(a, alpha float64) (value, size float64) {
	switch l {
	case Logistic:
		v, rest := alpha+a, 1-a-alpha
		switch a {
		case 0:
			v = alpha
		case 1:
			rest = -alpha
		}
		if v < -rounded || rest < -rounded {
			return math.Inf(1), 0
		}
		v, rest = math.Max(v, 0), math.Max(rest, 0)
		// The larger of the two is near 1 and known by the smaller.
		q := math.Min(v, rest)
		entropy := scaledLog(q) + (1-q)*math.Log1p(-q)
		return entropy, 1e-300 - entropy
	case Poisson:
		v := alpha + a
		if v < 0 {
			return math.Inf(1), 0
		}
		return scaledLog(v) - v - (scaledLog(a) - a), math.Abs(scaledLog(v)) + v + math.Abs(scaledLog(a)) + a + math.Abs(math.Log(math.Max(v, 1e-300)))*a
	case Huber:
		if math.Abs(alpha) > 2 {
			return math.Inf(1), 0
		}
	}
	return a*alpha + alpha*alpha/4, math.Abs(a*alpha) + alpha*alpha/4
}

// rounded is how far a slope of a value between 0 and 1 may leave the domain by rounding.
const rounded = 4e-16

// beyond is eˣ − 1 − x without the cancellation near 0: the loss of a large count
// is small beside the terms of which it is the difference.
func beyond(x float64) float64 {
	if !(math.Abs(x) <= 0.5) { // nor is the series for what is no number
		return math.Expm1(x) - x
	}
	sum := 0.0
	for term, n := x*x/2, 3.0; sum+term != sum; n++ {
		sum += term
		term *= x / n
	}
	return sum
}

// scaledLog is x log x.
func scaledLog(x float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(x)
}

// Mean is what a prediction x stands for in the units of the values: a
// probability, a rate, or x itself.
func (l Loss) Mean(x float64) float64 {
	switch l {
	case Logistic:
		if x >= 0 {
			return 1 / (1 + math.Exp(-x))
		}
		e := math.Exp(x)
		return e / (1 + e)
	case Poisson:
		return math.Exp(x)
	}
	return x
}

// Scale is what sums of the loss predict; empty: the values.
func (l Loss) Scale() string {
	switch l {
	case Logistic:
		return "log-odds"
	case Poisson:
		return "log-rate"
	}
	return ""
}

// Link is the inverse of Mean.
func (l Loss) Link(mean float64) float64 {
	switch l {
	case Logistic:
		return math.Log(mean) - math.Log1p(-mean)
	case Poisson:
		return math.Log(mean)
	}
	return mean
}
