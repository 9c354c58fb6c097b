package ingest

import (
	"io"
	"os"

	"optcomplete/data"
	"optcomplete/data/pack"
)

// Stored opens a pack where it is, without reading its entries into memory. Its
// columns come first, in the pack's order, then those of Settings.Columns that
// have no entries. ok is false if the path is not a pack, or one that has columns
// that Settings.Columns lack: Ratings then reads it, or says what is wrong.
func Stored(path string, settings Settings) (ratings *data.Ratings, report *Report, ok bool, err error) {
	if settings.Format != "" && settings.Format != "pack" || path == "-" || !isPack(path) {
		return nil, nil, false, nil
	}
	file, err := pack.Open(path)
	if err != nil {
		return nil, nil, false, err
	}
	ids := file.ColumnIDs()
	if settings.Columns != nil {
		known := make(map[string]bool, len(settings.Columns))
		for _, id := range settings.Columns {
			known[id] = true
		}
		for _, id := range ids {
			if !known[id] {
				return nil, nil, false, file.Close()
			}
			known[id] = false
		}
		ids = append([]string(nil), ids...)
		for _, id := range settings.Columns {
			if known[id] {
				ids = append(ids, id)
			}
		}
	}
	rows := file.RowIDs()
	if err := file.Err(); err != nil {
		return nil, nil, false, err
	}
	report = &Report{}
	report.Lines, report.Entries = file.Observed(), file.Observed()
	return &data.Ratings{Stored: data.Widen(file, len(ids)), RowIDs: rows, ColumnIDs: ids}, report, true, nil
}

// isPack tells whether a file begins as packs do.
func isPack(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, pack.StartBytes)
	n, _ := io.ReadFull(f, start)
	return pack.IsPack(start[:n])
}
