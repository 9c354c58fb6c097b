package data

import (
	"math"
	"sync/atomic"
)

// Survey is what one reading of the entries tells of them; package pass takes it.
type Survey struct {
	Rows     int       // rows with entries
	Columns  []int     // m: entries of each column
	Sums     []float64 // m: sum of the values of each column, times their weights
	Weights  []float64 // m: sum of the weights of each column; nil: entries have none
	Heaviest float64   // the largest weight; 0: entries have none
	Low      float64   // the least value; +Inf without entries
	High     float64   // the largest value; −Inf without entries
	Total    int       // entries
}

// NewSurvey is of no entries of m columns.
func NewSurvey(m int) *Survey {
	return &Survey{Columns: make([]int, m), Sums: make([]float64, m), Low: math.Inf(1), High: math.Inf(-1)}
}

// Add surveys a row; weights may be nil.
func (s *Survey) Add(columns []int32, values, weights []float64) {
	if weights != nil && s.Weights == nil {
		s.Weights = make([]float64, len(s.Columns))
	}
	if len(columns) > 0 {
		s.Rows++
	}
	s.Total += len(columns)
	for x, c := range columns {
		v := values[x]
		s.Columns[c]++
		sum := v
		if weights != nil {
			s.Weights[c] += weights[x]
			s.Heaviest = max(s.Heaviest, weights[x])
			sum *= weights[x]
		}
		s.Sums[c] += sum
		s.Low, s.High = min(s.Low, v), max(s.High, v)
	}
}

// Merge adds what other rows have.
func (s *Survey) Merge(o *Survey) {
	s.Rows += o.Rows
	s.Total += o.Total
	s.Low, s.High, s.Heaviest = min(s.Low, o.Low), max(s.High, o.High), max(s.Heaviest, o.Heaviest)
	if s.Weights == nil && o.Weights != nil {
		s.Weights = make([]float64, len(s.Columns))
	}
	for c := range o.Weights {
		s.Weights[c] += o.Weights[c]
	}
	for c := range s.Columns {
		s.Columns[c] += o.Columns[c]
		s.Sums[c] += o.Sums[c]
	}
}

// Count is how much the entries of a column count: their number, or their weight.
func (s *Survey) Count(column int) float64 {
	if s.Weights == nil {
		return float64(s.Columns[column])
	}
	return s.Weights[column]
}

// Counts is how much all entries count: their number, or their weight.
func (s *Survey) Counts() float64 {
	if s.Weights == nil {
		return float64(s.Total)
	}
	sum := 0.0
	for _, w := range s.Weights {
		sum += w
	}
	return sum
}

// Unit is the mean weight of an entry, 1 where entries have none: by how much to
// multiply what is measured in entries, so that it is the same whatever weights are
// measured in.
func (s *Survey) Unit() float64 {
	if s.Weights == nil || s.Total == 0 {
		return 1
	}
	return s.Counts() / float64(s.Total)
}

// Uneven tells whether entries have weights that differ.
func (s *Survey) Uneven() bool { return s.Heaviest > s.Unit()*(1+1e-9) }

// Mean is the mean of all entries, by their weights; 0 without any.
func (s *Survey) Mean() float64 {
	sum := 0.0
	for _, v := range s.Sums {
		sum += v
	}
	if s.Total == 0 {
		return 0
	}
	return sum / s.Counts()
}

// Surveyed is a source that remembers its survey.
type Surveyed interface {
	// Surveyed keeps a survey, the first that is given, and returns it; nil gives
	// none.
	Surveyed(s *Survey) *Survey
}

// SurveyCache keeps the survey of a source, to make it Surveyed.
type SurveyCache struct{ kept atomic.Pointer[Survey] }

// Surveyed is that of the interface.
func (c *SurveyCache) Surveyed(s *Survey) *Survey {
	if s != nil {
		c.kept.CompareAndSwap(nil, s)
	}
	return c.kept.Load()
}
