package data

import (
	"context"
	"fmt"
	"io"

	"optcomplete/internal/textfile"
)

// Numbers is a plain table of numbers: a header, then one line for each row.
type Numbers struct {
	File   string    // as the user named it, for errors
	Names  []string  // p distinct names
	Values []float64 // n×p, row by row
}

// Dims returns the number of rows and of columns.
func (t *Numbers) Dims() (rows, columns int) {
	if len(t.Names) == 0 {
		return 0, 0
	}
	return len(t.Values) / len(t.Names), len(t.Names)
}

// NumbersOptions says how to read a table of numbers.
type NumbersOptions struct {
	Skip      []string        // columns to leave out, such as ids and text
	Delimiter byte            // 0 means tab, comma or semicolon, as the header shows
	Context   context.Context // ends the reading; nil: nothing does
}

// ReadNumbers reads a table of numbers from a file ("-" is standard input).
func ReadNumbers(path string, options NumbersOptions) (*Numbers, error) {
	var numbers *Numbers
	err := textfile.WithFile(options.Context, path, func(r io.Reader, name string) (err error) {
		in := &numbersReader{}
		in.Name, in.Limit, in.Delimiter, in.Least = name, MaxFeaturesLine, options.Delimiter, 2
		err = textfile.WithTable(r, &in.Table, func() error { return in.readAll(options.Skip) })
		numbers = &Numbers{File: name, Names: in.names, Values: in.values}
		return err
	})
	if err != nil {
		return nil, err
	}
	return numbers, nil
}

// numbersReader is a table of numbers being read.
type numbersReader struct {
	textfile.Table
	names  []string
	keep   []int // the fields that are read
	values []float64
}

func (in *numbersReader) readAll(skip []string) error {
	fields, err := in.Next()
	if err == io.EOF {
		return &InputError{File: in.Name, Problem: "is empty", Remedy: "it must hold a header and a line for each row"}
	}
	if err != nil {
		return err
	}
	width := len(fields)
	if fault := in.header(fields, skip); fault != nil {
		return fault
	}
	for fields, err = in.Next(); err == nil; fields, err = in.Next() {
		if len(fields) != width {
			return in.WrongCount(len(fields), width)
		}
		for x, f := range in.keep {
			v, wrong := textfile.ParseNumber(fields[f])
			if wrong != "" {
				return in.wrongNumber(x, fields[f], wrong)
			}
			in.values = append(in.values, v)
		}
	}
	if err != io.EOF {
		return err
	}
	if len(in.values) == 0 {
		return &InputError{File: in.Name, Problem: "has a header but no lines after it"}
	}
	return nil
}

// header takes the names of the columns.
func (in *numbersReader) header(fields [][]byte, skip []string) *InputError {
	left := make(map[string]bool, len(skip))
	for _, name := range skip {
		left[name] = true
	}
	at := map[string]int{}
	for f, name := range textfile.Texts(fields) {
		if first, again := at[name]; again {
			return in.Fault(fmt.Sprintf("fields %d and %d of the header are both named %s", first+1, f+1, textfile.Quote(name)), "rename or remove one of them")
		}
		at[name] = f
		if left[name] {
			continue
		}
		if name == "" {
			return in.Fault(fmt.Sprintf("the header's field %d is empty", f+1), "give every column a name")
		}
		in.names = append(in.names, name)
		in.keep = append(in.keep, f)
	}
	for _, name := range skip {
		if _, there := at[name]; !there {
			return in.Fault("the header has no column "+textfile.Quote(name), "it has "+textfile.QuoteList(textfile.Texts(fields)))
		}
	}
	if len(in.names) == 0 {
		return in.Fault("no column is left to read", "skip fewer of them")
	}
	return nil
}

func (in *numbersReader) wrongNumber(x int, field []byte, wrong textfile.NumberFault) *InputError {
	column := "column " + textfile.Quote(in.names[x])
	if len(field) == 0 {
		return in.Fault(column+" is blank", "fill it in or leave the line out")
	}
	remedy := textfile.NumberRemedy(field)
	switch {
	case remedy != "":
	case wrong == textfile.NotFinite || textfile.MissingWord(field):
		remedy = "fill it in or leave the line out"
	case wrong == textfile.NotNumber:
		remedy = "leave the column out with --skip, or make a 0/1 column of each category"
	}
	return in.Fault(column+": "+textfile.Quote(field)+" "+string(wrong), remedy)
}
