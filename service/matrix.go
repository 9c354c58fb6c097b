package service

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"optcomplete/data"
	"optcomplete/model"
	"optcomplete/model/diagnose"
	"optcomplete/result"
)

// What a request may ask for.
const (
	mostPairs   = 200_000
	mostTop     = 1000
	mostColumns = 1000 // new ones
)

// matrix is a model of a matrix at work: with coefficients of its rows, of products, or a baseline.
type matrix struct {
	m       *model.Model
	units   *model.Units
	names   []string // of the columns; nil: none are known
	ratings *Known   // nil: not known
	info    ModelInfo
	about   *result.Explanation

	recommenders, intervals sync.Pool
}

func newMatrix(m *model.Model, kind string, names map[string]string, ratings *Known) (*matrix, error) {
	// Now, because its folder may be another's later.
	if _, _, err := m.SeenAndFitted(); err != nil {
		return nil, err
	}
	x := &matrix{m: m, units: m.Units(), ratings: ratings, about: m.Explain()}
	if names != nil {
		x.names = make([]string, len(m.ColumnIDs))
		for j, id := range m.ColumnIDs {
			x.names[j] = names[id]
		}
	}
	s := &m.Summary
	x.info = ModelInfo{
		Kind: kind, Model: s.Model, Method: s.Method, Rows: s.Rows, Columns: s.Columns, Features: s.Features, Observed: s.Observed,
		K: s.K, Selected: s.Selected, Gamma: s.Gamma, Loss: m.LossOf().Loss.String(), Scale: x.about.Scale, Mean: m.Mean,
		Holdout: s.Holdout, Train: s.Train, Coverage: some(s.Coverage), Baselines: some(s.Baselines), Variance: s.Variance,
		Effects: diagnose.Terms(m, m.Units()), Importance: some(x.about.Selected), Fields: fieldsOf(m), Clip: m.Clip,
		Intervals: m.HasIntervals(), FoldsIn: !m.ByFeatures, Ratings: ratings != nil, Nouns: s.Nouns, Warnings: some(s.Warnings), Version: s.Version,
	}
	if s.Status != result.Fitted {
		x.info.Certificate = &s.Certificate
	}
	if _, fitted, _ := m.SeenAndFitted(); !fitted.Known() {
		x.info.Intervals = false
	}
	return x, nil
}

// some is a list that is not null in JSON.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// fieldsOf is what a record of a new column has.
func fieldsOf(m *model.Model) []Field {
	out := []Field{}
	if m.Summary.Encoding == nil {
		for _, name := range m.FeaturesUsed() {
			out = append(out, Field{Selected: slices.Contains(m.Summary.Terms, name), Name: name, Type: "numeric", Levels: []string{}})
		}
		return out
	}
	for n, e := range m.Encodings() { // of the selected features, and of the others
		for _, f := range e.Fields {
			if !slices.ContainsFunc(out, func(g Field) bool { return g.Name == f.Name }) {
				out = append(out, Field{Selected: n == 0, Name: f.Name, Type: string(f.Type), Levels: slices.Concat([]string{}, f.Levels, f.Pooled)})
			}
		}
	}
	return out
}

func (x *matrix) Info() *ModelInfo { return &x.info }

// subject is a row that a request names or gives, in a model that has it.
type subject struct {
	m    *model.Model
	row  int // −1: the model does not have it
	id   string
	seen []int32 // columns that it has entries for, increasing
}

// who finds the row of a request, and the columns that it brings.
func (x *matrix) who(id string, ratings Ratings, fresh map[string]Record) (s subject, err error) {
	m := x.m
	if len(fresh) > 0 {
		if m, err = x.withColumns(fresh); err != nil {
			return s, err
		}
	}
	row, known := m.Row(id)
	if ratings == nil {
		if s = (subject{m: m, row: row, id: id}); !known {
			s.row = -1
			return s, nil
		}
		s.seen, _, err = m.Seen(row)
		return s, err
	}
	if m.ByFeatures {
		return s, bad("ask for a row of the model", "the model %s knows rows by their features, so that none can be folded in from ratings", x.info.Name)
	}
	if known {
		if ratings, err = x.changed(id, ratings); err != nil {
			return s, err
		}
	}
	columns, values, err := ratings.in(m)
	if err != nil {
		return s, err
	}
	alone, err := m.Alone(id, columns, values, nil)
	return subject{m: alone, id: id, seen: columns}, err
}

// changed is the ratings of a row of the model with those changed that a request gives.
func (x *matrix) changed(id string, by Ratings) (Ratings, error) {
	before, known := x.ratings.of(id)
	if !known {
		return nil, bad("leave out row and give all of its ratings, or start the service with the file of the ratings",
			"the service does not know the ratings of the row %s, so that it cannot change some of them", data.Quote(id))
	}
	for column, value := range by {
		before[column] = value
	}
	return before, nil
}

