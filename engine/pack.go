package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/data/pack"
	"optcomplete/engine/internal/connect"
	"optcomplete/internal/lists"
	"optcomplete/internal/progress"
	"optcomplete/internal/shards"
	"optcomplete/pass"
)

// Pack packs tables on the cluster, into a folder of packs of about so many bytes, with
// the bytes of a folder that was packed here. Spark reads the tables and brings all
// entries of a row to one task, whose worker packs its rows; workers then write the shards
// of those packs, and this process puts them in their places, the manifest last. Every
// attempt of a task writes a file of its own.
//
// Not empty, why tells why it cannot be done there: the tables are to be copied here.
func (s *Spark) Pack(ctx context.Context, tables []Table, output string, bytes int64, threads int, settings ingest.Settings) (done *ingest.Packing, why string, err error) {
	switch {
	case settings.Duplicates != ingest.Refuse:
		return nil, "duplicates are merged by one process", nil
	case settings.Float32:
		return nil, "rounded values are listed by one process", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.settings.Program == "" {
		if s.settings.Program, err = os.Executable(); err != nil {
			return nil, "", err
		}
	}
	if err := s.join(ctx); err != nil {
		var from *connect.Error
		if again(err) && errors.As(err, &from) {
			return nil, s.explain(ctx, err).Error(), ctx.Err()
		}
		return nil, "", s.explain(ctx, err)
	}
	sql, order, why, err := s.entries(ctx, tables, settings)
	if err != nil || why != "" {
		return nil, why, s.explain(ctx, err)
	}
	folder, err := shards.Create(output)
	if err != nil {
		return nil, "", err
	}
	defer folder.Close()
	order.To = folder.Writer
	parts, err := s.packParts(ctx, sql, order)
	var missing *missingError
	if errors.As(err, &missing) {
		return nil, "the executors do not see the folder of " + output + ", or may not write there", nil
	}
	if err != nil {
		return nil, "", s.explain(ctx, err)
	}
	return s.packShards(ctx, parts, order, folder, output, bytes, threads, settings)
}

// packOrder is what Worker.Pack is told.
type packOrder struct {
	To          shards.Writer
	Texts       bool   // the entries come from CSV
	Table       string // for errors
	Missing     []string
	Columns     []string
	DropUnknown bool
	Weight      string // see ingest.TableColumns
}

func (o *packOrder) settings() ingest.Settings {
	return ingest.Settings{Missing: o.Missing, Columns: o.Columns, DropUnknown: o.DropUnknown}.WithWeight(o.Weight)
}

// packedPart is what a worker has packed.
type packedPart struct {
	ingest.Part
	File     string // in the folder; empty: there were no entries
	Checksum string
}

// entries is SQL for the entries of all tables, with all those of a row in one task.
func (s *Spark) entries(ctx context.Context, tables []Table, settings ingest.Settings) (sql string, o *packOrder, why string, err error) {
	o = &packOrder{Texts: tables[0].Format == "csv", Missing: settings.Missing, Columns: settings.Columns, DropUnknown: settings.DropUnknown}
	var paths, selects []string
	for x, t := range tables {
		paths = append(paths, t.Path)
		if (t.Format == "csv") != o.Texts {
			return "", nil, "the tables are Parquet and CSV", nil
		}
		view, schema, err := s.view(ctx, t)
		if err != nil {
			return "", nil, "", err
		}
		if schema == nil {
			return "", nil, "Spark does not tell the columns of " + t.Path, nil
		}
		names := lists.Each(schema.Fields(), func(f arrow.Field) string { return f.Name })
		columns, ok, err := ingest.FindColumns(t.Path, names, settings)
		if err != nil {
			return "", nil, "", err
		}
		if !ok {
			return "", nil, "the names of its columns do not tell which are the row, the column and the value of " + t.Path, nil
		}
		if x > 0 && columns.Weight != o.Weight {
			return "", nil, "the tables do not have the same columns beside row, column and value", nil
		}
		o.Weight = columns.Weight
		fields, ok := fieldsOf(schema, columns, o.Texts)
		if !ok {
			return "", nil, "the columns of " + t.Path + " are not of the usual types", nil
		}
		selects = append(selects, "SELECT "+strings.Join(fields, ", ")+" FROM "+view)
	}
	o.Table = strings.Join(paths, ", ")
	var names []string
	for x := range len(ingest.TableColumns{Weight: o.Weight}.All()) {
		names = append(names, fieldName(x))
	}
	return fmt.Sprintf("SELECT TRANSFORM(%s) %%s FROM (SELECT * FROM (%s) DISTRIBUTE BY r)", strings.Join(names, ", "), strings.Join(selects, " UNION ALL ")), o, "", nil
}

// fieldsOf are the columns of a table as escaped texts; see ingest.PackPart. Not ok: one
// of them is of a type that other code has to look at.
func fieldsOf(schema *arrow.Schema, columns ingest.TableColumns, texts bool) (fields []string, ok bool) {
	for x, name := range columns.All() {
		found, _ := schema.FieldsByName(name)
		if len(found) != 1 {
			return nil, false
		}
		text := "`" + strings.ReplaceAll(name, "`", "``") + "`"
		switch found[0].Type.ID() {
		case arrow.STRING:
			if x > 1 && !texts {
				return nil, false
			}
		case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
			if x > 1 {
				text = "CAST(" + text + " AS DOUBLE)"
			}
		case arrow.FLOAT32, arrow.FLOAT64:
			if x < 2 {
				return nil, false
			}
			text = "CAST(" + text + " AS DOUBLE)"
		case arrow.DECIMAL128:
			if x < 2 {
				return nil, false
			}
		case arrow.BOOL:
			if x < 2 {
				return nil, false
			}
			text = "CAST(" + text + " AS INT)"
		default:
			return nil, false
		}
		text = "CAST(" + text + " AS STRING)"
		for _, c := range []struct {
			code   int
			letter string
		}{{'\\', "char(92)"}, {'\t', "'t'"}, {'\n', "'n'"}} {
			text = fmt.Sprintf("replace(%s, char(%d), concat(char(92), %s))", text, c.code, c.letter)
		}
		fields = append(fields, text+" AS "+fieldName(x))
	}
	return fields, true
}

// fieldName is what SQL calls the x-th of the columns.
func fieldName(x int) string {
	if x < 3 {
		return "rcv"[x : x+1]
	}
	return "p" + strconv.Itoa(x-2)
}

// packParts lets workers pack the rows that Spark gives them.
func (s *Spark) packParts(ctx context.Context, sql string, o *packOrder) (parts []*packedPart, err error) {
	content, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	const orderFile = "pack-order.json"
	if err := s.put(ctx, orderFile, content); err != nil {
		return nil, err
	}
	show := progress.Start(ctx, "Cluster: packing", 0, "tasks")
	defer show.Done()
	s.session.Progress = func(done, _ int) { show.To(int64(done)) }
	var wrong *data.InputError
	found := &gathered{other: func(kind string, content []byte) error {
		switch kind {
		case kindPacked:
			p := new(packedPart)
			if err := json.Unmarshal(content, p); err != nil {
				return err
			}
			if p.File != "" && p.File != filepath.Base(p.File) {
				return fmt.Errorf("the file %q was announced", p.File)
			}
			parts = append(parts, p)
			return nil
		case kindInput:
			wrong = new(data.InputError)
			return json.Unmarshal(content, wrong)
		}
		return fmt.Errorf("an executor answers %q", kind)
	}}
	s.expect(found, orderFile)
	err = s.ask(ctx, found, fmt.Sprintf(sql, s.using("worker "+orderFile)))
	s.Stats.Sent, s.Stats.Received = s.bytes()
	switch {
	case err != nil:
		return nil, err
	case wrong != nil:
		return nil, wrong
	case found.failed != nil:
		return nil, found.failed
	case found.missing != nil:
		return nil, found.missing
	}
	for _, h := range found.hellos {
		if h.Version != s.settings.Version {
			return nil, &workerError{fmt.Sprintf("the executors have version %s of this program, and this machine %s (give engine.Settings.Program a program of this version)", h.Version, s.settings.Version)}
		}
	}
	// Spark answers in any order.
	slices.SortFunc(parts, func(a, b *packedPart) int { return strings.Compare(a.File, b.File) })
	s.log("the executors packed the rows in %s", several(len(parts), "part"))
	return parts, nil
}

// packShards lets workers write the shards, and makes the folder of them.
func (s *Spark) packShards(ctx context.Context, parts []*packedPart, order *packOrder, folder *shards.Folder, output string, bytes int64, threads int, settings ingest.Settings) (*ingest.Packing, string, error) {
	var all []*ingest.Part
	p := &shardPacking{To: folder.Writer}
	for _, part := range parts {
		all = append(all, &part.Part)
		if part.File != "" {
			p.Parts = append(p.Parts, partFile{part.File, part.Checksum})
		}
	}
	done, options, err := ingest.JoinParts(order.Table, all, settings)
	if err != nil {
		return nil, "", err
	}
	files, err := p.open()
	if err != nil {
		return nil, "", err
	}
	defer closeAll(files)
	if options.Columns = settings.Columns; options.Columns == nil {
		options.Columns = columnsOf(files)
	}
	done.Columns = len(options.Columns)
	merged, err := pack.Merge(files, options.Columns, "", "")
	if err != nil {
		return nil, err.Error(), nil // Spark's rows are not ours
	}
	bounds := options.Bounds(merged, merged.IDs, bytes)
	for _, lo := range bounds[:len(bounds)-1] {
		p.First = append(p.First, merged.IDs[lo])
	}
	p.Options = pass.Share(*options)
	jobs := pass.Jobs{N: len(p.First), Work: max(merged.Observed()/len(p.First), 1)}
	var written []pack.Shard
	s.mu.Unlock() // as a reading like any other
	err = pass.Stream(pass.WithRunner(ctx, s), jobs, threads, p, func(part *packedShard) error {
		written = append(written, part.Shard)
		return nil
	})
	s.mu.Lock()
	if err != nil {
		return nil, "", err
	}
	here := 0
	_, err = pack.WriteFolder(output, func(dir string) ([]pack.Shard, error) {
		for x := range written {
			to := filepath.Join(dir, pack.ShardName(x))
			if written[x].File == "" { // whoever should have written it does not see the folder
				here++
				var err error
				if written[x], err = options.Write(merged, merged.IDs, bounds[x], bounds[x+1], to); err != nil {
					return nil, err
				}
				continue
			}
			if err := os.Rename(folder.At(filepath.Base(written[x].File)), to); err != nil {
				return nil, err
			}
			written[x].File = filepath.Base(to)
		}
		return written, nil
	})
	if err != nil {
		return nil, "", err
	}
	s.log("the executors wrote %s of %s", several(len(written)-here, "pack"), several(len(written), "pack"))
	return done, "", nil
}

// columnsOf are the columns of all packs, in their canonical order.
func columnsOf(files []*pack.File) (columns []string) {
	seen := map[string]bool{}
	for _, f := range files {
		for _, id := range f.ColumnIDs() {
			if !seen[id] {
				seen[id] = true
				columns = append(columns, id)
			}
		}
	}
	slices.SortFunc(columns, data.CompareIDs)
	return columns
}

func closeAll(files []*pack.File) {
	for _, f := range files {
		f.Close()
	}
}
