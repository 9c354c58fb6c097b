package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"optcomplete/data"
	"optcomplete/internal/dense"
	"optcomplete/internal/random"
	"optcomplete/model"
)

// Of the search for another selection. Those of most rows with the most entries tell next to nothing more.
const (
	mostDriftRows    = 4000
	mostDriftEntries = 100 // of a row
	driftCandidates  = 8   // features that are tried in the place of each selected one
	driftSwaps       = 3   // that follow each other
)

// ofRow is the new entries of a row: their columns, and by how much they differ from what is
// predicted of a row of which nothing is known.
type ofRow struct {
	half    uint64 // 0 or 1
	columns []int32
	rest    []float64
}

// byRow is the rows with two entries at least, in the order of the model.
func (c *comparison) byRow(m *model.Model) (rows []ofRow) {
	order := make([]int, len(c.row))
	for e := range order {
		order[e] = e
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.row[a], c.row[b]), cmp.Compare(c.column[a], c.column[b]))
	})
	for from := 0; from < len(order); {
		to := from
		row := ofRow{half: random.HashText(m.RowIDs[c.row[order[from]]]) & 1}
		for ; to < len(order) && c.row[order[to]] == c.row[order[from]]; to++ {
			e := order[to]
			row.columns = append(row.columns, c.column[e])
			row.rest = append(row.rest, c.value[e]-m.AnswerAt(-1, int(c.column[e])).Value)
		}
		if from = to; len(row.rest) > 1 {
			rows = append(rows, row)
		}
	}
	return rows
}

// spread tests whether rows differ as much from each other as at the fit: in their level and in what each
// selected feature does. With the covariance Σ of the fit, and x = (1, features) less what is
// common to all rows, two entries s and t of one row have the covariance x_s'Σx_t; so the sum over such
// pairs of x_sf·x_tf·(r_s·r_t − x_s'Σx_t), which has the mean 0, over that of (x_sf·x_tf)² is by how much the variance
// of f has moved (the regression of Haseman and Elston 1972). It is that of the fit, learned again without new assumptions.
func spread(m *model.Model, rows []ofRow, all float64, add func(test DriftTest)) {
	k, d := m.K(), m.K()+1
	if m.Prior == nil || len(m.Prior.Covariance) != d*d || m.Remainder != nil || m.Link != nil || m.ByFeatures || len(rows) < 3 {
		return
	}
	sigma := m.Prior.Covariance
	for f := range d {
		centre := 0.0
		if f > 0 {
			centre, _ = spreadAtFit(m, f-1)
		}
		moved, weights := make([]float64, len(rows)), 0.0
		sums := make([]float64, d) // of z·x over the entries
		x := make([]float64, d)
		for i, row := range rows {
			clear(sums)
			products, own, squares, fourths := 0.0, 0.0, 0.0, 0.0
			for e, j := range row.columns {
				x[0] = 1
				copy(x[1:], m.Features[int(j)*k:][:k])
				z := x[f] - centre
				products += z * row.rest[e]
				own += z * z * (row.rest[e]*row.rest[e] - quadratic(sigma, x))
				squares += z * z
				fourths += z * z * z * z
				dense.Axpy(z, x, sums)
			}
			moved[i] = products*products - quadratic(sigma, sums) - own
			weights += squares*squares - fourths
		}
		test := DriftTest{What: "spread", Fit: math.Sqrt(sigma[f*d+f]), P: 1}
		if f > 0 {
			test.Feature = m.Summary.Terms[f-1]
		}
		if test.Now = test.Fit; weights > 0 {
			total, t := hall(moved, all)
			test.T, test.P = t, 2*distuv.UnitNormal.Survival(math.Abs(t))
			test.Now = math.Sqrt(max(0, sigma[f*d+f]+total/weights))
		}
		add(test)
	}
}

// quadratic is x'Σx.
func quadratic(sigma, x []float64) (sum float64) {
	for f, v := range x {
		sum += v * dense.Dot(sigma[f*len(x):][:len(x)], x)
	}
	return sum
}

// hall is the sum of independent numbers and by how many standard errors it differs from 0, with Hall's
// correction for numbers that are skewed ("On the removal of skewness by transformation", 1992): squares are.
// wider multiplies the variance.
func hall(of []float64, wider float64) (sum, t float64) {
	n := float64(len(of))
	for _, x := range of {
		sum += x
	}
	second, third := 0.0, 0.0
	for _, x := range of {
		d := x - sum/n
		second, third = second+d*d/n, third+d*d*d/n
	}
	if !(second > 0) {
		return sum, 0
	}
	skew := third / (second * math.Sqrt(second))
	u := sum / n / math.Sqrt(second*wider)
	return sum, math.Sqrt(n) * (u + skew*u*u/3 + skew*skew*u*u*u/27 + skew/(6*n))
}