// in is ratings by the model's columns, increasing. Those of null are none.
func (r Ratings) in(m *model.Model) (columns []int32, values []float64, err error) {
	for id, value := range r {
		j, known := m.Column(id)
		if !known {
			return nil, nil, bad("rate columns of the model, or give the features of this one in new_columns", "ratings has %s, which is not a column of the model", data.Quote(id))
		}
		if value != nil {
			columns = append(columns, int32(j))
		}
	}
	slices.Sort(columns)
	for _, j := range columns {
		values = append(values, *r[m.ColumnIDs[j]])
	}
	return columns, values, nil
}

func (x *matrix) Predict(ctx context.Context, q *PredictRequest) (*PredictAnswer, error) {
	switch {
	case q.Records != nil:
		return nil, bad("give pairs, or ratings and columns", "records are lines of a table, for a regression; %s is a model of a matrix", x.info.Name)
	case q.Columns != nil && q.Ratings == nil:
		return nil, bad("give pairs", "columns are for the row that ratings give, and there are no ratings")
	case q.Columns != nil && q.Pairs != nil:
		return nil, bad("leave one of them out", "pairs and columns are two ways to ask for the same")
	case q.Pairs == nil && q.Ratings == nil:
		return nil, bad(`such as {"pairs": [{"row": "ann", "column": "Heat"}]}`, "the request names no pairs to predict")
	case !(q.Interval >= 0 && q.Interval < 100):
		return nil, bad("90 means that the value lies within with a probability of 90 %", "interval is %g, but must be at least 0 and below 100", q.Interval)
	}
	s, err := x.who("", q.Ratings, q.NewColumns)
	if err != nil {
		return nil, err
	}
	pairs := q.Pairs
	if pairs == nil {
		columns := q.Columns
		if columns == nil {
			columns = s.m.ColumnIDs
		}
		for _, id := range columns {
			pairs = append(pairs, Pair{Column: id})
		}
	}
	if len(pairs) > mostPairs {
		return nil, faultf(http.StatusRequestEntityTooLarge, "send them in several requests", "the request asks for %d predictions, of at most %d", len(pairs), mostPairs)
	}
	out := &PredictAnswer{Predictions: make([]Prediction, len(pairs))}
	sure, done, err := x.sure(s.m, q.Interval)
	if err != nil {
		return nil, err
	}
	defer done()
	fitted := s.m.Fitted()
	for n, pair := range pairs {
		if n%256 == 255 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		i := 0
		if q.Ratings == nil {
			if pair.Row == "" {
				return nil, bad("every pair has a row and a column", "pair %d has no row", n+1)
			}
			i = index(s.m.Row(pair.Row))
		}
		j := index(s.m.Column(pair.Column))
		a := fitted.AnswerAt(i, j)
		p := Prediction{Row: pair.Row, Column: pair.Column, Value: a.Value, Basis: a.Basis}
		if sure != nil {
			if a, err = sure.Of(a, i, j, q.Interval/100); err != nil {
				return nil, err
			}
			p.Low, p.High = &a.Low, &a.High
			if s.m.LossOf().Loss.Counts() {
				p.CountLow, p.CountHigh = &a.CountLow, &a.CountHigh
			}
		}
		out.Predictions[n] = p
	}
	return out, nil
}

// index is −1 of what a model does not have.
func index(i int, known bool) int {
	if !known {
		return -1
	}
	return i
}

// sure is the intervals of a model, if they are asked for, until done is called.
func (x *matrix) sure(m *model.Model, interval float64) (sure *model.Intervals, done func(), err error) {
	done = func() {}
	if interval == 0 {
		return nil, done, nil
	}
	if m == x.m {
		sure, _ = x.intervals.Get().(*model.Intervals)
		done = func() { x.intervals.Put(sure) }
	}
	if sure == nil {
		if sure, err = m.Intervals(); err != nil {
			return nil, func() {}, err
		}
	}
	return sure, done, nil
}

// best recommends to a subject.
func (x *matrix) best(s subject, what model.RecommendSettings, skip []int32) ([]result.Recommendation, error) {
	var r *model.Recommender
	if s.m == x.m && what.Caution > 0 {
		if r, _ = x.recommenders.Get().(*model.Recommender); r != nil {
			r.RecommendSettings = what
		}
		defer func() {
			if r != nil {
				x.recommenders.Put(r)
			}
		}()
	}
	if r == nil {
		var err error
		if r, err = s.m.Recommender(what); err != nil {
			return nil, err
		}
	}
	return r.Row(s.row, skip)
}

