package data

import (
	"math"
	"sync/atomic"
)

// Survey is what one reading of the entries tells of them; package pass takes it.
type Survey struct {
	Rows    int       // rows with entries
	Columns []int     // m: entries of each column
	Sums    []float64 // m: sum of the values of each column
	Low     float64   // the least value; +Inf without entries
	High    float64   // the largest value; −Inf without entries
	Total   int       // entries
}

// NewSurvey is of no entries of m columns.
func NewSurvey(m int) *Survey {
	return &Survey{Columns: make([]int, m), Sums: make([]float64, m), Low: math.Inf(1), High: math.Inf(-1)}
}

// Add surveys a row.
func (s *Survey) Add(columns []int32, values []float64) {
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

// Merge adds what other rows have.
func (s *Survey) Merge(o *Survey) {
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
