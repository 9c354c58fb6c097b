package data

import (
	"context"
	"math"

	"optcomplete/internal/parallel"
)

// Survey is what one pass over the entries tells of them.
type Survey struct {
	Rows    int       // rows with entries
	Columns []int     // m: entries of each column
	Sums    []float64 // m: sum of the values of each column
	Low     float64   // the least value; +Inf without entries
	High    float64   // the largest value; −Inf without entries
	Total   int       // entries
}

// surveyNumbers is how many column sums are kept at once: as many rows are then
// summed together as make so many blocks.
const surveyNumbers = 1 << 23

// TakeSurvey surveys a source. The result is the same for any number of threads.
func TakeSurvey(ctx context.Context, s Source, threads int) (*Survey, error) {
	n, m := s.Dims()
	parts := max(1, min(64, surveyNumbers/max(m, 1), Blocks(n)))
	surveys := make([]*Survey, parts)
	err := ForParts(ctx, s, parts, threads, func(r *RowReader) func(part, lo, hi int) error {
		return func(part, lo, hi int) error {
			at := newSurvey(m)
			surveys[part] = at
			for i := lo; i < hi; i++ {
				columns, values, err := r.Row(i)
				if err != nil {
					return err
				}
				at.add(columns, values)
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	total := surveys[0]
	for _, part := range surveys[1:] {
		total.merge(part)
	}
	return total, nil
}

func newSurvey(m int) *Survey {
	return &Survey{Columns: make([]int, m), Sums: make([]float64, m), Low: math.Inf(1), High: math.Inf(-1)}
}

func (s *Survey) add(columns []int32, values []float64) {
	if len(columns) > 0 {
		s.Rows++
	}
	s.Total += len(columns)
	for x, c := range columns {
		v := values[x]
		s.Columns[c]++
		s.Sums[c] += v
		s.Low, s.High = min(s.Low, v), max(s.High, v)
	}
}

func (s *Survey) merge(o *Survey) {
	s.Rows += o.Rows
	s.Total += o.Total
	s.Low, s.High = min(s.Low, o.Low), max(s.High, o.High)
	for c := range s.Columns {
		s.Columns[c] += o.Columns[c]
		s.Sums[c] += o.Sums[c]
	}
}

// Mean is the mean of all entries; 0 without any.
func (s *Survey) Mean() float64 {
	sum := 0.0
	for _, v := range s.Sums {
		sum += v
	}
	return sum / math.Max(float64(s.Total), 1)
}

// ForParts is ForBlocks for so many parts of about equal numbers of rows.
func ForParts(ctx context.Context, s Source, parts, threads int, start func(r *RowReader) func(part, lo, hi int) error) error {
	n, _ := s.Dims()
	return parallel.Do(ctx, parts, threads, func(int) func(part int) error {
		work := start(NewRowReader(s))
		return func(part int) error { return work(part, part*n/parts, (part+1)*n/parts) }
	})
}