// reselection looks for a selection that is cheaper on the new entries.
type reselection struct {
	rows          []ofRow
	z             []float64 // p numbers for each column of the model, of mean 0 and variance 1
	p             int
	names         []string
	gamma, first  []float64 // of the cost: learned again, and at the fit
	fit           []float64 // how much rows differed at the fit, over the noise
	level, noise  float64
	left, w, b, a []float64
}

// newReselection is nil where the model does not say how its selection was found.
func newReselection(m *model.Model, others *data.Features, line []int, rows []ofRow) *reselection {
	u := m.Summary.Units
	if u == nil || !u.Learned || !(u.Noise > 0) || m.Link != nil || m.ByFeatures || !slices.Equal(m.Summary.Terms, u.Selected()) {
		return nil
	}
	rows = slices.Clone(rows)
	if len(rows) > mostDriftRows { // ids are hashed: those that remain are any
		step := float64(len(rows)) / mostDriftRows
		for i := range mostDriftRows {
			rows[i] = rows[int(float64(i)*step)]
		}
		rows = rows[:mostDriftRows]
	}
	for i := range rows {
		most := min(mostDriftEntries, len(rows[i].rest))
		rows[i].columns, rows[i].rest = rows[i].columns[:most], rows[i].rest[:most]
	}
	r := &reselection{rows: rows, p: len(u.Features), level: u.Level, noise: u.Noise}
	r.z = make([]float64, len(line)*r.p)
	for f, feature := range u.Features {
		at := slices.Index(others.Names, feature.Name)
		if at < 0 {
			return nil
		}
		n, mean, square := 0.0, 0.0, 0.0
		value := func(j int) float64 { return others.Values[line[j]*len(others.Names)+at] }
		for j, entries := range m.ColumnEntries {
			if entries > 0 {
				n, mean, square = n+1, mean+value(j), square+value(j)*value(j)
			}
		}
		mean /= n
		deviation := math.Sqrt(square/n - mean*mean)
		for j := range line {
			if deviation > 0 {
				r.z[j*r.p+f] = (value(j) - mean) / deviation
			}
		}
		r.names = append(r.names, feature.Name)
		r.first = append(r.first, feature.Gamma*u.Factor)
		r.fit = append(r.fit, feature.Spread*feature.Spread/u.Noise)
	}
	r.gamma = slices.Clone(r.first)
	return r
}

// cost is −2 log L of a row's entries r times the noise σ², r'(I+K)⁻¹r + σ² log|I+K| with K = γ₀11' + Σ γ_f z_f z_f', so that a
// larger γ is not better in itself. It leaves (I+K)⁻¹r in r.left, and if asked for tells what the fit expects.
func (r *reselection) cost(row *ofRow, set []int, expect bool) (cost, expected float64) {
	d, q := len(set)+1, len(row.rest)
	r.w, r.a, r.b, r.left = dense.Resize(r.w, q*d), dense.Resize(r.a, d*d), dense.Resize(r.b, d), dense.Resize(r.left, q)
	clear(r.a)
	for e, j := range row.columns {
		w := r.w[e*d:][:d]
		w[0] = math.Sqrt(r.level)
		for n, f := range set {
			w[n+1] = math.Sqrt(r.gamma[f]) * r.z[int(j)*r.p+f]
		}
		for x := range w {
			dense.Axpy(w[x], w, r.a[x*d:][:d])
		}
	}
	for x := range d {
		r.a[x*d+x]++
	}
	dense.Cholesky(r.a, d, 0)
	r.without(row.rest, d)
	log := 0.0
	for x := range d {
		log += 2 * math.Log(r.a[x*d+x])
	}
	cost = dense.Dot(row.rest, r.left) + r.noise*log
	if !expect {
		return cost, 0
	}
	expected = log + float64(q-d)
	for x := range d { // the trace of (I+W'W)⁻¹
		clear(r.b)
		r.b[x] = 1
		dense.CholeskySolve(r.a, d, r.b)
		expected += r.b[x]
	}
	z, kept := make([]float64, q), r.left
	r.left = make([]float64, q)
	for f := -1; f < r.p; f++ {
		by := r.level
		for e, j := range row.columns {
			if z[e] = 1; f >= 0 {
				z[e] = r.z[int(j)*r.p+f]
			}
		}
		if f >= 0 {
			by = r.fit[f]
		}
		r.without(z, d)
		expected += by * dense.Dot(z, r.left)
	}
	r.left = kept
	return cost, expected * r.noise
}

// without puts (I+WW')⁻¹v = v − W(I+W'W)⁻¹W'v into r.left.
func (r *reselection) without(v []float64, d int) {
	clear(r.b)
	for e, x := range v {
		dense.Axpy(x, r.w[e*d:][:d], r.b)
	}
	dense.CholeskySolve(r.a, d, r.b)
	for e, x := range v {
		r.left[e] = x - dense.Dot(r.w[e*d:][:d], r.b)
	}
}

