package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/regress"
	"optcomplete/result"
	"optcomplete/spec"
)

// writeText writes a file and returns its path.
func writeText(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// houses is a table in which the price is 3·size − 2·age + 10 and a little noise.
func houses() string {
	rng := random.New(5)
	var b strings.Builder
	b.WriteString("street,size,age,rooms,luck,price\n")
	for i := range 60 {
		size, age := 50+20*rng.Normal(), 30+10*rng.Normal()
		fmt.Fprintf(&b, "s%d,%g,%g,%g,%g,%g\n", i, size, age, size/25+rng.Normal(), rng.Normal(), 3*size-2*age+10+rng.Normal())
	}
	return b.String()
}

// regressRun runs the verb.
func regressRun(args ...string) (stdout string, err error) {
	var out, log bytes.Buffer
	root := newRoot(newCommon(&out, &log))
	root.SetArgs(append([]string{"regress"}, args...))
	err = root.Execute()
	return out.String(), err
}

// TestAtMostOfAFieldOfTheTable: fit and regress take no more features of a text field than
// allowed, whatever else its features are called, and the words of the certificate say so.
func TestAtMostOfAFieldOfTheTable(t *testing.T) {
	rng := random.New(7)
	var table, ratings, films strings.Builder
	table.WriteString("Genre,size,price\n")
	films.WriteString("film,Genre,size\n")
	ratings.WriteString("user,film,rating\n")
	genres := []string{"Drama", "Comedy", "War", "Crime"}
	for i := range 40 {
		genre, size := i%4, rng.Normal()
		fmt.Fprintf(&films, "f%d,%s,%g\n", i, genres[genre], size)
		fmt.Fprintf(&table, "%s,%g,%g\n", genres[genre], size, float64(genre*genre)+0.1*size+0.1*rng.Normal())
		for user := range 12 {
			fmt.Fprintf(&ratings, "u%d,f%d,%g\n", user, i, float64((user-5)*genre*genre)+0.1*size+0.1*rng.Normal())
		}
	}
	regression := []string{"regress", writeText(t, "table.csv", table.String()), "--target", "price"}
	fit := []string{"fit", writeText(t, "ratings.csv", ratings.String()), "--features", writeText(t, "films.csv", films.String()), "--gamma", "1"}
	for _, arguments := range [][]string{regression, fit} {
		for most, want := range map[string]int{"Genre=1": 1, "Genre=4": 2} {
			var found struct{ Selected []string }
			run := append(slices.Clone(arguments), "-k", "2", "--at-most", most, "--quiet")
			out, _ := command(t, exitDone, append(run, "--json")...)
			must.Do(t, json.Unmarshal([]byte(out), &found))
			if got := strings.Count(strings.Join(found.Selected, " "), "Genre="); got != want {
				t.Errorf("%v: %d features of the field, want %d: %v", run, got, want, found.Selected)
			}
			if out, _ := command(t, exitDone, run...); !strings.Contains(out, "no other allowed selection of 2 features costs less") {
				t.Errorf("%v: the certificate says\n%s", run, out)
			}
		}
	}
}

func TestRegressPrintsSelectionAndCoefficients(t *testing.T) {
	path := writeText(t, "houses.csv", houses())
	out, err := regressRun(path, "--target", "price", "-k", "2", "--skip", "street", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var result regress.Result
	must.Do(t, json.Unmarshal([]byte(out), &result))
	if strings.Join(result.Selected, " ") != "size age" || result.Status != "optimal" || result.RSquared < 0.99 {
		t.Fatalf("%+v", result)
	}
	if c := result.Coefficients; c[0] < 2.9 || c[0] > 3.1 || c[1] < -2.2 || c[1] > -1.8 {
		t.Fatalf("coefficients %v", c)
	}
	if out, err = regressRun(path, "--target", "price", "-k", "2", "--skip", "street"); err != nil || !strings.Contains(out, "proven optimal") || !strings.Contains(out, "size") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err = regressRun(path, "--target", "price", "-k", "4", "--skip", "street", "--path", "--gamma", "1"); err != nil || strings.Count(out, "\n") != 6 {
		t.Fatalf("%v\n%s", err, out)
	}
	var stopped *earlyStop
	if _, err = regressRun(path, "--target", "price", "-k", "2", "--skip", "street", "--gamma", "1000", "--time-limit", "1ns"); !errors.As(err, &stopped) {
		t.Fatalf("a limit gave %v", err)
	}
}

func TestRegressNamesFaults(t *testing.T) {
	path := writeText(t, "houses.csv", houses())
	var input *data.InputError
	var usage *usageError
	for _, c := range []struct {
		args  []string
		input bool
		says  string
	}{
		{[]string{path, "--target", "street", "-k", "2"}, true, `houses.csv:2: column "street": "s0" is not a number (correct it`},
		{[]string{path, "--target", "price", "-k", "2", "--field", "street:type=text,group=true"}, false, `one by one`},
		{[]string{path, "--target", "price", "-k", "2", "--path", "-o", t.TempDir()}, false, `saves none`},
		{[]string{path, "--target", "cost", "-k", "2", "--skip", "street"}, true, `there is no column "cost"`},
		{[]string{path, "--target", "price", "-k", "2", "--skip", "road"}, true, `no column "road"`},
		{[]string{path, "-k", "2"}, false, "--target"},
		{[]string{path, "--target", "price"}, false, "-k"},
		{[]string{path, "--target", "price", "-k", "9", "--skip", "street"}, false, "only 4 features"},
		{[]string{path, "--target", "price", "-k", "1", "--skip", "street", "--gamma", "much"}, false, "--gamma"},
		{[]string{path, "--target", "price", "-k", "1", "--skip", "street", "--always", "road"}, false, `"road"`},
		{[]string{writeText(t, "empty.csv", ""), "--target", "price", "-k", "1"}, true, "is empty"},
		{[]string{writeText(t, "blank.csv", "a,b\n1,\n"), "--target", "b", "-k", "1"}, true, `blank.csv:2: column "b" is blank`},
		{[]string{writeText(t, "short.csv", "a,b\n1\n"), "--target", "b", "-k", "1"}, true, "short.csv:2"},
		{[]string{writeText(t, "twice.csv", "a,a\n1,2\n"), "--target", "a", "-k", "1"}, true, "both named"},
	} {
		_, err := regressRun(c.args...)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: got %v, want %q", c.args[1:], err, c.says)
			continue
		}
		if c.input && !errors.As(err, &input) || !c.input && !errors.As(err, &usage) && !errors.As(err, new(*spec.Error)) {
			t.Errorf("%v: %T", c.args[1:], err)
		}
	}
}

// twoSidedFiles writes ratings, film features and user features.
func twoSidedFiles(t *testing.T) (ratings, films, users string) {
	rng := random.New(9)
	var r, f, u strings.Builder
	r.WriteString("row,column,value\n")
	f.WriteString("film,Drama,Action\n")
	u.WriteString("user,age,city\n")
	drama, age := make([]float64, 12), make([]float64, 40)
	for j := range drama {
		drama[j] = rng.Normal()
		fmt.Fprintf(&f, "f%d,%g,%g\n", j, drama[j], rng.Normal())
	}
	for i := range age {
		age[i] = rng.Normal()
		fmt.Fprintf(&u, "u%d,%g,%g\n", i, age[i], rng.Normal())
	}
	for i := range 38 { // the last two users have rated nothing
		for j := range drama {
			if rng.Float64() < 0.5 {
				fmt.Fprintf(&r, "u%d,f%d,%g\n", i, j, 2+age[i]*drama[j]+0.5*age[i]-drama[j]+0.01*rng.Normal())
			}
		}
	}
	return writeText(t, "ratings.csv", r.String()), writeText(t, "films.csv", f.String()), writeText(t, "users.csv", u.String())
}

func TestTwoSidedFitSavesAModelThatPredicts(t *testing.T) {
	ratings, films, users := twoSidedFiles(t)
	var out, log bytes.Buffer
	dir := filepath.Join(t.TempDir(), "model")
	if code := run([]string{"fit", ratings, "--features", films, "--row-features", users, "--constants", "--heredity", "strong", "-k", "4", "--json", "-o", dir}, &out, &log); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, log.String())
	}
	var summary struct {
		Model    string
		Status   string
		Selected []string
	}
	must.Do(t, json.Unmarshal(out.Bytes(), &summary))
	if got := strings.Join(summary.Selected, ", "); got != "1 × 1, 1 × Drama, age × 1, age × Drama" || summary.Model != "twosided" || summary.Status != "optimal" {
		t.Fatalf("%s %s: %s", summary.Model, summary.Status, got)
	}
	var sum struct {
		Parts      []struct{ Value float64 }
		Prediction float64
	}
	out.Reset()
	if code := run([]string{"explain", dir, "--row", "u39", "--column", "f0", "--json"}, &out, &log); code != exitDone {
		t.Fatalf("explain: exit code %d\n%s", code, log.String())
	}
	must.Do(t, json.Unmarshal(out.Bytes(), &sum))
	total := 0.0
	for _, p := range sum.Parts {
		total += p.Value
	}
	if len(sum.Parts) != 4 || math.Abs(total-sum.Prediction) > 1e-9 {
		t.Fatalf("explain: %+v", sum)
	}
	out.Reset()
	if code := run([]string{"explain", dir}, &out, &log); code != exitDone || !strings.Contains(out.String(), "age × Drama") || !strings.Contains(out.String(), "without it") {
		t.Fatalf("explain: exit code %d\n%s%s", code, out.String(), log.String())
	}
	m := must.Get(loadModel(&common{ctx: t.Context()}, dir))(t)
	if got := m.Answer("u39", "f0"); math.Abs(got.Value-sum.Prediction) > 1e-12 {
		t.Fatalf("a user without ratings: %+v, explained as %v", got, sum.Prediction)
	}
	out.Reset()
	if code := run([]string{"path", ratings, "--features", films, "--row-features", users, "--constants", "--k-max", "3", "--gamma", "1", "--bootstrap", "3", "--bootstrap-k", "2"}, &out, &log); code != exitDone || !strings.Contains(out.String(), "RMSE on 5 folds") || !strings.Contains(out.String(), "3 resamples") {
		t.Fatalf("path: exit code %d\n%s%s", code, out.String(), log.String())
	}
	out.Reset()
	if code := run([]string{"fit", ratings, "--features", films, "--row-features", users, "-k", "2", "--gamma", "1"}, &out, &log); code != exitDone || !strings.Contains(out.String(), "products") {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), log.String())
	}
}

