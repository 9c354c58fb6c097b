package loss

import (
	"math"
	"strings"
)

// What other packages ask about a loss is here: none of them names one, so that another
// loss is a matter of this package, and of result.Measures.

// Linked tells whether sums predict something else than values: log-odds, or
// logarithms of rates.
func (l Loss) Linked() bool { return l.Scale() != "" }

// Probabilities tells whether values are yes and no, and predictions probabilities.
func (l Loss) Probabilities() bool { return l == Logistic }

// OfYesAndNo is the loss for values that are all 0 or 1.
const OfYesAndNo = Logistic

// Counts tells whether values are counts, and predictions rates.
func (l Loss) Counts() bool { return l == Poisson }

// HasUnit tells whether errors beyond a unit, δ, count otherwise; see Scaled.
func (l Loss) HasUnit() bool { return l == Huber }

// Ratio is what e to a coefficient multiplies: odds, or a rate; empty: nothing.
func (l Loss) Ratio() string { return strings.TrimPrefix(l.Scale(), "log-") }

// OfScale is the loss whose sums are of this Scale.
func OfScale(scale string) Loss {
	for l := range losses.Are {
		if Loss(l).Scale() == scale {
			return Loss(l)
		}
	}
	return Squared
}

// Prediction is what a prediction is called.
func (l Loss) Prediction() string {
	switch {
	case l.Probabilities():
		return "probability"
	case l.Counts():
		return "rate"
	}
	return "prediction"
}

// Inside is a mean of values, at least this far from those whose link is no number.
func (l Loss) Inside(mean, least float64) float64 {
	switch l {
	case Logistic:
		return math.Min(math.Max(mean, least), 1-least)
	case Poisson:
		return math.Max(mean, least)
	}
	return mean
}

// Times is by what the mean of a loss is multiplied for its Measure.
func (l Loss) Times() float64 {
	if l == Poisson {
		return 2 // the deviance
	}
	return 1
}

// Least is the loss of predicting the mean for all of so many entries, whose values have
// this sum; logs is Σ a log a, of counts. 0: not known.
func (l Loss) Least(sum, entries, logs float64) float64 {
	switch mean := sum / entries; {
	case l == Logistic && mean > 0 && mean < 1:
		return -entries * (mean*math.Log(mean) + (1-mean)*math.Log1p(-mean))
	case l == Poisson && mean > 0:
		return logs - sum*math.Log(mean)
	}
	return 0
}

// MeanInterval is the 95 % interval of the mean of n values, from their own mean and
// variance. Of yes and no it is Wilson's score interval ("Probable inference, the law of
// succession, and statistical inference", 1927), of counts the score interval of a
// Poisson rate, its variance at least the one observed: neither has width 0 where all
// values are equal. Others are taken as normal. n need not be whole: entries with
// weights tell as much as (Σw)²/Σw² of equal weight.
func (l Loss) MeanInterval(mean, variance, n float64) (low, high float64) {
	const z = 1.96
	switch {
	case l.Probabilities():
		middle, by := mean+z*z/(2*n), z*math.Sqrt(max(mean*(1-mean), 0)/n+z*z/(4*n*n))
		return max(min((middle-by)/(1+z*z/n), mean), 0), min(max((middle+by)/(1+z*z/n), mean), 1) // despite rounding
	case l.Counts():
		middle, by := mean+z*z/(2*n), z*math.Sqrt(max(mean, variance)/n+z*z/(4*n*n))
		return max(min(middle-by, mean), 0), middle + by
	}
	by := z * math.Sqrt(variance/n)
	return mean - by, mean + by
}
