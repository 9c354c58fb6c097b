package pack

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"time"
	"unsafe"

	"optcomplete/data"
	"optcomplete/internal/parallel"
)

// lookEvery is how often, at most, the file's size and time are looked at: a
// look costs as much as a short row.
const lookEvery = 5 * time.Millisecond

var epoch = time.Now()

// reader reads rows for one goroutine.
type reader struct {
	f     *File
	block blockView // of the last row read
	calls uint

	columns []int32 // scratch of AppendWeights
	values  []float64
}

// Reader returns a reader for one goroutine. Whole files are read fastest in
// the order of the rows; random rows cost little more once their blocks have
// been checked.
func (f *File) Reader() data.Reader { return &reader{f: f, block: blockView{number: -1}} }

// Append appends row i; see data.Reader. It fails, giving the slices back as
// they were, where the row's block is damaged or the file was changed.
func (r *reader) Append(i int, columns []int32, values []float64) (c []int32, v []float64, err error) {
	c, v = columns, values // also if a fault is caught
	f, b := r.f, i>>r.f.shift
	defer f.caught(b, debug.SetPanicOnFault(true), &err)
	if r.calls++; b != r.block.number || r.calls%16 == 0 || f.isClosed.Load() || f.isChanged.Load() {
		if err := f.look(b); err != nil {
			return columns, values, err
		}
		block := f.body(b)
		if err := f.check(&block, headGood|entriesGood); err != nil {
			return columns, values, f.failed(err)
		}
		r.block = block
	}
	x := i - r.block.first
	lo, hi := r.block.start[x], r.block.start[x+1]
	n := int(hi - lo)
	at := len(columns)
	moreColumns, moreValues := slices.Grow(columns, n)[:at+n], slices.Grow(values, n)[:len(values)+n]
	low := r.block.low[lo:hi]
	if f.wide() {
		wideColumns(moreColumns[at:], low, r.block.high[lo:hi])
	} else {
		narrowColumns(moreColumns[at:], low)
	}
	to := moreValues[len(values):]
	switch f.values {
	case Dictionary8:
		lookUp8(to, r.block.value[lo:hi], (*[1 << 8]float64)(f.dictionary))
	case Dictionary16:
		lookUp16(to, view[uint16](r.block.value)[lo:hi], (*[1 << 16]float64)(f.dictionary))
	case Float32:
		fromFloat32(to, view[float32](r.block.value)[lo:hi])
	default:
		copy(to, view[float64](r.block.value)[lo:hi])
	}
	return moreColumns, moreValues, nil
}

// Weighted tells whether the entries have weights.
func (f *File) Weighted() bool { return f.weighted }

// AppendWeights appends those of row i; see data.WeightReader.
func (r *reader) AppendWeights(i int, columns []int32, to []float64) (all []float64, err error) {
	if r.columns, r.values, err = r.Append(i, r.columns[:0], r.values[:0]); err != nil {
		return to, err
	}
	defer r.f.caught(r.block.number, debug.SetPanicOnFault(true), &err)
	at := i - r.block.first
	lo, hi := r.block.start[at], r.block.start[at+1]
	return data.PickWeights(r.columns, r.block.weight[lo:hi], columns, to), nil
}

// Entries returns the number of observed entries of row i. Where that cannot be
// read it is 0, and reading the row fails.
func (f *File) Entries(i int) (n int) {
	b := i >> f.shift
	err := f.guard(b, func() error {
		v, err := f.head(b)
		if err != nil {
			return err
		}
		x := i - v.first
		n = int(v.start[x+1] - v.start[x])
		return nil
	})
	if err != nil {
		return 0
	}
	return n
}

// RowID returns the id of row i.
func (f *File) RowID(i int) (id string, err error) {
	b := i >> f.shift
	err = f.guard(b, func() error {
		v, err := f.head(b)
		if err == nil {
			x := i - v.first
			id = string(v.id[v.offset[x]:v.offset[x+1]])
		}
		return err
	})
	return id, err
}

// head is a block whose rows' ids and lengths are good. What has been checked
// is not looked at again.
func (f *File) head(b int) (v blockView, err error) {
	v = f.body(b)
	if f.touched[b].Load()&headGood == 0 || f.isClosed.Load() || f.isChanged.Load() {
		if err := f.look(b); err != nil {
			return v, err
		}
	}
	return v, f.failed(f.check(&v, headGood))
}

// RowIDs returns the ids of all rows; they are read when first asked for. It is
// nil where they cannot be read, and Err says why.
func (f *File) RowIDs() []string { return f.rowIDs() }

