package main

import (
	"bufio"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/data/synth"
)

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
