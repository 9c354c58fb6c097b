package pass

import (
	"context"
	"encoding/gob"

	"optcomplete/data"
)

// Survey surveys a source: how many entries its columns have, their sums and
// their range. A source that remembers its survey is read once; what is returned
// must not be changed.
func Survey(ctx context.Context, s data.Source, threads int) (*data.Survey, error) {
	memory, ok := s.(data.Surveyed)
	if ok {
		if known := memory.Surveyed(nil); known != nil {
			return known, nil
		}
	}
	part, err := One[*SurveyPart](ctx, s, threads, Surveying{})
	if err != nil {
		return nil, err
	}
	if ok {
		return memory.Surveyed(part.Survey), nil
	}
	return part.Survey, nil
}

// Surveying is the pass of Survey, to be read together with others.
type Surveying struct{}

// Cost is two numbers for each column.
func (Surveying) Cost(in *Input) int {
	_, m := in.Source.Dims()
	return 2 * m
}

// Start makes a worker.
func (Surveying) Start(in *Input) (Worker, error) {
	_, m := in.Source.Dims()
	return Each(func() *SurveyPart { return &SurveyPart{data.NewSurvey(m)} }, func(part *SurveyPart, c *Chunk, i int) error {
		columns, values := c.Row(i)
		part.Survey.Add(columns, values, c.Weights(i))
		return nil
	}), nil
}

// SurveyPart is the survey of some rows.
type SurveyPart struct{ *data.Survey }

// Merge adds the rows that follow.
func (p *SurveyPart) Merge(o Part) { p.Survey.Merge(o.(*SurveyPart).Survey) }

func init() {
	Register("survey", Surveying{}, new(SurveyPart))
	gob.Register(new(Sums))
	gob.Register(new(List))
}
