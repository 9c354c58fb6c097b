package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/data/pack"
	"optcomplete/engine"
	"optcomplete/internal/atomicfile"
	"optcomplete/spec"
)

// pack packs files of this machine, or with an engine what Spark reads, into a pack, or
// into a folder of packs of about each bytes.
func (f *engineFlags) pack(ctx context.Context, c *common, paths []string, output string, each int64, settings ingest.Settings) (*ingest.Packing, error) {
	if f.Engine == "" && f.EngineProgram != "" {
		return nil, usagef("--engine-program means something only with --engine")
	}
	read := func(to string) (*ingest.Packing, error) { return ingest.Pack(ctx, paths, to, settings) }
	if f.Engine != "" {
		tables, err := f.tables(paths, settings)
		if err != nil {
			return nil, err
		}
		spark, err := engine.Connect(ctx, engine.Settings{Address: f.Engine, Program: f.EngineProgram, Least: 1, Version: spec.Version, Log: func(line string) { c.notef("Engine    %s", line) }})
		if err != nil {
			return nil, err
		}
		defer spark.Close()
		why := "a pack is one file"
		if each > 0 {
			var done *ingest.Packing
			if done, why, err = spark.Pack(ctx, tables, output, each, c.threads, settings); done != nil || err != nil {
				return done, err
			}
		}
		c.notef("Engine    the entries come to this machine, which packs them: %s", why)
		read = func(to string) (*ingest.Packing, error) { return copyPack(ctx, spark, paths, tables, to, settings) }
	}
	if each == 0 {
		return read(output)
	}
	// A pack in a folder of its own is divided, then removed.
	folder, remove, err := atomicfile.TempDir(output)
	if err != nil {
		return nil, err
	}
	defer remove()
	whole := filepath.Join(folder, "whole.pack")
	done, err := read(whole)
	if err != nil {
		return nil, err
	}
	return done, divide(ctx, whole, output, each, threadsOf(c))
}

// tables are what Spark is to read.
func (f *engineFlags) tables(paths []string, settings ingest.Settings) (tables []engine.Table, err error) {
	if _, err := engine.CheckAddress(f.Engine); err != nil {
		return nil, usagef("%v", err)
	}
	if strings.HasPrefix(f.Engine, "exec:") {
		return nil, usagef("--engine %s: a command reads no tables; name a Spark Connect server (sc://HOST:PORT)", f.Engine)
	}
	if d := settings.Duplicates; d == ingest.First || d == ingest.Last {
		return nil, usagef("--duplicates %s: a cluster reads entries in no order; choose mean, or error", d)
	}
	delimiter := ""
	if settings.Delimiter != 0 {
		delimiter = string(rune(settings.Delimiter))
	}
	for _, path := range paths {
		t, err := engine.TableOf(path, settings.Format, delimiter)
		if err != nil {
			return nil, usagef("%v", err)
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// copyPack lets Spark read tables, one after another, and packs what comes through pipes.
func copyPack(ctx context.Context, spark *engine.Spark, paths []string, tables []engine.Table, to string, settings ingest.Settings) (*ingest.Packing, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pipes := make([]string, len(tables))
	called := map[string]string{}
	writers := make([]*os.File, len(tables))
	for x := range tables {
		from, writer, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		defer from.Close()
		writers[x] = writer
		pipes[x] = fmt.Sprintf("/dev/fd/%d", from.Fd())
		called[pipes[x]] = paths[x]
	}
	failed := make(chan error, 1)
	go func() {
		var first error
		for x, t := range tables {
			if first == nil {
				first = spark.Copy(ctx, t, writers[x])
			}
			writers[x].Close()
		}
		failed <- first
	}()
	settings.Format, settings.Delimiter = "", 0 // as the content shows
	done, err := ingest.Pack(ctx, pipes, to, settings)
	cancel()
	for _, w := range writers {
		w.Close() // no reader is left
	}
	if first := <-failed; first != nil && !errors.Is(first, context.Canceled) && !errors.Is(first, os.ErrClosed) {
		return nil, first // why the pipe ended
	}
	var input *data.InputError
	if errors.As(err, &input) && called[input.File] != "" {
		input.File = called[input.File]
	}
	return done, err
}

// divide makes a folder of packs of a pack.
func divide(ctx context.Context, from, to string, each int64, threads int) error {
	file, err := pack.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = pack.WriteShards(ctx, file, to, each, threads)
	return err
}
