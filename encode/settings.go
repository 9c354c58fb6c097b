package encode

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"optcomplete/data"
)

// FieldKeys are the keys of a field that features.yaml and ParseField know, in the order
// in which they are documented.
var FieldKeys = []string{"type", "transform", "bins", "separator", "max-levels", "parts", "format", "blank", "missing", "group", "always", "never"}

// set takes one setting as text: its value, and the words of a value that may
// have several. name is the field's.
func (o *FieldOptions) set(name, key, value string, words []string) error {
	choose := func(allowed ...string) error {
		if slices.Contains(allowed, value) {
			return nil
		}
		return fmt.Errorf("%s is %s, but must be one of %s", key, data.Quote(value), strings.Join(allowed, ", "))
	}
	truth := func() (bool, error) { return value == "true", choose("true", "false") }
	var err error
	switch key {
	case "type":
		err = choose("auto", string(Numeric), string(Indicator), string(Text), "category", string(List), string(Date), string(Ignore))
		if o.Type = Type(unless(value, "auto")); value == "category" {
			o.Type = Text
		}
	case "transform":
		err = choose("none", string(Log), string(Log1p), string(Bins))
		o.Transform = Transform(unless(value, "none"))
	case "bins":
		err = o.setBins(strings.Fields(value))
	case "separator":
		if o.Separator = value; value == "" {
			err = fmt.Errorf("separator is empty")
		}
	case "max-levels":
		if o.MaxLevels, err = strconv.Atoi(value); err != nil || o.MaxLevels < 1 {
			err = fmt.Errorf("max-levels is %s, but must be a positive whole number", data.Quote(value))
		}
	case "parts":
		o.Parts = strings.Fields(value)
		for _, value = range o.Parts {
			if err = choose("year", "month"); err != nil {
				return err
			}
		}
	case "format":
		o.Format = value
		_, err = dateLayout(value)
	case "blank":
		o.Blank = words
	case "missing":
		err = choose("auto", string(MissingAlways), string(MissingNever))
		o.Missing = Missing(unless(value, "auto"))
	case "group":
		if o.Group = unless(value, "false"); value == "true" {
			o.Group = name
		}
	case "always":
		o.Always, err = truth()
	case "never":
		o.Never, err = truth()
	default:
		return fmt.Errorf("there is no setting %s (there are %s)", data.Quote(key), strings.Join(FieldKeys, ", "))
	}
	return err
}

// set takes one setting of all fields as text.
func (o *Options) set(key, value string, words []string) (err error) {
	bad := func(want string) error { return fmt.Errorf("%s is %s, but must be %s", key, data.Quote(value), want) }
	share := func(into *float64) error {
		x, problem, _ := data.ParseNumber(value)
		if *into = x; problem != "" || x < 0 {
			return bad("a number from 0 on")
		}
		return nil
	}
	truth := func(into *bool) error {
		if *into = value == "true"; value != "true" && value != "false" {
			return bad("true or false")
		}
		return nil
	}
	switch key {
	case "max-levels":
		if o.MaxLevels, err = strconv.Atoi(value); err != nil || o.MaxLevels < 1 {
			return bad("a positive whole number")
		}
	case "min-share":
		if err = share(&o.MinShare); o.MinShare == 0 {
			o.MinShare = -1 // none, where 0 means the default
		}
	case "missing-from":
		if err = share(&o.MissingFrom); o.MissingFrom == 0 {
			o.MissingFrom = math.SmallestNonzeroFloat64
		}
	case "blank":
		o.Blank = words
	case "separator":
		o.Separator = value
	case "scale":
		o.Scale, err = ParseScale(value)
	case "keep":
		return truth(&o.Keep)
	case "complete":
		return truth(&o.CompleteOnly)
	default:
		return fmt.Errorf("there is no setting %s (there are max-levels, min-share, missing-from, blank, separator, scale, keep, complete, fields)", data.Quote(key))
	}
	return err
}

// ParseScale reads zscore or none.
func ParseScale(text string) (Scale, error) {
	switch text {
	case "zscore":
		return ZScore, nil
	case "none":
		return AsIs, nil
	}
	return ZScore, fmt.Errorf("the scale is %s, but must be zscore or none", data.Quote(text))
}

// unless gives value, or nothing for the word that means the default.
func unless(value, word string) string {
	if value == word {
		return ""
	}
	return value
}

// setBins takes the number of bins, or two or more edges, or one edge with a
// point in it.
func (o *FieldOptions) setBins(words []string) error {
	if len(words) == 1 && !strings.Contains(words[0], ".") {
		n, err := strconv.Atoi(words[0])
		if err != nil || n < 2 || n > 1000 {
			return fmt.Errorf("bins is %s, but must be a number of bins from 2 to 1000, or the edges between them", data.Quote(words[0]))
		}
		o.Quantiles, o.Transform = n, Bins
		return nil
	}
	o.Edges = nil
	for _, word := range words {
		edge, problem, _ := data.ParseNumber(word)
		if problem != "" {
			return fmt.Errorf("bins: %s %s", data.Quote(word), problem)
		}
		o.Edges = append(o.Edges, edge)
	}
	if !increasing(o.Edges) || len(o.Edges) == 0 {
		return fmt.Errorf("bins: the edges must increase, but are %s", strings.Join(words, " "))
	}
	o.Transform = Bins
	return nil
}

// ParseField reads the settings of one field as a flag gives them,
//
//	NAME:type=list,separator=|,group=true
//	NAME:transform=bins,bins=1950 1980 2000
//
// and adds them to what options already say about it. The keys are those of
// features.yaml (ReadConfig); a value of several parts has spaces between them.
func (o *Options) ParseField(text string) error {
	name, rest, ok := cutName(text)
	if !ok {
		return fmt.Errorf("%s does not set a field: write NAME:KEY=VALUE,…, where KEY is one of %s", data.Quote(text), strings.Join(FieldKeys, ", "))
	}
	field := o.Fields[name]
	for _, part := range cutSettings(rest) {
		key, value, _ := strings.Cut(part, "=")
		if err := field.set(name, strings.TrimSpace(key), strings.TrimSpace(value), strings.Fields(value)); err != nil {
			return fmt.Errorf("field %s: %w", data.Quote(name), err)
		}
	}
	o.put(name, field)
	return nil
}

// Group makes all features of a field one group, named as the field.
func (o *Options) Group(name string) {
	field := o.Fields[name]
	if field.Group == "" {
		field.Group = name
	}
	o.put(name, field)
}

func (o *Options) put(name string, field FieldOptions) {
	if o.Fields == nil {
		o.Fields = map[string]FieldOptions{}
	}
	o.Fields[name] = field
}

// cutName splits at the last colon before the first key: a field's name may have
// colons of its own.
func cutName(text string) (name, rest string, ok bool) {
	at := strings.IndexByte(text, '=')
	if at < 0 {
		return "", "", false
	}
	colon := strings.LastIndexByte(text[:at], ':')
	if colon < 1 {
		return "", "", false
	}
	return text[:colon], text[colon+1:], true
}

// cutSettings splits at the commas that a key follows: "separator=,,group=true"
// has two settings.
func cutSettings(text string) []string {
	var out []string
	for _, part := range strings.Split(text, ",") {
		key, _, is := strings.Cut(part, "=")
		if len(out) == 0 || is && strings.Trim(strings.TrimSpace(key), "abcdefghijklmnopqrstuvwxyz-") == "" && strings.TrimSpace(key) != "" {
			out = append(out, part)
		} else {
			out[len(out)-1] += "," + part
		}
	}
	return out
}
