package service

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"optcomplete/data"
	"optcomplete/internal/must"
	_ "optcomplete/internal/steadyseed"
	"optcomplete/model"
	"optcomplete/result"
)

// The numbers are those of package model, to the bit.
func TestAnswersAreTheModels(t *testing.T) {
	m := drawn(t, 5)
	_, h := started(t, Settings{}, m)
	sure := must.Get(m.Intervals())(t)
	var q PredictRequest
	for _, row := range []string{"r0", "r7", "nobody"} {
		for _, column := range []string{"c0", "c11", "nothing"} {
			q.Pairs = append(q.Pairs, Pair{row, column})
		}
	}
	q.Interval = 90
	var got PredictAnswer
	if status := ask(t, h, "POST", "/v1/models/m/predict", q, &got); status != http.StatusOK || len(got.Predictions) != len(q.Pairs) {
		t.Fatal(status, got)
	}
	for n, p := range got.Predictions {
		want := must.Get(sure.Answer(q.Pairs[n].Row, q.Pairs[n].Column, 0.9))(t)
		if p.Row != q.Pairs[n].Row || p.Column != q.Pairs[n].Column || p.Value != want.Value || p.Basis != want.Basis || *p.Low != want.Low || *p.High != want.High {
			t.Errorf("%+v, not %+v", p, want)
		}
	}
	seen, _, _ := m.Seen(7)
	list := must.Get(must.Get(m.Recommender(model.RecommendSettings{Top: 4, Caution: 1}))(t).Row(7, seen))(t)
	for range 2 { // the second is by a recommender that was used before
		var r RecommendAnswer
		ask(t, h, "POST", "/v1/models/m/recommend", `{"row": "r7", "n": 4}`, &r)
		for n, one := range r.Recommendations {
			if one.Column != m.ColumnIDs[list[n].Column] || one.Prediction != list[n].Value || one.Rank != n+1 {
				t.Errorf("%+v, not %+v", one, list[n])
			}
		}
	}
	var sum result.SumExplanation
	ask(t, h, "POST", "/v1/models/m/explain", `{"row": "r7", "column": "c3"}`, &sum)
	if diff := cmp.Diff(m.ExplainSum("r7", "c3"), &sum); diff != "" {
		t.Error(diff)
	}
	var row result.RowExplanation
	ask(t, h, "POST", "/v1/models/m/explain", `{"row": "r7", "top": 4}`, &row)
	if diff := cmp.Diff(must.Get(m.ExplainRow("r7", list))(t), &row); diff != "" {
		t.Error(diff)
	}
	var all result.Explanation
	ask(t, h, "POST", "/v1/models/m/explain", nil, &all)
	if diff := cmp.Diff(m.Explain(), &all); diff != "" {
		t.Error(diff)
	}
	var info ModelInfo
	ask(t, h, "GET", "/v1/models/m", nil, &info)
	if len(info.Effects) != 3 || info.Certificate == nil || info.Rows != 60 || !info.Intervals || info.Effects[1].Spread != m.Explain().Terms[1].Spread {
		t.Errorf("%+v", info)
	}
}

