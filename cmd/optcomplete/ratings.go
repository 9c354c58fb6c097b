package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"optcomplete/data/ingest"
)

// ratingsForms is what RATINGS may be, for the help of every verb that takes it.
const ratingsForms = `RATINGS is CSV or TSV (row, column, value; also .gz or .zst; - is standard input),
Parquet (a file, or a folder of parts), Matrix Market, the Netflix Prize files
(a folder of mv_*.txt or combined_data_*.txt), MovieLens (u.data, ratings.dat,
ratings.csv) or a pack.`

// ratingsFlags adds the flags that say how to read observed entries.
func ratingsFlags(flags *pflag.FlagSet, s *ingest.Settings) {
	flags.StringSliceVar(&s.Missing, "missing", nil, "values that mean unknown, such as NA")
	flags.StringVar(&s.RowName, "row-name", "", "header of the column that holds the row's id")
	flags.StringVar(&s.ColumnName, "column-name", "", "header of the column that holds the column's id")
	flags.StringVar(&s.ValueName, "value-name", "", "header of the column that holds the value")
	flags.Var((*delimiterFlag)(&s.Delimiter), "delimiter", "character between the fields of a text, or tab; found from the first line if not given")
	flags.Var((*formatFlag)(&s.Format), "format", "format of the ratings: "+strings.Join(ingest.Formats, ", ")+"; found from name and content if not given")
	flags.Var((*duplicatesFlag)(&s.Duplicates), "duplicates", "what to do with two entries of one row and column: error, or keep the first, the last or their mean")
}

type delimiterFlag byte

func (d *delimiterFlag) Set(text string) error {
	switch {
	case text == "tab" || text == `\t`:
		*d = '\t'
	case len(text) == 1 && text[0] > ' ' && text[0] < 0x7f && text[0] != '"' || text == "\t":
		*d = delimiterFlag(text[0])
	default:
		return fmt.Errorf("it must be one character, or tab")
	}
	return nil
}

func (d *delimiterFlag) String() string {
	switch *d {
	case 0:
		return ""
	case '\t':
		return "tab"
	}
	return string(rune(*d))
}

func (d *delimiterFlag) Type() string { return "char" }

type formatFlag string

func (f *formatFlag) Set(text string) error {
	if !slices.Contains(ingest.Formats, text) {
		return fmt.Errorf("it must be one of %s", strings.Join(ingest.Formats, ", "))
	}
	*f = formatFlag(text)
	return nil
}

func (f *formatFlag) String() string { return string(*f) }
func (f *formatFlag) Type() string   { return "name" }

type duplicatesFlag ingest.Duplicates

func (d *duplicatesFlag) Set(text string) (err error) {
	chosen, err := ingest.ParseDuplicates(text)
	*d = duplicatesFlag(chosen)
	return err
}

func (d *duplicatesFlag) String() string { return ingest.Duplicates(*d).String() }
func (d *duplicatesFlag) Type() string   { return "choice" }
