package optcomplete

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/internal/must"
)

// TestReadThenFit: files to a certificate, with this package alone.
func TestReadThenFit(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	films := file("films.csv", "film,Genre,Length\na,Drama,90\nb,Crime,100\nc,Drama,\nd,War,80\ne,Crime,120\n")
	ratings := file("ratings.csv", "row,column,value\nr1,a,4\nr1,b,1\nr1,c,5\nr2,a,2\nr2,d,4\nr2,e,1\nr3,b,3\nr3,c,4\nr3,e,2\nr4,a,5\n")
	problem, notes, err := Read(ctx, ratings, films, ReadSettings{MinEntries: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer problem.Close()
	if n, m := problem.Ratings.Dims(); n != 3 || m != 5 || len(notes.Warnings) == 0 || notes.Features == nil {
		t.Errorf("%d × %d, notes %+v", n, m, notes)
	}
	fitted := must.Get(Fit(ctx, problem, Settings{K: 1, Gamma: 1}))(t)
	if fitted.Certificate.Status.Early() || fitted.Certificate.Gap > 1e-9 {
		t.Errorf("%+v", fitted.Certificate)
	}
	// A pack that stays in its file gives the same, and is closed.
	pack := filepath.Join(dir, "ratings.pack")
	if _, err := ingest.Pack(ctx, []string{ratings}, pack, ingest.Settings{}); err != nil {
		t.Fatal(err)
	}
	packed, _, err := Read(ctx, pack, films, ReadSettings{MinEntries: 2, Stored: true})
	if err != nil {
		t.Fatal(err)
	}
	again := must.Get(Fit(ctx, packed, Settings{K: 1, Gamma: 1}))(t)
	if !slices.Equal(again.Summary.Selected, fitted.Summary.Selected) || again.Certificate.Cost != fitted.Certificate.Cost {
		t.Errorf("from the pack %v at %v, from the text %v at %v", again.Summary.Selected, again.Certificate.Cost, fitted.Summary.Selected, fitted.Certificate.Cost)
	}
	if err := packed.Close(); err != nil {
		t.Error(err)
	}
	var input *data.InputError
	if _, _, err := Read(ctx, ratings, filepath.Join(dir, "none.csv"), ReadSettings{}); !errors.As(err, &input) {
		t.Errorf("a file that is not there: %v", err)
	}
}