// learnAgain sets γ of the features that are not selected to how much the rows of a half differ on them now, beside
// those that are, if that is more than at the fit; by the products of pairs of entries, as spread does.
func (r *reselection) learnAgain(half uint64, selected []int) {
	set := append([]int{-1}, selected...) // the level too
	moved, weights := make([]float64, r.p), make([]float64, r.p)
	for i := range r.rows {
		row := &r.rows[i]
		if row.half != half {
			continue
		}
		for f := range moved {
			product, own, squares, fourths := 0.0, 0.0, 0.0, 0.0
			for e, j := range row.columns {
				z := r.z[int(j)*r.p+f]
				product, own = product+z*row.rest[e], own+z*z*row.rest[e]*row.rest[e]
				squares, fourths = squares+z*z, fourths+z*z*z*z
			}
			moved[f] += (product*product - own) / r.noise
			weights[f] += squares*squares - fourths
			for _, g := range set {
				by, sum, own := r.level, 0.0, 0.0
				if g >= 0 {
					by = r.fit[g]
				}
				for _, j := range row.columns {
					z := r.z[int(j)*r.p+f]
					if g >= 0 {
						z *= r.z[int(j)*r.p+g]
					}
					sum, own = sum+z, own+z*z
				}
				moved[f] -= by * (sum*sum - own)
			}
		}
	}
	for f := range moved {
		if r.gamma[f] = r.first[f]; weights[f] > 0 && !slices.Contains(selected, f) {
			r.gamma[f] = max(r.gamma[f], moved[f]/weights[f])
		}
	}
}

// search swaps features as long as the rows of a half become cheaper.
func (r *reselection) search(half uint64, from []int) []int {
	r.learnAgain(half, from)
	total := func(set []int, each func(row *ofRow)) (sum float64) {
		for i := range r.rows {
			if r.rows[i].half == half {
				cost, _ := r.cost(&r.rows[i], set, false)
				if sum += cost; each != nil {
					each(&r.rows[i])
				}
			}
		}
		return sum
	}
	set := slices.Clone(from)
	for range driftSwaps {
		// What a feature would explain of what is left, were it alone.
		gains := make([]float64, r.p)
		least := total(set, func(row *ofRow) {
			for f := range gains {
				product, square := 0.0, 0.0
				for e, j := range row.columns {
					z := r.z[int(j)*r.p+f]
					product, square = product+z*r.left[e], square+z*z
				}
				gains[f] += r.gamma[f] * product * product / (1 + r.gamma[f]*square)
			}
		})
		var order []int
		for f := range r.p {
			if !slices.Contains(set, f) {
				order = append(order, f)
			}
		}
		slices.SortStableFunc(order, func(f, g int) int { return cmp.Compare(gains[g], gains[f]) })
		var best []int
		for _, f := range order[:min(driftCandidates, len(order))] {
			for at := range set {
				other := slices.Clone(set)
				other[at] = f
				if cost := total(other, nil); cost < least {
					least, best = cost, other
				}
			}
		}
		if best == nil {
			break
		}
		set = best
	}
	return set
}

// test searches on each half of the rows, and compares on the other half what it finds with the selection of the
// model: what is best by chance on some rows is not on others. A selection that is cheaper by more
// than the fit expects is another; that the fit expects more of it where rows have fewer entries is none.
func (r *reselection) test(selected []string, wider float64) DriftTest {
	test := DriftTest{What: "selection", P: 1}
	var from []int
	for _, name := range selected {
		from = append(from, slices.Index(r.names, name))
	}
	var gains, more []float64
	entries := 0
	for half := range uint64(2) {
		set := r.search(half, from)
		if test.Feature == "" {
			test.Feature = r.swapped(from, set)
		}
		for i := range r.rows {
			row := &r.rows[i]
			if entries += len(row.rest); row.half == half || slices.Equal(set, from) {
				continue
			}
			before, mean := r.cost(row, from, true)
			after, other := r.cost(row, set, true)
			gains, more = append(gains, before-after), append(more, before-after-(mean-other))
			test.Fit += mean - other
			test.Now += before - after
		}
	}
	if len(gains) < 3 {
		return test
	}
	test.Fit, test.Now = 2*test.Fit/float64(entries), 2*test.Now/float64(entries)
	_, t := hall(gains, 1)
	_, u := hall(more, wider)
	test.T = min(t, u)
	test.P = distuv.UnitNormal.Survival(test.T)
	return test
}

// swapped says which features came for which.
func (r *reselection) swapped(from, to []int) string {
	var in, out []string
	for at := range from {
		if !slices.Contains(to, from[at]) {
			out = append(out, r.names[from[at]])
		}
		if !slices.Contains(from, to[at]) {
			in = append(in, r.names[to[at]])
		}
	}
	if len(in) == 0 {
		return ""
	}
	return fmt.Sprintf("%s for %s", strings.Join(in, ", "), strings.Join(out, ", "))
}
