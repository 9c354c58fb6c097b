// Command study runs the studies that the pages of docs/ report. None of it is
// part of the product.
//
//	go run ./internal/study real -ratings ratings.csv -features books.csv -k 5,10 -o study
//	go run ./internal/study paper -panels mu,n,m,p,k -methods certified,optcomplete,cutplanes -limit 10s
//	go run ./internal/study units -netflix 3923,18227 -many
//	go run ./internal/study large -rows 1e5x1e3,1e6x1e4 -memory 4G
//	go run ./internal/study sampling -o docs
//	go test -run '^$' -bench 'PaperRows|Pass' -benchtime 3x . ./objective | go run ./internal/study benchmarks
//
// real compares models on data of the user's, paper runs the rows of the paper's
// tables on generated data, whose truth is known, and shows the paper's figures
// beside. units fits with the units that are learned. These are trials of the same kind: a method, fitted to what a seed leaves
// it and scored on the rest, is a cell; cells are lines of JSON in one folder,
// saved the moment they are done, so that an interrupted study resumes where it
// stopped; tables are made of cells. large measures the largest rows, sampling
// what Theorems 3 and 4 claim, and benchmarks puts the output of go test into
// docs/benchmarks.md.
//
// A study must never score a method on entries that any of its choices has seen.
// Whether a change made the program slower is another question: CONTRIBUTING.md,
// "Speed", asks it with benchstat.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"optcomplete/internal/memory"
	"optcomplete/spec"
)

var studies = map[string]func(ctx context.Context, args []string) error{
	"real": realStudy, "paper": paperStudy, "units": unitsStudy, "large": largeStudy, "sampling": samplingStudy, "benchmarks": benchmarkTables,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) < 2 || studies[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "study: name one: real, paper, units, large, sampling or benchmarks")
		os.Exit(2)
	}
	if err := studies[os.Args[1]](ctx, os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "study:", err)
		os.Exit(1)
	}
}

// shared are the flags of the studies that fit cells.
func (s *study) shared(flags *flag.FlagSet, seeds int, methods string) *string {
	flags.IntVar(&s.seeds, "seeds", seeds, "how many seeds, each with data or a split of its own")
	flags.Uint64Var(&s.first, "seed", 1, "the first of them")
	flags.DurationVar(&s.Limits.TimeLimit, "limit", 0, "most time for each search, or each run of a method without one; 0: no limit")
	flags.IntVar(&s.Limits.Threads, "threads", 0, "processors; 0: all")
	flags.StringVar(&s.folder, "o", "study", "folder for the tables, plots and cells")
	return flags.String("methods", methods, "methods to compare: "+strings.Join(methodNames(), ", "))
}

// realStudy compares models with each other and with effects alone: for every seed
// it holds out a part of the entries and fits everything to the rest.
func realStudy(ctx context.Context, args []string) error {
	s := &study{}
	var r real
	flags := flag.NewFlagSet("real", flag.ExitOnError)
	methods := s.shared(flags, 5, "softimpute,imc,full,full+remainder,pooled,paper")
	flags.StringVar(&r.ratings, "ratings", "", "file with the observed entries")
	flags.StringVar(&r.features, "features", "", "table with the features of the columns")
	flags.BoolVar(&r.complete, "complete-features", false, "leave out columns that a feature is missing of")
	flags.IntVar(&r.least, "min-entries", 0, "leave out rows with fewer entries")
	flags.Float64Var(&r.holdout, "holdout", 0.2, "fraction of the entries to hold out and score on")
	ks := flags.String("k", "5,10", "how many features to select")
	flags.Parse(args)
	err := numbers(*ks, &r.k)
	if err != nil {
		return fmt.Errorf("-k: %v", err)
	}
	if s.methods, err = methodsOf(*methods); err != nil {
		return err
	}
	if r.ratings == "" || r.features == "" {
		return fmt.Errorf("name the data with -ratings and -features")
	}
	return r.run(ctx, s, r.read(ctx))
}

// paperStudy runs the paper's own experiments.
func paperStudy(ctx context.Context, args []string) error {
	s := &study{}
	p := &paper{study: s}
	flags := flag.NewFlagSet("paper", flag.ExitOnError)
	methods := s.shared(flags, 10, "certified,optcomplete,cutplanes,imc,softimpute,effects")
	panels := flags.String("panels", "", "parts of the paper's tables: "+strings.Join(panelNames(), ", "))
	flags.Float64Var(&p.Gamma, "gamma", 0, "γ of all; 0: learned")
	flags.Float64Var(&p.Factor, "factor", 0, "if set, multiplies the γ that is learned")
	flags.IntVar(&p.Test, "test-entries", 100_000, "entries to score on, at most")
	flags.Func("memory", "what a row may take, such as 8G; none: half of what the machine has, at most three quarters of what is free", func(text string) (err error) {
		p.Memory, err = memory.Parse(text)
		return err
	})
	flags.Parse(args)
	var err error
	if p.methods, err = methodsOf(*methods); err == nil {
		p.panels, err = panelsOf(*panels)
	}
	if err != nil {
		return err
	}
	return p.run(ctx)
}

// numbers reads positive whole numbers with commas between them.
func numbers(text string, to *[]int) error {
	for _, text := range strings.Split(text, ",") {
		x, err := strconv.Atoi(text)
		if err != nil || x < 1 {
			return fmt.Errorf("%q is no positive whole number", text)
		}
		*to = append(*to, x)
	}
	return nil
}

// kindOf gives the model that a problem is read for.
func kindOf(asGiven bool) spec.Kind {
	if asGiven {
		return spec.Paper
	}
	return spec.Full
}

func since(start time.Time) float64 { return time.Since(start).Seconds() }
