package synth

import (
	"math"
	"slices"

	"optcomplete/internal/lists"
	"optcomplete/internal/random"
)

// genres are the paper's, with how often each is a film's first genre and which
// others it brings along, each with its chance.
var genres = []genre{
	{"Action", 13, []chance{{"Adventure", 0.35}, {"Thriller", 0.35}, {"Sci-Fi", 0.2}, {"Crime", 0.2}, {"Drama", 0.15}, {"Superhero", 0.1}}},
	{"Adventure", 5, []chance{{"Action", 0.3}, {"Family", 0.3}, {"Fantasy", 0.3}, {"Drama", 0.2}, {"Comedy", 0.2}}},
	{"Animation", 4, []chance{{"Family", 0.8}, {"Comedy", 0.5}, {"Adventure", 0.4}, {"Fantasy", 0.2}, {"Musical", 0.1}}},
	{"Biography", 3, []chance{{"Drama", 0.9}, {"History", 0.4}, {"Music", 0.15}, {"Sport", 0.1}}},
	{"Comedy", 20, []chance{{"Romance", 0.35}, {"Drama", 0.25}, {"Family", 0.12}, {"Crime", 0.1}, {"Music", 0.04}}},
	{"Crime", 6, []chance{{"Drama", 0.55}, {"Thriller", 0.45}, {"Mystery", 0.2}, {"Action", 0.2}}},
	{"Documentary", 4, []chance{{"History", 0.2}, {"Music", 0.2}, {"Sport", 0.1}, {"Biography", 0.2}, {"Short", 0.1}}},
	{"Drama", 18, []chance{{"Romance", 0.35}, {"Thriller", 0.12}, {"History", 0.1}, {"War", 0.08}, {"Family", 0.06}, {"Sport", 0.04}}},
	{"Family", 2, []chance{{"Comedy", 0.5}, {"Adventure", 0.4}, {"Fantasy", 0.3}}},
	{"Fantasy", 2.5, []chance{{"Adventure", 0.5}, {"Family", 0.3}, {"Romance", 0.2}, {"Drama", 0.2}}},
	{"Film Noir", 1.5, []chance{{"Crime", 0.8}, {"Drama", 0.6}, {"Mystery", 0.4}}},
	{"History", 1, []chance{{"Drama", 0.7}, {"War", 0.4}}},
	{"Horror", 6, []chance{{"Thriller", 0.5}, {"Mystery", 0.25}, {"Sci-Fi", 0.15}, {"Fantasy", 0.1}}},
	{"Music", 1.5, []chance{{"Drama", 0.4}, {"Documentary", 0.3}, {"Comedy", 0.2}}},
	{"Musical", 2, []chance{{"Comedy", 0.5}, {"Romance", 0.5}, {"Family", 0.3}}},
	{"Mystery", 2, []chance{{"Thriller", 0.6}, {"Drama", 0.5}, {"Crime", 0.3}}},
	{"Romance", 2, []chance{{"Drama", 0.6}, {"Comedy", 0.4}}},
	{"Sci-Fi", 3, []chance{{"Action", 0.5}, {"Thriller", 0.4}, {"Adventure", 0.3}}},
	{"Short", 1.5, []chance{{"Animation", 0.4}, {"Comedy", 0.4}}},
	{"Sport", 1, []chance{{"Drama", 0.6}, {"Comedy", 0.3}}},
	{"Superhero", 2, []chance{{"Action", 0.95}, {"Adventure", 0.5}, {"Sci-Fi", 0.5}, {"Fantasy", 0.3}}},
	{"Thriller", 4, []chance{{"Drama", 0.4}, {"Crime", 0.3}, {"Mystery", 0.3}, {"Horror", 0.2}}},
	{"War", 2, []chance{{"Drama", 0.8}, {"Action", 0.4}, {"History", 0.3}}},
	{"Western", 2, []chance{{"Action", 0.4}, {"Drama", 0.4}, {"Adventure", 0.3}}},
}