func (x *matrix) Recommend(_ context.Context, q *RecommendRequest) (*RecommendAnswer, error) {
	what := model.RecommendSettings{Top: 10, Caution: model.DefaultCaution, Lowest: q.Lowest, Least: q.Least}
	if err := number("n", q.N, &what.Top, 1, mostTop); err != nil {
		return nil, err
	}
	if q.Caution != nil {
		what.Caution = *q.Caution
	}
	if !(what.Caution >= 0 && what.Caution <= 1e6) {
		return nil, bad("1 is usual, and 0 ranks by the predictions", "caution is %g, but must be 0 or more", what.Caution)
	}
	s, err := x.one(q.Row, q.Ratings, q.NewColumns)
	if err != nil {
		return nil, err
	}
	var skip []int32
	if !q.KeepSeen {
		skip = s.seen
	}
	for _, id := range q.Exclude {
		j, known := s.m.Column(id)
		if !known {
			return nil, bad("leave it out", "exclude has %s, which is not a column of the model", data.Quote(id))
		}
		skip = append(slices.Clip(skip), int32(j))
	}
	if len(q.Exclude) > 0 {
		slices.Sort(skip)
		skip = slices.Compact(skip)
	}
	list, err := x.best(s, what, skip)
	if err != nil {
		return nil, err
	}
	return Recommended(s.m, s.id, x.names, list), nil
}

// Recommended is the answer that a list is, with the names of columns as far as there are some.
func Recommended(m *model.Model, row string, names []string, list []result.Recommendation) *RecommendAnswer {
	out := &RecommendAnswer{Row: row, Recommendations: make([]Recommendation, len(list))}
	for at, r := range list {
		out.Recommendations[at] = Recommendation{Rank: at + 1, Column: m.ColumnIDs[r.Column], Prediction: r.Value, Basis: r.Basis}
		if r.Column < len(names) {
			out.Recommendations[at].Name = names[r.Column]
		}
	}
	return out
}

// name is what a column is called; empty: nothing but its id.
func (x *matrix) name(j int) string {
	if j < 0 || j >= len(x.names) {
		return ""
	}
	return x.names[j]
}

// one is who, for a request that is about one row.
func (x *matrix) one(id string, ratings Ratings, fresh map[string]Record) (subject, error) {
	if id == "" && ratings == nil {
		return subject{}, bad(`give {"row": ID}, or the ratings of a new one: {"ratings": {COLUMN: VALUE}}`, "the request names no row")
	}
	s, err := x.who(id, ratings, fresh)
	if err == nil && s.row < 0 {
		err = faultf(http.StatusNotFound, `give the ratings of a new row: {"ratings": {COLUMN: VALUE}}`, "%s is not a row of the model", data.Quote(id))
	}
	return s, err
}

// number reads a whole number that a request may leave out.
func number(name string, given, to *int, least, most int) error {
	if given != nil {
		if *to = *given; *to < least || *to > most {
			return bad("", "%s is %d, but must be from %d to %d", name, *to, least, most)
		}
	}
	return nil
}

func (x *matrix) Explain(_ context.Context, q *ExplainRequest) (any, error) {
	switch {
	case q.Record != nil:
		return nil, bad("give row and column, or ratings", "record is a line of a table, for a regression; %s is a model of a matrix", x.info.Name)
	case q.Feature != "":
		return x.feature(q)
	case q.Row == "" && q.Ratings == nil && q.Column == "":
		return x.about, nil
	}
	s, err := x.one(q.Row, q.Ratings, q.NewColumns)
	if err != nil {
		return nil, err
	}
	if q.Column != "" {
		j, known := s.m.Column(q.Column)
		if !known {
			return nil, faultf(http.StatusNotFound, `give its features: {"new_columns": {ID: {FIELD: VALUE}}}`, "%s is not a column of the model", data.Quote(q.Column))
		}
		return s.m.ExplainSumAt(s.row, j, s.id, q.Column, x.units), nil
	}
	what := model.RecommendSettings{Top: 5, Caution: model.DefaultCaution, Lowest: q.Lowest}
	if err := number("top", q.Top, &what.Top, 0, mostTop); err != nil {
		return nil, err
	}
	list, err := x.best(s, what, s.seen)
	if err != nil {
		return nil, err
	}
	e, err := s.m.ExplainRowAt(s.row, s.id, x.units, list)
	if err == nil {
		for at := range e.Top {
			e.Top[at].Name = x.name(list[at].Column)
		}
	}
	return e, err
}

func (x *matrix) feature(q *ExplainRequest) (any, error) {
	if q.Row != "" || q.Column != "" || q.Ratings != nil {
		return nil, bad("ask for one of them", "the request asks for a feature, and for a row or a column")
	}
	for f := range x.info.Effects {
		if x.info.Effects[f].Name == q.Feature {
			out := &FeatureAnswer{TermDiagnostics: x.info.Effects[f]}
			for i := range x.about.Selected {
				if x.about.Selected[i].Name == q.Feature {
					out.Importance = &x.about.Selected[i]
				}
			}
			return out, nil
		}
	}
	return nil, faultf(http.StatusNotFound, "the description of the model lists its features", "%s is not a feature of the model", data.Quote(q.Feature))
}
