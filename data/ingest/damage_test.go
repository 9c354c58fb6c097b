package ingest

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"optcomplete/internal/must"
)

// announced is a Parquet file of 40 entries whose footer, and whose header of the
// first page of values, were changed.
func announced(t *testing.T, footer func(*format.FileMetaData), page func(*format.PageHeader)) []byte {
	t.Helper()
	var rows, columns []string
	var values []int64
	for i := range 40 {
		rows, columns, values = append(rows, string(rune('a'+i/10))), append(columns, string(rune('A'+i%10))), append(values, int64(i))
	}
	content := []byte(parquetFile(t, []string{"row", "column", "value"}, texts(rows...), texts(columns...), whole(values...)))
	compact := &thrift.CompactProtocol{}
	size := int(binary.LittleEndian.Uint32(content[len(content)-8:]))
	body := content[:len(content)-8-size]
	var meta format.FileMetaData
	must.Do(t, thrift.Unmarshal(compact, content[len(body):len(body)+size], &meta))
	last := &meta.RowGroups[0].Columns[2].MetaData
	if page != nil {
		at := last.DataPageOffset
		from := bytes.NewReader(body[at:])
		var header format.PageHeader
		must.Do(t, thrift.NewDecoder(compact.NewReader(from)).Decode(&header))
		rest := must.Get(io.ReadAll(from))(t)
		page(&header)
		changed := must.Get(thrift.Marshal(compact, &header))(t)
		longer := int64(len(changed)+len(rest)) - int64(len(body[at:]))
		body = append(append(bytes.Clone(body[:at]), changed...), rest...)
		last.TotalCompressedSize += longer
	}
	if footer != nil {
		footer(&meta)
	}
	text := must.Get(thrift.Marshal(compact, &meta))(t)
	return append(binary.LittleEndian.AppendUint32(append(bytes.Clone(body), text...), uint32(len(text))), "PAR1"...)
}

