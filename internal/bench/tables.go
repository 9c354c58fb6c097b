package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

const head = `# Benchmarks

## The paper's synthetic experiments, proven optimal

These are the rows of the paper's table with n = m = 100 (panels μ, p and k) and the first two of its last panel. Each has
ten seeds, noise sd 0.01, and the γ that ` + "`--gamma auto`" + ` finds. The time is that of the search at that γ, from the data in
memory to the proof. "Found" is the share of the true features among the selected ones. MAPE is over missing entries (at most
100,000) against the noisy values. The oracle knows the true features, so 1.00 is the best possible ratio. The paper's times
are its own, on 16 cores with Gurobi: OptComplete works on samples and proves nothing; CutPlanes gives a proof.

<!-- not run: takes minutes, and measures -->

    make bench      # go test -run '^$' -bench 'PaperRows|Pass' -benchtime 3x . ./objective | go run ./internal/bench tables

`

const tail = `
All searches ended with status optimal. Where rows have fewer entries than unknowns (n = m = 100 with 95 % missing: 44 % of
the rows), predictions are poor whatever the selector, as the oracle's MAPE shows. The features are still found.
`

const passHead = `
## One pass, against what the machine can do

A pass computes the cost and its gradient over all observed entries, on all processors. We count its multiply-adds from the
formulas: t(t+1)/2 + 2t + p per entry, with t features of positive weight (products and right-hand side, residual,
correlation with all p features). "Peak" is the rate of multiply-adds on registers and "limit" the rate of reading memory;
both are measured between the passes of the same run. The bytes of a pass are the least it must read: 12 per entry, and the
features once. Times are processor times, and each figure is the best of the run. Rows have 50 of 10³, 500 of 10⁴ or 50,000
of 10⁶ columns; rows of ratings have 212 of 14,538 on average, skewed as ratings are. "Hessian" also computes the second
derivatives, whose multiply-adds are not counted.

<!-- not run: a benchmark -->

    go test ./objective -run '^$' -bench Pass -benchtime 3x

The pass does not reach the goal of 40 % of the peak. A correlation needs one load for each multiply-add; the kernel alone
reached 65 % of the peak from the first-level cache and 42 % from tiles of 256 KB in the second. We tried vectors of eight
numbers (AVX-512) on an Intel Xeon: the correlation alone became 1.5 times as fast, but the clock falls by a quarter for
everything, and a whole pass gained nothing. With 10⁶ columns, a chunk holds eight rows that share almost no column, so
nearly all features come from memory for each row.

On processors with AVX-512, a feature with two values, such as an indicator, takes one bit per column, whether or not it is
standardised. The sums and both values of 64 features stay in registers, and an entry reads 8 bytes; it used to read 512
bytes. Other features have no narrower exact type once they are standardised. The table compares the previous build with this
one, run in turns on an AMD EPYC (Zen 4, 2 cores, a load of 20 from other work, 16 November 2026). It gives the best of two
runs of five passes, on ratings where 50 of the 59 features have two values:

| t | | ns an entry before | now | ratio | share of the peak before | now |
| --- | --- | --- | --- | --- | --- | --- |
| 5 | | 11.8 | 6.9 | 0.59 | 12 % | 21 % |
| 10 | | 14.9 | 11.2 | 0.75 | 15 % | 20 % |
| 20 | | 24.2 | 20.1 | 0.83 | 22 % | 26 % |
| 20 | Hessian | 27.6 | 22.2 | 0.80 | 19 % | 24 % |
| 40 | | 54.7 | 51.3 | 0.94 | 30 % | 32 % |

What each change saved at t = 5: bits instead of numbers, about a quarter of the pass (5 ns of processor time where the
correlation took 12); reading the other nine features without tiles, since they are few enough to stay in a cache, 15 to
20 %; pages of 2 MB for large tables, 10 % on ratings and 4 % on 10⁴ columns. Prefetching the next columns gained nothing.
The processor time that remains per entry at t = 5 is, in ns: bits 5, numbers 3, gathering the features of positive weight 3,
products and residuals 2.

| shape | p, t | | ns an entry | GFMA/s | peak | share | GB/s | limit | share |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
`

