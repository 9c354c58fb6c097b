// Command benchdoc turns the output of BenchmarkPaperRows, on stdin, into the
// table of docs/benchmarks.md, on stdout. See the Makefile's bench target.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

const head = `# Benchmarks

## The paper's synthetic experiments, proven optimal

The rows of the paper's table with n = m = 100 (panels μ, p and k) and the first two of its last panel. Ten seeds each,
noise sd 0.01, γ as ` + "`--gamma auto`" + ` finds it; the time is of the search at that γ, from the data in memory to the proof.
"Found" is the share of the true features among the selected ones. MAPE is over missing entries (at most 100,000)
against the noisy values; the oracle is told the true features, so 1.00 is the best ratio there is. The paper's times
are its own, on 16 cores with Gurobi: OptComplete samples and proves nothing, CutPlanes proves.

    make bench      # go test -run '^$' -bench PaperRows -benchtime 3x . | go run ./internal/benchdoc

`

const tail = `
All searches ended with status optimal. Where rows have fewer entries than
unknowns (n = m = 100 with 95 % missing: 44 % of the rows), predictions are poor whatever the selector, as the oracle's
MAPE shows; the features are found all the same.
`

func main() {
	lines := bufio.NewScanner(os.Stdin)
	var cpu string
	var rows []string
	for lines.Scan() {
		text := lines.Text()
		if after, ok := strings.CutPrefix(text, "cpu: "); ok {
			cpu = after
		}
		if row, ok := tableRow(text); ok {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		fmt.Fprintln(os.Stderr, "benchdoc: no line of BenchmarkPaperRows on stdin")
		os.Exit(1)
	}
	fmt.Print(head)
	fmt.Printf("Measured on %s (%s, 2 cores), shared with other work; best of three runs, median and worst of ten seeds.\n\n", time.Now().Format("2 January 2006"), cpu)
	fmt.Println("| n, m | p, k | missing | paper: OptComplete / CutPlanes | median | worst | nodes | passes | found | MAPE | oracle's | ratio |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, row := range rows {
		fmt.Println(row)
	}
	fmt.Print(tail)
}

// tableRow makes a row of one benchmark line.
func tableRow(text string) (string, bool) {
	fields := strings.Fields(text)
	if len(fields) < 4 || !strings.HasPrefix(fields[0], "BenchmarkPaperRows/") {
		return "", false
	}
	config := map[string]string{}
	for _, part := range strings.Split(fields[0], "/")[1:] {
		key, value, _ := strings.Cut(part, "=")
		config[key], _, _ = strings.Cut(value, "-")
	}
	metric := map[string]float64{}
	for i := 2; i+1 < len(fields); i += 2 {
		metric[fields[i+1]], _ = strconv.ParseFloat(fields[i], 64)
	}
	missing, _ := strconv.ParseFloat(config["missing"], 64)
	return fmt.Sprintf("| %s, %s | %s, %s | %g %% | %g s / %g s | **%.4f s** | %.4f s | %g | %g | %.4g %% | %.2f %% | %.2f %% | %.2f |",
		config["n"], config["m"], config["p"], config["k"], 100*missing,
		metric["s-paper-optcomplete"], metric["s-paper-cutplanes"],
		metric["ms"]/1000, metric["ms-worst"]/1000, metric["nodes"], metric["passes"],
		metric["%found"], metric["%mape"], metric["%mape-oracle"], metric["mape-ratio"]), true
}