// TestAnnouncedSizesAreCheckedAgainstTheFile: small Parquet files that announce
// much are errors that name the file, and no memory is taken for what they announce.
func TestAnnouncedSizesAreCheckedAgainstTheFile(t *testing.T) {
	value := func(m *format.FileMetaData) *format.ColumnMetaData { return &m.RowGroups[0].Columns[2].MetaData }
	for name, c := range map[string]struct {
		footer func(*format.FileMetaData)
		page   func(*format.PageHeader)
	}{
		"nothing":         {},
		"rows":            {footer: func(m *format.FileMetaData) { m.NumRows = 1 << 50 }},
		"rows of a group": {footer: func(m *format.FileMetaData) { m.RowGroups[0].NumRows = 1 << 50 }},
		"rows everywhere": {footer: func(m *format.FileMetaData) {
			m.NumRows, m.RowGroups[0].NumRows, value(m).NumValues = 1<<50, 1<<50, 1<<50
		}},
		"values":             {footer: func(m *format.FileMetaData) { value(m).NumValues = 1 << 50 }},
		"bytes of a column":  {footer: func(m *format.FileMetaData) { value(m).TotalCompressedSize = 1 << 50 }},
		"less than nothing":  {footer: func(m *format.FileMetaData) { value(m).TotalCompressedSize = -5 }},
		"place of a page":    {footer: func(m *format.FileMetaData) { value(m).DataPageOffset = 1 << 50 }},
		"children":           {footer: func(m *format.FileMetaData) { m.Schema[0].NumChildren.V = 1 << 30 }},
		"unpacked page":      {page: func(h *format.PageHeader) { h.UncompressedPageSize = 1<<31 - 1 }},
		"packed page":        {page: func(h *format.PageHeader) { h.CompressedPageSize = 1<<31 - 1 }},
		"page below nothing": {page: func(h *format.PageHeader) { h.UncompressedPageSize = -1 << 31 }},
		"values of a page":   {page: func(h *format.PageHeader) { h.DataPageHeader.V.NumValues = 1<<31 - 1 }},
	} {
		path := filepath.Join(t.TempDir(), "r.parquet")
		must.Do(t, os.WriteFile(path, announced(t, c.footer, c.page), 0o666))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, _, err := Ratings(context.Background(), []string{path}, Settings{})
		runtime.ReadMemStats(&after)
		if asked := after.TotalAlloc - before.TotalAlloc; asked > 128<<20 {
			t.Errorf("%s: %d MB were asked for", name, asked>>20)
		}
		switch {
		case name == "nothing" && (err != nil || got.Observed() != 40):
			t.Fatalf("%v, %v", got, err)
		case name != "nothing" && (err == nil || !strings.Contains(err.Error(), path)):
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestWhatIsNotReadIsNotCalledDamaged: the error says what to do instead.
func TestWhatIsNotReadIsNotCalledDamaged(t *testing.T) {
	signed := announced(t, func(m *format.FileMetaData) { m.EncryptionAlgorithm.Value = &format.AesGcmV1{} }, nil)
	end := len(signed) - 8
	size := binary.LittleEndian.Uint32(signed[end:]) + 28
	signed = append(binary.LittleEndian.AppendUint32(append(signed[:end:end], make([]byte, 28)...), size), "PAR1"...)
	sealed := announced(t, nil, nil)
	copy(sealed, "PARE\x50\x00\x00\x00") // and the length of what is encrypted
	copy(sealed[len(sealed)-4:], "PARE")
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"sealed": {sealed, "the file is encrypted (write it without encryption)"},
		"signed": {signed, "the file is encrypted (write it without encryption)"},
		"times": {announced(t, func(m *format.FileMetaData) {
			e := &m.Schema[3]
			*e = format.SchemaElement{Name: e.Name, Type: e.Type, RepetitionType: e.RepetitionType}
			e.Type.V = format.Int96
		}, nil), `column "value" holds times of the type INT96, which are not read as times (write the column as a timestamp)`},
		"old LZ4": {announced(t, func(m *format.FileMetaData) { m.RowGroups[0].Columns[2].MetaData.Codec = format.Lz4 }, nil),
			`column "value": it is compressed by LZ4, which is not known here (write the file with another compression: zstd, snappy, gzip, brotli or LZ4_RAW)`},
	} {
		path := filepath.Join(t.TempDir(), "r.parquet")
		must.Do(t, os.WriteFile(path, c.content, 0o666))
		if _, _, err := Ratings(context.Background(), []string{path}, Settings{}); err == nil || err.Error() != path+": "+c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "r.csv")
	must.Do(t, os.WriteFile(path, []byte("PARENT,column,value\na,b,1\na,c,2\n"), 0o666))
	if got, _, err := Ratings(context.Background(), []string{path}, Settings{RowName: "PARENT"}); err != nil || got.Observed() != 2 {
		t.Errorf("a text: %v, %v", got, err)
	}
}

// TestDamagedNotesOfArrow reads the files that took all memory once, where they are
// at hand beside the checkout. What is damaged in them is a note of another program
// about its own types; the values are whole, and Arrow's C++ reader gives the same
// once the note is out of its way.
func TestDamagedNotesOfArrow(t *testing.T) {
	var last []string
	for _, name := range []string{"pq_panic_gzip_1.parquet", "pq_panic_none_1.parquet"} {
		path := filepath.Join("..", "..", "..", "shared", "cases", name)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("no %s here", path)
		}
		got, _, err := Ratings(context.Background(), []string{path}, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		all, sum := cells(got), 0.0
		for i := range got.RowIDs {
			_, values := got.Matrix().Row(i)
			for _, v := range values {
				sum += v
			}
		}
		if len(all) != 200 || sum != 594 || last != nil && !slices.Equal(all, last) {
			t.Errorf("%s: %v, not %v", name, all, last)
		}
		last = all
	}
}
