package synth

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"optcomplete/data"
	"optcomplete/internal/random"
)

// NetflixSize is one of the five data sets of the paper's section "Real-World
// Experiments".
type NetflixSize struct {
	Name          string
	Rows, Columns int
	Missing       float64 // fraction
}

// NetflixSizes are the paper's: "created such that the total number of elements
// in the successive sizes are approximately different by an order of magnitude".
//
// Its tables give the full set 94.1 % missing, which would be 4·10⁸ ratings; the
// Netflix Prize has 100,480,507 (Bennett and Lanning, "The Netflix Prize", KDD
// Cup 2007). The full set here has 10⁸.
var NetflixSizes = []NetflixSize{
	{"base", 3_923, 103, 0.926},
	{"small", 18_227, 323, 0.948},
	{"medium", 96_601, 788, 0.942},
	{"large", 471_268, 1_760, 0.936},
	{"full", 471_268, 14_538, 1 - 1e8/(471_268.*14_538)},
}

// NetflixSizeOf finds a size by its name.
func NetflixSizeOf(name string) (NetflixSize, error) {
	var names []string
	for _, s := range NetflixSizes {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return NetflixSize{}, fmt.Errorf("synth: %q is not a size: they are %s", name, strings.Join(names, ", "))
}

// netflixTruth lists the true features with, for each, the mean and the standard
// deviation over viewers of its coefficient; the first k of them make the
// ratings. The first five are those that the paper reports as found with k = 5.
// There is no constant among them: IMDB Rating stands for the level too.
var netflixTruth = []struct {
	feature  string
	mean, sd float64
}{
	{"IMDB Rating", 0.52, 0.07},
	{"Drama", 0.1, 0.4},
	{"Within last 10 years", 0.1, 0.4},
	{"Top 100 Actors", 0.15, 0.4},
	{"US Produced", 0.05, 0.4},
	{"Comedy", 0, 0.4},
	{"Action", 0.05, 0.4},
	{"Total Runtime", 0.05, 0.2},
	{"Romance", 0, 0.4},
	{"Horror", -0.2, 0.5},
}

const (
	netflixNoise = 0.75 // standard deviation before ratings are rounded
	netflixLeast = 5    // ratings of a viewer; the paper leaves out those with fewer
	// netflixSpread is the standard deviation of the logarithm of a viewer's
	// number of ratings: in the Netflix Prize its mean is 209 and its median 96,
	// and for a lognormal number mean ÷ median = exp(σ²/2).
	netflixSpread = 1.25
	// netflixShare is the largest part of the films that a viewer rates.
	netflixShare = 3
)

// Netflix makes a source of the shape of the paper's Netflix data: the 59
// features of its appendix (see FilmFeatureNames; indicators that go together as
// films' do), and ratings from 1 to 5.
//
// A viewer rates five films or more. Their number is lognormal, so that a few
// viewers rate very many, at most a third of the films; on average it leaves
// the fraction missing that is asked for. Which films is drawn by popularity,
// without repeats: a film's fame goes with its budget and stars, and is
// lognormal too. A rating is a viewer's own taste for the k true features of the
// film, normal noise added, rounded and kept within 1 to 5. The value without
// noise is the taste, kept within 1 to 5.
//
// k is at most 10. Each row is made by itself, as in NewSource.
func Netflix(rows, columns, k int, missing float64, seed uint64) (*Source, error) {
	names := FilmFeatureNames()
	c := Config{Rows: rows, Columns: columns, Features: len(names), K: k, Missing: missing, Noise: netflixNoise, Seed: seed}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if k > len(netflixTruth) {
		return nil, fmt.Errorf("synth: k = %d: at most %d of the film features are true ones", k, len(netflixTruth))
	}
	most := columns / netflixShare
	mean := float64(columns) * (1 - missing)
	if slack := 1e-9 * mean; mean < netflixLeast-slack || mean > 0.9*float64(most)+slack { // both ends are allowed, whatever the rounding
		return nil, fmt.Errorf("synth: missing = %v: viewers rate %d films or more and at most a third of them, so of %d films a part between %.4g and %.4g can be missing",
			missing, netflixLeast, columns, 1-0.9*float64(most)/float64(columns), 1-netflixLeast/float64(columns))
	}
	values := make([]float64, columns*len(names))
	popularity := make([]float64, columns)
	inParallel(columns, func(low, high int) {
		for j := low; j < high; j++ {
			film := newFilm(random.New(seed, streamFilm, uint64(j)))
			copy(values[j*len(names):], film.features())
			popularity[j] = film.skewedPopularity()
		}
	})
	r := &netflixRows{seed: seed, columns: columns, most: most, alias: newAlias(popularity), scale: netflixScale(mean, most)}
	s := &Source{
		Config:    c,
		Features:  data.NewFeatures(numbered("film", columns), names, values),
		name:      "netflix",
		rows:      r,
		rowPrefix: "viewer",
	}
	for _, truth := range netflixTruth[:k] {
		s.Selected = append(s.Selected, slices.Index(names, truth.feature))
	}
	slices.Sort(s.Selected)
	for _, truth := range netflixTruth[:k] {
		r.place = append(r.place, slices.Index(s.Selected, slices.Index(names, truth.feature)))
	}
	s.source()
	s.low, s.high = 1, 5
	return s, nil
}

// skewedPopularity is the weight with which a viewer of Netflix comes upon the
// film. Of the full set, half of the films are then rated by less than 0.4 % of
// the viewers, the best known by 20 %, and a tenth of the films have 61 % of the
// ratings; in the Netflix Prize (17,770 films) these are 0.12 %, 48 % and more.
func (f *film) skewedPopularity() float64 { return random.Exp(clamp(float64(1.9*f.fame), -4.5, 4.5)) }

// netflixScale is the median of the lognormal part of a viewer's number of
// ratings with which their mean is as asked for: by bisection, on the middles
// of equal parts of the distribution.
func netflixScale(mean float64, most int) float64 {
	const parts = 4096
	var growth [parts]float64
	for x := range growth {
		growth[x] = random.Exp(float64(netflixSpread * random.Quantile((float64(x)+0.5)/parts)))
	}
	low, high := 0.0, float64(most)
	for range 60 {
		scale := (low + high) / 2
		sum := 0
		for _, g := range growth {
			sum += netflixRatings(float64(scale*g), most)
		}
		if float64(sum) < mean*parts {
			low = scale
		} else {
			high = scale
		}
	}
	return high
}

func netflixRatings(extra float64, most int) int {
	return netflixLeast + int(min(extra, float64(most-netflixLeast)))
}

// netflixRows makes the viewers.
type netflixRows struct {
	seed          uint64
	columns, most int
	scale         float64
	alias         *alias
	place         []int // where the features of netflixTruth stand in the selection
}

func (r *netflixRows) coefficients(i int, u []float64) []float64 {
	s := random.New(r.seed, streamCoefficients, uint64(i))
	from := len(u)
	u = slices.Grow(u, len(r.place))[:from+len(r.place)]
	for t, at := range r.place {
		u[from+at] = netflixTruth[t].mean + float64(netflixTruth[t].sd*s.Normal())
	}
	return u
}

func (r *netflixRows) count(i int, _ *scratch) int {
	z := random.New(r.seed, streamActivity, uint64(i)).Normal()
	return netflixRatings(float64(r.scale*random.Exp(float64(netflixSpread*z))), r.most)
}

// observed draws films by popularity until enough are distinct.
func (r *netflixRows) observed(i int, s *scratch, columns []int32) []int32 {
	if len(s.taken) == 0 {
		s.taken = make([]uint64, (r.columns+63)/64)
	}
	draw := *random.New(r.seed, streamObserved, uint64(i))
	want := r.count(i, s)
	for left := want; left > 0; {
		j := r.alias.draw(draw.Uint64(), draw.Uint64())
		word, bit := &s.taken[j/64], uint64(1)<<(j%64)
		if *word&bit == 0 {
			*word |= bit
			left--
		}
	}
	columns = slices.Grow(columns, want)
	for w, word := range s.taken {
		for ; word != 0; word &= word - 1 {
			columns = append(columns, int32(64*w+bits.TrailingZeros64(word)))
		}
		s.taken[w] = 0
	}
	return columns
}

func (r *netflixRows) expected() (entries float64, slow bool) { return 0, false }

func (r *netflixRows) observe(i int, s *scratch, columns []int32, values []float64) {
	addNoise(r.seed, i, netflixNoise, s, columns, values)
	for x, v := range values {
		values[x] = clamp(math.Round(v), 1, 5)
	}
}

// alias draws indices with chances in proportion to weights, in constant time:
// Walker, "An efficient method for generating discrete random variables with
// general distributions", ACM TOMS 3 (1977), its table made as by Vose, IEEE
// Transactions on Software Engineering 17 (1991).
type alias struct {
	keep  []float64 // chance to stay with the index drawn
	other []int32   // where to go else
}

func newAlias(weights []float64) *alias {
	n := len(weights)
	a := &alias{make([]float64, n), make([]int32, n)}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	var small, large []int32
	for j, w := range weights {
		a.keep[j], a.other[j] = w/sum*float64(n), int32(j)
		if a.keep[j] < 1 {
			small = append(small, int32(j))
		} else {
			large = append(large, int32(j))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.other[s] = l
		a.keep[l] -= 1 - a.keep[s]
		if a.keep[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, j := range append(small, large...) { // rounding has left these at about 1
		a.keep[j] = 1
	}
	return a
}

// draw gives the index that 128 random bits stand for.
func (a *alias) draw(place, stay uint64) int32 {
	high, _ := bits.Mul64(place, uint64(len(a.keep))) // off from equal chances by 2⁻⁵⁰ at most
	if random.Unit(stay) < a.keep[high] {
		return int32(high)
	}
	return a.other[high]
}
