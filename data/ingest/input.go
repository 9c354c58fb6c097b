package ingest

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"optcomplete/data/pack"
	"optcomplete/internal/record"
	"optcomplete/internal/textfile"
)

// The formats. MovieLens is the form of u.data and ratings.dat; its ratings.csv
// is a CSV file too.
const (
	CSV          = "csv"
	TSV          = "tsv"
	Parquet      = "parquet"
	Arrow        = "arrow"
	MatrixMarket = "mtx"
	Netflix      = "netflix"
	MovieLens    = "movielens"
	Packed       = "pack"
	Npy          = "npy"
	Npz          = "npz"
	Wide         = "wide" // a line for each row, a field for each column

	escaped = "escaped" // what PackPart takes
)

// Formats are the names that Settings.Format may have: texts, and those of binaries.
var Formats = []string{CSV, TSV, MatrixMarket, Netflix, MovieLens, Wide}

// notText is a format that is no text.
type notText struct {
	name   string
	called string                                      // in errors
	is     func(head []byte, path string) bool         // by its first bytes
	read   func(in *input, p *pipe) error              // a file; nil: as a stream
	stream func(in *input, r io.Reader, p *pipe) error // nil: it is read from files alone
}

// binaries are those formats; the first that a file is counts.
var binaries []notText

func init() {
	binaries = []notText{
		{Parquet, "Parquet", func(head []byte, _ string) bool { return record.IsParquet(head) }, (*input).readParquet, nil},
		{Packed, "a pack", func(head []byte, _ string) bool { return pack.IsPack(head) }, (*input).readPack, nil}, // before Arrow, which a pack is too
		{Arrow, "Arrow", func(head []byte, _ string) bool { return record.IsArrow(head) }, nil, (*input).readArrow},
		{Npy, "a NumPy array", func(head []byte, _ string) bool { return bytes.HasPrefix(head, []byte(npyMagic)) }, (*input).readNumpy, nil},
		{Npz, "a NumPy archive", func(head []byte, path string) bool {
			return bytes.HasPrefix(head, []byte(zipMagic)) && strings.HasSuffix(strings.ToLower(path), ".npz")
		}, (*input).readNumpy, nil},
	}
	for _, b := range binaries {
		Formats = append(Formats, b.name)
	}
}

// binaryOf is the format of that name, or that a file begins like; nil: none is.
func binaryOf(is func(b *notText) bool) *notText {
	for x := range binaries {
		if is(&binaries[x]) {
			return &binaries[x]
		}
	}
	return nil
}

// binary is the format of the file, if it is no text.
func (in *input) binary() *notText {
	return binaryOf(func(b *notText) bool { return b.name == in.format })
}

// unnumbered tells that the entries of the file have no lines or records.
func (in *input) unnumbered() bool {
	return in.format == Packed || in.format == Npy || in.format == Npz
}

// input is one file of the input.
type input struct {
	path   string
	from   io.Reader // standard input, in place of the path
	name   string    // for errors
	format string    // empty until the text shows it
	size   int64     // 0 if not known
	layout layout
	asWide bool // --format wide, of a file that is no text
	part   bool // of a table: it may have no entries
	texts  bool // it has the texts of the table
	packed *packed

	columnNames []string // tables by columns: of those that are read

	weight weightColumn // of its entries

	// Of the merging goroutine.
	lines, given int
	columns      []int32 // packs: numbers of its columns
	noted        bool    // how the table is understood was said
	said         bool    // that some of its values are yes or no
}

