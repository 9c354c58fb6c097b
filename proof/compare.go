package proof

import (
	"fmt"
	"math"
)

// agree is the relative difference that costs and bounds may have: far more than
// rounding, and far less than anything that could matter.
const agree = 1e-9

// costs is what the selection of a place costs at least and at most, times n·m.
func (k *check) costs(at *place) (low, high float64) {
	return k.cost.cut(at).value(k.indicator().units), k.cost.most(at)
}

// compare holds the model's claims against what was found. What they may differ by is a part
// of the cost itself: whatever else is large, a claim that was not shown is a fault.
func (k *check) compare() {
	v := &k.verdict
	slack := agree*v.Low + k.cost.perEntry(float64(k.cost.n+4)*2*tiny) + k.lost/k.cost.size() // every row may have lost as much
	fault := func(format string, args ...any) { v.Faults = append(v.Faults, fmt.Sprintf(format, args...)) }
	if v.High > v.Low+2*slack {
		fault("the arithmetic of the checker is too coarse here: the selection costs between %.12g and %.12g (the model says %.12g)", v.Low, v.High, k.Cost)
	} else if k.Cost < v.Low-slack || k.Cost > v.High+slack {
		fault("the model says that its selection costs %.12g, but it costs %.12g", k.Cost, v.High)
	}
	if k.Bound > v.Bound+slack {
		fault("the model says that no selection costs less than %.12g, but the proof shows %.12g", k.Bound, v.Bound)
	}
	if math.Abs(k.Cost-k.Bound-k.Gap*k.Cost) > 2*slack {
		fault("the model says that its gap is %.4g %%, but its cost and bound (%.12g, %.12g) leave another", 100*k.Gap, k.Cost, k.Bound)
	}
	if v.High-v.Bound > k.Within*v.High+4*slack {
		fault("the model says that no selection is better by more than %.4g %%, but the proof leaves %.4g %%", 100*k.Within, 100*v.Gap)
	}
	if math.Abs(k.proof.cost-k.Cost) > slack || math.Abs(k.proof.bound-k.Bound) > slack {
		fault("the proof was written with another cost and bound (%.12g, %.12g) than the model has (%.12g, %.12g)", k.proof.cost, k.proof.bound, k.Cost, k.Bound)
	}
}
