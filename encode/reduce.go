package encode

import (
	"fmt"
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/internal/random"
)

const (
	// flat is the spread, relative to the size of the values, at or below which a
	// feature is constant: what is left then is rounding.
	flat = 1e-12
	// smallest is the spread below which a feature cannot be computed with.
	smallest = 1e-100
	// same is the difference, in standard deviations, at or below which two
	// features are the same but for their unit.
	same = 1e-9
)

// standardise sets centre and scale: mean 0 and standard deviation 1 over the
// items, or nothing done. Constant features are found here; blanks do not count.
func (l *learner) standardise() error {
	for _, c := range l.columns {
		f := c.feature
		f.Centre, f.Scale = 0, 1
		if l.options.Scale == AsIs || c.constant() {
			continue
		}
		f.Centre = f.Fill
		if f.Part == Blank {
			f.Centre = mean(c.values)
		}
		f.Scale = deviation(c.values, f.Centre)
	}
	return nil
}

// constant tells whether a feature is the same in all items.
func (c *column) constant() bool {
	low, high := c.values[0], c.values[0]
	for _, v := range c.values {
		low, high = min(low, v), max(high, v)
	}
	return high-low <= max(smallest, flat*max(math.Abs(low), math.Abs(high)))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// deviation is the root of the mean square about the centre. Dividing by the
// largest one first keeps the squares of tiny numbers from vanishing.
func deviation(values []float64, centre float64) float64 {
	most := 0.0
	for _, v := range values {
		most = max(most, math.Abs(v-centre))
	}
	sum := 0.0
	for _, v := range values {
		z := (v - centre) / most
		sum += z * z
	}
	return most * math.Sqrt(sum/float64(len(values)))
}

// reduce leaves out constant features and duplicates, and says so. The features
// that are made here, "NAME missing", go without a warning.
func (l *learner) reduce() error {
	var kept []column
	keys := make(map[*Feature]float64, len(l.columns))
	for _, c := range l.columns {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		name := data.Quote(c.feature.Name)
		if c.constant() {
			if len(c.draft.features) == 1 {
				c.draft.report.Type = Constant
			}
			why := fmt.Sprintf("is %v in every item", c.values[0])
			if low, high := slices.Min(c.values), slices.Max(c.values); low != high {
				why = fmt.Sprintf("varies too little to compute with, from %v to %v", low, high)
			}
			if !l.leave(c, why) {
				kept = append(kept, c)
			}
			continue
		}
		twin := l.twin(c, kept, keys)
		if twin == nil {
			kept = append(kept, c)
			continue
		}
		other := data.Quote(twin.feature.Name)
		switch {
		case c.feature.Part == Blank:
			c.draft.note("blank where %s is 1: no feature of its own", other)
		case c.draft.options.Always || c.draft.options.Group != "":
			l.warn("feature %s equals feature %s in every item: a selection may show either", name, other)
			kept = append(kept, c)
		case twin.draft == c.draft && !l.options.Keep: // one of two levels says it all
			c.draft.note("%s follows from %s", name, other)
		case !l.leave(c, fmt.Sprintf("equals feature %s in every item%s", other, l.butForUnit())):
			kept = append(kept, c)
		}
	}
	l.columns = kept
	return nil
}

func (l *learner) butForUnit() string {
	if l.options.Scale == AsIs {
		return ""
	}
	return ", but for its unit or sign"
}

// leave warns of a feature and tells whether it is left out.
func (l *learner) leave(c column, why string) bool {
	name := data.Quote(c.feature.Name)
	if c.feature.Part == Blank {
		return true
	}
	c.draft.note("%s %s", name, why)
	if l.options.Keep {
		l.warn("feature %s %s", name, why)
		return false
	}
	l.warn("feature %s %s%s", name, why, data.LeftOut)
	return true
}

// twin finds a feature among those kept that is the same: in every value, or,
// with z-scores, but for unit and sign.
func (l *learner) twin(c column, kept []column, keys map[*Feature]float64) *column {
	key := 0.0
	for i := range c.values {
		key += c.z(i) * (random.Unit(random.Mix(uint64(i)+1)) - 0.5)
	}
	key = math.Abs(key)
	keys[c.feature] = key
	for k := range kept {
		other, has := keys[kept[k].feature]
		if has && math.Abs(key-other) <= 1e-6*(1+key) && l.alike(c, kept[k]) {
			return &kept[k]
		}
	}
	return nil
}

// z is a value as it will be encoded.
func (c *column) z(i int) float64 { return (c.values[i] - c.feature.Centre) / c.feature.Scale }

func (l *learner) alike(a, b column) bool {
	sign := 1.0
	if l.options.Scale != AsIs && a.opposite(b) {
		sign = -1
	}
	for i := range a.values {
		x, y := a.z(i), sign*b.z(i)
		if l.options.Scale == AsIs && x != y || math.Abs(x-y) > same*(1+math.Abs(x)) {
			return false
		}
	}
	return true
}

// opposite tells whether b falls where a rises, by the first item that is not at
// the centre.
func (a *column) opposite(b column) bool {
	for i := range a.values {
		if x := a.z(i); math.Abs(x) > 0.1 {
			return x*b.z(i) < 0
		}
	}
	return false
}
