package encode

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"optcomplete/data"
	"optcomplete/internal/textfile"
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

// ReadConfig reads a features.yaml and adds what it sets to options. All keys may
// be left out:
//
//	max-levels: 20        # levels of a text or list field that become features
//	min-share: 0.001      # part of the items that a level needs not to be pooled
//	missing-from: 0.01    # part of blanks that makes a feature "NAME missing"
//	blank: [NA, unknown]  # words that mean blank, beside the empty cell
//	separator: "|"        # of all lists
//	scale: zscore         # or none: features as they are
//	keep: false           # keep constant features and duplicates
//	complete: false       # leave out items with blanks
//	fields:               # by name, only those to be set
//	  genres:
//	    type: list        # auto, numeric, indicator, text or category, list, date, ignore
//	    separator: "|"    # or "[]": as JSON and Python write lists
//	    max-levels: 30
//	    group: true       # select all of it or nothing; a name joins several fields
//	  budget:
//	    transform: log    # none, log, log1p, bins
//	    blank: [0, n/a]
//	    missing: never    # auto, always, never: the feature "budget missing"
//	  year:
//	    bins: [1950, 1980, 2000]   # edges, or how many bins of equal share
//	    always: true      # select it in any case
//	  released:
//	    type: date
//	    parts: [year, month]
//	    format: DD/MM/YYYY
//	  studio:
//	    never: true       # never select it
//
// Anything else is an *data.InputError with its line.
func ReadConfig(path string, options *Options) error {
	text, err := textfile.ReadSmall(path, 4, "check that this is a features.yaml")
	if err != nil {
		return err
	}
	return parseConfig(text, path, options)
}

func parseConfig(text []byte, file string, options *Options) error {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	switch err := decoder.Decode(&document); {
	case err == io.EOF:
		return nil // nothing set
	case err != nil:
		line, problem := textfile.YAMLFault(err)
		return &data.InputError{File: file, Line: line, Problem: problem, Err: err}
	}
	c := config{file, options}
	return c.pairs(document.Content[0], "the file", c.top)
}

// config is a features.yaml being read.
type config struct {
	file    string
	options *Options
}

func (c *config) fault(node *yaml.Node, format string, args ...any) error {
	return &data.InputError{File: c.file, Line: node.Line, Problem: fmt.Sprintf(format, args...)}
}

// pairs hands the keys and values of a mapping to take.
func (c *config) pairs(node *yaml.Node, what string, take func(key, value *yaml.Node) error) error {
	if node.Kind == yaml.ScalarNode && node.Tag == "!!null" {
		return nil
	}
	if node.Kind != yaml.MappingNode {
		return c.fault(node, "%s must be pairs of KEY: VALUE", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return c.fault(key, "a key must be a word")
		}
		if seen[key.Value] {
			return c.fault(key, "%s is set twice", data.Quote(key.Value))
		}
		seen[key.Value] = true
		if err := take(key, value); err != nil {
			return err
		}
	}
	return nil
}

func (c *config) top(key, value *yaml.Node) error {
	if key.Value == "fields" {
		return c.pairs(value, "fields", c.field)
	}
	words, err := c.words(value)
	if err != nil {
		return err
	}
	if err := c.options.set(key.Value, strings.Join(words, " "), words); err != nil {
		return c.fault(key, "%v", err)
	}
	return nil
}

func (c *config) field(key, value *yaml.Node) error {
	name := key.Value
	field := c.options.Fields[name]
	err := c.pairs(value, "field "+data.Quote(name), func(key, value *yaml.Node) error {
		words, err := c.words(value)
		if err != nil {
			return err
		}
		if err := field.set(name, key.Value, strings.Join(words, " "), words); err != nil {
			return c.fault(key, "field %s: %v", data.Quote(name), err)
		}
		return nil
	})
	c.options.put(name, field)
	return err
}

// words gives a scalar, or the scalars of a list.
func (c *config) words(node *yaml.Node) ([]string, error) {
	switch node.Kind {
	case yaml.ScalarNode:
		return []string{node.Value}, nil
	case yaml.SequenceNode:
		var out []string
		for _, item := range node.Content {
			if item.Kind != yaml.ScalarNode {
				return nil, c.fault(item, "must be a word or a number")
			}
			out = append(out, item.Value)
		}
		return out, nil
	default:
		return nil, c.fault(node, "must be a word, a number or a list of them")
	}
}