// A row in the request is answered as one folded in, and changes nothing.
func TestRatingsAreFoldedIn(t *testing.T) {
	m := drawn(t, 5)
	_, h := started(t, Settings{}, m)
	alone := must.Get(m.Alone("", []int32{2, 8}, []float64{5, 1}, nil))(t)
	var before, got PredictAnswer
	ask(t, h, "POST", "/v1/models/m/predict", `{"pairs": [{"row": "r0", "column": "c0"}]}`, &before)
	ask(t, h, "POST", "/v1/models/m/predict", `{"ratings": {"c8": 1, "c2": 5}}`, &got)
	if len(got.Predictions) != 12 {
		t.Fatal(got)
	}
	for j, p := range got.Predictions {
		if want := alone.AnswerAt(0, j); p.Value != want.Value || p.Column != m.ColumnIDs[j] || p.Basis != result.Known {
			t.Errorf("%+v, not %+v", p, want)
		}
	}
	ask(t, h, "POST", "/v1/models/m/predict", `{"ratings": {"c8": 1, "c2": 5}, "pairs": [{"column": "c4"}]}`, &got)
	if len(got.Predictions) != 1 || got.Predictions[0].Value != alone.AnswerAt(0, 4).Value {
		t.Error(got)
	}
	var list RecommendAnswer
	ask(t, h, "POST", "/v1/models/m/recommend", `{"ratings": {"c8": 1, "c2": 5}, "n": 12, "exclude": ["c3"]}`, &list)
	if len(list.Recommendations) != 9 || slices.ContainsFunc(list.Recommendations, func(r Recommendation) bool { return r.Column == "c8" || r.Column == "c3" }) {
		t.Error(list)
	}
	var sum result.SumExplanation
	ask(t, h, "POST", "/v1/models/m/explain", `{"ratings": {"c8": 1, "c2": 5}, "column": "c4"}`, &sum)
	if sum.Prediction != alone.AnswerAt(0, 4).Value {
		t.Error(sum)
	}
	var after PredictAnswer
	ask(t, h, "POST", "/v1/models/m/predict", `{"pairs": [{"row": "r0", "column": "c0"}]}`, &after)
	if before.Predictions[0] != after.Predictions[0] || len(m.RowIDs) != 60 {
		t.Error("the model was changed")
	}
}

// Ratings that the service knows can be changed: the row moves, and null takes one away.
func TestRatingsOfKnownRowsChange(t *testing.T) {
	m := drawn(t, 5)
	if status := askOnly(t, Settings{}, m, `{"row": "r7", "ratings": {"c0": 1}}`); status != http.StatusBadRequest {
		t.Error("ratings were changed that nobody knows:", status)
	}
	at, _ := m.Row("r7")
	columns, _, _ := m.Seen(at)
	values := make([]float64, len(columns))
	for n := range values {
		values[n] = float64(1 + n%5)
	}
	matrix := must.Get(data.NewMatrixByRows(12, []int{0, len(columns)}, columns, values))(t)
	known := NewKnown(data.NewRatings(matrix, []string{"r7"}, m.ColumnIDs))
	_, h := started(t, Settings{Ratings: known}, m)
	changed := map[string]any{m.ColumnIDs[columns[0]]: nil, m.ColumnIDs[columns[1]]: 9}
	var got result.RowExplanation
	ask(t, h, "POST", "/v1/models/m/explain", map[string]any{"row": "r7", "ratings": changed}, &got)
	now := slices.Clone(values[1:])
	now[0] = 9
	alone := must.Get(m.Alone("r7", columns[1:], now, nil))(t)
	want := must.Get(alone.ExplainRow("r7", nil))(t)
	if got.Effect != want.Effect || got.Entries != len(columns)-1 {
		t.Errorf("%+v, not %+v", got, want)
	}
	var row RowAnswer
	ask(t, h, "GET", "/v1/models/m/row?id=r7", nil, &row)
	if row.Ratings == nil || *(*row.Ratings)[m.ColumnIDs[columns[1]]] != 2 || len(row.Seen) != len(columns) {
		t.Errorf("%+v", row)
	}
}

func askOnly(t *testing.T, s Settings, m *model.Model, body string) int {
	_, h := started(t, s, m)
	return ask(t, h, "POST", "/v1/models/m/recommend", body, nil)
}

