package encode

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"optcomplete/data"
	"optcomplete/internal/textfile"
)

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
