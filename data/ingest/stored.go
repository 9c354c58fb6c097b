package ingest

import (
	"io"
	"os"

	"optcomplete/data"
	"optcomplete/data/pack"
)

// Stored opens a pack where it is, without reading its entries into memory. Rows
// and columns come in the same order as from Ratings. ok is false if the path is
// not a pack, or one that has columns that Settings.Columns lack: Ratings then
// reads it, or says what is wrong.
func Stored(path string, settings Settings) (ratings *data.Ratings, report *Report, ok bool, err error) {
	if settings.Format != "" && settings.Format != "pack" || settings.asksForWeights() || !IsPacked(path) {
		return nil, nil, false, nil
	}
	file, err := pack.OpenAny(path)
	if err != nil {
		return nil, nil, false, err
	}
	if data.IsWeighted(file) && settings.Weight == NoWeights {
		return nil, nil, false, file.Close()
	}
	ids := settings.Columns
	if ids == nil {
		ids = arranged(file.ColumnIDs(), data.Order(file.ColumnIDs()))
	}
	place := make(map[string]int32, len(ids))
	for j, id := range ids {
		place[id] = int32(j)
	}
	ranks := make([]int32, 0, len(ids))
	for _, id := range file.ColumnIDs() {
		j, known := place[id]
		if !known {
			return nil, nil, false, file.Close()
		}
		ranks = append(ranks, j)
	}
	rows := file.RowIDs()
	if err := file.Err(); err != nil {
		return nil, nil, false, err
	}
	report = &Report{Weighted: data.IsWeighted(file)}
	report.Lines, report.Entries = file.Observed(), file.Observed()
	source := data.Renumber(file, len(ids), ranks)
	if order := data.Order(rows); order != nil { // packs of versions before 0.2 have rows as they came
		rows = arranged(rows, order)
		at := make([]int, len(order))
		for i, from := range order {
			at[i] = int(from)
		}
		source = data.Rows(source, at)
		report.Notes = append(report.Notes, path+" was packed by an older version, in the order of its input: it is read in the order of the ids, which is slower (pack it again)")
	}
	return data.OpenRatings(source, rows, ids, file), report, true, nil
}

// IsPacked tells whether a path is a pack or a folder of packs.
func IsPacked(path string) bool { return path != "-" && (isPack(path) || pack.IsFolder(path)) }

// isPack tells whether a file begins as packs do. A pipe is none: what is read of
// it would be lost.
func isPack(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, pack.StartBytes)
	n, _ := io.ReadFull(f, start)
	return pack.IsPack(start[:n])
}
