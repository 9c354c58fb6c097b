package engine

import (
	"context"
	"crypto/rand"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	_ "optcomplete/data/arrowfile" // what arrives is Arrow
	"optcomplete/engine/internal/connect"
	"optcomplete/internal/textfile"
)

// Table is a table that Spark's own readers can read.
type Table struct {
	Path      string // on HDFS, an object store, or a disk that the executors see; * is allowed
	Format    string // parquet or csv
	Delimiter string // of csv; empty: a comma
}

// TableOf is the table of a path, by its extension unless a format is given.
func TableOf(path, format, delimiter string) (Table, error) {
	t := Table{Path: path, Format: format, Delimiter: delimiter}
	if !strings.Contains(path, "://") {
		var err error
		if t.Path, err = filepath.Abs(path); err != nil {
			return t, err
		}
	}
	if format == "" {
		name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), "/")
		t.Format = strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(name, "*")), ".")
	}
	switch t.Format {
	case "tsv", "tab":
		t.Format = "csv"
		if t.Delimiter == "" {
			t.Delimiter = "\t"
		}
	case "csv", "parquet":
	default:
		return t, fmt.Errorf("the cluster reads Parquet and CSV, and %s is neither (name it with Settings.Format)", path)
	}
	return t, nil
}

// Connect begins a session that runs no programs yet: for Copy and Pack.
func Connect(ctx context.Context, settings Settings) (*Spark, error) {
	if strings.HasPrefix(settings.Address, commandScheme) {
		return nil, errors.New("a command reads no tables: name a Spark Connect server (sc://HOST:PORT)")
	}
	s, err := begin(ctx, settings)
	if err != nil {
		return nil, err
	}
	if err := s.greet(ctx); err != nil {
		s.Close()
		return nil, s.explain(ctx, err)
	}
	return s, nil
}

// Copy reads a table on the cluster and writes it: Parquet as a stream of Arrow, CSV as
// CSV.
func (s *Spark) Copy(ctx context.Context, t Table, to io.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	view, _, err := s.view(ctx, t)
	if err != nil {
		return s.explain(ctx, err)
	}
	write, end := arrowTo(to)
	if t.Format == "csv" {
		write, end = csvTo(to)
	}
	var broken error // of writing
	err = s.session.Query(ctx, "SELECT * FROM "+view, func(r arrow.RecordBatch) error {
		broken = write(r)
		return broken
	})
	_, s.Stats.Received = s.session.Bytes()
	switch {
	case broken != nil:
		return broken
	case err != nil:
		return s.explain(ctx, err)
	}
	return end()
}

// view makes a view of a table and gives its name, and its columns. CSV is read as our own
// reader reads it: quotes are doubled inside quotes, what is not quoted is trimmed, and
// lines that do not fit the header, or a file with another header, are errors.
func (s *Spark) view(ctx context.Context, t Table) (view string, schema *arrow.Schema, err error) {
	s.views++
	view = fmt.Sprintf("optcomplete_%s_%d", strings.ReplaceAll(s.session.ID, "-", ""), s.views)
	options := "path '" + quoted(t.Path) + "'"
	if t.Format == "csv" {
		// Spark looks at whole lines only if all columns are wanted.
		if err := s.session.Command(ctx, "SET spark.sql.csv.parser.columnPruning.enabled=false"); err != nil {
			return "", nil, err
		}
		options += `, header 'true', escape '"', ignoreLeadingWhiteSpace 'true', ignoreTrailingWhiteSpace 'true', mode 'FAILFAST', enforceSchema 'false'`
		if t.Delimiter != "" {
			options += ", sep '" + quoted(t.Delimiter) + "'"
		}
	}
	if err := s.session.Command(ctx, fmt.Sprintf("CREATE TEMPORARY VIEW %s USING %s OPTIONS (%s)", view, t.Format, options)); err != nil {
		return "", nil, err
	}
	err = s.session.Query(ctx, "SELECT * FROM "+view+" LIMIT 0", func(r arrow.RecordBatch) error {
		schema = r.Schema()
		return nil
	})
	if err != nil || schema == nil {
		return view, nil, errors.Join(err, ctx.Err())
	}
	if header := schema.Field(0).Name; t.Format == "csv" && t.Delimiter == "" && schema.NumFields() == 1 {
		if found := textfile.DetectDelimiter([]byte(header), 3); strings.IndexByte(header, found) >= 0 {
			t.Delimiter = string(rune(found))
			return s.view(ctx, t)
		}
	}
	return view, schema, nil
}

// arrowTo writes batches as one stream of Arrow.
func arrowTo(to io.Writer) (write func(arrow.RecordBatch) error, end func() error) {
	var out *ipc.Writer
	return func(r arrow.RecordBatch) error {
			if out == nil {
				out = ipc.NewWriter(to, ipc.WithSchema(r.Schema()))
			}
			return out.Write(r)
		}, func() error {
			if out == nil {
				return nil
			}
			return out.Close()
		}
}

// csvTo writes batches of texts as CSV, so that values are understood as those of a file.
func csvTo(to io.Writer) (write func(arrow.RecordBatch) error, end func() error) {
	out := csv.NewWriter(to)
	var record []string
	return func(r arrow.RecordBatch) error {
			if record == nil {
				for _, f := range r.Schema().Fields() {
					record = append(record, f.Name)
				}
				if err := out.Write(record); err != nil {
					return err
				}
			}
			for x := range int(r.NumRows()) {
				for c := range record {
					if record[c] = ""; !r.Column(c).IsNull(x) {
						record[c] = r.Column(c).ValueStr(x)
					}
				}
				if err := out.Write(record); err != nil {
					return err
				}
			}
			return nil
		}, func() error {
			out.Flush()
			return out.Error()
		}
}

// quoted is a text between single quotes in SQL.
func quoted(text string) string {
	return strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\t", `\t`).Replace(text)
}

// begin is a session of which the server knows nothing yet.
func begin(ctx context.Context, settings Settings) (*Spark, error) {
	s := &Spark{settings: settings, hurry: ctx.Done(), shared: map[string]bool{}, sent: map[string]bool{}, workers: map[string]int{}, decides: decider{kinds: map[string]Kind{}, said: map[string]bool{}}}
	s.Cluster.Tasks = settings.Tasks
	s.key = make([]byte, 32)
	rand.Read(s.key)
	if text, ok := strings.CutPrefix(settings.Address, commandScheme); ok {
		s.Cluster.Address, s.Cluster.Spark = settings.Address, "none: a command"
		var err error
		if s.command, err = startCommand(text, settings.Folder, settings.Program); err == nil {
			err = s.put(context.Background(), keyFile, s.key)
		}
		return s, err
	}
	address, err := connect.ParseAddress(settings.Address)
	if err != nil {
		return nil, err
	}
	s.session = s.newSession(address)
	s.Cluster.Address = address.String()
	s.program = "optcomplete-" + s.session.ID
	return s, nil
}

// put sends a file to the executors.
func (s *Spark) put(ctx context.Context, name string, content []byte) error {
	if s.command != nil {
		return s.command.send(name, content)
	}
	return s.session.Send(ctx, name, content)
}

// bytes is how many were sent and received.
func (s *Spark) bytes() (sent, received int64) {
	if s.command != nil {
		return s.command.sent, s.command.got
	}
	return s.session.Bytes()
}