// Columns of which only the features are known are answered as WithColumns does.
func TestNewColumnsByTheirFeatures(t *testing.T) {
	m := drawn(t, 5)
	_, h := started(t, Settings{}, m)
	more := must.Get(m.WithColumns(data.NewFeatures([]string{"x"}, m.FeaturesUsed(), []float64{1, 0.5, -2})))(t)
	record := `{"f0": 1, "f1": "0.5", "f2": -2}`
	var got PredictAnswer
	ask(t, h, "POST", "/v1/models/m/predict", `{"pairs": [{"row": "r7", "column": "x"}], "new_columns": {"x": `+record+`}}`, &got)
	if want := more.Answer("r7", "x"); got.Predictions[0].Value != want.Value || got.Predictions[0].Basis != result.NewColumn {
		t.Errorf("%+v, not %+v", got, want)
	}
	var column ColumnAnswer
	ask(t, h, "POST", "/v1/models/m/column", `{"features": `+record+`}`, &column)
	var values []float64
	for i := range m.RowIDs {
		if m.Entries[i] > 0 {
			values = append(values, more.AnswerAt(i, 12).Value)
		}
	}
	if column.Spread != model.SpreadOf(values) || column.Rows != len(values) || column.Highest[0].Prediction != slices.Max(values) || column.Lowest[0].Prediction != slices.Min(values) {
		t.Errorf("%+v", column)
	}
	parts := 0.0
	for _, why := range column.Highest[0].Whys {
		parts += why.Part
	}
	i, _ := m.Row(column.Highest[0].Row)
	if want := more.AnswerAt(i, 12).Unclipped - more.AnswerAt(-1, 12).Unclipped; math.Abs(parts-want) > 1e-9 {
		t.Errorf("the reasons add up to %v, the difference is %v", parts, want)
	}
	var same ColumnAnswer
	ask(t, h, "POST", "/v1/models/m/column", `{"column": "c3"}`, &same)
	if j, _ := m.Column("c3"); same.Entries != int(m.ColumnEntries[j]) || same.Effect != m.ColumnEffect(j) {
		t.Errorf("%+v", same)
	}
}

func TestFinding(t *testing.T) {
	m := drawn(t, 5)
	_, h := started(t, Settings{Names: map[string]string{"c3": "Heat"}}, m)
	var got IDList
	ask(t, h, "GET", "/v1/models/m/columns?search=hea", nil, &got)
	if len(got.Items) != 1 || got.Items[0].ID != "c3" || got.Items[0].Name != "Heat" || got.Of != 12 {
		t.Errorf("%+v", got)
	}
	ask(t, h, "GET", "/v1/models/m/rows?search=1&limit=3", nil, &got)
	if len(got.Items) != 3 || got.Items[0].ID != "r1" {
		t.Errorf("%+v", got)
	}
}

// Every fault has words, a remedy and its status, and changes nothing.
func TestFaults(t *testing.T) {
	m := drawn(t, 5)
	s, h := started(t, Settings{MostBody: 2000}, m)
	for _, c := range []struct {
		method, path, body string
		status             int
		words              string
	}{
		{"POST", "/v1/models/none/predict", `{}`, 404, `no model \"none\"`},
		{"GET", "/v1/models/none", ``, 404, `no model`},
		{"POST", "/v1/models/m/predict", `{}`, 400, `names no pairs`},
		{"POST", "/v1/models/m/predict", `{"pairs": [{"column": "c0"}]}`, 400, `pair 1 has no row`},
		{"POST", "/v1/models/m/predict", `{"pairs": `, 400, `it ends before the JSON does`},
		{"POST", "/v1/models/m/predict", `{"pairs": 3}`, 400, `pairs cannot be a number`},
		{"POST", "/v1/models/m/predict", `{"paris": []}`, 400, `field \"paris\"`},
		{"POST", "/v1/models/m/predict", `{} {}`, 400, `more than one`},
		{"POST", "/v1/models/m/predict", `{"pairs": [], "interval": 100}`, 400, `interval is 100`},
		{"POST", "/v1/models/m/predict", `{"ratings": {"zzz": 3}}`, 400, `\"zzz\", which is not a column`},
		{"POST", "/v1/models/m/predict", `{"ratings": {"c0": 1e200}}`, 400, `too large`},
		{"POST", "/v1/models/m/predict", `{"pairs": [], "new_columns": {"c0": {}}}`, 400, `already`},
		{"POST", "/v1/models/m/predict", `{"pairs": [], "new_columns": {"x": {"f9": 1}}}`, 400, `\"f9\"`},
		{"POST", "/v1/models/m/predict", `{"pairs": [], "new_columns": {"x": {"f1": [1]}}}`, 400, `a list or an object`},
		{"POST", "/v1/models/m/predict", `{"pairs": [], "new_columns": {"x": {"f0": 1, "f1": 1}}}`, 400, `blank`},
		{"POST", "/v1/models/m/predict", `{"records": []}`, 400, `regression`},
		{"POST", "/v1/models/m/predict", strings.Repeat(" ", 3000), 413, `larger than the 2000 bytes`},
		{"POST", "/v1/models/m/recommend", `{}`, 400, `names no row`},
		{"POST", "/v1/models/m/recommend", `{"row": "nobody"}`, 404, `not a row`},
		{"POST", "/v1/models/m/recommend", `{"row": "r0", "n": 0}`, 400, `n is 0`},
		{"POST", "/v1/models/m/recommend", `{"row": "r0", "caution": -1}`, 400, `caution is -1`},
		{"POST", "/v1/models/m/explain", `{"row": "r0", "column": "zzz"}`, 404, `not a column`},
		{"POST", "/v1/models/m/explain", `{"feature": "zzz"}`, 404, `not a feature`},
		{"POST", "/v1/models/m/column", `{"column": "zzz"}`, 404, `not a column`},
		{"GET", "/v1/models/m/rows?limit=x", ``, 400, `limit`},
		{"GET", "/v1/models/m/row?id=zzz", ``, 404, `not a row`},
		{"GET", "/v1/models/m/predict", ``, 405, `does not take`},
		{"GET", "/v1/fit", ``, 404, `no fit`},
		{"GET", "/../../etc/passwd", ``, 404, `nothing at`},
		{"GET", "/page/page.js", ``, 404, `nothing at`},
	} {
		var p Problem
		status := ask(t, h, c.method, c.path, c.body, &p)
		text := must.Get(json.Marshal(p.Problem))(t)
		if status != c.status || !strings.Contains(string(text), c.words) {
			t.Errorf("%s %s %.60s: %d %+v, want %d %s", c.method, c.path, c.body, status, p, c.status, c.words)
		}
		if p.Remedy == "" && c.words != "n is 0" && c.words != "limit" {
			t.Errorf("%s %s: no remedy", c.path, c.body)
		}
	}
	if len(s.slots) != 0 {
		t.Error("requests are still at work")
	}
}

