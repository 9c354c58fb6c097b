package synth

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"optcomplete/data"
	"optcomplete/internal/random"
)

// What the film set needs at least: a viewer rates minRatings films or more, and
// no more than half of the films.
const (
	minRatings = 12
	minFilms   = 2 * minRatings
)

// filmNoise is the standard deviation of the noise before ratings are rounded.
const filmNoise = 0.4

// filmTruth is the true selection with, for each feature, the mean and the
// standard deviation over viewers of its coefficient. The Constant's is that of
// a film with no other true feature and an IMDB Rating of imdbMean: a viewer
// whose taste follows the IMDB Rating more has a lower constant.
var filmTruth = []struct {
	feature  string
	mean, sd float64
}{
	{"Constant", 3.1, 0.35},
	{"IMDB Rating", 0.3, 0.15},
	{"Drama", 0.1, 0.4},
	{"Within last 10 years", 0.1, 0.4},
	{"Top 100 Actors", 0.15, 0.4},
}

// Films makes a film-ratings set with the paper's 59 feature names and a fixed
// true selection: Constant, IMDB Rating, Drama, Within last 10 years and Top 100
// Actors. Ratings are around 1 to 5 with one decimal; they are not clipped, so
// that the linear model stays true, and few leave 0.5 to 5.5. The number of
// ratings of a viewer is heavy-tailed with a median of about 40, and popular
// films are rated more often. Config.Missing of the instance is the resulting share.
func Films(seed uint64, viewers, films int) (*Instance, error) {
	if viewers < 1 || viewers > math.MaxInt32 {
		return nil, fmt.Errorf("synth: %d viewers: there must be between 1 and %d", viewers, math.MaxInt32)
	}
	if films < minFilms || films > math.MaxInt32 {
		return nil, fmt.Errorf("synth: %d films: there must be at least %d, because a viewer rates %d or more and at most half of them", films, minFilms, minRatings)
	}
	names := FilmFeatureNames()
	values := make([]float64, 0, films*len(names))
	popularity := make([]float64, films)
	for j := range films {
		film := newFilm(random.New(seed, streamFilm, uint64(j)))
		values = append(values, film.features()...)
		popularity[j] = film.popularity()
	}
	in := &Source{
		Config:    Config{Rows: viewers, Columns: films, Features: len(names), K: len(filmTruth), Noise: filmNoise, Seed: seed},
		Features:  data.NewFeatures(numbered("film", films), names, values),
		name:      "films",
		rowPrefix: "viewer",
	}
	rows := &filmRows{seed: seed, cumulated: cumulate(popularity)}
	for _, truth := range filmTruth {
		in.Selected = append(in.Selected, slices.Index(names, truth.feature))
	}
	slices.Sort(in.Selected)
	for at, f := range in.Selected {
		for t, truth := range filmTruth {
			if truth.feature == names[f] {
				rows.place[t] = at
			}
		}
	}
	in.rows = rows
	in.source()
	in.Missing = 1 - float64(in.Observed())/(float64(viewers)*float64(films))
	return in.Collect()
}

// filmRows makes the viewers.
type filmRows struct {
	seed      uint64
	cumulated []float64 // the popularity of the films up to each
	place     [5]int    // where the features of filmTruth stand in the selection
}

func (r *filmRows) coefficients(i int, u []float64) []float64 {
	s := random.New(r.seed, streamCoefficients, uint64(i))
	from := len(u)
	u = append(u, make([]float64, len(filmTruth))...)
	own := u[from:]
	for t, truth := range filmTruth {
		own[r.place[t]] = truth.mean + float64(truth.sd*s.Normal())
	}
	const constant, imdb = 0, 1 // places in filmTruth
	own[r.place[constant]] -= float64(imdbMean * own[r.place[imdb]])
	return u
}

// ratings gives the number of films that viewer i rates: minRatings and a
// lognormal number with a median of 28.
func (r *filmRows) ratings(i int) int {
	s := random.New(r.seed, streamActivity, uint64(i))
	extra := 28 * random.Exp(float64(1.1*s.Normal()))
	return min(minRatings+int(extra), len(r.cumulated)/2)
}

// observed draws films by popularity until enough are distinct. No more than
// half of the films are needed, so repeats are few.
func (r *filmRows) observed(i int, _ *scratch, columns []int32) []int32 {
	s := random.New(r.seed, streamObserved, uint64(i))
	from, want := len(columns), r.ratings(i)
	taken := make(map[int32]struct{}, want)
	total := r.cumulated[len(r.cumulated)-1]
	for len(taken) < want {
		x := float64(s.Float64() * total)
		j := int32(sort.Search(len(r.cumulated)-1, func(j int) bool { return r.cumulated[j] > x }))
		if _, again := taken[j]; !again {
			taken[j] = struct{}{}
			columns = append(columns, j)
		}
	}
	slices.Sort(columns[from:])
	return columns
}

func (r *filmRows) count(i int, _ *scratch) int { return r.ratings(i) }

func (r *filmRows) expected() (entries float64, slow bool) { return 0, false }

// observe rounds to one decimal, as ratings are given.
func (r *filmRows) observe(i int, s *scratch, columns []int32, values []float64) {
	addNoise(r.seed, i, filmNoise, s, columns, values)
	for x, v := range values {
		values[x] = oneDecimal(v)
	}
}

func oneDecimal(x float64) float64 { return math.Round(10*x) / 10 }

func cumulate(weights []float64) []float64 {
	out := make([]float64, len(weights))
	sum := 0.0
	for j, w := range weights {
		sum += w
		out[j] = sum
	}
	return out
}
