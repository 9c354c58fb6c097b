package formulation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/must"
	"optcomplete/internal/random"
	"optcomplete/model"
	"optcomplete/spec"
)

// films is a raw table of items with text, a list, a number and blanks, and
// ratings of all but the last of them.
func films(t *testing.T) (*data.RawTable, []data.Entry) {
	t.Helper()
	const items, rows = 40, 60
	s := random.New(5)
	ids, cells := make([]string, items), []string{}
	for j := range ids {
		ids[j] = "film" + strconv.Itoa(j)
		length := strconv.Itoa(80 + s.Intn(80))
		if j%9 == 4 {
			length = ""
		}
		cells = append(cells, []string{"Drama|Comedy", "Drama", "Action", "Action|Comedy"}[s.Intn(4)], []string{"en", "fr", "de"}[s.Intn(3)], length)
	}
	var entries []data.Entry
	for i := range rows {
		for j := range items - 1 {
			if s.Float64() < 0.4 {
				entries = append(entries, data.Entry{Row: int32(i), Column: int32(j), Value: float64(1 + s.Intn(5))})
			}
		}
	}
	return data.NewRawTable("films.csv", ids, []string{"genres", "language", "minutes"}, cells), entries
}

func ratings(t *testing.T, ids []string, entries []data.Entry) *data.Ratings {
	t.Helper()
	rows := make([]string, 60)
	for i := range rows {
		rows[i] = "u" + strconv.Itoa(i)
	}
	matrix := must.Get(data.NewMatrix(len(rows), len(ids), entries))(t)
	return data.NewRatings(matrix, rows, ids)
}

// TestNewItemIsPredictedAsIfInTheTable: an item's raw record gives the
// prediction that the item gets when it stands in the table, without entries,
// from the beginning.
func TestNewItemIsPredictedAsIfInTheTable(t *testing.T) {
	table, entries := films(t)
	encoding, features, _, err := encode.Learn(t.Context(), table, encode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	last := len(table.IDs) - 1
	record := data.NewRawTable("record", []string{"new"}, table.Names, table.Row(last))
	p := len(features.Names)
	for _, kind := range []spec.Kind{spec.Full, spec.Pooled, spec.Paper} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			settings := Settings{K: 3, Model: kind, Limits: spec.Limits{Threads: 1}}
			in := fit(t, Problem{Ratings: ratings(t, table.IDs, entries), Features: features, Encoding: encoding}, settings)
			out := fit(t, Problem{Ratings: ratings(t, table.IDs[:last], entries), Features: data.NewFeatures(table.IDs[:last], features.Names, features.Values[:last*p]), Encoding: encoding}, settings)
			if !slices.Equal(in.Summary.Terms, out.Summary.Terms) {
				t.Fatalf("selected %v and %v", in.Summary.Terms, out.Summary.Terms)
			}
			for name, m := range map[string]*model.Model{"the same model": in, "a model without it": out} {
				b, _, err := m.ColumnsFrom(record)
				if err != nil {
					t.Fatal(err)
				}
				more := must.Get(m.WithColumns(b))(t)
				for _, row := range append(in.RowIDs, "nobody") {
					want, got := in.Answer(row, table.IDs[last]), more.Answer(row, "new")
					if want.Basis != got.Basis || math.Abs(got.Value-want.Value) > 1e-12 {
						t.Fatalf("%s, row %s: from the record %+v, in the table %+v", name, row, got, want)
					}
				}
			}
		})
	}
}