// TestRowFeaturesAsPeopleHaveThem: text and blanks are encoded.
func TestRowFeaturesAsPeopleHaveThem(t *testing.T) {
	ratings, films, users := twoSidedFiles(t)
	text := must.Get(os.ReadFile(users))(t)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i := range lines {
		lines[i] += []string{",rural", ",urban", ",far", ","}[i%4]
	}
	lines[0] = strings.Replace(lines[0], ",rural", ",home", 1)
	mixed := writeText(t, "mixed.csv", strings.Join(lines, "\n")+"\n")
	var out, log bytes.Buffer
	if code := run([]string{"fit", ratings, "--features", films, "--row-features", mixed, "-k", "2", "--gamma", "1", "--always", "home=rural × Drama", "--json"}, &out, &log); code != exitDone || !strings.Contains(out.String(), "home=rural × Drama") {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), log.String())
	}
}

func TestTwoSidedFitNamesFaults(t *testing.T) {
	ratings, films, users := twoSidedFiles(t)
	text := must.Get(os.ReadFile(users))(t)
	shared := writeText(t, "shared.csv", strings.Replace(string(text), "city", "Drama", 1))
	missing := writeText(t, "missing.csv", strings.Replace(string(text), "\nu7,", "\nnobody,", 1))
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"name of both":         {[]string{"--row-features", shared, "-k", "2", "--never", "Drama"}, exitUsage, "write rows:Drama or columns:Drama"},
		"name of one":          {[]string{"--row-features", shared, "-k", "2", "--never", "rows:Drama"}, exitDone, ""},
		"field of both":        {[]string{"--row-features", shared, "-k", "2", "--field", "Drama:type=numeric"}, exitUsage, "write rows:Drama:type=numeric or columns:Drama:type=numeric"},
		"loss":                 {[]string{"--row-features", users, "-k", "2", "--loss", "huber"}, exitDone, ""},
		"loss of others":       {[]string{"--row-features", users, "-k", "2", "--loss", "logistic"}, exitUsage, "--loss is logistic, for 0 (no), 1 (yes)"},
		"group of both":        {[]string{"--row-features", shared, "-k", "1", "--group", "Drama"}, exitUsage, "write rows:Drama or columns:Drama"},
		"row without features": {[]string{"--row-features", missing, "-k", "2"}, exitUsage, "1 row of " + ratings + ` has no features, such as "u7"`},
		"such rows dropped":    {[]string{"--row-features", missing, "-k", "2", "--drop-unknown"}, exitDone, ""},
		"heredity":             {[]string{"--row-features", users, "-k", "2", "--heredity", "medium"}, exitUsage, "--heredity"},
		"k":                    {[]string{"--row-features", users, "-k", "50"}, exitUsage, "50"},
		"heredity without row": {[]string{"-k", "2", "--heredity", "weak"}, exitUsage, "--row-features"},
		"prior":                {[]string{"--row-features", users, "-k", "2", "--refit", "prior"}, exitUsage, "ls or ridge"},
	} {
		var out, log bytes.Buffer
		args := append([]string{"fit", ratings, "--features", films, "--gamma", "1"}, c.args...)
		if code := run(args, &out, &log); code != c.code || !strings.Contains(log.String(), c.says) {
			t.Errorf("%s: exit code %d, %s", name, code, log.String())
		}
	}
}