// What the quick reader takes, it reads as encoding/json does; the quick writer writes its text.
func TestQuickJSON(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-c"\\<>& é\x00-\x1f]{0,4}`), rapid.Just("r1"))
	taken := 0
	rapid.Check(t, func(rt *rapid.T) {
		var q PredictRequest
		for range rapid.IntRange(0, 3).Draw(rt, "pairs") {
			q.Pairs = append(q.Pairs, Pair{texts.Draw(rt, "row"), texts.Draw(rt, "column")})
		}
		body := must.Get(json.Marshal(q))(rt)
		if rapid.Bool().Draw(rt, "cut") && len(body) > 0 {
			at := rapid.IntRange(0, len(body)-1).Draw(rt, "at")
			body[at] = byte(rapid.IntRange(0, 255).Draw(rt, "byte"))
		}
		var fast, slow PredictRequest
		if fast.parse(body) {
			taken++
			d := json.NewDecoder(bytes.NewReader(body))
			d.DisallowUnknownFields()
			if err := d.Decode(&slow); err != nil || !cmp.Equal(fast, slow) {
				rt.Fatalf("%q: %+v, not %+v (%v)", body, fast, slow, err)
			}
		}
		number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1e-5, 1e-5), rapid.Float64Range(-10, 10))
		low := number.Draw(rt, "low")
		a := &PredictAnswer{Predictions: []Prediction{{Row: texts.Draw(rt, "r"), Column: texts.Draw(rt, "c"), Value: number.Draw(rt, "value"), Basis: result.NewColumn, Low: &low}, {Row: "a"}}}
		var out, want bytes.Buffer
		a.append(&out)
		must.Do(rt, json.NewEncoder(&want).Encode(a))
		if out.String() != want.String() {
			rt.Fatalf("%s, not %s", &out, &want)
		}
	})
	if taken == 0 {
		t.Error("the quick reader took nothing")
	}
	var q PredictRequest
	if !q.parse([]byte(`{"pairs": [{"row": "a", "column": "b"}, {"column":"d" ,"row":"c"}]} `)) || len(q.Pairs) != 2 || q.Pairs[1] != (Pair{"c", "d"}) {
		t.Errorf("%+v", q)
	}
}
