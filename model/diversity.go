package model

import (
	"cmp"
	"math"
	"slices"

	"optcomplete/internal/lists"
	"optcomplete/internal/random"
	"optcomplete/result"
)

// diverse makes lists that repeat less: over the rows no column should be in more
// than the fraction 1 − D of the lists, and within a list columns should differ.
// Each place of a list goes to the candidate with the largest
//
//	rank − price − D·w·(s/4 + e/20)
//
// where the rank is that of Recommender, s from 0 to 1 is how alike the candidate
// is to the column in the list that is most like it (maximal marginal relevance,
// Carbonell and Goldstein 1998), and w is the mean spread of a row's candidates.
// The candidates of a row are its best columns, candidates for each place: what it
// is not predicted to want is in no list.
//
// Prices are Lagrange multipliers of the limit 1 − D: what is in too many lists
// becomes dearer until it is not. They are found on a sample of rows, by their
// ids, so that the list of a row is the same whoever else asks. The noise e, of the
// exponential distribution and from the ids of row and column, decides between rows
// that are alike: without it a price would move all of them at once.
type diverse struct {
	by    float64     // D
	z     [][]float64 // features of the columns that vary, with standard deviation 1
	price []float64   // of each column, in the unit of the predictions
	key   []uint64    // of each column, by its id
	width float64     // w
}

const (
	candidates  = 20   // for each place
	pricedRows  = 1000 // of the sample
	priceRounds = 100
)

// newDiverse finds prices from the lists of a sample of rows, whose candidates
// best gives.
func (m *Model) newDiverse(by float64, top int, best func(row int) ([]result.Recommendation, error)) (*diverse, error) {
	d := &diverse{by: by, z: make([][]float64, len(m.ColumnIDs)), price: make([]float64, len(m.ColumnIDs))}
	sd := m.Units().SD
	for j := range m.ColumnIDs {
		for f, b := range m.ColumnFeatures(j) {
			if sd[f] > 0 {
				d.z[j] = append(d.z[j], b/sd[f])
			}
		}
	}
	d.key = make([]uint64, len(m.ColumnIDs))
	for j, id := range m.ColumnIDs {
		d.key[j] = random.HashText(id)
	}
	var lists [][]result.Recommendation
	var keys []uint64
	for _, row := range m.sampleOfRows(min(pricedRows, max(100, 20_000_000/max(1, len(m.ColumnIDs))))) {
		list, err := best(row)
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			lists, keys = append(lists, list), append(keys, random.HashText(m.RowIDs[row]))
			d.width += list[0].Rank - list[len(list)-1].Rank
		}
	}
	if len(lists) > 0 {
		d.width /= float64(len(lists))
	}
	d.findPrices(lists, keys, top)
	return d, nil
}

// findPrices raises the price of what is in too many lists and lowers the others,
// by steps that become smaller, and keeps the prices at which the most frequent
// column was in the fewest lists.
func (d *diverse) findPrices(lists [][]result.Recommendation, keys []uint64, top int) {
	limit := (1 - d.by) * float64(len(lists))
	kept, least := slices.Clone(d.price), math.Inf(1)
	times := make([]float64, len(d.price))
	for round := range priceRounds {
		clear(times)
		for x, list := range lists {
			for _, one := range d.choose(list, keys[x], top) {
				times[one.Column]++
			}
		}
		if most := slices.Max(append(times, 0)); most < least {
			least = most
			copy(kept, d.price)
		}
		if least <= 1.1*limit {
			break
		}
		step := d.width / (1 + float64(round)/10) / float64(len(lists))
		for j, n := range times {
			d.price[j] = max(0, d.price[j]+step*(n-limit))
		}
	}
	d.price = kept
}

// alike is exp(−mean squared difference of the selected features, in standard
// deviations): 1 of columns with the same features, e⁻² of two at random, about.
// Without features nothing is known to be alike.
func (d *diverse) alike(a, b int) float64 {
	if len(d.z[a]) == 0 {
		return 0
	}
	square := 0.0
	for f, x := range d.z[a] {
		square += (x - d.z[b][f]) * (x - d.z[b][f])
	}
	return math.Exp(-square / float64(len(d.z[a])))
}

// choose makes a list of candidates, which are best first; of equals the first
// comes first. row is the key of the row.
func (d *diverse) choose(from []result.Recommendation, row uint64, top int) []result.Recommendation {
	type candidate struct {
		at      int // in from
		value   float64
		nearest float64 // how alike it is to what is most like it of the list's first looked
		looked  int
	}
	open := make([]candidate, len(from))
	for x, c := range from {
		e := -random.Log(1 - random.Unit(random.Hash(row, d.key[c.Column])))
		open[x] = candidate{at: x, value: c.Rank - d.price[c.Column] - d.by*d.width/20*e}
	}
	slices.SortStableFunc(open, func(a, b candidate) int { return cmp.Compare(b.value, a.value) })
	var list []result.Recommendation
	for range min(top, len(from)) {
		best, most := -1, math.Inf(-1)
		for x := range open {
			c := &open[x]
			if best >= 0 && c.value <= most { // nor can those after it
				break
			}
			for ; c.looked < len(list); c.looked++ {
				c.nearest = max(c.nearest, d.alike(list[c.looked].Column, from[c.at].Column))
			}
			if score := c.value - d.by*d.width/4*c.nearest; best < 0 || score > most {
				best, most = x, score
			}
		}
		list = append(list, from[open[best].at])
		open = slices.Delete(open, best, best+1)
	}
	return list
}

// sampleOfRows is at most n rows with entries, by a hash of their ids.
func (m *Model) sampleOfRows(n int) []int {
	type row struct {
		at  int
		key uint64
	}
	var rows []row
	for i, id := range m.RowIDs {
		if m.Entries[i] > 0 {
			rows = append(rows, row{i, random.HashText(id)})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) })
	return lists.Each(rows[:min(n, len(rows))], func(r row) int { return r.at })
}
