package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"optcomplete/data"
	"optcomplete/internal/suggest"
	"optcomplete/internal/textfile"
)

// ReadConfig reads settings from a YAML file, one key for each flag of the set
// by its name, and sets those that the command line has not. What is wrong is a
// *data.InputError with the line. Settings that only other verbs have, as the table
// tells, are left out with a note, so that one file serves several verbs.
func (t Table) ReadConfig(path string, flags *pflag.FlagSet) (notes []string, err error) {
	text, err := textfile.ReadSmall(path, 1, "check that these are settings")
	if err != nil {
		return nil, err
	}
	fault := func(line int, remedy, format string, args ...any) ([]string, error) {
		return notes, &data.InputError{File: path, Line: line, Problem: fmt.Sprintf(format, args...), Remedy: remedy}
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil // an empty file sets nothing
	} else if err != nil {
		line, problem := textfile.YAMLFault(err)
		return fault(line, "", "%s", problem)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return fault(0, "keep one", "there is more than one document")
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return fault(root.Line, "write one setting a line, such as gap: 0.01", "this is not a list of settings")
	}
	given := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		if line, twice := given[key.Value]; twice {
			return fault(key.Line, "keep one", "%q is set twice, first in line %d", key.Value, line)
		}
		given[key.Value] = key.Line
		flag := flags.Lookup(key.Value)
		if verbs := t.verbs(key.Value); flag == nil && len(verbs) > 0 {
			notes = append(notes, fmt.Sprintf("%s:%d: %s is a setting of %s and is left out here", path, key.Line, key.Value, strings.Join(verbs, ", ")))
			continue
		}
		if flag == nil || !configurable(flag) {
			return fault(key.Line, hint(key.Value, flags), "%q is not a setting here", key.Value)
		}
		if err := set(flags, flag, node); err != nil {
			problem := fmt.Sprintf("%s: %v", key.Value, err)
			if bad := new(RangeError); errors.As(err, &bad) {
				problem = fmt.Sprintf("%s %v", key.Value, bad)
			}
			return fault(max(node.Line, key.Line), "", "%s", problem)
		}
	}
	return notes, nil
}

// configurable tells whether a flag may stand in a file.
func configurable(flag *pflag.Flag) bool {
	switch flag.Name {
	case "help", "version", "config", "print-config":
		return false
	}
	return true
}

// verbs are those that have a setting.
func (t Table) verbs(name string) (found []string) {
	for i := range t {
		if t[i].Name == name {
			found = append(found, t[i].Verbs...)
		}
	}
	return found
}

// hint says what an unknown key may have been meant to be.
func hint(key string, flags *pflag.FlagSet) string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) {
		if configurable(f) {
			names = append(names, f.Name)
		}
	})
	if hint := suggest.Hint(key, names); hint != "" {
		return hint
	}
	return "--print-config lists them all"
}

// set gives a flag what stands in the file, unless the command line gave it.
func set(flags *pflag.FlagSet, flag *pflag.Flag, node *yaml.Node) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	var elements []string
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		return errors.New("has no value")
	case node.Kind == yaml.ScalarNode:
		elements = []string{node.Value}
	case node.Kind == yaml.SequenceNode:
		for _, n := range node.Content {
			if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
				return errors.New("is a list with something else than words and numbers in it")
			}
			elements = append(elements, n.Value)
		}
	default:
		return errors.New("must be a value or a list")
	}
	if v, ok := flag.Value.(*value); ok {
		if l, many := v.Value.(*list); many {
			if flag.Changed {
				return nil
			}
			flag.Changed = true
			return l.Replace(elements)
		}
	}
	if node.Kind == yaml.SequenceNode {
		return errors.New("is a list, but takes one value")
	}
	if flag.Changed {
		if s := Of(flag); s != nil {
			return s.Check(elements[0])
		}
		return nil
	}
	if err := flag.Value.Set(elements[0]); err != nil {
		return err
	}
	flag.Changed = true
	return nil
}

// WriteConfig writes all settings of the flags as a file that ReadConfig reads:
// those that were given, and as comments the others with their defaults.
func (t Table) WriteConfig(w io.Writer, title string, flags []*pflag.Flag, groups []string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n# A line such as #seed: 1 shows a default: take the # away to change it. The\n# command line wins over this file.\n", title)
	byGroup := map[string][]*pflag.Flag{}
	for _, f := range t.sorted(flags) {
		group := "Other"
		if s := Of(f); s != nil {
			group = s.Group
		}
		if configurable(f) {
			byGroup[group] = append(byGroup[group], f)
		}
	}
	for _, group := range append(slices.Clone(groups), "Other") {
		if len(byGroup[group]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n", group)
		for _, f := range byGroup[group] {
			text, err := entry(f)
			if err != nil {
				return err
			}
			for _, line := range Wrap(tail(f), 76) {
				fmt.Fprintf(&b, "# %s\n", line)
			}
			if !f.Changed {
				text = "#" + text
			}
			b.WriteString(text + "\n")
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// entry is a flag's line of YAML.
func entry(f *pflag.Flag) (string, error) {
	var node yaml.Node
	s := Of(f)
	switch v, _ := f.Value.(*value); {
	case v != nil && (s.Type == Names || s.Type == Repeated):
		elements := v.Value.(*list).elements
		node.Encode(elements)
		if elements == nil {
			node.Encode([]string{})
		}
		node.Style = yaml.FlowStyle
	case v != nil && (s.Type == Text || s.Type == File || s.Type == Folder):
		node.Encode(f.Value.String())
	default:
		node = yaml.Node{Kind: yaml.ScalarNode, Value: f.Value.String()}
	}
	if s != nil && s.Default == "" && s.Check(node.Value) != nil {
		return f.Name + ":", nil // none; what shows none would be refused
	}
	key := yaml.Node{Kind: yaml.ScalarNode, Value: f.Name}
	text, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{&key, &node}})
	return strings.TrimSuffix(string(text), "\n"), err
}
