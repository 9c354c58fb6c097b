package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"optcomplete/data/synth"
	"optcomplete/formulation"
	"optcomplete/internal/must"
	"optcomplete/model"
	"optcomplete/result"
	"optcomplete/selection"
	"optcomplete/spec"
	"optcomplete/twosided"
)

// fitted makes a small model of some kind, with names that HTML must escape.
func fitted(t testing.TB, change func(*formulation.Problem, *formulation.Settings)) *model.Model {
	t.Helper()
	in := must.Get(synth.Generate(synth.Config{Rows: 80, Columns: 30, Features: 12, K: 3, Missing: 0.5, Noise: 0.05, Seed: 5}))(t)
	in.Features.Names[in.Selected[0]] = `<script>alert("R&B")</script>`
	problem := formulation.Problem{Ratings: in.Ratings, Features: in.Features}
	settings := formulation.Settings{K: 3, Model: spec.Full, Statistics: spec.Statistics{Gamma: 0.5, Holdout: 0.2, Seed: 3}, Limits: spec.Limits{Threads: 2}}
	change(&problem, &settings)
	m := must.Get(formulation.Fit(context.Background(), problem, settings))(t)
	return m
}

func usual(*formulation.Problem, *formulation.Settings) {}

// jsonOf is model.json as it would be saved.
func jsonOf(t testing.TB, s interface{ WriteJSON(io.Writer) error }) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, s.WriteJSON(&b))
	return b.Bytes()
}

// written is the report on a model.json, and the page parsed.
func written(t testing.TB, text []byte, path *Path) (string, *html.Node) {
	t.Helper()
	m := must.Get(Parse("a <model> & more", text))(t)
	var b bytes.Buffer
	must.Do(t, Write(&b, m, path))
	node := must.Get(html.Parse(bytes.NewReader(b.Bytes())))(t)
	return b.String(), node
}

func TestEveryNumberIsThatOfTheModel(t *testing.T) {
	for name, change := range map[string]func(*formulation.Problem, *formulation.Settings){
		"full":        usual,
		"paper, auto": func(_ *formulation.Problem, s *formulation.Settings) { s.Model, s.Gamma = spec.Paper, 0 },
		"pooled": func(_ *formulation.Problem, s *formulation.Settings) {
			s.Model, s.Gamma0, s.Holdout = spec.Pooled, 1, 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := jsonOf(t, fitted(t, change).Summary)
			_, page := written(t, text, nil)
			if n := checkNumbers(t, page, map[string][]byte{"model": text}); n < 300 {
				t.Errorf("only %d numbers", n)
			}
		})
	}
}

