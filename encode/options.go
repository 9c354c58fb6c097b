package encode

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"optcomplete/data"
)

// Type says what a field holds.
type Type string

// The types that can be asked for.
const (
	Auto      Type = ""          // whichever the cells show
	Numeric   Type = "numeric"   // numbers, or blank
	Indicator Type = "indicator" // 0 or 1, or blank
	Text      Type = "text"      // one level of a few: a 0/1 feature for each
	List      Type = "list"      // several levels with a separator between: a 0/1 feature for each
	Date      Type = "date"      // year and month
	Ignore    Type = "ignore"    // not to be used
)

// The types that are only found.
const (
	FreeText Type = "free text" // too many levels to be features
	ID       Type = "id"        // a number that only names
	Constant Type = "constant"  // the same everywhere
	Empty    Type = "empty"     // blank everywhere
)

// Transform says what is done to a number before anything else.
type Transform string

const (
	None  Transform = ""      // nothing
	Log   Transform = "log"   // ln x where all are positive and not all whole, else ln(1+x)
	Log1p Transform = "log1p" // ln(1+x)
	Bins  Transform = "bins"  // a 0/1 feature for each interval
)

// Scale says what is done to every feature in the end.
type Scale string

const (
	ZScore Scale = ""     // centred on the mean of the filled cells, divided by the standard deviation (by m)
	AsIs   Scale = "none" // used as it is: what model paper means
)

// Missing says when a field gets the feature "NAME missing".
type Missing string

const (
	MissingAuto   Missing = ""       // from Options.MissingFrom on
	MissingAlways Missing = "always" // if there is any blank
	MissingNever  Missing = "never"
)

// Defaults of Options.
const (
	DefaultMaxLevels   = 20
	DefaultMinShare    = 0.001
	DefaultMissingFrom = 0.01
	defaultBins        = 4
)

// Options says how to understand a table. The zero value understands it alone.
type Options struct {
	Fields map[string]FieldOptions // by the field's name

	// MaxLevels is how many levels of a text or list field become features; the
	// rarer ones are pooled into "NAME=other". 0 means 20.
	MaxLevels int
	// MinShare is the part of the items that a level needs not to be pooled.
	// 0 means 0.001; negative means none. Two levels alone are never pooled.
	MinShare float64
	// MissingFrom is the part of blanks from which a field gets the feature
	// "NAME missing". 0 means 0.01; above 1 means never. A table needs at least
	// five such blanks.
	MissingFrom float64

	Blank     []string // words that mean blank, beside the empty cell
	Separator string   // of every list field that has none of its own; "" means detected among | ; ,
	Scale     Scale

	// Keep keeps constant features and duplicates, which are else left out. Model
	// paper wants it with Scale AsIs: there a constant is the intercept.
	Keep bool
	// CompleteOnly leaves out items with a blank in any field that is used.
	CompleteOnly bool

	// Counts tells which items count: levels, transforms, scales and what is constant or a duplicate are
	// learned from those alone, and the others are encoded as new ones would be, a level that none of those
	// has being none of the levels. nil: all count.
	Counts func(id string) bool
}

// FieldOptions says how to understand one field. The zero value leaves it open.
type FieldOptions struct {
	Type      Type
	Transform Transform
	Edges     []float64 // of bins, increasing: x is in [Edges[i], Edges[i+1])
	Quantiles int       // bins of equal share, where Edges has none; 0 means 4
	Separator string    // between the levels of a list
	MaxLevels int       // 0 means Options.MaxLevels
	Parts     []string  // of a date: "year", "month"; nil means both
	Format    string    // of a date, in YYYY, MM and DD, such as DD/MM/YYYY; "" means ISO or DD.MM.YYYY
	Blank     []string  // words that mean blank here, beside Options.Blank
	Missing   Missing
	Group     string // name of the group that all features of the field form
	Always    bool   // to be selected in any case
	Never     bool   // never to be selected
}

// check refuses options that cannot be meant, or that the table cannot meet.
func (o *Options) check(table *data.RawTable) error {
	bad := func(format string, args ...any) error {
		return &data.InputError{File: table.File, Problem: fmt.Sprintf(format, args...)}
	}
	switch {
	case o.MaxLevels < 0:
		return bad("the most levels of a field are %d, but must be positive", o.MaxLevels)
	case math.IsNaN(o.MinShare) || math.IsNaN(o.MissingFrom) || o.MissingFrom < 0:
		return bad("a share is not a number or negative")
	case o.Scale != ZScore && o.Scale != AsIs:
		return bad("the scale is %s, but must be zscore or none", data.Quote(string(o.Scale)))
	}
	for _, name := range sortedKeys(o.Fields) {
		f := o.Fields[name]
		if !slices.Contains(table.Names, name) {
			return &data.InputError{File: table.File, Problem: "there is no field " + data.Quote(name) + " to set", Remedy: "it has " + data.QuoteList(table.Names)}
		}
		field := "field " + data.Quote(name)
		_, format := dateLayout(f.Format)
		switch {
		case !slices.Contains([]Type{Auto, Numeric, Indicator, Text, List, Date, Ignore}, f.Type):
			return bad("%s: there is no type %s", field, data.Quote(string(f.Type)))
		case !slices.Contains([]Transform{None, Log, Log1p, Bins}, f.Transform):
			return bad("%s: there is no transform %s", field, data.Quote(string(f.Transform)))
		case f.Always && f.Never:
			return bad("%s is both always and never to be selected", field)
		case f.MaxLevels < 0 || f.Quantiles < 0:
			return bad("%s: the most levels and the number of bins must be positive", field)
		case !increasing(f.Edges):
			return bad("%s: the edges of bins must increase", field)
		case format != nil:
			return bad("%s: %v", field, format)
		case f.Transform != None && f.Type != Auto && f.Type != Numeric:
			return bad("%s: transform=%s needs numbers, but the type is %s", field, f.Transform, f.Type)
		}
	}
	return nil
}

func increasing(x []float64) bool {
	for i := 1; i < len(x); i++ {
		if !(x[i-1] < x[i]) {
			return false
		}
	}
	return true
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
