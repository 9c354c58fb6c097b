package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"optcomplete/data"
	"optcomplete/engine/internal/connect"
)

// explain turns an error of the engine into what a user can do about it.
func (s *Spark) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var from *connect.Error
	var work *workerError
	switch {
	case errors.As(err, &work):
		return errors.New(work.text)
	case errors.Is(err, errCommand):
		return fmt.Errorf("the engine's command (%s) has ended (its own messages stand above; a fit with Settings.Checkpoint goes on where it stopped)", s.settings.Address)
	case !errors.As(err, &from):
		return err
	case from.Code == connect.Unavailable:
		return fmt.Errorf("the engine at %s does not answer: %s (is a Spark Connect server running there? A fit with Settings.Checkpoint goes on where it stopped)", s.Cluster.Address, from.Message)
	case from.Code == connect.Unauthenticated || from.Code == connect.PermissionDenied:
		return fmt.Errorf("the engine at %s refuses: %s (give a token: sc://HOST:PORT/;token=…, or $%s)", s.Cluster.Address, from.Message, connect.TokenVariable)
	case strings.Contains(from.Message, "[PATH_NOT_FOUND]"):
		return &data.InputError{File: s.Cluster.Address, Problem: firstLine(from.Message), Remedy: "name a path that Spark can read, such as hdfs:///ratings/*.parquet", Err: err}
	case strings.Contains(from.Message, "[FAILED_READ_FILE"):
		return &data.InputError{File: s.Cluster.Address, Problem: firstLine(from.Message), Remedy: "check that the file is whole; in CSV every line must have as many fields as the header, and every file the same header", Err: err}
	case strings.Contains(from.Message, "TRANSFORM"):
		return fmt.Errorf("the engine at %s does not run programs with TRANSFORM: %s (see docs/cluster.md for what it needs)", s.Cluster.Address, firstLine(from.Message))
	case strings.Contains(from.Message, "No space left on device"):
		return fmt.Errorf("an executor of %s has no room left on its disk: No space left on device (free some, or give spark.local.dir a larger one)", s.Cluster.Address)
	case strings.Contains(from.Message, "Exec format error") || strings.Contains(from.Message, "cannot execute"):
		return fmt.Errorf("the executors of %s cannot run this program: %s (give one that is built for them with engine.Settings.Program)", s.Cluster.Address, firstLine(from.Message))
	}
	return fmt.Errorf("the engine at %s: %s", s.Cluster.Address, firstLine(from.Message))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