// A number that is changed in the JSON is changed in the page: the test above
// would see a page that computes its own.
func TestNumbersComeFromTheJSON(t *testing.T) {
	m := fitted(t, usual)
	m.Summary.Holdout.RMSE = 7.125
	m.Summary.Diagnostics.Terms[0].Spread.Q05 = -4.0625
	page, _ := written(t, jsonOf(t, m.Summary), nil)
	for _, want := range []string{`value="7.125" data-doc="model" data-path="holdout.rmse"`, `value="-4.0625"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestNamesAreEscaped(t *testing.T) {
	page, _ := written(t, jsonOf(t, fitted(t, usual).Summary), nil)
	if strings.Contains(page, "<script>alert") {
		t.Error("a feature's name became a script")
	}
	if !strings.Contains(page, "&lt;script&gt;alert") {
		t.Error("the feature's name is not there")
	}
}

// TestPageIsAccessible: what a screen reader needs.
func TestPageIsAccessible(t *testing.T) {
	_, page := written(t, jsonOf(t, fitted(t, usual).Summary), nil)
	ids, count, level := map[string]bool{}, map[string]int{}, 0
	var links []string
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		if n.Type == html.ElementNode {
			count[n.Data]++
			if id, ok := attribute(n, "id"); ok {
				if ids[id] {
					t.Errorf("two elements have the id %q", id)
				}
				ids[id] = true
			}
			switch n.Data {
			case "h1", "h2", "h3", "h4":
				now := int(n.Data[1] - '0')
				if now > level+1 {
					t.Errorf("%q is an %s after an h%d", textOf(n), n.Data, level)
				}
				level = now
			case "th":
				if _, ok := attribute(n, "scope"); !ok {
					t.Errorf("the heading %q has no scope", textOf(n))
				}
			case "table":
				if first := n.FirstChild.NextSibling; first.Data != "caption" || textOf(first) == "" {
					t.Error("a table has no caption")
				}
			case "svg":
				label, _ := attribute(n, "aria-label")
				role, _ := attribute(n, "role")
				if label == "" || role != "img" || n.FirstChild.NextSibling.Data != "desc" {
					t.Errorf("the picture %q lacks a role, a label or a description", label)
				}
			case "a":
				href, _ := attribute(n, "href")
				links = append(links, href)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c)
		}
	}
	visit(page)
	for _, href := range links {
		if !strings.HasPrefix(href, "#") || !ids[href[1:]] {
			t.Errorf("the link %q leads nowhere", href)
		}
	}
	if count["main"] != 1 || count["nav"] != 1 || count["h1"] != 1 || count["section"] != 11 || count["svg"] < 20 {
		t.Errorf("%v", count)
	}
}

// TestLittleIsSaidWhereLittleIsKnown: whatever a model lacks, the page has no
// empty plot and says why.
func TestLittleIsSaidWhereLittleIsKnown(t *testing.T) {
	full := fitted(t, usual).Summary
	for name, c := range map[string]struct {
		change func(*model.Summary)
		want   string
	}{
		"no hold-out":        {func(s *model.Summary) { s.Holdout = nil }, "Nothing was held out"},
		"no diagnostics":     {func(s *model.Summary) { s.Diagnostics = nil }, "without diagnostics"},
		"no trace":           {func(s *model.Summary) { s.Trace = nil }, "without the course of its search"},
		"no γ path":          {func(s *model.Summary) { s.GammaPath = nil }, "no other was tried"},
		"no near ties":       {func(s *model.Summary) { s.NearTies = nil }, "No other selection was kept"},
		"no removal":         {func(s *model.Summary) { s.Removal = nil }, "without the costs of leaving out each feature"},
		"no baselines":       {func(s *model.Summary) { s.Baselines = nil }, "without simpler predictions"},
		"no variance":        {func(s *model.Summary) { s.Variance = nil }, "How good the predictions are"},
		"time limit":         {func(s *model.Summary) { s.Status, s.Gap = "time_limit", 0.125 }, "The search was stopped (time limit)"},
		"nothing proven yet": {func(s *model.Summary) { s.Status, s.Bound, s.Gap = "time_limit", 0, 1 }, "before anything was proven"},
		"samples first":      {func(s *model.Summary) { gap := 0.25; s.SampledGap, s.SampleRows, s.Trace = &gap, 7, sampledTrace() }, "cost on samples"},
		"nothing proven":     {func(s *model.Summary) { s.Certified, s.Status, s.Bound, s.Gap = false, "sampled", 0, 1 }, "samples prove nothing"},
		"cost 0":             {func(s *model.Summary) { s.Cost, s.Bound, s.Gap = 0, 0, 0 }, "How the search went"},
		"no error at all":    {func(s *model.Summary) { s.Baselines[0].MAPE, s.CostPerEntry = result.RelativeOf(0), 0 }, "MAPE"},
		"a lone moment":      {func(s *model.Summary) { s.Trace = s.Trace[:1] }, "How the search went"},
		"no entries at all":  {func(s *model.Summary) { s.Diagnostics = &result.Diagnostics{On: "train"} }, "There are no entries to look at"},
	} {
		t.Run(name, func(t *testing.T) {
			s := full
			d := *full.Diagnostics
			s.Diagnostics = &d
			s.Baselines = slices.Clone(s.Baselines)
			c.change(&s)
			text := jsonOf(t, s)
			page, node := written(t, text, nil)
			if !strings.Contains(page, c.want) {
				t.Errorf("the page does not say %q", c.want)
			}
			for _, bad := range []string{"NaN", "Inf", "%!"} {
				if strings.Contains(page, bad) {
					t.Errorf("the page has %q", bad)
				}
			}
			if name != "no error at all" { // the file leaves out what is 0
				checkNumbers(t, node, map[string][]byte{"model": text})
			}
			checkPlots(t, node)
		})
	}
}

// sampledTrace is that of a search on samples, and of a moment on all entries.
func sampledTrace() []result.TracePoint {
	bound := 0.5
	return []result.TracePoint{{Cost: 2, Sampled: true}, {Seconds: 1, Cost: 1, Bound: &bound, Sampled: true, Source: "leaf"}, {Seconds: 2, Cost: 1.5, Source: "start"}}
}

func TestTwoSidedModelHasAReport(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 60, Columns: 30, Features: 6, K: 2, Missing: 0.5, Noise: 0.05, Seed: 5}))(t)
	rows := must.Get(synth.Generate(synth.Config{Rows: 30, Columns: 60, Features: 4, K: 2, Missing: 0.5, Noise: 0.05, Seed: 6}))(t)
	known := rows.Features
	copy(known.IDs, in.Ratings.RowIDs)
	for i := range known.Names {
		known.Names[i] = "row " + known.Names[i]
	}
	m, err := twosided.Fit(context.Background(), twosided.Problem{Ratings: in.Ratings, Columns: in.Features, Rows: known}, twosided.Settings{K: 3, Statistics: spec.Statistics{Gamma: 1, Holdout: 0.2}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	must.Do(t, m.Summary.WriteJSON(&b))
	page, node := written(t, b.Bytes(), nil)
	for _, want := range []string{"Selected interactions", "two-sided"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	checkNumbers(t, node, map[string][]byte{"model": b.Bytes()})
}

func TestPathIsPartOfTheReport(t *testing.T) {
	in := must.Get(synth.Generate(synth.Config{Rows: 60, Columns: 30, Features: 8, K: 3, Missing: 0.4, Noise: 0.05, Seed: 5}))(t)
	result := must.Get(formulation.Path(context.Background(), formulation.Problem{Ratings: in.Ratings, Features: in.Features},
		formulation.Settings{Model: spec.Full, Statistics: spec.Statistics{Gamma: 0.5, ColumnShrinkage: 4}}, selection.PathSettings{KMax: 4, Folds: 2, Bootstrap: 4, K: 3}))(t)
	pathText := must.Get(json.Marshal(result))(t)
	file := filepath.Join(t.TempDir(), "path.json")
	must.Do(t, os.WriteFile(file, pathText, 0o666))
	path := must.Get(ReadPath(file))(t)
	text := jsonOf(t, fitted(t, usual).Summary)
	page, node := written(t, text, path)
	for _, want := range []string{"Error by number of features", "How stable the selection is"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	checkNumbers(t, node, map[string][]byte{"model": text, "path": pathText})
	path.Weighted = true
	if page, _ := written(t, text, path); !strings.Contains(page, "In the path entries count by their weights, in this fit they do not") {
		t.Error("the page does not say that the path is of entries with weights")
	}
	must.Do(t, os.WriteFile(file, []byte(`{"k": 3}`), 0o666))
	if _, err := ReadPath(file); err == nil || !strings.Contains(err.Error(), "--json") {
		t.Errorf("another JSON file: %v", err)
	}
}

func TestCompareWarnsOfOtherData(t *testing.T) {
	one := fitted(t, usual).Summary
	for name, c := range map[string]struct {
		change func(*formulation.Problem, *formulation.Settings)
		want   string
	}{
		"another γ":    {func(_ *formulation.Problem, s *formulation.Settings) { s.Gamma = 2 }, ""},
		"another k":    {func(_ *formulation.Problem, s *formulation.Settings) { s.K = 2 }, ""},
		"another seed": {func(_ *formulation.Problem, s *formulation.Settings) { s.Seed = 9 }, "held out other entries"},
		"other values": {func(p *formulation.Problem, _ *formulation.Settings) {
			p.Ratings = p.Ratings.With(p.Ratings.Matrix().Map(func(_ int, _ int32, v float64) float64 { return v + 1 }))
		}, "their fingerprints differ"},
		"fewer entries": {func(_ *formulation.Problem, s *formulation.Settings) {}, "fitted on other data"},
	} {
		t.Run(name, func(t *testing.T) {
			other := fitted(t, c.change).Summary
			if name == "fewer entries" {
				other.Observed--
			}
			texts := map[string][]byte{"0": jsonOf(t, one), "1": jsonOf(t, other)}
			var models []*Model
			for i := range 2 {
				m := must.Get(Parse("model", texts[fmt.Sprint(i)]))(t)
				models = append(models, m)
			}
			var b bytes.Buffer
			must.Do(t, Compare(&b, models))
			if has := strings.Contains(b.String(), `class="warnings"`); has != (c.want != "") || !strings.Contains(b.String(), c.want) {
				t.Errorf("warnings: %v, want %q", has, c.want)
			}
			node := must.Get(html.Parse(&b))(t)
			checkNumbers(t, node, texts)
		})
	}
}

// TestCompareWarnsOfOtherWeights: entries of other weights are other data.
func TestCompareWarnsOfOtherWeights(t *testing.T) {
	weighted := func(by float64) *Model {
		s := fitted(t, func(p *formulation.Problem, _ *formulation.Settings) {
			weights := make([]float64, p.Ratings.Observed())
			for e := range weights {
				weights[e] = 1 + by*float64(e%3)
			}
			p.Ratings = p.Ratings.With(must.Get(p.Ratings.Matrix().WithWeights(weights))(t))
		}).Summary
		return must.Get(Parse("model", jsonOf(t, s)))(t)
	}
	one := weighted(1)
	for by, want := range map[float64]bool{1: false, 2: true} {
		var b bytes.Buffer
		must.Do(t, Compare(&b, []*Model{one, weighted(by)}))
		if got := strings.Contains(b.String(), "their fingerprints differ"); got != want {
			t.Errorf("weights of 1 + %g·x: other data %v, want %v", by, got, want)
		}
	}
}

// TestOlderFormatHasAReport: what a model of format 3 says can be shown.
func TestOlderFormatHasAReport(t *testing.T) {
	text := bytes.Replace(jsonOf(t, fitted(t, usual).Summary), fmt.Appendf(nil, `"format_version": %d`, model.FormatVersion), []byte(`"format_version": 3`), 1)
	m, err := Parse("m", text)
	if err == nil {
		err = Write(new(bytes.Buffer), m, nil)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestOtherFormatsAreRefused(t *testing.T) {
	for text, want := range map[string]string{`{"format_version": 1}`: "format_version is 1", `[`: "not a readable model"} {
		if _, err := Parse("m", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a saved model") {
		t.Errorf("an empty folder: %v", err)
	}
	m, err := Parse("m", []byte(fmt.Sprintf(`{"format_version": %d}`, model.FormatVersion)))
	if err == nil {
		err = Write(new(bytes.Buffer), m, nil)
	}
	if err == nil || !strings.Contains(err.Error(), "no number at") {
		t.Errorf("a damaged model: %v", err)
	}
}

// TestSizeDoesNotGrowWithRows: of a model with many rows and a long search the
// page is as large as of a small one.
func TestSizeDoesNotGrowWithRows(t *testing.T) {
	size := func(rows int) int {
		in := must.Get(synth.Generate(synth.Config{Rows: rows, Columns: 40, Features: 12, K: 3, Missing: 0.8, Noise: 0.05, Seed: 5}))(t)
		m := must.Get(formulation.Fit(context.Background(), formulation.Problem{Ratings: in.Ratings, Features: in.Features},
			formulation.Settings{K: 3, Model: spec.Full, Statistics: spec.Statistics{Gamma: 0.5, ColumnShrinkage: 4, Holdout: 0.2}, Limits: spec.Limits{TimeLimit: 2 * time.Second}}))(t)
		page, _ := written(t, jsonOf(t, m.Summary), nil)
		return len(page)
	}
	if small, large := size(200), size(8000); float64(large) > 1.3*float64(small) {
		t.Errorf("%d bytes for 200 rows, %d for 8000", small, large)
	}
}
