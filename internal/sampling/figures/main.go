// Command figures writes the plots of docs/sampling.md and prints its tables:
//
//	go run ./internal/sampling/figures -o docs
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"optcomplete/internal/atomicfile"
	"optcomplete/internal/chart"
	"optcomplete/internal/sampling"
	"optcomplete/objective"
)

const (
	draws = 200 // samples for each point of the errors
	runs  = 100 // runs of OptComplete for each point of the failures
)

func main() {
	output := flag.String("o", "docs", "folder to write the plots to")
	flag.Parse()
	for _, figure := range []func(string) error{errors, failures} {
		if err := figure(*output); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// errors plots the error of the sampled cost and gradient over g, with all
// columns and with half of them.
func errors(dir string) error {
	in, gamma, err := sampling.Hard()
	if err != nil {
		return err
	}
	rows := []int{10, 20, 50, 100, 200, 500, 900}
	picture := chart.Chart{
		Title: "Error of the sampled cost and gradient", LogX: true, LogY: true, PercentY: true,
		X: "rows in the sample, g (of 1,000)", Y: "relative error (root mean square)",
	}
	fmt.Println("| f | g | cost | gradient |\n| --- | --- | --- | --- |")
	for _, columns := range []int{in.Columns, in.Columns / 2} {
		var sizes []objective.SampleSize
		for _, g := range rows {
			sizes = append(sizes, objective.SampleSize{Rows: g, Columns: columns})
		}
		points, err := sampling.Errors(in, gamma, in.Selected, sizes, draws, 1)
		if err != nil {
			return err
		}
		var g, cost, gradient, plainCost, plainGradient, reference []float64
		for _, p := range points {
			fmt.Printf("| %d | %d | %.2f %% | %.2f %% |\n", columns, p.Rows, 100*p.Cost, 100*p.Gradient)
			finite := sampling.FiniteRows(p.Rows, in.Rows)
			g = append(g, float64(p.Rows))
			cost, gradient = append(cost, p.Cost), append(gradient, p.Gradient)
			plainCost, plainGradient = append(plainCost, p.Cost/finite), append(plainGradient, p.Gradient/finite)
			reference = append(reference, 0.8*points[0].Cost*math.Sqrt(10/float64(p.Rows)))
		}
		tones := []int{1, 2}
		if columns == in.Columns {
			fmt.Printf("\nslopes: cost %.3f, gradient %.3f\n\n", sampling.Slope(g, plainCost), sampling.Slope(g, plainGradient))
			picture.Series = append(picture.Series, chart.Series{Name: "1/√g", Tone: 4, Dash: true, Points: places(g, reference)})
		} else {
			tones = []int{6, 5}
		}
		picture.Series = append(picture.Series,
			chart.Series{Name: fmt.Sprintf("cost, f = %d of %d", columns, in.Columns), Tone: tones[0], Marks: true, Points: places(g, cost)},
			chart.Series{Name: fmt.Sprintf("gradient, f = %d of %d", columns, in.Columns), Tone: tones[1], Marks: true, Points: places(g, gradient)})
	}
	return atomicfile.File(filepath.Join(dir, "sampling-error.svg"), picture.SVG)
}

// failures plots how often OptComplete misses the optimum over g.
func failures(dir string) error {
	in, gamma, err := sampling.Hard()
	if err != nil {
		return err
	}
	points, err := sampling.Failures(in, gamma, []int{10, 20, 40, 80, 160, 320}, runs)
	if err != nil {
		return err
	}
	var g, rate []float64
	fmt.Println("\n| g | not found | mean excess cost | mean cuts |\n| --- | --- | --- | --- |")
	for _, p := range points {
		fmt.Printf("| %d | %d of %d | %.2f %% | %.1f |\n", p.Rows, p.Failed, p.Runs, 100*p.Excess, p.Cuts)
		g, rate = append(g, float64(p.Rows)), append(rate, p.Rate())
	}
	picture := chart.Chart{
		Title: "How often OptComplete misses the optimum", LogX: true, ZeroY: true, PercentY: true,
		X: "rows in the sample, g (of 1,000)", Y: "part of 100 runs", Series: []chart.Series{{Name: "optimum not found", Marks: true, Points: places(g, rate)}},
	}
	return atomicfile.File(filepath.Join(dir, "sampling-failures.svg"), picture.SVG)
}

// places are the points of a line.
func places(x, y []float64) []chart.Point {
	points := make([]chart.Point, len(x))
	for i := range x {
		points[i] = chart.Point{X: x[i], Y: y[i]}
	}
	return points
}