type genre struct {
	name   string
	weight float64
	brings []chance
}

// chance is a genre that another brings along.
type chance struct {
	genre string
	of    float64
}

// The other indicators, with how often each happens.
var (
	windows = []string{"Within last 10 years", "Between 10-20 years", "Between 20-30 years", "Between 30-40 years", "Between 40-50 Years"}
	// The last is for older films, which have no indicator.
	windowWeights = []float64{38, 25, 14, 10, 7, 6}

	months = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	// January has no indicator; summers and the end of the year are busy.
	monthWeights = []float64{6, 7, 8, 7, 8, 9, 9, 8, 9, 10, 9, 10}

	tops      = []string{"Top 100 Actors", "Top 100 Actresses", "Top 250 Actors", "Top 250 Actresses", "Top 1000 Actors", "Top 1000 Actresses"}
	languages = []string{"English", "French", "Japanese"}
)

// imdbMean is the mean of the IMDB Rating, about.
const imdbMean = 6.4

// FilmFeatureNames gives the 59 features of the paper's appendix "List of
// Features Used in the Netflix Problem", in its order ("Number of Female
// Factors" there is read as Actors). Their units here, chosen to be of the size
// of 1 to 10: reviews in thousands, budget in ten millions and revenue in hundred
// millions of dollars, runtime in hours, all other numbers as they are.
func FilmFeatureNames() []string {
	names := lists.Each(genres, func(g genre) string { return g.name })
	names = append(names, windows...)
	names = append(names, tops...)
	names = append(names, "IMDB Rating", "Number of Reviews", "Total Production Budget", "Total Runtime", "Total Box Office Revenue", "US Produced")
	names = append(names, months[1:]...)
	names = append(names, "Number of Original Music Score", "Number of Male Actors", "Number of Female Actors")
	names = append(names, languages...)
	return append(names, "Constant")
}

// film is one film: its features and what stands behind them.
type film struct {
	genre    []bool // by genres
	window   int    // by windowWeights
	month    int
	actors   int // rank class of the best known: 0, 1, 2 for the tops, 3 for none
	actress  int
	imdb     float64
	fame     float64 // how well known, standard normal about
	reviews  float64
	budget   float64
	runtime  float64
	revenue  float64
	us       bool
	scores   int
	men      int
	women    int
	language int // by languages; 3 for another
}

// newFilm draws a film. Money, fame and stars go together: means is what the
// film was made with, and enters all of them.
func newFilm(s *random.Stream) *film {
	f := &film{genre: drawGenres(s), window: draw(s, windowWeights), month: draw(s, monthWeights)}
	means := s.Normal() + f.sum(0, map[string]float64{
		"Action": 0.4, "Adventure": 0.4, "Animation": 0.3, "Sci-Fi": 0.4, "Superhero": 1, "Fantasy": 0.3, "History": 0.2,
		"Documentary": -1.5, "Short": -2, "Horror": -0.4, "Film Noir": -0.3,
	}) - float64(0.12*float64(f.window))
	quality := s.Normal()

	f.us = s.Float64() < 0.72+float64(0.08*clamp(means, -2, 2))
	f.language = drawLanguage(s, f.us)
	f.actors = rankClass(float64(0.6*means) + float64(0.8*s.Normal()))
	f.actress = rankClass(float64(0.5*means) + float64(0.85*s.Normal()))

	f.imdb = oneDecimal(clamp(f.sum(imdbMean-0.1, map[string]float64{
		"Drama": 0.2, "Biography": 0.3, "Documentary": 0.6, "Film Noir": 0.5, "War": 0.2, "Animation": 0.2, "Horror": -0.6, "Superhero": -0.1,
	})+float64(0.85*quality)+float64(0.1*float64(f.window)), 1.5, 9.4))

	f.budget = twoDecimals(2.2 * grow(float64(0.85*means)+float64(0.3*s.Normal())))
	f.revenue = twoDecimals(0.7 * grow(float64(0.8*means)+float64(0.25*quality)+float64(0.6*s.Normal())))
	f.fame = float64(0.6*means) + float64(0.4*quality) + float64(0.6*s.Normal())
	f.reviews = twoDecimals(1.5 * grow(f.fame))
	f.runtime = twoDecimals(clamp(f.sum(1.75, map[string]float64{
		"Drama": 0.15, "Biography": 0.15, "History": 0.2, "War": 0.15, "Animation": -0.25, "Family": -0.1, "Horror": -0.1, "Documentary": -0.1, "Short": -1.3,
	})+float64(0.08*means)+float64(0.25*s.Normal()), 0.2, 3.8))

	f.scores = draw(s, []float64{25, 50, 17, 8})
	f.men = 2 + int(clamp(5+float64(0.8*means)+float64(2*s.Normal()), 0, 14))
	f.women = 1 + int(clamp(3.5+float64(0.4*means)+float64(1.6*s.Normal()), 0, 12))
	return f
}

