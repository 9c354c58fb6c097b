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
	chart := sampling.Chart{
		Title: "Error of the sampled cost and gradient", LogY: true, Percent: true,
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
		colors := []string{"#1f6fb4", "#c4501b"}
		if columns == in.Columns {
			fmt.Printf("\nslopes: cost %.3f, gradient %.3f\n\n", sampling.Slope(g, plainCost), sampling.Slope(g, plainGradient))
			chart.Series = append(chart.Series, sampling.Series{Name: "1/√g", Color: "#888", Dash: true, X: g, Y: reference})
		} else {
			colors = []string{"#8fb9dc", "#e6ab8b"}
		}
		chart.Series = append(chart.Series,
			sampling.Series{Name: fmt.Sprintf("cost, f = %d of %d", columns, in.Columns), Color: colors[0], X: g, Y: cost},
			sampling.Series{Name: fmt.Sprintf("gradient, f = %d of %d", columns, in.Columns), Color: colors[1], X: g, Y: gradient})
	}
	return atomicfile.File(filepath.Join(dir, "sampling-error.svg"), chart.WriteSVG)
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
	series := sampling.Series{Name: "optimum not found", Color: "#1f6fb4"}
	fmt.Println("\n| g | not found | mean excess cost | mean cuts |\n| --- | --- | --- | --- |")
	for _, p := range points {
		fmt.Printf("| %d | %d of %d | %.2f %% | %.1f |\n", p.Rows, p.Failed, p.Runs, 100*p.Excess, p.Cuts)
		series.X, series.Y = append(series.X, float64(p.Rows)), append(series.Y, p.Rate())
	}
	chart := sampling.Chart{
		Title: "How often OptComplete misses the optimum", Percent: true,
		X: "rows in the sample, g (of 1,000)", Y: "part of 100 runs", Series: []sampling.Series{series},
	}
	return atomicfile.File(filepath.Join(dir, "sampling-failures.svg"), chart.WriteSVG)
}
