package ingest

import (
	"math/bits"

	"optcomplete/data"
)

// arrange gives rows and columns their canonical order, now that all ids are
// known: what comes out then depends on the entries alone, and not on the order
// in which they stood. Columns that the caller gave stay in the caller's order,
// before all others.
func (c *collector) arrange() error {
	given := len(c.settings.Columns)
	if order := data.Order(c.columns.all()[given:]); order != nil {
		c.columnOrder = make([]int32, given, c.columns.count)
		for j := range c.columnOrder {
			c.columnOrder[j] = int32(j)
		}
		for _, j := range order {
			c.columnOrder = append(c.columnOrder, int32(given)+j)
		}
		c.columnRanks = data.Ranks(c.columnOrder)
	}
	if c.rowOrder = data.Order(c.rows.all()); c.rowOrder == nil {
		return nil
	}
	return c.sink.arrange(data.Ranks(c.rowOrder))
}

// seen is the number that a row or column had before it got its place.
func seen(order []int32, place int32) int32 {
	if order == nil {
		return place
	}
	return order[place]
}

func (c *collector) rowID(i int) string { return c.rows.text(seen(c.rowOrder, int32(i))) }

func (c *collector) rowIDs() []string { return arranged(c.rows.all(), c.rowOrder) }

func (c *collector) columnIDs() []string { return arranged(c.columns.all(), c.columnOrder) }

func arranged(ids []string, order []int32) []string {
	if order == nil {
		return ids
	}
	out := make([]string, len(order))
	for place, at := range order {
		out[place] = ids[at]
	}
	return out
}

// arrange moves all entries to the buckets of the places that their rows get.
// Those of one row keep their order.
func (s *buckets) arrange(ranks []int32) error {
	if s.budget != nil && s.used > s.budget()/2 {
		if err := s.flush(); err != nil { // room for the pages to come
			return err
		}
	}
	from := s.list
	for x := range from {
		s.turn(x)
	}
	s.entries, s.shift = 0, 0
	for (len(ranks)-1)>>s.shift >= maxBuckets {
		s.shift++
	}
	count := (len(ranks)-1)>>s.shift + 1
	s.list, s.tails = make([]bucket, count), make([][]data.Entry, count)
	var loaded []data.Entry
	var buffer []byte
	for x := range from {
		for _, k := range from[x].blocks {
			var err error
			if loaded, buffer, err = s.spill.read(k, loaded[:0], buffer); err != nil {
				return err
			}
			if err := s.move(loaded, ranks); err != nil {
				return err
			}
		}
		for _, page := range from[x].pages {
			loaded = append(loaded[:0], page...)
			class := bits.Len(uint(cap(page)/smallPage)) - 1
			s.free[class] = append(s.free[class], page[:0])
			if err := s.move(loaded, ranks); err != nil {
				return err
			}
		}
		from[x] = bucket{}
	}
	return nil
}

func (s *buckets) move(entries []data.Entry, ranks []int32) error {
	for at := range entries {
		entries[at].Row = ranks[entries[at].Row]
	}
	return s.add(entries)
}