// TestRegressOneClass: a target of one value has no deviance to explain; the fit, its
// report and explain say what there is, in the terms of the loss.
func TestRegressOneClass(t *testing.T) {
	table := func(value string, rows int) string {
		text := "a,b,y\n"
		for i := range rows {
			text += fmt.Sprintf("%d,%d,%s\n", i, i*i%7, value)
		}
		return writeText(t, "t.csv", text)
	}
	for _, c := range []struct {
		loss, value string
		rows        int
		says        string
	}{
		{"poisson", "0", 9, "deviance "}, {"poisson", "1", 9, "deviance 0, RMSE 0 on 9 rows"}, {"poisson", "1", 1, "deviance 0, RMSE 0 on 1 row"},
		{"logistic", "0", 9, "log-loss "}, {"logistic", "1", 9, "log-loss "}, {"logistic", "1", 1, "log-loss "},
	} {
		file := table(c.value, c.rows)
		folder := filepath.Join(filepath.Dir(file), "model")
		got, err := regressRun(file, "--target", "y", "-k", "1", "--loss", c.loss, "--gamma", "1", "-o", folder, "--report", folder+".html", "--quiet")
		if err == nil {
			var again bytes.Buffer
			root := newRoot(newCommon(&again, io.Discard))
			root.SetArgs([]string{"explain", folder})
			err = root.Execute()
			got += again.String()
		}
		if err != nil || strings.Count(got, "Fit       "+c.says) != 2 || strings.Contains(got, "xplained") {
			t.Errorf("%s of %d × %s: %v\n%s", c.loss, c.rows, c.value, err, got)
		}
	}
	// A matrix too: its report has a loss of 0, which files leave out.
	ratings, features := writeText(t, "ratings.csv", "row,column,value\na,x,1\na,y,1\nb,x,1\nb,z,1\nc,y,1\nc,z,1\n"), writeText(t, "features.csv", "f,g\nx,1\ny,2\nz,5\n")
	for _, l := range []string{"poisson", "huber"} {
		var out bytes.Buffer
		root := newRoot(newCommon(&out, io.Discard))
		root.SetArgs([]string{"fit", ratings, "--features", features, "-k", "1", "--loss", l, "--gamma", "1", "--holdout", "0.3", "--report", filepath.Join(t.TempDir(), "r.html"), "--quiet"})
		if err := root.Execute(); err != nil || !strings.Contains(out.String(), " 0, RMSE 0 on 2 entries") {
			t.Errorf("%s: %v\n%s", l, err, out.String())
		}
	}
	if area, _ := result.AUCOf([]float64{0, 1, 1, 1, 1, 1, 1, 1, 1, 1}, []float64{1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, nil); *area > 1 {
		t.Errorf("an area of %v", *area)
	}
}
