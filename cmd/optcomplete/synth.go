package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/data/pack"
	"optcomplete/data/synth"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/checksum"
	"optcomplete/internal/memory"
	"optcomplete/model/store"
)

// What synth puts into its folder, besides synth.TestFile.
const (
	ratingsFile  = "ratings.csv"
	featuresFile = "features.csv"
	truthFile    = "truth.json"

	rowFeaturesFile = "row_features.csv" // with --two-sided
)

func synthCommand(c *common) *cobra.Command {
	var (
		config synth.Config
		out    synthOutput
		shape  string
		both   bool
	)
	cmd := verb("synth", func(cmd *cobra.Command, args []string) error {
		if out.dir == "" && !out.stream && out.ratings == "" {
			return usagef("where to? Give a folder with -o, or --stream")
		}
		if out.stream && out.ratings != "" {
			return usagef("the ratings go to stdout with --stream or to the file of --ratings, not to both")
		}
		config.Seed = c.seed
		if both {
			return out.cells(cmd, c, config, shape)
		}
		if err := hasPlace(config); shape == "" && err != nil {
			return err
		}
		source, err := newSource(cmd, config, shape)
		if err != nil {
			return &usageError{err}
		}
		to := "nowhere"
		if out.stream {
			to = ""
		}
		done := c.working("Generating", to)
		entries, err := out.write(cmd.Context(), c.stdout, source)
		done()
		if err != nil {
			return err
		}
		c.notef("Wrote %s entries of a %d × %d matrix, %d features, %d of them true%s",
			grouped(entries), source.Rows, source.Columns, source.Config.Features, source.K, out.where())
		return nil
	})
	flags := flagsOf(cmd)
	flags.Bind("netflix", &shape)
	flags.Bind("two-sided", &both)
	flags.BindFields(&config)
	flags.Bind("test-entries", &out.test)
	flags.Bind("stream", &out.stream)
	flags.Bind("ratings", &out.ratings)
	flags.Bind("output", &out.dir)
	flags.Bind("force", &out.force)
	return cmd
}

// ours are the files that synth and demo write, besides the truth that tells their
// checksums.
var ours = []string{ratingsFile, featuresFile, rowFeaturesFile, synth.TestFile, reportFile, filepath.Join(modelFolder, "model.json")}

// readTruth reads what synth or demo wrote of its files.
func readTruth(dir string) (truth synth.Truth, err error) {
	text, err := os.ReadFile(filepath.Join(dir, truthFile))
	if err == nil {
		err = json.Unmarshal(text, &truth)
	}
	return truth, err
}

// foreign names a file that stands where synth or demo would write and that they
// did not write, or that was changed since; empty: there is none.
func foreign(dir string) string {
	truth, err := readTruth(dir)
	if !errors.Is(err, fs.ErrNotExist) && (err != nil || truth.Generator == "") {
		return truthFile
	}
	for _, name := range ours {
		sum, err := checksum.File(filepath.Join(dir, name))
		if err == nil && sum != truth.Files[name] {
			return name
		}
	}
	if entries, _ := os.ReadDir(dir); truth.Generator == "" && len(entries) > 0 {
		return entries[0].Name()
	}
	return foreignModel(dir)
}

// foreignModel names the folder where demo writes its model, if it holds something
// else than a model: that is not replaced, whatever is forced.
func foreignModel(dir string) string {
	folder := filepath.Join(dir, modelFolder)
	if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 && !store.Is(folder) {
		return modelFolder
	}
	return ""
}

