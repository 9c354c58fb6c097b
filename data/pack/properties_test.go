package pack

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/sourcetest"
)

// TestPropertiesOfShards: a folder of packs, and what is merged of packs, have the
// properties of their entries, also one that only the tests know.
func TestPropertiesOfShards(t *testing.T) {
	for _, has := range []data.Properties{0, weights, both} {
		m := with(t, random(t, 400, 40, 0.4, stars), has)
		one := opened(t, write(t, m, WriterOptions{Properties: has}))
		folder := filepath.Join(t.TempDir(), "many.packs")
		if _, err := WriteShards(context.Background(), one, folder, 10_000, 2); err != nil {
			t.Fatal(err)
		}
		many := must.Get(OpenShards(folder))(t)
		defer many.Close()
		sourcetest.Run(t, many, m)
		merged := must.Get(Merge(many.files, many.ColumnIDs(), "", ""))(t)
		want, err := data.Collect(merged, nil)
		if err != nil || want.Properties() != has {
			t.Fatalf("merged: %v, %v", want.Properties().Names(), err)
		}
		sourcetest.Run(t, merged, want)
	}
}

// TestUnknownProperty: a pack whose entries have a property that a program does not
// know is not read as if they had none.
func TestUnknownProperty(t *testing.T) {
	m := with(t, random(t, 30, 40, 0.4, stars), both)
	path := write(t, m, WriterOptions{Properties: both})
	content := must.Get(os.ReadFile(path))(t)
	if version := opened(t, path).Info().Version; version != PropertiesVersion {
		t.Errorf("version %d", version)
	}
	content = seal(bytes.ReplaceAll(content, []byte(`"trust"`), []byte(`"other"`)))
	must.Do(t, os.WriteFile(path, content, 0o666))
	if _, err := Open(path); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), `"other"`) {
		t.Errorf("opening it: %v", err)
	}
}
