package twosided

import (
	"math"
	"slices"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/lists"
	"optcomplete/internal/random"
	"optcomplete/spec"
)

// scaling is a feature table and how the features of products are made from it:
// feature f of a product is (raw feature used[f] − centre[f]) / scale[f].
type scaling struct {
	raw      *data.Features
	used     []int // −1: the constant
	centre   []float64
	scale    []float64
	flag     []bool         // whether the raw feature is only ever 0 or 1
	same     [][]string     // raw features that are equal to each up to its unit, sign and zero
	of       map[string]int // the feature that stands for each name
	constant []string       // raw features that have one value wherever there are entries
	units    []unit         // what of this side a selection counts as one
	unitOf   []int          // that of each feature
}

// unit is a feature, or a group of features whose products are selected together.
type unit struct {
	name     string
	features []int
}

// group makes the units of features: those that the encoding groups are one.
func (s *scaling) group(names []string, e *encode.Encoding) {
	groups, at := map[string]string{}, map[string]int{}
	if e != nil {
		for _, g := range e.Groups {
			for _, f := range g.Features {
				groups[e.Features[f].Name] = g.Name
			}
		}
	}
	for f, name := range names {
		if g, is := groups[name]; is {
			name = g
		}
		u, known := at[name]
		if !known {
			u, at[name] = len(s.units), len(s.units)
			s.units = append(s.units, unit{name: name})
		}
		s.units[u].features = append(s.units[u].features, f)
		s.unitOf = append(s.unitOf, u)
	}
	for u := range s.units { // of which only one says anything
		if of := s.units[u].features; len(of) == 1 {
			s.units[u].name = names[of[0]]
		}
	}
}

// never are the units that no product may have, as the encoding says. It cannot say that
// one is always selected: which product with it is open.
func (s *scaling) never(e *encode.Encoding) (units []int, err error) {
	if e == nil {
		return nil, nil
	}
	for _, g := range e.Groups {
		if g.Always {
			return nil, spec.Errorf("%q is said to be selected always, but what is selected are products: name some in the always list", g.Name)
		}
		for _, f := range g.Features {
			if at, used := s.of[e.Features[f].Name]; g.Never && used {
				units = append(units, s.unitOf[at])
			}
		}
	}
	return units, nil
}

// find gives the units that a name stands for: of a feature, a group, or a field.
func (s *scaling) find(name string, of *encode.Encoding) []int {
	if f, ok := s.of[name]; ok {
		return []int{s.unitOf[f]}
	}
	if u := slices.IndexFunc(s.units, func(u unit) bool { return u.name == name }); u >= 0 {
		return []int{u}
	}
	if of == nil {
		return nil
	}
	var found []int
	for _, f := range of.Features {
		if at, ok := s.of[f.Name]; ok && of.Fields[f.Field].Name == name {
			found = append(found, s.unitOf[at])
		}
	}
	return lists.Distinct(found)
}

// asGiven is the scaling that changes nothing, with a constant or not.
func asGiven(raw, f *data.Features) scaling {
	s := scaling{raw: raw, of: make(map[string]int, len(f.Names)), same: make([][]string, len(f.Names))}
	shift := len(f.Names) - len(raw.Names)
	for j, name := range f.Names {
		s.used, s.centre, s.scale = append(s.used, j-shift), append(s.centre, 0), append(s.scale, 1)
		s.of[name] = j
		s.flag = append(s.flag, j < shift || isFlag(raw, j-shift))
	}
	return s
}

func isFlag(f *data.Features, feature int) bool {
	for i := range f.IDs {
		if v := f.Row(i)[feature]; v != 0 && v != 1 {
			return false
		}
	}
	return true
}

// level is the part of a feature's largest value below which its spread is rounding.
const level = 1e-10

