package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	paperHead = "| n, m | p, k | missing | paper: OptComplete / CutPlanes | median | worst | nodes | passes | found | MAPE | oracle's | ratio |"
	passHead  = "| shape | p, t | | ns an entry | GFMA/s | peak | share | GB/s | limit | share |"
)

// benchmarkTables turns the output of BenchmarkPaperRows and BenchmarkPass, on stdin, into the
// rows of their tables in a page, which keeps its words.
func benchmarkTables(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("benchmarks", flag.ExitOnError)
	path := flags.String("into", "docs/benchmarks.md", "page whose tables get the rows")
	if err := flags.Parse(args); err != nil {
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
	if err := lines.Err(); err != nil {
		return err
	}
	if len(rows)+len(passes) == 0 {
		return errors.New("no line of BenchmarkPaperRows or BenchmarkPass on stdin")
	}
	page, err := readPage(*path)
	if err == nil && len(rows) > 0 {
		err = page.replace(paperHead, rows)
	}
	if err == nil && len(passes) > 0 {
		err = page.replace(passHead, passes)
	}
	if err == nil {
		err = page.write()
	}
	if err == nil {
		fmt.Printf("%s: %d and %d rows. Say above them where they were measured: %s, %s.\n", *path, len(rows), len(passes), time.Now().Format("2 January 2006"), cpu)
	}
	return err
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
	} else if _, two := config["indicators"]; two {
		shape = "indicators"
	}
	if _, curved := config["hessian"]; curved {
		what = "Hessian"
	}
	return fmt.Sprintf("| %s | %s, %s | %s | **%.1f** | %.1f | %.1f | **%.0f %%** | %.2f | %.1f | %.1f %% |",
		shape, config["p"], config["t"], what, metric["ns/entry"],
		metric["GFMA/s"], metric["GFMA/s-peak"], metric["%peak"], metric["GB/s"], metric["GB/s-limit"], metric["%bandwidth"]), true
}
