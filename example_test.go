package optcomplete_test

import (
	"context"
	"fmt"
	"log"

	"optcomplete"
	"optcomplete/data"
)

// Two files are read and fitted; the certificate says what is proven.
func Example() {
	ctx := context.Background()
	problem, _, err := optcomplete.Read(ctx, "testdata/ratings.csv", "testdata/films.csv", optcomplete.ReadSettings{})
	if err != nil {
		log.Fatal(err)
	}
	defer problem.Close()
	fitted, err := optcomplete.Fit(ctx, problem, optcomplete.Settings{K: 2})
	if err != nil {
		log.Fatal(err)
	}
	if fitted.Certificate.Status.Early() {
		fmt.Println("stopped before it was proven")
	}
	fmt.Println(fitted.Selected, fitted.Certificate.Status)
	rating, err := fitted.Predict("Bob", "Heat")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Bob would rate Heat %.1f\n", rating)
	// Output:
	// [action romance] optimal
	// Bob would rate Heat 1.6
}

// The same files by the paper's own model and method, which is chosen in the settings.
func Example_paper() {
	ctx := context.Background()
	problem, _, err := optcomplete.Read(ctx, "testdata/ratings.csv", "testdata/films.csv", optcomplete.ReadSettings{Model: optcomplete.Paper})
	if err != nil {
		log.Fatal(err)
	}
	defer problem.Close()
	fitted, err := optcomplete.Fit(ctx, problem, optcomplete.Settings{
		K: 2, Model: optcomplete.Paper, Method: optcomplete.CutPlanes{Solver: "embedded"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fitted.Selected, fitted.Certificate.Status)
	// Output:
	// [action romance] optimal
}

// Six films, of which three features are known, were rated by four people. Two
// of the features explain the ratings; the fit finds and proves which.
func Example_inMemory() {
	films := []string{"Alien", "Heat", "Amélie", "Up", "Jaws", "Big"}
	features := data.NewFeatures(films, []string{"action", "length", "romance"}, []float64{
		9, 1.9, 1, // action, length in hours, romance
		8, 2.8, 2,
		1, 2.0, 9,
		3, 1.6, 5,
		7, 2.1, 1,
		2, 1.7, 6,
	})
	var seen []data.Entry
	for person, taste := range [][2]float64{{0.5, 0}, {0.1, 0.4}, {0.3, 0.3}, {0, 0.5}} {
		for film := range films {
			if (person+film)%3 == 2 {
				continue // not seen
			}
			b := features.Row(film)
			seen = append(seen, data.Entry{Row: int32(person), Column: int32(film), Value: taste[0]*b[0] + taste[1]*b[2]})
		}
	}
	matrix, err := data.NewMatrix(4, len(films), seen)
	if err != nil {
		log.Fatal(err)
	}
	problem := optcomplete.Problem{
		Ratings:  data.NewRatings(matrix, []string{"Ann", "Bob", "Cid", "Dot"}, films),
		Features: features,
	}
	fitted, err := optcomplete.Fit(context.Background(), problem, optcomplete.Settings{K: 2, Gamma: 10, Model: optcomplete.Paper})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fitted.Selected, fitted.Certificate.Status)
	rating, err := fitted.Predict("Bob", "Heat")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Bob would rate Heat %.1f\n", rating)
	// Output:
	// [action romance] optimal
	// Bob would rate Heat 1.6
}
