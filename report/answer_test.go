package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"optcomplete/formulation"
	"optcomplete/internal/must"
	"optcomplete/model/estimate"
	"optcomplete/result"
)

// section is the text of one section of a page.
func sectionText(page *html.Node, id string) string {
	var find func(n *html.Node) string
	find = func(n *html.Node) string {
		if label, _ := attribute(n, "aria-labelledby"); n.Type == html.ElementNode && n.Data == "section" && label == id {
			return strings.Join(strings.Fields(textOf(n)), " ")
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if text := find(c); text != "" {
				return text
			}
		}
		return ""
	}
	return find(page)
}

// TestFirstScreenAnswers: which features, in which direction, how much better than
// averages and how sure, in the words of the data; then what is proven.
func TestFirstScreenAnswers(t *testing.T) {
	s := fitted(t, func(p *formulation.Problem, s *formulation.Settings) {
		p.Nouns, s.Gamma = result.NounsOf("user_id", "film", "rating"), 0
	}).Summary
	s.Diagnostics.Terms[0].Spread.Positive, s.Diagnostics.Terms[0].StepSpread.Positive = 0.96, 0.96
	s.Diagnostics.Terms[1].Spread.Positive, s.Diagnostics.Terms[1].StepSpread.Positive = 0.04, 0.04
	s.Diagnostics.Terms[2].Spread.Positive, s.Diagnostics.Terms[2].StepSpread.Positive = 0.5, 0.5
	page, node := written(t, jsonOf(t, s), nil)
	got, rest := sectionText(node, "answer"), 0
	for _, want := range []string{
		"these 3 explain the ratings best.", "▲ " + s.Terms[0] + " – raises predictions for 96 % of users", "▼ " + s.Terms[1] + " – lowers predictions",
		"◆ " + s.Terms[2] + " – users differ: it raises predictions for 50 % of them and lowers them for others", "For a new film", "Cost without it", "Better than averages", "averages of users and films (95 % interval",
		"held-out ratings", "Same choice at other γ", "Same choice on resamplesnot tried", "proven optimal No other selection of 3 features",
	} {
		at := strings.Index(got[rest:], want)
		if at < 0 {
			t.Fatalf("%q is not there, or not in its place, in %q", want, got)
		}
		rest += at
	}
	s.Status, s.Gap = result.TimeLimit, 0.1
	if _, node := written(t, jsonOf(t, s), nil); !strings.Contains(sectionText(node, "answer"), "best of all selections that the search has seen.") {
		t.Error("what is not proven is called the best")
	}
	if at := strings.Index(page, "<section"); strings.Contains(page[:at], `class="badge`) {
		t.Error("the proof comes before the answer")
	}
}

// TestLeftOutFeaturesAreNoWarnings: a constant, and rows that the user asked to leave
// out, are mentioned with the data, not in a banner.
func TestLeftOutFeaturesAreNoWarnings(t *testing.T) {
	s := fitted(t, usual).Summary
	s.Warnings = []string{`feature "one" is 1 in every item: left out`, "30 of 50 rows with fewer than 10 entries: left out"}
	page, node := written(t, jsonOf(t, s), nil)
	for _, w := range s.Warnings {
		if strings.Contains(page, `class="warnings"`) || !strings.Contains(sectionText(node, "data"), w) {
			t.Errorf("%q is a warning, or is not in the section on the data", w)
		}
	}
	s.Warnings = append(s.Warnings, "something is wrong")
	if page, _ := written(t, jsonOf(t, s), nil); !strings.Contains(page, `class="warnings"`) {
		t.Error("a warning is not shown")
	}
}

// TestErrorsAreDifferences: errors are compared with the best simpler prediction,
// not with 0.
func TestErrorsAreDifferences(t *testing.T) {
	s := fitted(t, usual).Summary
	s.Holdout.RMSE = 0.5
	for i := range s.Baselines {
		s.Baselines[i].RMSE = 0.625 + float64(i)/8
	}
	page, _ := written(t, jsonOf(t, s), nil)
	for _, want := range []string{"(−20.0 %)", "(0 %)", "(+20.0 %)"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestResamplesOfAnotherKAreNotThisChoice: a path whose resamples selected another number
// of features says nothing of how sure this selection is, and which flag would.
func TestResamplesOfAnotherKAreNotThisChoice(t *testing.T) {
	m := must.Get(Parse("m", jsonOf(t, fitted(t, usual).Summary)))(t)
	for _, c := range []struct {
		k    int
		want string
	}{{m.s.K, "choose the same"}, {m.s.K + 6, "--bootstrap-k"}} {
		file := filepath.Join(t.TempDir(), "path.json")
		must.Do(t, os.WriteFile(file, fmt.Appendf(nil, `{"model":"full","path":[{"k":%d,"selected":["a"],"status":"optimal"}],"stability":{"k":%d,"resamples":20,"same":12}}`, c.k, c.k), 0o666))
		shown := m.sureAcrossResamples(must.Get(ReadPath(file))(t))
		if all := string(shown.Value + shown.Note); !strings.Contains(all, c.want) || strings.Contains(all, "choose the same") != (c.k == m.s.K) {
			t.Errorf("k = %d of %d: %s", c.k, m.s.K, all)
		}
	}
}

// TestColumnsHaveNames: titles are shown in the place of ids.
func TestColumnsHaveNames(t *testing.T) {
	text := jsonOf(t, fitted(t, usual).Summary)
	m := must.Get(Parse("m", text))(t)
	id := m.s.Diagnostics.Examples[0].Cases[0].Sum.Column
	m.Names = map[string]string{id: "The Title & More"}
	var b strings.Builder
	if err := Write(&b, m, nil); err != nil || !strings.Contains(b.String(), "How the prediction for The Title &amp; More adds up") || !slices.Contains(m.Shown(), id) {
		t.Errorf("no title in the page (%v)", err)
	}
}

// TestCraftedNounsAreNotMarkup: a model.json that nobody's header made.
func TestCraftedNounsAreNotMarkup(t *testing.T) {
	s := fitted(t, usual).Summary
	s.Nouns = &result.Nouns{Row: "<b>x</b>", Column: "film"}
	if page, _ := written(t, jsonOf(t, s), nil); strings.Contains(page, "<b>x</b>") || !strings.Contains(page, "films") {
		t.Error("a noun became markup")
	}
}

// TestPathCommandReadsTheSameData: the command that the report suggests keeps the
// flags that say which data are fitted, and only those.
func TestPathCommandReadsTheSameData(t *testing.T) {
	s := fitted(t, usual).Summary
	s.Settings = map[string]string{"ratings": "r.csv", "features": "f.csv", "min-entries": "10", "complete-features": "true", "holdout": "0.2"}
	_, node := written(t, jsonOf(t, s), nil)
	if got, want := sectionText(node, "choices"), "optcomplete path r.csv --features f.csv --complete-features --min-entries 10 --k-max 10 --json > path.json"; !strings.Contains(got, want) {
		t.Errorf("%q is not in %q", want, got)
	}
}

// TestSumsHaveAllTheirParts: what other features and unnamed traits add is in the table.
func TestSumsHaveAllTheirParts(t *testing.T) {
	s := fitted(t, usual).Summary
	sum, other, unnamed := s.Diagnostics.Examples[0].Cases[0].Sum, 0.1234, 0.4321
	sum.Other, sum.Remainder = &other, &unnamed
	page, _ := written(t, jsonOf(t, s), nil)
	for _, want := range []string{estimate.OtherNamed, "+0.123", estimate.Unnamed, "+0.432", "less the average"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}
