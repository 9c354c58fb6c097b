package data

import (
	"sync"

	"optcomplete/internal/random"
)

// Keys are numbers that stand for the rows and columns of a source, made of their
// ids. Whatever is drawn at random is drawn by keys: then it does not depend on
// where a row stands, nor on what other rows there are. Nil keys, of a source
// without ids, are the positions.
type Keys struct {
	rowIDs, columnIDs []string
	once              sync.Once
	rows, columns     []uint64
}

// NewKeys makes keys of ids, when they are first asked for.
func NewKeys(rowIDs, columnIDs []string) *Keys { return &Keys{rowIDs: rowIDs, columnIDs: columnIDs} }

func (k *Keys) make() {
	k.once.Do(func() {
		if k.rows == nil {
			k.rows, k.columns = keysOf(k.rowIDs), keysOf(k.columnIDs)
		}
	})
}

func keysOf(ids []string) []uint64 {
	keys := make([]uint64, len(ids))
	for i, id := range ids {
		keys[i] = random.HashText(id)
	}
	return keys
}

// Row is the key of row i.
func (k *Keys) Row(i int) uint64 {
	if k == nil {
		return uint64(i)
	}
	k.make()
	return k.rows[i]
}

// Column is the key of column j.
func (k *Keys) Column(j int32) uint64 {
	if k == nil {
		return uint64(j)
	}
	k.make()
	return k.columns[j]
}

// Some is the keys of some rows.
func (k *Keys) Some(rows []int) *Keys {
	if k == nil {
		return nil
	}
	k.make()
	out := &Keys{columns: k.columns, rows: make([]uint64, len(rows))}
	for x, i := range rows {
		out.rows[x] = k.rows[i]
	}
	return out
}

// keyed is a source that knows its keys.
type keyed interface{ Keys() *Keys }

// KeysOf gives the keys of a source; nil, which are the positions, if it has none.
func KeysOf(s Source) *Keys {
	if k, ok := s.(keyed); ok {
		return k.Keys()
	}
	return nil
}

// WithKeys is the same source with keys.
func WithKeys(s Source, keys *Keys) Source {
	if m, ok := s.(*Matrix); ok {
		return m.WithKeys(keys)
	}
	return &withKeys{s, keys}
}

type withKeys struct {
	Source
	keys *Keys
}

func (w *withKeys) Keys() *Keys   { return w.keys }
func (w *withKeys) Chunks() []int { return Chunks(w.Source) }
func (w *withKeys) Surveyed(s *Survey) *Survey {
	if known, ok := w.Source.(Surveyed); ok {
		return known.Surveyed(s)
	}
	return s
}

// WithKeys is the same matrix with keys.
func (m *Matrix) WithKeys(keys *Keys) *Matrix {
	out := &Matrix{columns: m.columns, start: m.start, column: m.column, value: m.value, weight: m.weight, keys: keys}
	out.known.at.Store(m.known.get())
	return out
}

// Keys of the matrix; nil if it has none.
func (m *Matrix) Keys() *Keys { return m.keys }

func (s *someRows) Keys() *Keys { return KeysOf(s.Source).Some(s.rows) }

// KeyTable is keys as they are sent: of all rows, and of all columns. Without any,
// they are the positions.
type KeyTable struct{ Rows, Columns []uint64 }

// Table is the keys as they are sent.
func (k *Keys) Table() KeyTable {
	if k == nil {
		return KeyTable{}
	}
	k.make()
	return KeyTable{k.rows, k.columns}
}

// Row is the key of row i.
func (t *KeyTable) Row(i int) uint64 {
	if t.Rows == nil {
		return uint64(i)
	}
	return t.Rows[i]
}

// Column is the key of column j.
func (t *KeyTable) Column(j int32) uint64 {
	if t.Columns == nil {
		return uint64(j)
	}
	return t.Columns[j]
}