// tables turns the output of BenchmarkPaperRows and BenchmarkPass, on stdin, into
// docs/benchmarks.md, on stdout.
func tables(args []string) error {
	if err := flag.NewFlagSet("tables", flag.ExitOnError).Parse(args); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	var cpu string
	var rows, passes []string
	for lines.Scan() {
		text := lines.Text()
		if after, ok := strings.CutPrefix(text, "cpu: "); ok {
			cpu = after
		}
		if row, ok := tableRow(text); ok {
			rows = append(rows, row)
		}
		if pass, ok := passRow(text); ok {
			passes = append(passes, pass)
		}
	}
	if len(rows) == 0 {
		return errors.New("no line of BenchmarkPaperRows on stdin")
	}
	fmt.Print(head)
	fmt.Printf("Measured on %s (%s, 2 cores), shared with other work; best of three runs, median and worst of ten seeds.\n\n", time.Now().Format("2 January 2006"), cpu)
	fmt.Println("| n, m | p, k | missing | paper: OptComplete / CutPlanes | median | worst | nodes | passes | found | MAPE | oracle's | ratio |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, row := range rows {
		fmt.Println(row)
	}
	fmt.Print(tail)
	if len(passes) > 0 {
		fmt.Print(passHead)
		for _, pass := range passes {
			fmt.Println(pass)
		}
	}
	return lines.Err()
}

// parse takes the configuration and the metrics from a line of a benchmark.
func parse(text, benchmark string) (config map[string]string, metric map[string]float64, ok bool) {
	fields := strings.Fields(text)
	if len(fields) < 4 || !strings.HasPrefix(fields[0], benchmark+"/") {
		return nil, nil, false
	}
	config, metric = map[string]string{}, map[string]float64{}
	for _, part := range strings.Split(fields[0], "/")[1:] {
		key, value, _ := strings.Cut(part, "=")
		key, _, _ = strings.Cut(key, "-")
		config[key], _, _ = strings.Cut(value, "-")
	}
	for i := 2; i+1 < len(fields); i += 2 {
		metric[fields[i+1]], _ = strconv.ParseFloat(fields[i], 64)
	}
	return config, metric, true
}

// tableRow makes a row of one line of BenchmarkPaperRows.
func tableRow(text string) (string, bool) {
	config, metric, ok := parse(text, "BenchmarkPaperRows")
	if !ok {
		return "", false
	}
	missing, _ := strconv.ParseFloat(config["missing"], 64)
	return fmt.Sprintf("| %s, %s | %s, %s | %g %% | %g s / %g s | **%.4f s** | %.4f s | %g | %g | %.4g %% | %.2f %% | %.2f %% | %.2f |",
		config["n"], config["m"], config["p"], config["k"], 100*missing,
		metric["s-paper-optcomplete"], metric["s-paper-cutplanes"],
		metric["ms"]/1000, metric["ms-worst"]/1000, metric["nodes"], metric["passes"],
		metric["%found"], metric["%mape"], metric["%mape-oracle"], metric["mape-ratio"]), true
}

// passRow makes a row of one line of BenchmarkPass.
func passRow(text string) (string, bool) {
	config, metric, ok := parse(text, "BenchmarkPass")
	if !ok {
		return "", false
	}
	shape, what := "ratings", ""
	if m := config["m"]; m != "" {
		shape = "m = " + m
	}
	if _, curved := config["hessian"]; curved {
		what = "Hessian"
	}
	return fmt.Sprintf("| %s | %s, %s | %s | **%.1f** | %.1f | %.1f | **%.0f %%** | %.2f | %.1f | %.1f %% |",
		shape, config["p"], config["t"], what, metric["ns/entry"],
		metric["GFMA/s"], metric["GFMA/s-peak"], metric["%peak"], metric["GB/s"], metric["GB/s-limit"], metric["%bandwidth"]), true
}
