package data

import (
	"context"
	"fmt"
	"io"
	"slices"

	"optcomplete/internal/textfile"
)

// MaxFeaturesLine is the longest line of a feature table, in bytes.
const MaxFeaturesLine = 16 << 20

// FeaturesOptions says how to read a feature table.
type FeaturesOptions struct {
	ID        string          // name of the field that holds the ids; "" means the first
	Delimiter byte            // 0 means tab, comma, semicolon or space, as the header shows
	Context   context.Context // ends the reading; nil: nothing does
}

// ReadFeatures reads the feature table from a file ("-" is standard input): a
// header, then one line for each column of the matrix, its id first and its
// features after it, unless options name the field of the id. The name of the first column is free. The columns come in the
// canonical order of their ids, whatever the order of the lines.
func ReadFeatures(path string, options FeaturesOptions) (*Features, error) {
	return textfile.FromFile(options.Context, path, func(r io.Reader, name string) (*Features, error) { return readFeatures(r, name, options) })
}

func readFeatures(r io.Reader, name string, options FeaturesOptions) (*Features, error) {
	in := &featuresReader{seen: map[string]int{}, idName: options.ID}
	in.Name, in.Limit, in.Delimiter, in.Least = name, MaxFeaturesLine, options.Delimiter, 2
	if err := textfile.WithTable(r, &in.Table, func() error { return in.readAll(in.column) }); err != nil {
		return nil, err
	}
	return NewFeatures(in.ids, in.names, in.values).canonical(), nil
}

// featuresReader is a feature table being read.
type featuresReader struct {
	textfile.Table
	names  []string
	ids    []string
	values []float64
	seen   map[string]int // the line of each id
	idName string         // "" means the first field
	idAt   int            // where it stands
}

// idFirst puts the field of the id before the others.
func idFirst[T any](fields []T, at int) []T {
	if at < len(fields) {
		id := fields[at]
		copy(fields[1:], fields[:at])
		fields[0] = id
	}
	return fields
}

// readAll takes the header and hands every line after it to take.
func (in *featuresReader) readAll(take func(fields [][]byte) *InputError) error {
	fields, err := in.Next()
	if err == io.EOF {
		return &InputError{File: in.Name, Problem: "is empty", Remedy: "it must hold a header and a line for each column"}
	}
	if err != nil {
		return err
	}
	if fault := in.header(fields); fault != nil {
		return fault
	}
	for fields, err = in.Next(); err == nil; fields, err = in.Next() {
		if fault := take(idFirst(fields, in.idAt)); fault != nil {
			return fault
		}
	}
	if err != io.EOF {
		return err
	}
	if len(in.ids) == 0 {
		return &InputError{File: in.Name, Problem: "has a header but no lines after it"}
	}
	return nil
}

// header takes the names of the features.
func (in *featuresReader) header(fields [][]byte) *InputError {
	if len(fields) < 2 {
		return in.Fault("there is no feature: the header has one field", "the first is the id, the others are features")
	}
	if in.idName != "" {
		names := textfile.Texts(fields)
		if in.idAt = slices.Index(names, in.idName); in.idAt < 0 {
			return in.Fault("the header has no field "+textfile.Quote(in.idName)+" for the ids", "it has "+textfile.QuoteList(names))
		}
	}
	in.names = textfile.Texts(idFirst(fields, in.idAt)[1:])
	at := make(map[string]int, len(in.names))
	for f, name := range in.names {
		if name == "" {
			return in.Fault(fmt.Sprintf("the header's field %d, a feature name, is empty", f+2), "give every feature a name")
		}
		if first, again := at[name]; again {
			return in.Fault(fmt.Sprintf("fields %d and %d of the header are both named %s", first+2, f+2, textfile.Quote(name)), "rename or remove one of them")
		}
		at[name] = f
	}
	return nil
}

// column takes the features of one column of the matrix.
func (in *featuresReader) column(fields [][]byte) *InputError {
	if fault := in.id(fields); fault != nil {
		return fault
	}
	for f, field := range fields[1:] {
		v, wrong := textfile.ParseNumber(field)
		if wrong != "" {
			return in.wrongCell(f, field, wrong)
		}
		in.values = append(in.values, v)
	}
	return nil
}

// id takes the id of a line, which must have as many fields as the header.
func (in *featuresReader) id(fields [][]byte) *InputError {
	if len(fields) != len(in.names)+1 {
		return in.WrongCount(len(fields), len(in.names)+1)
	}
	id := fields[0]
	if len(id) == 0 {
		return in.Fault("the id is empty", "fill it in or leave the line out")
	}
	if first, again := in.seen[string(id)]; again {
		return in.Fault(fmt.Sprintf("id %s was already given on line %d", textfile.Quote(id), first), "keep one of the two lines")
	}
	text := string(id)
	in.seen[text] = in.Line
	in.ids = append(in.ids, text)
	return nil
}

func (in *featuresReader) wrongCell(f int, field []byte, wrong textfile.NumberFault) *InputError {
	const fill = "fill it in, as optcomplete features FILE -o encoded.csv does, or leave the line out and use Settings.DropUnknown"
	feature := "feature " + textfile.Quote(in.names[f])
	if len(field) == 0 {
		return in.Fault(feature+" is blank", fill)
	}
	remedy := textfile.NumberRemedy(field)
	switch {
	case remedy != "":
	case wrong == textfile.NotFinite || textfile.MissingWord(field):
		remedy = fill
	case wrong == textfile.NotNumber:
		remedy = "make a 0/1 feature of each category, as optcomplete features FILE -o encoded.csv does"
	}
	return in.Fault(feature+": "+textfile.Quote(field)+" "+string(wrong), remedy)
}