// expand lists the files that the paths name: folders become what is in them.
func expand(paths []string, s *Settings) ([]*input, error) {
	var out []*input
	for _, path := range paths {
		found, err := expandOne(path, s.Format)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

func expandOne(path, format string) ([]*input, error) {
	if path == "-" {
		in := &input{from: os.Stdin, name: textfile.StdinName, format: format}
		if b := in.binary(); b != nil && b.stream == nil {
			return nil, notStreamed(format)
		}
		return []*input{in}, nil
	}
	if content, ok := textfile.InMemory(path); ok {
		in := &input{path: path, name: path, format: format, size: int64(len(content))}
		if format == "" && record.IsArrow(content) {
			in.format = Arrow
		}
		return []*input{in}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, textfile.OpenError(path, err)
	}
	if info.IsDir() && pack.IsFolder(path) {
		return expandShards(path)
	}
	if info.IsDir() {
		return expandFolder(path, format)
	}
	in := &input{path: path, name: path, format: format}
	if info.Mode().IsRegular() {
		in.size = info.Size()
	}
	if format == "" || format == Wide {
		if in.format, err = binaryFormat(path, info); err != nil {
			return nil, err
		}
		in.asWide = format == Wide && in.format != ""
		in.format = cmp.Or(in.format, format)
	}
	return []*input{in}, nil
}

func notStreamed(format string) error {
	return fault(textfile.StdinName, 0, "a file of the format "+format+" cannot be read from standard input", "write it to a file and name that")
}

// What a folder may hold, in the order of preference.
var folders = []struct {
	format  string
	pattern *regexp.Regexp
}{
	{Netflix, regexp.MustCompile(`^mv_\d+\.txt(\.gz|\.zst)?$`)},
	{Netflix, regexp.MustCompile(`^combined_data_\d+\.txt(\.gz|\.zst)?$`)},
	{Parquet, regexp.MustCompile(`^[^._].*\.(parquet|parq|pq)$`)},
	{MovieLens, regexp.MustCompile(`^u\.data$`)},
	{MovieLens, regexp.MustCompile(`^ratings\.dat(\.gz|\.zst)?$`)},
	{CSV, regexp.MustCompile(`^ratings?\.csv(\.gz|\.zst)?$`)},
}

// Belongs tells whether a file of this name in a folder of ratings may be a part
// of them.
func Belongs(name string) bool {
	for _, f := range folders {
		if f.pattern.MatchString(name) {
			return true
		}
	}
	return false
}

// expandShards lists the packs of a folder of packs, in the order of their rows.
func expandShards(folder string) (all []*input, err error) {
	shards, err := pack.OpenShards(folder) // which checks that they belong together
	if err != nil {
		return nil, err
	}
	defer shards.Close()
	for _, shard := range shards.Manifest.Shards {
		path := filepath.Join(folder, shard.File)
		all = append(all, &input{path: path, name: path, format: Packed, size: shard.Bytes})
	}
	return all, nil
}

// expandFolder lists the files in a folder that belong together, by name.
// Folders of Parquet parts may be nested.
func expandFolder(folder, format string) ([]*input, error) {
	found := make([][]*input, len(folders))
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		for x, f := range folders {
			flat := filepath.Dir(path) == filepath.Clean(folder)
			if !f.pattern.MatchString(e.Name()) || format != "" && format != f.format || !flat && f.format != Parquet {
				continue
			}
			info, err := os.Stat(path) // follows a link
			if err != nil {
				return err
			}
			found[x] = append(found[x], &input{path: path, name: path, format: f.format, size: info.Size()})
		}
		return nil
	})
	if err != nil {
		return nil, textfile.OpenError(folder, err)
	}
	for _, list := range found {
		if len(list) > 0 {
			return list, nil
		}
	}
	if err := pack.Unlisted(folder); err != nil {
		return nil, err
	}
	return nil, fault(folder, 0, "is a folder without ratings that are known",
		"it may hold parts (*.parquet), the Netflix Prize files (mv_*.txt or combined_data_*.txt) or a MovieLens set (u.data, ratings.dat, ratings.csv); else name the files in it")
}

// headBytes is what shows a format that is no text.
const headBytes = 512