func (f *File) readRowIDs() []string {
	ids := make([]string, 0, f.rows)
	for b := range f.blocks {
		err := f.guard(b, func() error {
			v, err := f.head(b)
			if err != nil {
				return err
			}
			ids = appendText(ids, v.offset, v.id)
			return nil
		})
		if err != nil {
			return nil
		}
	}
	return ids
}

// ColumnIDs returns the ids of all columns; they are read when first asked for.
// It is nil where they cannot be read, and Err says why.
func (f *File) ColumnIDs() []string { return f.columnIDs() }

func (f *File) readColumnIDs() (ids []string) {
	err := f.guard(-1, func() error {
		if err := f.look(-1); err != nil {
			return err
		}
		offsets, text := f.columnText()
		ids = appendText(make([]string, 0, f.columns), offsets, text)
		return nil
	})
	if err != nil {
		return nil
	}
	return ids
}

// appendText appends the strings that stand one after another in text, as one
// copy of it.
func appendText(to []string, offsets []int32, text []byte) []string {
	all := string(text)
	for x := range len(offsets) - 1 {
		to = append(to, all[offsets[x]:offsets[x+1]])
	}
	return to
}

// look makes sure, now and then, that the file is still what was opened.
func (f *File) look(block int) error {
	if f.isClosed.Load() {
		return &data.InputError{File: f.path, Problem: "was closed before it was read", Err: ErrClosed}
	}
	now := int64(time.Since(epoch))
	last := f.lastLook.Load()
	if now-last < int64(lookEvery) && !f.isChanged.Load() {
		return nil
	}
	f.lastLook.Store(now)
	return f.unchanged(block)
}

// unchanged makes sure that the file has the size and time it was opened with.
func (f *File) unchanged(block int) error {
	info, err := f.file.Stat()
	if err == nil && info.Size() == int64(len(f.bytes)) && info.ModTime().Equal(f.modified) && !f.isChanged.Load() {
		return nil
	}
	return f.changed(block)
}

// changed remembers that the file is no longer what was opened: nothing more is read
// from it.
func (f *File) changed(block int) error {
	f.isChanged.Store(true)
	problem := "cannot be read: the file was changed while open"
	if info, err := f.file.Stat(); err == nil && info.Size() < int64(len(f.bytes)) {
		problem = "cannot be read: the file was cut short while open"
	}
	return f.failed(f.blockError(block, ErrChanged, openAgain, problem))
}

// failed remembers the first failure for Err.
func (f *File) failed(err error) error {
	if err != nil {
		kept := err // so that nothing is allocated when there is no error
		f.failure.CompareAndSwap(nil, &kept)
	}
	return err
}

// guard runs read, and makes an error of a fault in the map.
func (f *File) guard(block int, read func() error) (err error) {
	defer f.caught(block, debug.SetPanicOnFault(true), &err)
	return read()
}

// caught is deferred around everything that touches the map. Where the file
// has become shorter than the map, the system answers a read with a fault
// (SIGBUS); a failing disk does so too. The runtime makes a panic of it while
// SetPanicOnFault is on, and caught an error.
func (f *File) caught(block int, before bool, err *error) {
	debug.SetPanicOnFault(before)
	cause := recover()
	if cause == nil {
		return
	}
	fault, ok := cause.(interface{ Addr() uintptr })
	start := uintptr(unsafe.Pointer(unsafe.SliceData(f.bytes)))
	if !ok || fault.Addr() < start || fault.Addr() >= start+uintptr(len(f.bytes)) {
		panic(cause)
	}
	*err = f.changed(block)
}

// Verify reads the whole pack, whatever was read before, and returns the error
// of the first damaged block. progress, if not nil, is called now and then with how
// many of how many bytes are done, by one goroutine at a time.
func (f *File) Verify(ctx context.Context, progress func(done, total int64)) error {
	if err := f.guard(-1, f.verifyDescription); err != nil {
		return f.failed(err)
	}
	var mutex sync.Mutex
	var done int64
	err := parallel.Do(ctx, f.blocks, 0, func(int) func(b int) error {
		return func(b int) error {
			err := f.guard(b, func() error {
				v := f.body(b)
				f.touched[b].Store(0)
				return f.check(&v, headGood|entriesGood)
			})
			mutex.Lock()
			defer mutex.Unlock()
			done += f.records[b+1].offset - f.records[b].offset
			if progress != nil {
				progress(done, int64(len(f.bytes)))
			}
			return f.failed(err)
		}
	})
	if err != nil {
		return err
	}
	return f.unchanged(-1)
}

// verifyDescription checks again what Open has checked.
func (f *File) verifyDescription() error {
	if err := f.look(-1); err != nil {
		return err
	}
	again := &File{path: f.path, bytes: f.bytes}
	return again.load(true, nil)
}
