package main

import (
	"bytes"
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/engine"
	"optcomplete/evaluate"
	"optcomplete/formulation"
	"optcomplete/internal/lists"
	"optcomplete/internal/memory"
	"optcomplete/model/store"
	"optcomplete/pass"
	"optcomplete/spec"
)

// engineFlags say where passes are computed.
type engineFlags struct {
	Engine        string // its address
	EngineProgram string
	EngineFrom    int
	EngineTasks   int
	EngineFolder  string

	spark *engine.Spark // once it is used
}

// open opens the engine.
func (f *engineFlags) open(ctx context.Context, c *common) (*engine.Spark, error) {
	if _, err := engine.CheckAddress(f.Engine); err != nil {
		return nil, usagef("%v", err)
	}
	return engine.Open(ctx, engine.Settings{
		Address: f.Engine, Program: f.EngineProgram, Least: f.EngineFrom, Tasks: f.EngineTasks, Folder: f.EngineFolder, Version: spec.Version,
		Log: func(line string) { c.notef("Engine    %s", line) },
	})
}

// use lets the readings of a verb run on the engine, if one is given. What it
// returns must be called at the end.
func (f *engineFlags) use(cmd *cobra.Command, c *common) (end func(), err error) {
	if f.Engine == "" {
		for _, name := range []string{"engine-program", "engine-from", "engine-tasks", "engine-folder"} {
			if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed {
				return nil, usagef("--%s means something only with --engine", name)
			}
		}
		return func() {}, nil
	}
	spark, err := f.open(cmd.Context(), c)
	if err != nil {
		return nil, err
	}
	f.spark = spark
	cmd.SetContext(pass.WithRunner(cmd.Context(), spark))
	return func() {
		spark.Close()
		s := spark.Stats
		unit := "rows"
		if s.Values > 0 {
			unit = "values"
		}
		c.notef("Engine    %s on the cluster (%s), %s here; %s, %s, %.3g %s/s; %.1f MB sent, %.1f MB received, %s and %s repeated, %s started again", counted(s.Remote, "reading", "readings"),
			seconds(s.Seconds), grouped(s.Local), count(s.Tasks, "task"), count(s.Items, "item"), s.Speed(), unit, float64(s.Sent)/1e6, float64(s.Received)/1e6, count(s.Repeated, "reading"), count(s.Retried, "task"), count(s.Restarted, "worker"))
	}, nil
}

// rowsWritten tells who wrote the coefficients.
func (c *common) rowsWritten(rows *store.RowShards, output string) {
	files, here := rows.Written()
	if here == 0 {
		c.notef("Engine    the executors wrote the coefficients: %s", counted(files, "file", "files"))
		return
	}
	c.notef("Engine    %s of %s of coefficients came to this machine to be written, because the executors do not see %s or may not write there", grouped(here), counted(files, "file", "files"), output)
}

// did is what the cluster did, for --json; nil without one.
func (f *engineFlags) did() any {
	if f.spark == nil {
		return nil
	}
	return struct {
		engine.Cluster
		engine.Stats
		Speed float64 `json:"rows_per_second"`
	}{f.spark.Cluster, f.spark.Stats, f.spark.Stats.Speed()}
}

func engineCommand(c *common) *cobra.Command {
	var (
		f      engineFlags
		data   string
		asJSON bool
	)
	cmd := verb("engine", func(cmd *cobra.Command, args []string) error {
		f.Engine, f.EngineFrom = args[0], 1
		spark, err := f.open(cmd.Context(), c)
		if err != nil {
			return err
		}
		defer spark.Close()
		found := struct {
			engine.Cluster
			Speeds engine.Speeds `json:"speeds"`
			Test   *engineTest   `json:"test,omitempty"`
		}{Cluster: spark.Cluster}
		if found.Speeds, err = spark.Speeds(cmd.Context()); err != nil {
			return err
		}
		if data != "" {
			if found.Test, err = tryEngine(cmd.Context(), c, spark, data); err != nil {
				return err
			}
		}
		if asJSON {
			return writeJSON(c.stdout, found)
		}
		x := found.Cluster
		_, err = fmt.Fprintf(c.stdout, "Spark %s at %s\n%s of %s each, %s free; %s\nA query that computes nothing takes %s; %.0f MB/s are sent, %.0f MB/s received\n", x.Spark, x.Address,
			counted(x.Executors, "executor", "executors"), counted(x.Cores, "core", "cores"), memory.Format(x.Memory), x.Platform,
			seconds(found.Speeds.Query), found.Speeds.Send/1e6, found.Speeds.Receive/1e6)
		if t := found.Test; t != nil && err == nil {
			_, err = fmt.Fprintf(c.stdout, "%s read in %s on the cluster, in %s once more, in %s here; same bits\n",
				counted(t.Entries, "entry", "entries"), seconds(t.First), seconds(t.Cluster), seconds(t.Here))
		}
		return err
	})
	flags := flagsOf(cmd)
	flags.BindFields(&f)
	flags.Bind("data", &data)
	flags.Bind("json", &asJSON)
	return cmd
}

// engineTest is how a test pass went.
type engineTest struct {
	Entries int     `json:"entries"`
	First   float64 `json:"first_seconds"` // on the cluster, which opens the data
	Cluster float64 `json:"cluster_seconds"`
	Here    float64 `json:"here_seconds"`
}

// tryEngine surveys a pack on the cluster and here.
func tryEngine(ctx context.Context, c *common, spark *engine.Spark, path string) (*engineTest, error) {
	source, err := pack.OpenAny(path)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	t := &engineTest{Entries: source.Observed()}
	// Not pass.Survey, which reads a source once.
	survey := func(ctx context.Context, took *float64) ([]byte, error) {
		start := time.Now()
		parts, err := pass.Run(ctx, source, c.threads, pass.Surveying{})
		if err != nil {
			return nil, err
		}
		*took = time.Since(start).Seconds()
		return pass.EncodeParts([][]pass.Part{parts})
	}
	there := pass.WithRunner(ctx, spark)
	if _, err := survey(there, &t.First); err != nil {
		return nil, err
	}
	got, err := survey(there, &t.Cluster)
	if err != nil {
		return nil, err
	}
	want, err := survey(ctx, &t.Here)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(got, want) {
		return nil, fmt.Errorf("the cluster's results differ from those of this machine")
	}
	return t, nil
}

func workerCommand(c *common) *cobra.Command {
	var (
		alone bool
		serve string
		watch int
	)
	cmd := verb("worker", func(cmd *cobra.Command, args []string) error {
		w := engine.NewWorker(spec.Version)
		switch {
		case len(args) > 0:
			return w.Pack(cmd.Context(), args[0], cmd.InOrStdin(), c.stdout)
		case serve != "":
			return w.Serve(cmd.Context(), serve, watch)
		case alone:
			return w.Work(cmd.Context(), cmd.InOrStdin(), c.stdout)
		}
		return w.Forward(cmd.Context(), cmd.InOrStdin(), c.stdout)
	})
	flags := flagsOf(cmd)
	flags.Bind("alone", &alone)
	flags.Bind("serve", &serve)
	flags.Bind("watch", &watch)
	return cmd
}

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
