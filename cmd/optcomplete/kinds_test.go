package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

// everyKind fits a small model of each kind, and gives the folders by their names.
func everyKind(t *testing.T) (folders map[string]string, ratings, films, users, table string) {
	t.Helper()
	ratings, films, users = twoSidedFiles(t)
	table = writeText(t, "houses.csv", houses())
	yes := writeText(t, "liked.csv", strings.Join(liked(t, ratings), "\n")+"\n")
	folders = map[string]string{}
	fit := func(kind string, args ...string) {
		dir := filepath.Join(t.TempDir(), kind)
		folders[kind] = dir
		var out, log bytes.Buffer
		if code := run(append(args, "-k", "1", "--gamma", "1", "--quiet", "-o", dir), &out, &log); code != exitDone {
			t.Fatalf("%s: exit code %d\n%s", kind, code, log.String())
		}
	}
	for _, model := range []string{"paper", "pooled", "full"} {
		fit(model, "fit", ratings, "--features", films, "--model", model)
	}
	fit("logistic", "fit", yes, "--features", films, "--loss", "logistic")
	fit("twosided", "fit", ratings, "--features", films, "--row-features", users)
	fit("regress", "regress", table, "--target", "price", "--skip", "street")
	return folders, ratings, films, users, table
}

// liked is the ratings as yes and no.
func liked(t *testing.T, ratings string) []string {
	text := must.Get(os.ReadFile(ratings))(t)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, line := range lines[1:] {
		cells := strings.Split(line, ",")
		cells[2] = fmt.Sprint(map[bool]int{true: 0, false: 1}[strings.HasPrefix(cells[2], "-") || cells[2] < "2"])
		lines[1+i] = strings.Join(cells, ",")
	}
	return lines
}

