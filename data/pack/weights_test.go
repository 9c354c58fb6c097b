package pack

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/sourcetest"
)

// TestWeightsOfShards: a folder of packs, and what is merged of packs, have the weights
// of their entries.
func TestWeightsOfShards(t *testing.T) {
	for _, has := range []bool{false, true} {
		m := random(t, 400, 40, 0.4, stars)
		if has {
			m = weighed(t, m)
		}
		one := opened(t, write(t, m, WriterOptions{Weighted: has}))
		folder := filepath.Join(t.TempDir(), "many.packs")
		if _, err := WriteShards(context.Background(), one, folder, 10_000, 2); err != nil {
			t.Fatal(err)
		}
		many := must.Get(OpenShards(folder))(t)
		defer many.Close()
		sourcetest.Run(t, many, m)
		merged := must.Get(Merge(many.files, many.ColumnIDs(), "", ""))(t)
		want, err := data.Collect(merged, nil)
		if err != nil || want.Weighted() != has {
			t.Fatalf("merged: %v, %v", want.Weighted(), err)
		}
		sourcetest.Run(t, merged, want)
	}
}

// TestVersionIsThatOfTheEntries: a pack with weights is not read as if there were none.
func TestVersionIsThatOfTheEntries(t *testing.T) {
	m := weighed(t, random(t, 30, 40, 0.4, stars))
	path := write(t, m, WriterOptions{Weighted: true})
	if version := opened(t, path).Info().Version; version != WeightedVersion {
		t.Errorf("version %d", version)
	}
	content := must.Get(os.ReadFile(path))(t)
	binary.LittleEndian.PutUint32(content[bytes.LastIndex(content, []byte(magic))-4:], Version)
	must.Do(t, os.WriteFile(path, content, 0o666))
	if _, err := Open(path); err == nil {
		t.Error("it is read by its version as one without weights")
	}
}
