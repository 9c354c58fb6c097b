package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/engine"
	"optcomplete/evaluate"
	"optcomplete/formulation"
	"optcomplete/internal/lists"
	"optcomplete/pass"
)

// sampleEntries is about how many entries are fitted to estimate the time of all,
// leastRows is how many rows it has at least.
const (
	sampleEntries = 100_000
	leastRows     = 50
)

// forecast is what fit --engine --dry-run says.
type forecast struct {
	Speeds  engine.Speeds `json:"speeds"`
	Kinds   []engine.Kind `json:"readings"`
	Rows    int           `json:"sample_rows"`
	Entries int           `json:"sample_entries"`
	Shared  float64       `json:"bytes_sent"`
	Cluster float64       `json:"cluster_seconds"`
	Here    float64       `json:"here_seconds"`  // on the threads of this machine
	Parts   float64       `json:"parts_seconds"` // of samples and trials: here, in either case
}

// dryRun fits a sample of the rows here and tells what all of them would take on the
// cluster.
func dryRun(cmd *cobra.Command, c *common, spark *engine.Spark, problem formulation.Problem, settings formulation.Settings, asJSON bool) error {
	speeds, err := spark.Speeds(cmd.Context())
	if err != nil {
		return err
	}
	all := problem.Ratings.Source()
	small := problem
	n, _ := all.Dims()
	if rows := evaluate.ReportRows(all, max(sampleEntries, leastRows*all.Observed()/max(n, 1)), settings.Seed); len(rows) > 0 {
		some, err := pass.Pick(cmd.Context(), all, settings.Threads, "sample of rows", rows)
		if err != nil {
			return err
		}
		small.Ratings = data.NewRatings(some, lists.Pick(problem.Ratings.RowIDs, rows), problem.Ratings.ColumnIDs)
	}
	settings.Folder, settings.Checkpoint, settings.Memory = "", "", 0
	seen := &engine.Observer{All: all}
	c.notef("Estimate  a sample of %s is fitted here", counted(small.Ratings.Observed(), "entry", "entries"))
	fitted, err := formulation.Fit(pass.WithRunner(cmd.Context(), seen), small, settings)
	if err != nil {
		return err
	}
	fitted.Close()
	e := forecast{Speeds: speeds, Entries: small.Ratings.Observed()}
	e.Rows, _ = small.Ratings.Dims()
	e.Kinds, e.Shared, e.Parts = seen.Kinds()
	e.Cluster = speeds.Total(e.Kinds, e.Shared) + e.Parts
	for _, k := range e.Kinds {
		e.Here += float64(k.Times) * k.Seconds / float64(threadsOf(c))
	}
	e.Here += e.Parts
	if asJSON {
		return writeJSON(c.stdout, e)
	}
	return e.print(c)
}

func (e *forecast) print(c *common) error {
	t := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "reading\ttimes\ton one core\titems\tMB back\ton the cluster\t")
	for _, k := range e.Kinds {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%.1f\t%s\t\n", k.Name, k.Times, seconds(k.Seconds), grouped(k.Items), e.Speeds.Back(k)/1e6, seconds(e.Speeds.Reading(k)))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.stdout, `Cluster   %s, %s in all; a query takes %.2f s; %.0f MB/s are sent, %.0f MB/s received
Sent      %.1f MB that readings share, once
Estimate  %s on the cluster, %s on this machine with %s; of either, %s are samples and trials, here
Made from a fit of %s with %s. Where the search needs more passes on all data, or samples take their place, the time is another.
`, counted(e.Speeds.Executors, "executor", "executors"), counted(e.Speeds.Cores, "core", "cores"), e.Speeds.Query, e.Speeds.Send/1e6, e.Speeds.Receive/1e6,
		e.Shared/1e6, seconds(e.Cluster), seconds(e.Here), count(threadsOf(c), "thread"), seconds(e.Parts), count(e.Rows, "row"), counted(e.Entries, "entry", "entries"))
	return err
}