// popularity is the weight with which a viewer comes upon the film.
func (f *film) popularity() float64 { return random.Exp(clamp(float64(0.8*f.fame), -2, 2.5)) }

// features gives the values in the order of FilmFeatureNames.
func (f *film) features() []float64 {
	var v []float64
	for _, is := range f.genre {
		v = append(v, indicator(is))
	}
	for w := range windows {
		v = append(v, indicator(f.window == w))
	}
	for class := range 3 { // nested: who is among the top 100 is among the top 250
		v = append(v, indicator(f.actors <= class), indicator(f.actress <= class))
	}
	v = append(v, f.imdb, f.reviews, f.budget, f.runtime, f.revenue, indicator(f.us))
	for month := 1; month < len(months); month++ {
		v = append(v, indicator(f.month == month))
	}
	v = append(v, float64(f.scores), float64(f.men), float64(f.women))
	for l := range languages {
		v = append(v, indicator(f.language == l))
	}
	return append(v, 1)
}

// sum adds to base what each of the film's genres brings, in the order of genres.
func (f *film) sum(base float64, by map[string]float64) float64 {
	for g, is := range f.genre {
		if is {
			base += by[genres[g].name]
		}
	}
	return base
}

func drawGenres(s *random.Stream) []bool {
	is := make([]bool, len(genres))
	first := draw(s, lists.Each(genres, func(g genre) float64 { return g.weight }))
	is[first] = true
	for _, c := range genres[first].brings {
		if s.Float64() < c.of {
			is[slices.IndexFunc(genres, func(g genre) bool { return g.name == c.genre })] = true
		}
	}
	return is
}

func drawLanguage(s *random.Stream, us bool) int {
	if us {
		return draw(s, []float64{97, 0.5, 0.5, 2})
	}
	return draw(s, []float64{50, 18, 14, 18})
}

// rankClass is 0 for a star among the first 100, 1 among the first 250, 2 among
// the first 1000, 3 beyond.
func rankClass(stardom float64) int {
	switch {
	case stardom > 0.6:
		return 0
	case stardom > 0.15:
		return 1
	case stardom > -0.6:
		return 2
	default:
		return 3
	}
}

// draw gives an index with a chance in proportion to its weight.
func draw(s *random.Stream, weights []float64) int {
	cumulated := cumulate(weights)
	x := float64(s.Float64() * cumulated[len(weights)-1])
	for at, c := range cumulated {
		if x < c {
			return at
		}
	}
	return len(weights) - 1
}

// grow is eˣ held within what the units can show.
func grow(x float64) float64 { return random.Exp(clamp(x, -4, 2.2)) }

func clamp(x, low, high float64) float64 { return min(max(x, low), high) }

func twoDecimals(x float64) float64 { return math.Round(100*x) / 100 }

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
