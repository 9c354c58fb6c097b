package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"optcomplete/internal/must"
)

// TestRemedies: what the system refuses comes with what to do about it, once.
func TestRemedies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o666))
	full := &os.PathError{Op: "write", Path: "model/rows.parquet", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("saving: %w", full), "another disk"},
		{fmt.Errorf("saving (free some space): %w", full), ""},
		{os.MkdirAll(filepath.Join(file, "run"), 0o777), "may write to"},
		{errors.New("other"), ""},
	} {
		if got := remedy(c.err); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
