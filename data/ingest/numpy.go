package ingest

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"optcomplete/data"
	"optcomplete/internal/memory"
	"optcomplete/internal/record"
	"optcomplete/internal/textfile"
)

// What NumPy and SciPy write: .npy, an array, and .npz, a zip archive of arrays,
// which are one matrix or, from scipy.sparse.save_npz, the parts of a sparse one.
// Ids are the indices, from 1, as in Matrix Market.

const (
	npyMagic = "\x93NUMPY"
	zipMagic = "PK\x03\x04"
)

// npy is an array being read.
type npy struct {
	from    io.Reader
	kind    byte // f, i, u, b
	bytes   int  // of a number
	order   binary.ByteOrder
	fortran bool
	shape   []int
	buffer  []byte
}

var (
	npyDescr = regexp.MustCompile(`'descr':\s*'([<>|=])([a-zA-Z])(\d+)'`)
	npyOrder = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	npyShape = regexp.MustCompile(`'shape':\s*\(([\d,\s]*)\)`)
)

// openNpy reads the header of an array (numpy.lib.format, versions 1 to 3).
func openNpy(from io.Reader) (*npy, error) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(from, head); err != nil || string(head[:6]) != npyMagic {
		return nil, errors.New("it does not begin as a NumPy array does")
	}
	size := make([]byte, 2)
	if head[6] > 1 {
		size = make([]byte, 4)
	}
	if _, err := io.ReadFull(from, size); err != nil {
		return nil, err
	}
	length := int(binary.LittleEndian.Uint16(size))
	if len(size) == 4 {
		length = int(binary.LittleEndian.Uint32(size))
	}
	if length > 1<<16 {
		return nil, fmt.Errorf("its header announces %d bytes", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(from, text); err != nil {
		return nil, err
	}
	descr, order, shape := npyDescr.FindSubmatch(text), npyOrder.FindSubmatch(text), npyShape.FindSubmatch(text)
	if descr == nil || order == nil || shape == nil {
		return nil, errors.New("its header is not understood: it must hold numbers")
	}
	a := &npy{from: from, kind: descr[2][0], order: binary.LittleEndian, fortran: string(order[1]) == "True"}
	if descr[1][0] == '>' {
		a.order = binary.BigEndian
	}
	a.bytes, _ = strconv.Atoi(string(descr[3]))
	count := 1
	for _, field := range strings.Split(string(shape[1]), ",") {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		n, err := strconv.Atoi(field)
		if err != nil || n < 0 || n > 0 && count > math.MaxInt/8/n {
			return nil, fmt.Errorf("its shape is (%s)", shape[1])
		}
		a.shape = append(a.shape, n)
		count *= n
	}
	if !slices.Contains([]string{"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1", "S3"}, string(descr[2])+string(descr[3])) {
		return nil, fmt.Errorf("it holds numbers of the type %s%s", descr[2], descr[3])
	}
	a.buffer = make([]byte, 0, a.bytes<<10)
	return a, nil
}

// numbers hands all numbers to take, in the order of the array.
func (a *npy) numbers(take func(v float64) error) error {
	left := 1
	for _, n := range a.shape {
		left *= n
	}
	for left > 0 {
		n := min(left, cap(a.buffer)/a.bytes)
		if err := memory.Check(); err != nil {
			return err
		}
		buffer := a.buffer[:n*a.bytes]
		if _, err := io.ReadFull(a.from, buffer); err != nil {
			return fmt.Errorf("it ends %d numbers early: %w", left, err)
		}
		for at := 0; at < len(buffer); at += a.bytes {
			if err := take(a.number(buffer[at:])); err != nil {
				return err
			}
		}
		left -= n
	}
	return nil
}

func (a *npy) number(b []byte) float64 {
	switch {
	case a.kind == 'f' && a.bytes == 8:
		return math.Float64frombits(a.order.Uint64(b))
	case a.kind == 'f':
		return float64(math.Float32frombits(a.order.Uint32(b)))
	case a.bytes == 1 && a.kind == 'i':
		return float64(int8(b[0]))
	case a.bytes == 1:
		return float64(b[0])
	case a.bytes == 2 && a.kind == 'i':
		return float64(int16(a.order.Uint16(b)))
	case a.bytes == 2:
		return float64(a.order.Uint16(b))
	case a.bytes == 4 && a.kind == 'i':
		return float64(int32(a.order.Uint32(b)))
	case a.bytes == 4:
		return float64(a.order.Uint32(b))
	case a.kind == 'i':
		return float64(int64(a.order.Uint64(b)))
	}
	return float64(a.order.Uint64(b))
}

// triples hands entries by indices, from 0, to the pipe, as a table of row, column and
// value. What is not a number is no entry.
type triples struct {
	in            *input
	p             *pipe
	rows, columns []int64
	values        []float64
	note          string
}

func (t *triples) add(row, column int, value float64) error {
	if math.IsNaN(value) {
		return nil
	}
	if math.IsInf(value, 0) {
		return fault(t.in.name, 0, fmt.Sprintf("the value in row %d, column %d is not a finite number", row+1, column+1), "write NaN for what is missing")
	}
	t.rows, t.columns, t.values = append(t.rows, int64(row)+1), append(t.columns, int64(column)+1), append(t.values, value)
	if len(t.values) >= recordRows {
		return t.flush()
	}
	return nil
}

func (t *triples) flush() error {
	if len(t.values) == 0 {
		return nil
	}
	b, err := t.p.next()
	if err != nil {
		return err
	}
	b.vectors = []record.Vector{{Kind: record.Int, Ints: t.rows}, {Kind: record.Int, Ints: t.columns}, {Kind: record.Float, Floats: t.values}}
	b.parse, b.note, t.note = (*worker).parseRecord, t.note, ""
	t.rows, t.columns, t.values = nil, nil, nil
	return t.p.emit(t.in, b)
}

// readNumpy hands the entries of a .npy or .npz file to the pipe.
func (in *input) readNumpy(p *pipe) error {
	file, err := os.Open(in.path)
	if err != nil {
		return textfile.OpenError(in.path, err)
	}
	defer file.Close()
	to := &triples{in: in, p: p}
	if in.format == Npy {
		err = in.dense(bufio.NewReaderSize(&counted{file, p}, 1<<20), to)
	} else {
		err = in.archive(file, to)
	}
	if err == nil {
		err = to.flush()
	}
	var known *data.InputError
	if err == nil || errors.As(err, &known) || p.ctx.Err() != nil {
		return err
	}
	return in.damaged(err)
}

// dense reads a matrix that is written whole.
func (in *input) dense(from io.Reader, to *triples) error {
	a, err := openNpy(from)
	if err != nil {
		return err
	}
	if len(a.shape) != 2 || a.kind == 'S' {
		return fault(in.name, 0, fmt.Sprintf("holds an array of %s, not a matrix", textfile.Counted(len(a.shape), "dimension")), "write a matrix of rows × columns, with NaN for what is missing")
	}
	to.note = fmt.Sprintf("%s is read as a matrix of %d × %d: the ids are the indices, from 1, and NaN is no entry", in.name, a.shape[0], a.shape[1])
	if a.shape[1] == 3 && a.shape[0] > 3 {
		to.note += "; if its columns are row, column and value, write them as CSV or Parquet"
	}
	at := 0
	return a.numbers(func(v float64) error {
		row, column := at/max(a.shape[1], 1), at%max(a.shape[1], 1)
		if a.fortran {
			row, column = at%a.shape[0], at/a.shape[0]
		}
		at++
		return to.add(row, column, v)
	})
}

// archive reads a .npz file.
func (in *input) archive(file *os.File, to *triples) error {
	z, err := zip.NewReader(file, in.size)
	if err != nil {
		return err
	}
	parts := map[string]*zip.File{}
	for _, f := range z.File {
		parts[strings.TrimSuffix(f.Name, ".npy")] = f
	}
	if parts["data"] == nil || parts["shape"] == nil {
		if len(z.File) == 1 && strings.HasSuffix(z.File[0].Name, ".npy") {
			one, err := z.File[0].Open()
			if err != nil {
				return err
			}
			defer one.Close()
			return in.dense(bufio.NewReaderSize(one, 1<<20), to)
		}
		return fault(in.name, 0, "is an archive without a sparse matrix", "write the matrix with scipy.sparse.save_npz, or one array alone with numpy.savez")
	}
	return in.sparse(parts, to)
}

// sparse reads what scipy.sparse.save_npz writes of CSR, CSC and COO matrices.
func (in *input) sparse(parts map[string]*zip.File, to *triples) error {
	whole := func(name string) ([]int, error) {
		values, err := partOf(parts, name)
		if err != nil {
			return nil, err
		}
		out := make([]int, len(values))
		for x, v := range values {
			if out[x] = int(v); float64(out[x]) != v || v < 0 {
				return nil, fmt.Errorf("its part %s has the number %v", name, v)
			}
		}
		return out, nil
	}
	shape, err := whole("shape")
	if err != nil {
		return err
	}
	if len(shape) != 2 {
		return fmt.Errorf("its shape has %s", textfile.Counted(len(shape), "number"))
	}
	values, err := partOf(parts, "data")
	if err != nil {
		return err
	}
	var rows, columns []int
	switch {
	case parts["row"] != nil && parts["col"] != nil:
		if rows, err = whole("row"); err == nil {
			columns, err = whole("col")
		}
	case parts["indices"] != nil && parts["indptr"] != nil:
		var starts []int
		if columns, err = whole("indices"); err != nil {
			return err
		}
		if starts, err = whole("indptr"); err != nil {
			return err
		}
		for i := 1; i < len(starts); i++ {
			if starts[i] < starts[i-1] || starts[i] > len(columns) {
				return errors.New("the beginnings of its rows do not rise")
			}
			for range starts[i] - starts[i-1] {
				rows = append(rows, i-1)
			}
		}
		if format, _ := textOf(parts["format"]); format == "csc" || format == "" && len(starts) == shape[1]+1 && shape[0] != shape[1] {
			rows, columns = columns, rows
		}
	default:
		return fault(in.name, 0, "holds a sparse matrix of another kind than CSR, CSC or COO", "convert it with .tocsr() first")
	}
	if err != nil {
		return err
	}
	if len(rows) != len(values) || len(columns) != len(values) {
		return fmt.Errorf("it has %d values, %d rows and %d columns", len(values), len(rows), len(columns))
	}
	to.note = fmt.Sprintf("%s is read as a sparse matrix of %d × %d: the ids are the indices, from 1, and what is stored is an entry, zeros too", in.name, shape[0], shape[1])
	for x, v := range values {
		if rows[x] >= shape[0] || columns[x] >= shape[1] {
			return fmt.Errorf("an entry is in row %d, column %d of a matrix of %d × %d", rows[x]+1, columns[x]+1, shape[0], shape[1])
		}
		if err := to.add(rows[x], columns[x], v); err != nil {
			return err
		}
	}
	return nil
}

// partOf reads an array of an archive, of at most one dimension.
func partOf(parts map[string]*zip.File, name string) ([]float64, error) {
	from, err := parts[name].Open()
	if err != nil {
		return nil, err
	}
	defer from.Close()
	a, err := openNpy(bufio.NewReaderSize(from, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("its part %s: %w", name, err)
	}
	if len(a.shape) > 1 || a.kind == 'S' {
		return nil, fmt.Errorf("its part %s is no list of numbers", name)
	}
	var out []float64
	if err := a.numbers(func(v float64) error { out = append(out, v); return nil }); err != nil {
		return nil, fmt.Errorf("its part %s: %w", name, err)
	}
	return out, nil
}

// textOf is the three letters of an archive's part, such as csr.
func textOf(part *zip.File) (string, error) {
	if part == nil {
		return "", nil
	}
	from, err := part.Open()
	if err != nil {
		return "", err
	}
	defer from.Close()
	all, err := io.ReadAll(io.LimitReader(from, 1<<12))
	if err != nil || len(all) < 3 {
		return "", err
	}
	return string(all[len(all)-3:]), nil
}
