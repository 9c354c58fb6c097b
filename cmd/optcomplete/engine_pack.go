package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/engine"
)

// pack packs tables: files of this machine, or with an engine what Spark reads for
// us, one after another, through pipes.
func (f *engineFlags) pack(ctx context.Context, c *common, paths []string, to string, settings ingest.Settings) (*ingest.Packing, error) {
	if f.address == "" {
		return ingest.Pack(ctx, paths, to, settings)
	}
	if err := engine.CheckAddress(f.address); err != nil {
		return nil, usagef("%v", err)
	}
	var tables []engine.Table
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
	spark, err := engine.Connect(ctx, engine.Settings{Address: f.address, Log: func(line string) { c.notef("Engine    %s", line) }})
	if err != nil {
		return nil, err
	}
	defer spark.Close()
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