// TestEveryVerbUsesEveryKind: what one kind of model can do all can, or an error says
// why it has no meaning there.
func TestEveryVerbUsesEveryKind(t *testing.T) {
	folders, ratings, films, users, table := everyKind(t)
	ofMatrix := []string{"paper", "pooled", "full", "logistic", "twosided"}
	dir := t.TempDir()
	pairs := writeText(t, "pairs.csv", "row,column\nu1,f1\n")
	newcomer := writeText(t, "new.csv", "row,column,value\nzoe,f1,1\nzoe,f2,0\n")
	user := writeText(t, "user.csv", "user,age,city\nzoe,1,0\n")
	test := writeText(t, "test.csv", "row,column,value\nu38,f1,1\nu39,f2,0\n")
	for _, c := range []struct {
		kind  string // empty: all of a matrix
		args  []string
		wants string
		fails bool
	}{
		{"", []string{"predict", "MODEL", pairs}, "u1,f1,", false},
		{"regress", []string{"predict", "MODEL", table}, "prediction\n", false},
		{"", []string{"evaluate", "MODEL", test}, "RMSE", false},
		{"regress", []string{"evaluate", "MODEL", table}, "R² 0.", false},
		{"regress", []string{"evaluate", "MODEL", table, "--json"}, `"mae"`, false},
		{"regress", []string{"evaluate", "MODEL", table, "--relevant", "4"}, "--relevant means nothing to it", true},
		{"", []string{"explain", "MODEL"}, "", false},
		{"", []string{"explain", "MODEL", "--row", "u1", "--column", "f1"}, "column", false},
		{"regress", []string{"explain", "MODEL"}, "(intercept)", false},
		{"regress", []string{"explain", "MODEL", "--features", table, "--row", "3"}, "prediction", false},
		{"regress", []string{"explain", "MODEL", "--features", table, "--row", "3", "--json"}, `"parts"`, false},
		{"regress", []string{"explain", "MODEL", "--features", table, "--row", "s3"}, "the number of a line", true},
		{"regress", []string{"explain", "MODEL", "--row", "3"}, "--features FILE", true},
		{"regress", []string{"explain", "MODEL", "--names", table}, "--names means nothing to it", true},
		{"", []string{"recommend", "MODEL", "--row", "u1"}, "f", false},
		{"regress", []string{"recommend", "MODEL", "--row", "1"}, "not a model of a matrix", true},
		{"", []string{"complete", "MODEL", "--rows", "u1"}, "u1,f0,", false},
		{"regress", []string{"complete", "MODEL"}, "not a model of a matrix", true},
		{"paper", []string{"fold-in", "MODEL", newcomer}, "zoe", false},
		{"pooled", []string{"fold-in", "MODEL", newcomer}, "zoe", false},
		{"full", []string{"fold-in", "MODEL", newcomer}, "zoe", false},
		{"logistic", []string{"fold-in", "MODEL", newcomer}, "zoe", false},
		{"twosided", []string{"fold-in", "MODEL", user, "--complete", filepath.Join(dir, "zoe.csv")}, "", false},
		{"regress", []string{"fold-in", "MODEL", newcomer}, "nothing to fold in", true},
		{"", []string{"report", "MODEL"}, "OptComplete report", false},
		{"regress", []string{"report", "MODEL"}, "What each feature does", false},
		{"full", []string{"predict", "MODEL", pairs, "--interval", "90"}, "low", false},
		{"twosided", []string{"predict", "MODEL", pairs, "--interval", "90"}, "low", false},
		{"regress", []string{"predict", "MODEL", table, "--interval", "90"}, "--interval means nothing to it", true},
		{"twosided", []string{"recommend", "MODEL", "--row", "zoe", "--ratings", newcomer}, "needs their features", true},
	} {
		of := ofMatrix
		if c.kind != "" {
			of = []string{c.kind}
		}
		for _, kind := range of {
			args := []string{c.args[0], folders[kind]}
			args = append(args, c.args[2:]...)
			var out, log bytes.Buffer
			code, want := run(args, &out, &log), exitDone
			if c.fails {
				want = exitUsage
			}
			if code != want || !strings.Contains(out.String()+log.String(), c.wants) {
				t.Errorf("%s %v: exit code %d, want %d and %q\n%.300s\n%.300s", kind, c.args, code, want, c.wants, log.String(), out.String())
			}
		}
	}
	// What the fits themselves can do: path, stability, samples, checkpoints, JSON, hold-outs.
	for _, c := range [][]string{
		{"path", ratings, "--features", films, "--k-max", "2", "--bootstrap", "2", "--folds", "2", "--json", "--gamma", "1"},
		{"path", ratings, "--features", films, "--row-features", users, "--k-max", "2", "--bootstrap", "2", "--folds", "2", "--json", "--gamma", "1"},
		{"regress", table, "--target", "price", "--skip", "street", "-k", "2", "--path", "--bootstrap", "2", "--folds", "2", "--json", "--gamma", "1"},
		{"fit", ratings, "--features", films, "-k", "1", "--holdout", "0.2", "--json", "--gamma", "1", "--checkpoint", filepath.Join(dir, "a"), "--report", filepath.Join(dir, "a.html")},
		{"fit", ratings, "--features", films, "--row-features", users, "-k", "1", "--holdout", "0.2", "--json", "--gamma", "1", "--checkpoint", filepath.Join(dir, "b"), "--report", filepath.Join(dir, "b.html")},
		{"regress", table, "--target", "price", "--skip", "street", "-k", "1", "--holdout", "0.2", "--json", "--gamma", "1", "--checkpoint", filepath.Join(dir, "c"), "--report", filepath.Join(dir, "c.html")},
	} {
		var out, log bytes.Buffer
		if code := run(c, &out, &log); code != exitDone || !strings.Contains(out.String(), `"certified": true`) {
			t.Errorf("%v: exit code %d\n%s\n%.300s", c, code, log.String(), out.String())
		}
	}
	for _, page := range []string{"a.html", "b.html", "c.html"} {
		if text, err := os.ReadFile(filepath.Join(dir, page)); err != nil || !bytes.Contains(text, []byte("OptComplete report")) {
			t.Errorf("%s: %v", page, err)
		}
	}
}
