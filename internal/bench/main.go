// Command bench makes the tables of docs/benchmarks*.md. Each is a subcommand:
//
//	go test -run '^$' -bench 'PaperRows|Pass' -benchtime 3x . ./objective | go run ./internal/bench tables
//	go run ./internal/bench methods -seeds 10 -limit 60s
//	go run ./internal/bench large -rows 1e5x1e3,1e6x1e4 -memory 4G
//
// Whether a change made the program slower is another question: CONTRIBUTING.md,
// "Speed", asks it with benchstat.
package main

import (
	"fmt"
	"os"
)

func main() {
	run := map[string]func(args []string) error{"tables": tables, "methods": compare, "large": large}
	if len(os.Args) < 2 || run[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "bench: name a table: tables, methods or large")
		os.Exit(2)
	}
	if err := run[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