// standardised centres and scales a table over the lines that have entries, leaves
// out what is constant there, and lets one of features that are equal stand for all:
// products of those could not be told apart by any data.
func standardised(raw *data.Features, has []bool) (*data.Features, scaling) {
	s := scaling{raw: raw, of: map[string]int{}}
	count := 0.0
	for _, h := range has {
		if h {
			count++
		}
	}
	p := len(raw.Names)
	mean, spread, size := make([]float64, p), make([]float64, p), make([]float64, p)
	each := func(add func(j int, v float64)) {
		for i, h := range has {
			for j, v := range raw.Row(i) {
				if h {
					add(j, v)
				}
			}
		}
	}
	each(func(j int, v float64) { mean[j] += v / count; size[j] = max(size[j], math.Abs(v)) })
	each(func(j int, v float64) { spread[j] += (v - mean[j]) * (v - mean[j]) / count })
	for j, name := range raw.Names {
		if spread[j] = math.Sqrt(spread[j]); !(spread[j] > level*size[j]) {
			s.constant = append(s.constant, name)
			continue
		}
		s.used, s.centre, s.scale = append(s.used, j), append(s.centre, mean[j]), append(s.scale, spread[j])
	}
	s.merge(has)
	values := make([]float64, 0, len(raw.IDs)*len(s.used))
	var names []string
	for f, j := range s.used {
		names = append(names, raw.Names[j])
		s.flag = append(s.flag, isFlag(raw, j))
		s.of[raw.Names[j]] = f
		for _, name := range s.same[f] {
			s.of[name] = f
		}
	}
	for i := range raw.IDs {
		values = s.apply(raw.Row(i), values)
	}
	return data.NewFeatures(raw.IDs, names, values), s
}

// apply appends the scaled features of a line to out.
func (s *scaling) apply(raw, out []float64) []float64 {
	for f, j := range s.used {
		if j < 0 {
			out = append(out, 1)
			continue
		}
		out = append(out, (raw[j]-s.centre[f])/s.scale[f])
	}
	return out
}

// merge keeps the first of features that are the same or opposite numbers. A random
// projection brings candidates together; the numbers themselves decide.
func (s *scaling) merge(has []bool) {
	along := make([]float64, len(s.used))
	line := make([]float64, 0, len(s.used))
	for i, h := range has {
		if h {
			line = s.apply(s.raw.Row(i), line[:0])
			by := random.Unit(random.Hash(0x65717561, uint64(i))) // "equa"
			for f, v := range line {
				along[f] += by * v
			}
		}
	}
	order := make([]int, len(s.used))
	for f := range order {
		order[f], along[f] = f, math.Abs(along[f])
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case along[a] < along[b]:
			return -1
		case along[a] > along[b]:
			return 1
		}
		return 0
	})
	first := make([]int, len(s.used)) // the one that stands for each
	for f := range first {
		first[f] = f
	}
	const near = 1e-9
	for x, a := range order {
		for _, b := range order[x+1:] {
			if along[b]-along[a] > near*float64(len(has)) {
				break
			}
			if s.equal(a, b, has, near) {
				low := min(first[a], first[b])
				first[a], first[b] = low, low
			}
		}
	}
	var used []int
	var centre, scale []float64
	at := make([]int, len(s.used))
	for f, j := range s.used {
		for first[f] != first[first[f]] {
			first[f] = first[first[f]]
		}
		if first[f] != f {
			x := at[first[f]]
			s.same[x] = append(s.same[x], s.raw.Names[j])
			continue
		}
		at[f] = len(used)
		used, centre, scale, s.same = append(used, j), append(centre, s.centre[f]), append(scale, s.scale[f]), append(s.same, nil)
	}
	s.used, s.centre, s.scale = used, centre, scale
}

// equal tells whether two features are the same or opposite wherever there are entries.
func (s *scaling) equal(a, b int, has []bool, near float64) bool {
	same, opposite := true, true
	for i, h := range has {
		if !h {
			continue
		}
		row := s.raw.Row(i)
		x, y := (row[s.used[a]]-s.centre[a])/s.scale[a], (row[s.used[b]]-s.centre[b])/s.scale[b]
		same, opposite = same && math.Abs(x-y) <= near, opposite && math.Abs(x+y) <= near
		if !same && !opposite {
			return false
		}
	}
	return true
}
