package synth

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"optcomplete/data"
)

// writeEntries is the number of entries that are turned into text together, about.
const writeEntries = 1 << 15

// WriteRatings writes the observed entries as CSV, row by row, such that
// data.ReadRatings gives them back bit for bit, and returns how many they are.
// Rows are made and turned into text on all processors, a few blocks ahead of
// the writing; what is written never depends on that.
func (s *Source) WriteRatings(ctx context.Context, w io.Writer) (entries int, err error) {
	if s.Observed() == 0 {
		return 0, s.empty()
	}
	if _, err := io.WriteString(w, "row,column,value\n"); err != nil {
		return 0, err
	}
	block := max(1, min(s.Rows, int(float64(writeEntries)*float64(s.Rows)/float64(s.Observed()))))
	type piece struct {
		text    []byte
		entries int
	}
	threads := runtime.GOMAXPROCS(0)
	pieces := make(chan chan piece, threads) // in order
	spare := make(chan []byte, 2*threads)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	rows, columns := s.RowIDs(), s.Features.IDs
	go func() {
		defer close(pieces)
		for from := 0; from < s.Rows; from += block {
			done := make(chan piece, 1)
			select {
			case pieces <- done:
			case <-ctx.Done():
				return
			}
			go func() {
				p := piece{}
				select {
				case p.text = <-spare:
				default:
				}
				p.text = p.text[:0]
				reader := s.Reader()
				var at []int32
				var values []float64
				for i := from; i < min(from+block, s.Rows); i++ {
					at, values, _ = reader.Append(i, at[:0], values[:0]) // it cannot fail
					p.entries += len(at)
					for x, j := range at {
						p.text = append(append(p.text, rows[i]...), ',')
						p.text = append(append(p.text, columns[j]...), ',')
						p.text = append(data.AppendNumber(p.text, values[x]), '\n')
					}
				}
				done <- p
			}()
		}
	}()
	for done := range pieces {
		p := <-done
		if _, err := w.Write(p.text); err != nil {
			return entries, err
		}
		entries += p.entries
		select {
		case spare <- p.text:
		default:
		}
	}
	if err := ctx.Err(); err != nil {
		return entries, fmt.Errorf("synth: stopped after %d entries: %w", entries, err)
	}
	return entries, nil
}
