package service

import (
	"context"
	"net/http"
	"slices"

	"optcomplete/data"
	"optcomplete/regress"
	"optcomplete/regress/saved"
	"optcomplete/result"
)

// regression is a saved regression at work. Whatever it predicts is a line of a table.
type regression struct {
	m    *saved.Model
	info ModelInfo
}

func newRegression(m *saved.Model) *regression {
	x := &regression{m: m, info: ModelInfo{
		Kind: "regression", Model: regress.Kind, Method: "certified", Rows: m.Rows, Features: m.Features, Observed: m.Rows, K: m.K,
		Selected: m.Selected, Gamma: m.Gamma, Loss: m.Loss.String(), Scale: m.Loss.Scale(), Mean: m.Intercept, Certificate: &m.Certificate,
		Train:    result.Metrics{Entries: m.Rows, RMSE: m.RMSE, MAE: m.MAE, Weighted: m.Weighted},
		Coverage: []result.Coverage{}, Baselines: []result.Baseline{}, Effects: []result.TermDiagnostics{}, Importance: []result.Importance{},
		Fields: []Field{}, Warnings: some(m.Warnings), Version: m.Version,
	}}
	if h := m.Holdout; h != nil {
		x.info.Holdout = &result.Metrics{Entries: h.Rows, RMSE: h.RMSE, MAE: h.MAE, Weighted: m.Weighted}
	}
	for f, name := range m.Selected {
		e := result.TermDiagnostics{TermExplanation: result.TermExplanation{Name: name, Unit: "1", Population: m.Coefficients[f]}, Histogram: result.Counts{Counts: []int{}}}
		if f < len(m.Spread) {
			e.Step, e.PerStep, e.PerSD = m.Spread[f], m.Coefficients[f]*m.Spread[f], m.Coefficients[f]*m.Spread[f]
		}
		x.info.Effects = append(x.info.Effects, e)
		one := result.Importance{Name: name}
		for _, r := range m.Removal {
			if r.Name == name {
				if one.Removed = r.Cost; m.Cost > 0 {
					one.Increase = (r.Cost - m.Cost) / m.Cost
				}
			}
		}
		x.info.Importance = append(x.info.Importance, one)
	}
	for _, f := range m.Encoding.Fields {
		x.info.Fields = append(x.info.Fields, Field{Selected: true, Name: f.Name, Type: string(f.Type), Levels: slices.Concat([]string{}, f.Levels, f.Pooled)})
	}
	return x
}

func (x *regression) Info() *ModelInfo { return &x.info }

// table is the lines of a request. A field that is left out is blank.
func (x *regression) table(records []Record) (*data.RawTable, error) {
	var ids, names, cells []string
	for _, f := range x.info.Fields {
		names = append(names, f.Name)
	}
	for n, record := range records {
		line := make([]string, len(names))
		for name, raw := range record {
			at := slices.Index(names, name)
			if at < 0 {
				continue // of the table, but not selected
			}
			var err error
			if line[at], err = cellOf(raw); err != nil {
				return nil, bad("give a text, a number, true, false or null", "record %d: the field %s is %v", n+1, data.Quote(name), err)
			}
		}
		ids, cells = append(ids, ""), append(cells, line...)
	}
	return data.NewRawTable("records", ids, names, cells), nil
}

func (x *regression) Predict(_ context.Context, q *PredictRequest) (*PredictAnswer, error) {
	switch {
	case q.Records == nil:
		return nil, bad(`such as {"records": [{"FIELD": 1}]}`, "%s is a regression: it predicts lines of a table, given as records", x.info.Name)
	case q.Pairs != nil || q.Ratings != nil || q.Columns != nil || q.NewColumns != nil || q.Interval != 0:
		return nil, bad("give records alone", "%s is a regression: pairs, ratings, columns and intervals mean nothing to it", x.info.Name)
	case len(q.Records) > mostPairs:
		return nil, faultf(http.StatusRequestEntityTooLarge, "send them in several requests", "the request asks for %d predictions, of at most %d", len(q.Records), mostPairs)
	}
	table, err := x.table(q.Records)
	if err != nil {
		return nil, err
	}
	values, _, err := x.m.Predict(table)
	if err != nil {
		return nil, err
	}
	out := &PredictAnswer{Predictions: []Prediction{}}
	for _, v := range values {
		out.Predictions = append(out.Predictions, Prediction{Column: x.m.Target, Value: v, Basis: result.Known})
	}
	return out, nil
}

func (x *regression) Explain(_ context.Context, q *ExplainRequest) (any, error) {
	if q.Row != "" || q.Ratings != nil || q.Column != "" || q.NewColumns != nil {
		return nil, bad(`give {"record": {"FIELD": 1}}, or {"feature": NAME}`, "%s is a regression: it has no rows and columns", x.info.Name)
	}
	if q.Feature != "" {
		for f := range x.info.Effects {
			if x.info.Effects[f].Name == q.Feature {
				return &FeatureAnswer{TermDiagnostics: x.info.Effects[f], Importance: &x.info.Importance[f]}, nil
			}
		}
		return nil, faultf(http.StatusNotFound, "the description of the model lists its features", "%s is not a feature of the model", data.Quote(q.Feature))
	}
	if q.Record == nil {
		out := &result.Explanation{Model: regress.Kind, Rows: x.m.Rows, Mean: x.m.Intercept, Scale: x.info.Scale, Terms: []result.TermExplanation{}, Selected: x.info.Importance}
		for _, e := range x.info.Effects {
			out.Terms = append(out.Terms, e.TermExplanation)
		}
		return out, nil
	}
	table, err := x.table([]Record{q.Record})
	if err != nil {
		return nil, err
	}
	e, _, err := x.m.Explain(table, 0)
	return e, err
}

// noMatrix refuses what needs rows and columns.
func (x *regression) noMatrix() error {
	return bad("use predict and explain", "%s is a regression: it has no rows and columns", x.info.Name)
}

func (x *regression) Recommend(context.Context, *RecommendRequest) (*RecommendAnswer, error) {
	return nil, x.noMatrix()
}

func (x *regression) Column(context.Context, *ColumnRequest) (*ColumnAnswer, error) {
	return nil, x.noMatrix()
}

func (x *regression) IDs(bool, string, int) *IDList { return &IDList{Items: []ID{}} }

func (x *regression) Row(string) (*RowAnswer, error) { return nil, x.noMatrix() }
