package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/internal/memory"
)

func packCommand(c *common) *cobra.Command {
	var (
		settings         ingest.Settings
		output, features string
		id               string
		allowed          string
		asJSON           bool
		shards           string
		remote           engineFlags
	)
	cmd := verb("pack", func(cmd *cobra.Command, args []string) error {
		if output == "" {
			return usagef("where to? Give a file with -o")
		}
		if features != "" {
			table, err := data.ReadRawTable(features, data.FeaturesOptions{ID: id, Context: cmd.Context()})
			if err != nil {
				return err
			}
			settings.Columns = table.IDs
		} else if settings.DropUnknown {
			return usagef("--drop-unknown needs --features: without it every column is known")
		}
		settings.Memory, settings.Threads = memory.Default(), c.threads
		if err := memoryFlag("memory", allowed, &settings.Memory); err != nil {
			return err
		}
		// Below what the program itself takes, a limit would only keep the collector busy.
		debug.SetMemoryLimit(max(settings.Memory-settings.Memory/20, 64<<20))
		var ended func()
		settings.Progress, ended = c.follow(args[0], output)
		start := time.Now()
		var each int64
		if err := memoryFlag("shards", shards, &each); err != nil {
			return err
		}
		done, err := remote.pack(cmd.Context(), c, args, output, each, settings)
		ended()
		if err != nil {
			return err
		}
		c.notes(&done.Report)
		from := ""
		if len(args) == 1 {
			from = args[0]
		}
		c.warn(from, done.Warnings())
		return printPacking(c, done, output, time.Since(start), asJSON)
	})
	flags := flagsOf(cmd)
	flags.Bind("output", &output)
	flags.Bind("features", &features)
	flags.Bind("id", &id)
	ratingsFlags(flags, &settings)
	flags.Bind("memory", &allowed)
	flags.Bind("json", &asJSON)
	flags.Bind("shards", &shards)
	flags.BindFields(&remote)
	return cmd
}

// watchMemory lets what the verb reads take as much memory as --memory allows, or the
// default. A pack is made with whatever is allowed, by means of the disk.
func (c *common) watchMemory(cmd *cobra.Command) error {
	allowed := memory.Default()
	if flag := cmd.Flags().Lookup("memory"); flag != nil && cmd.Name() != "pack" {
		if err := memoryFlag("memory", flag.Value.String(), &allowed); err != nil {
			return err
		}
	}
	c.unwatch = memory.Watch(allowed)
	return nil
}

// memoryFlag reads the number of bytes that a flag gives, if it gives one.
func memoryFlag(name, text string, bytes *int64) (err error) {
	if text == "" {
		return nil
	}
	if *bytes, err = memory.Parse(text); err != nil {
		return usagef("--%s: %v", name, err)
	}
	return nil
}

// sizeOf is the size of a file, or of the files of a folder.
func sizeOf(path string) (bytes int64, err error) {
	err = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}

func printPacking(c *common, done *ingest.Packing, output string, took time.Duration, asJSON bool) error {
	bytes, err := sizeOf(output)
	if err != nil {
		return err
	}
	out := struct {
		Output         string   `json:"output"`
		Rows           int      `json:"rows"`
		Columns        int      `json:"columns"`
		Observed       int      `json:"observed"`
		Bytes          int64    `json:"bytes"`
		BytesPerEntry  float64  `json:"bytes_per_entry"`
		Read           int64    `json:"bytes_read"`
		Missing        int      `json:"missing"`
		UnknownEntries int      `json:"unknown_entries"`
		UnknownColumns int      `json:"unknown_columns"`
		Duplicates     int      `json:"duplicates"`
		Spilled        int64    `json:"bytes_spilled"`
		Seconds        float64  `json:"seconds"`
		MBPerSecond    float64  `json:"mb_per_second"`
		Warnings       []string `json:"warnings,omitempty"`
	}{
		output, done.Rows, done.Columns, done.Entries, bytes, float64(bytes) / float64(done.Entries), done.Bytes,
		done.Missing, done.UnknownEntries, done.UnknownColumns, done.Duplicates, done.Spilled,
		took.Seconds(), float64(done.Bytes) / 1e6 / took.Seconds(), done.Warnings(),
	}
	if asJSON {
		return writeJSON(c.stdout, out)
	}
	_, err = fmt.Fprintf(c.stdout, "Packed %s of %s and %s into %s: %s bytes, %.2f an entry\nRead %.1f MB in %s, %.0f MB/s\n",
		counted(out.Observed, "entry", "entries"), count(out.Rows, "row"), count(out.Columns, "column"), output, grouped(int(out.Bytes)), out.BytesPerEntry,
		float64(out.Read)/1e6, seconds(out.Seconds), out.MBPerSecond)
	return err
}