// binaryFormat tells the formats that are no text from a file's first bytes.
// Nothing is read of what is no regular file: it would be lost.
func binaryFormat(path string, info fs.FileInfo) (string, error) {
	if !info.Mode().IsRegular() {
		return "", nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", textfile.OpenError(path, err)
	}
	defer file.Close()
	head := make([]byte, headBytes)
	n, _ := io.ReadFull(file, head)
	if b := binaryOf(func(b *notText) bool { return b.is(head[:n], path) }); b != nil {
		return b.name, nil
	}
	return "", nil
}

var (
	netflixFirst = regexp.MustCompile(`^\s*\S+:$`)
	colonsFirst  = regexp.MustCompile(`^[^:]+::[^:]+::[^:]+(::[^:]*)?$`)
	fourNumbers  = regexp.MustCompile(`^\d+\t\d+\t[\d.]+\t\d+$`)
	lensName     = regexp.MustCompile(`^u(\d|a|b)?\.(data|base|test)(\.gz|\.zst)?$`)
)

// textFormat tells the format of a text from its name and first line.
func textFormat(name string, line []byte) string {
	switch {
	case bytes.HasPrefix(bytes.ToLower(line), []byte("%%matrixmarket")):
		return MatrixMarket
	case netflixFirst.Match(line) && bytes.IndexByte(line, ',') < 0:
		return Netflix
	case colonsFirst.Match(line) && bytes.IndexByte(line, ',') < 0:
		return MovieLens
	case lensName.MatchString(filepath.Base(name)) && fourNumbers.Match(line):
		return MovieLens
	case strings.HasSuffix(name, ".tsv"):
		return TSV
	}
	return CSV
}

// parser is how the lines of a text are taken.
func (in *input) parser() func(*worker, *batch) {
	switch in.format {
	case Netflix:
		return (*worker).parseNetflix
	case MatrixMarket:
		return (*worker).parseMatrixMarket
	case Wide:
		return (*worker).parseWide
	case escaped:
		return (*worker).parseEscaped
	}
	return (*worker).parseDelimited
}

// finish checks a file that has come to its end.
func (in *input) finish() error {
	switch {
	case in.format == MatrixMarket && in.given != in.layout.entries:
		return fault(in.name, 0, fmt.Sprintf("holds %d entries, but its header announces %d", in.given, in.layout.entries), "check that the file is complete")
	case in.given > 0 || in.part || in.binary() != nil || in.format == MatrixMarket || in.format == Netflix && in.lines > 0:
		return nil
	case in.layout.header:
		return fault(in.name, 0, "has a header but no entries", "")
	}
	return fault(in.name, 0, "is empty", "it must hold lines of row, column, value")
}

// read hands the file to the pipe in batches.
func (in *input) read(p *pipe) error {
	if fault := in.checkColumns(p.settings); fault != nil {
		return fault
	}
	in.weight = weightColumn{} // until its header says so
	if b := in.binary(); b != nil && b.read != nil {
		return b.read(in, p)
	}
	if in.from != nil {
		return in.readStream(textfile.Interruptible(p.ctx, in.from), p)
	}
	return textfile.WithFile(p.ctx, in.path, func(r io.Reader, _ string) error { return in.readStream(r, p) })
}

func (in *input) readStream(r io.Reader, p *pipe) error {
	if in.format == "" && in.size == 0 { // a pipe: what it holds shows only now
		buffered := bufio.NewReaderSize(r, headBytes)
		r = buffered
		head, _ := buffered.Peek(headBytes)
		if b := binaryOf(func(b *notText) bool { return b.is(head, in.name) }); b != nil {
			if b.stream == nil {
				return notStreamed(b.name)
			}
			in.format = b.name
		}
	}
	if b := in.binary(); b != nil {
		return b.stream(in, r, p)
	}
	return in.readText(&counted{r, p}, p)
}

// counted counts what is read of the input.
type counted struct {
	from io.Reader
	p    *pipe
}

func (c *counted) Read(buffer []byte) (int, error) {
	n, err := c.from.Read(buffer)
	c.p.bytes += int64(n)
	return n, err
}