// own adds files to those that the truth of a folder says were made with it.
func own(dir string, names ...string) error {
	truth, err := readTruth(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if truth.Files[name], err = checksum.File(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return atomicfile.File(filepath.Join(dir, truthFile), func(w io.Writer) error { return writeJSON(w, truth) })
}

// hasPlace is the error for an instance whose features, the only part of it that is
// held in memory, have no place there.
func hasPlace(config synth.Config) error {
	size, free := 8*float64(config.Columns)*float64(config.Features), memory.Free()
	if free > 0 && size > float64(free) {
		return usagef("%d columns × %d features take %.3g GB of memory, but %.3g GB are free: ask for fewer", config.Columns, config.Features, size/1e9, float64(free)/1e9)
	}
	return nil
}

// newSource makes what the flags ask for.
func newSource(cmd *cobra.Command, config synth.Config, shape string) (*synth.Source, error) {
	if shape == "" {
		return synth.NewSource(config)
	}
	for _, name := range []string{"rows", "columns", "features", "noise"} {
		if cmd.Flags().Changed(name) {
			return nil, fmt.Errorf("--%s does not go with --netflix, which has its own", name)
		}
	}
	var rest string
	size := synth.NetflixSize{Missing: config.Missing}
	if n, _ := fmt.Sscanf(shape, "%dx%d%s", &size.Rows, &size.Columns, &rest); n == 2 {
		if !cmd.Flags().Changed("missing") {
			return nil, fmt.Errorf("--netflix %s needs --missing, the part of the entries that is missing", shape)
		}
	} else {
		var err error
		if size, err = synth.NetflixSizeOf(shape); err != nil {
			return nil, fmt.Errorf("--netflix: %w, or ROWSxCOLUMNS", err)
		}
		if cmd.Flags().Changed("missing") {
			size.Missing = config.Missing
		}
	}
	return synth.Netflix(size.Rows, size.Columns, config.K, size.Missing, config.Seed)
}

// synthOutput is where an instance goes.
type synthOutput struct {
	dir     string // for all files, or all but the ratings; may be empty
	ratings string // a file for the ratings
	stream  bool   // the ratings go to stdout
	force   bool   // what is not ours is replaced too
	test    int    // entries of the test file, at most
}

func (o *synthOutput) where() string {
	switch {
	case o.ratings != "" && o.dir != "":
		return " to " + o.ratings + " and " + o.dir
	case o.ratings != "":
		return " to " + o.ratings
	case o.dir != "":
		return " to " + o.dir
	}
	return ""
}

// write writes the files, each of them and a folder of them all or nothing, and
// returns the number of entries.
func (o *synthOutput) write(ctx context.Context, stdout io.Writer, source *synth.Source) (entries int, err error) {
	ratings := func(w io.Writer) (err error) {
		entries, err = source.WriteRatings(ctx, w)
		return err
	}
	switch {
	case o.stream:
		err = ratings(stdout)
	case o.ratings != "":
		if filepath.Ext(o.ratings) == ".pack" {
			entries, err = packSource(ctx, o.ratings, source)
		} else {
			err = atomicfile.File(o.ratings, ratings)
		}
	}
	if err != nil || o.dir == "" {
		return entries, err
	}
	var written, of int
	files := []instanceFile{
		{ratingsFile, ratings},
		{featuresFile, func(w io.Writer) error { return data.WriteFeatures(w, source.Features) }},
		{synth.TestFile, func(w io.Writer) (err error) {
			written, of, err = source.WriteTest(w, o.test)
			return err
		}},
	}
	if o.stream || o.ratings != "" {
		files = files[1:]
	}
	return entries, o.folder(files, func() synth.Truth { return source.Truth(written, of) })
}

// instanceFile is a file of an instance.
type instanceFile struct {
	name  string
	write func(io.Writer) error
}

// folder writes the files of an instance and, last, its truth with their checksums.
func (o *synthOutput) folder(files []instanceFile, truth func() synth.Truth) error {
	fill := func(dir string) error {
		sums := map[string]string{}
		if before, err := readTruth(o.dir); err == nil { // what is not written now stays as it was made
			maps.Copy(sums, before.Files)
		}
		for _, f := range files {
			path := filepath.Join(dir, f.name)
			err := atomicfile.File(path, f.write)
			if err == nil {
				sums[f.name], err = checksum.File(path)
			}
			if err != nil {
				return err
			}
		}
		t := truth()
		t.Files = sums
		return atomicfile.File(filepath.Join(dir, truthFile), func(w io.Writer) error { return writeJSON(w, t) })
	}
	if o.force && isFolder(o.dir) { // it may be anybody's: its files are replaced one by one
		return fill(o.dir)
	}
	return atomicfile.Dir(o.dir, truthFile, fill)
}

// packSource writes the entries as a pack.
func packSource(ctx context.Context, path string, source *synth.Source) (entries int, err error) {
	w, err := pack.Create(path, source.ColumnIDs(), pack.WriterOptions{Rows: source.Rows, Observed: source.Observed()})
	if err != nil {
		return 0, err
	}
	defer w.Abort() // nothing once it is closed
	rows := source.RowIDs()
	err = data.ForEach(source, func(i int, columns []int32, values []float64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries += len(columns)
		return w.Append(rows[i], columns, values)
	})
	if err != nil {
		return entries, err
	}
	return entries, w.Close()
}

// cells writes generated responses of cells to drugs: all files, or none.
func (o *synthOutput) cells(cmd *cobra.Command, c *common, config synth.Config, shape string) error {
	switch {
	case shape != "":
		return usagef("--two-sided and --netflix make different data: leave one of them out")
	case o.stream || o.ratings != "":
		return usagef("--two-sided writes all files to the folder of -o: leave out --stream and --ratings")
	case cmd.Flags().Changed("features"):
		return usagef("--features does not go with --two-sided, which has its own tables of features")
	case !o.force && isFolder(o.dir) && foreign(o.dir) != "":
		return usagef("%s is in the way: synth did not write it, or it was changed since (another folder, or --force)", filepath.Join(o.dir, foreign(o.dir)))
	}
	if !cmd.Flags().Changed("noise") {
		config.Noise = 1
	}
	in, err := synth.NewCells(config, o.test)
	if err != nil {
		return &usageError{err}
	}
	truth := synth.Truth{
		Generator: "cells", Seed: config.Seed, Rows: config.Rows, Columns: config.Columns, Features: len(in.DrugTable.Names), K: config.K,
		Missing: config.Missing, Noise: config.Noise, Observed: len(in.Observed), Products: in.True,
		Test: synth.TruthTest{File: synth.TestFile, Entries: len(in.Missing), Of: config.Rows*config.Columns - len(in.Observed), Columns: synth.TestColumns},
	}
	for _, p := range in.True {
		truth.Selected = append(truth.Selected, p.Name())
	}
	entries := func(header string, list []synth.TestEntry, free bool) func(io.Writer) error {
		return func(w io.Writer) error {
			out := bufio.NewWriter(w)
			out.WriteString(header + "\n")
			for _, e := range list {
				line := data.AppendNumber([]byte(in.CellTable.IDs[e.Row]+","+in.DrugTable.IDs[e.Column]+","), e.Value)
				if free {
					line = data.AppendNumber(append(line, ','), e.NoiseFree)
				}
				out.Write(append(line, '\n'))
			}
			return out.Flush()
		}
	}
	err = o.folder([]instanceFile{
		{ratingsFile, entries("cell,drug,response", in.Observed, false)},
		{featuresFile, writeTable("drug", in.DrugTable)},
		{rowFeaturesFile, writeTable("cell", in.CellTable)},
		{synth.TestFile, entries("cell,drug,response,noise_free", in.Missing, true)},
	}, func() synth.Truth { return truth })
	if err == nil {
		c.notef("Wrote %s responses of %d cells to %d drugs, %d interactions in them%s", grouped(len(in.Observed)), config.Rows, config.Columns, config.K, o.where())
	}
	return err
}

// writeTable writes a feature table as CSV.
func writeTable(id string, t *data.RawTable) func(io.Writer) error {
	return func(w io.Writer) error {
		out := bufio.NewWriter(w)
		line := []byte(id)
		var err error
		field := func(text string) {
			if err == nil {
				line, err = data.AppendField(append(line, ','), text)
			}
		}
		for _, name := range t.Names {
			field(name)
		}
		out.Write(append(line, '\n'))
		for i, id := range t.IDs {
			line = append(line[:0], id...)
			for _, cell := range t.Row(i) {
				field(cell)
			}
			out.Write(append(line, '\n'))
		}
		if err != nil {
			return err
		}
		return out.Flush()
	}
}
