package loss

import "math"

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
