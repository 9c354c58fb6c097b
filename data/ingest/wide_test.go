package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"optcomplete/internal/must"
)

// TestWideMatrices reads the same matrix as people have it, and leaves alone what
// only looks like one.
func TestWideMatrices(t *testing.T) {
	want := []string{"ann Heat 4", "ann Up 3.5", "bob Alien -1", "bob Up 2", "cy Heat 0"}
	for name, text := range map[string]string{
		"with a name above the rows": "person,Alien,Heat,Up\nann,,4,3.5\nbob,-1,NA,2\ncy,nan,0,\n",
		"without":                    ",Alien,Heat,Up\r\nann,,4,3.5\r\nbob,-1,N/A,2\r\ncy,NULL,0,?\r\n",
		"tabs":                       "id\tAlien\tHeat\tUp\nann\t\t4\t3.5\nbob\t-1\t\t2\ncy\t\t0\t\n",
		"write.table of R":           "\"Alien\" \"Heat\" \"Up\"\n\"ann\" NA 4 3.5\n\"bob\" -1 NA 2\n\"cy\" NA 0 NA\n",
		"write.csv of R":             "\"\",\"Alien\",\"Heat\",\"Up\"\n\"ann\",NA,4,3.5\n\"bob\",-1,NA,2\n\"cy\",NA,0,NA\n",
		"write.csv2 of R":            "\"\";\"Alien\";\"Heat\";\"Up\"\n\"ann\";NA;4;3.5\n\"bob\";-1;NA;2\n\"cy\";NA;0;NA\n",
	} {
		got, report, err := streamOf("r.csv", strings.NewReader(text), Settings{}).ratings(context.Background())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want, cells(got)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "read as a wide matrix") {
			t.Errorf("%s: the notes are %q", name, report.Notes)
		}
		if report.Lines != 5 || report.Entries != 5 || report.Missing != 0 {
			t.Errorf("%s: %+v", name, report)
		}
	}
	long := []string{"1 10 4", "1 11 3", "2 10 5"}
	for name, text := range map[string]string{
		"user, item, rating, time": "user_id,item_id,rating,timestamp\n1,10,4,881250949\n1,11,3,881250950\n2,10,5,881250951\n",
		"in another order":         "time;stars;user;movieId\n8;4;1;10\n8;3;1;11\n9;5;2;10\n",
	} {
		got, report, err := streamOf("r.csv", strings.NewReader(text), Settings{}).ratings(context.Background())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if d := cmp.Diff(long, cells(got)); d != "" || len(report.Notes) > 0 {
			t.Errorf("%s: %s %q", name, d, report.Notes)
		}
	}
	for text, want := range map[string]string{
		"a,b,c,d\n1,2,3,4\n1,2,4,5\n":        "4 fields where 3", // a row twice: no matrix
		"a,b,c,d\n1,x,3,4\n2,y,4,5\n":        "4 fields where 3", // text: no matrix
		"id,a,b,c\nu,1,2,3\nv,1,2\n":         "3 fields where 4", // a matrix with a short line, behind those looked at
		"id,a,b,c\nu,1,2,3\nv,1,2,bad\nw,,,": `value "bad"`,
	} {
		if strings.Contains(want, "where 4") || strings.Contains(want, "bad") {
			text = strings.Replace(text, "v,", lotsOf("x", wideLines)+"v,", 1)
		}
		if _, _, err := streamOf("r.csv", strings.NewReader(text), Settings{}).ratings(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text[:20], err, want)
		}
	}
	// What cannot be told is asked for, or known from the features.
	t.Chdir(t.TempDir())
	for _, s := range []Settings{{Format: Wide}, {Columns: []string{"b", "a"}}} {
		got, _, err := readAs(t, "r.csv", []byte("id,a,b\nu,1,2\nv,,3\n"), s)
		if err != nil {
			t.Fatal(err)
		}
		all := cells(got)
		slices.Sort(all)
		if d := cmp.Diff([]string{"u a 1", "u b 2", "v b 3"}, all); d != "" {
			t.Error(d)
		}
	}
}

func lotsOf(id string, n int) string {
	var out strings.Builder
	for x := range n {
		out.WriteString(id + strings.Repeat("x", x) + ",1,2,3\n")
	}
	return out.String()
}

func TestYesAndNoAreNumbers(t *testing.T) {
	got, report, err := streamOf("r.csv", strings.NewReader("u,a,yes\nu,b,no\nv,a,TRUE\nv,b,False\nw,a,2\n"), Settings{}).ratings(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"u a 1", "u b 0", "v a 1", "v b 0", "w a 2"}, cells(got)); d != "" {
		t.Error(d)
	}
	if len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "yes and true are read as 1") {
		t.Errorf("the notes are %q", report.Notes)
	}
}

// TestWideLabelsAreLeftOut: text beside the columns that the features know is no entry.
func TestWideLabelsAreLeftOut(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "cell,tissue,a,b,stage\nu,lung,1,,early\nv,skin,NA,2,\n"
	for name, s := range map[string]Settings{"known": {}, "asked for": {Format: Wide}} {
		ratings, report, err := readText(t, text, s)
		must.Do(t, err)
		if got := fmt.Sprint(cells(ratings)); got != "[u a 1 v b 2]" {
			t.Errorf("%s: %s", name, got)
		}
		if len(report.Notes) != 1 || !strings.Contains(report.Notes[0], `values of 2 columns ("a", …); blanks and NA are no entries; text is left out: "tissue", "stage" (`) {
			t.Errorf("%s: %q", name, report.Notes)
		}
	}
	// Text in a column that is known is an error.
	if _, _, err := readText(t, "cell,a,b,c\nu,1,2,many\n", Settings{Format: Wide}); err == nil || !strings.Contains(err.Error(), `"many"`) {
		t.Error(err)
	}
}

// TestSpacesSeparate: also where several stand together.
func TestSpacesSeparate(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, s := range map[string]Settings{"found": {}, "asked for": {Delimiter: ' '}} {
		for _, text := range []string{"u a 1\nv  b 2 \n", "row column value\nu a 1\n\"v\" b 2\n"} {
			ratings, _, err := readText(t, text, s)
			must.Do(t, err)
			if got := fmt.Sprint(cells(ratings)); got != "[u a 1 v b 2]" {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

// TestNoIDMatches: the error shows ids of either side, and one that is alike.
func TestNoIDMatches(t *testing.T) {
	t.Chdir(t.TempDir())
	films := []string{"Alien", "Heat", "Star Wars", "Up"}
	for text, want := range map[string]string{
		"u,1,1\nu,2,1\nv,3,1\nv,4,2\n":     `r.csv:1: column "1" is not in the feature table, nor is any other: here are "1", "2", "3", and there "Alien", "Heat", "Star Wars" (the ids must be the same on both sides; Settings.ID names the field of the table that has them)`,
		"u,heat,1\nu,up,2\nv,Starwars,1\n": `r.csv:1: column "heat" is not in the feature table, nor is any other: here are "heat", "up", "Starwars", and there "Alien", "Heat", "Star Wars"; "heat" is near "Heat", "up" is near "Up", "Starwars" is near "Star Wars" (the ids must be the same on both sides; Settings.ID names the field of the table that has them)`,
		"u,Up,1\nu,StarWars,1\n":           `r.csv:2: column "StarWars" is not in the feature table (did you mean "Star Wars"? Or use Settings.DropUnknown to leave such entries out)`,
	} {
		if _, _, err := readText(t, text, Settings{Columns: films}); err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
}
