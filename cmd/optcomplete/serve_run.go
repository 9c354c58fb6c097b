package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/internal/events"
	"optcomplete/internal/settings"
	"optcomplete/spec"
)

// answer is what became of a request.
type answer struct {
	ID      int             `json:"id"`
	Answer  bool            `json:"answer"` // to tell it from an event
	Exit    int             `json:"exit"`   // as of the command line
	JSON    json.RawMessage `json:"json,omitempty"`
	Text    string          `json:"text,omitempty"` // what was printed, where it is not JSON
	Error   *failure        `json:"error,omitempty"`
	Results []blob          `json:"results,omitempty"` // that follow
}

// failure is an error in its parts.
type failure struct {
	Message string `json:"message"` // all of it
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // from 1; of a table the record
	Problem string `json:"problem"`
	Remedy  string `json:"remedy,omitempty"`
}

// run runs a verb as the command line does, and collects what it prints.
func (s *server) run(r *request) (a *answer, contents [][]byte) {
	a = &answer{ID: r.ID, Answer: true}
	fail := func(err error) {
		a.Exit, a.Error = exitCodeOf(err), failureOf(err)
	}
	defer func() {
		if p := recover(); p != nil {
			fail(fmt.Errorf("internal error: %v\n%s", p, debug.Stack()))
		}
	}()
	args, err := argumentsOf(r)
	if r.refused != nil {
		err = r.refused
	}
	if err != nil {
		fail(err)
		return a, nil
	}
	var stdout bytes.Buffer
	c := newCommon(&stdout, io.Discard)
	c.models, c.events = s.models, &events.Stream{ID: r.ID, Send: func(e events.Event) { s.send(e, nil) }}
	c.stderr = c.events
	c.kept = map[string]*bytes.Buffer{}
	for _, name := range r.Results {
		c.kept[name] = new(bytes.Buffer)
	}
	err = execute(r.ctx, c, args)
	c.events.Flush()
	if a.Exit = exitCodeOf(err); a.Exit != exitDone && !hasResult(err) {
		a.Error = failureOf(err)
	}
	if printed := bytes.TrimSpace(stdout.Bytes()); json.Valid(printed) {
		a.JSON = printed
	} else {
		a.Text = stdout.String()
	}
	for _, name := range r.Results {
		if content := c.kept[name].Bytes(); len(content) > 0 && a.Error == nil {
			a.Results, contents = append(a.Results, blob{name, int64(len(content))}), append(contents, content)
		}
	}
	return a, contents
}

// isEarly tells a result that was written, though not proven, from none at all.
func isEarly(err error) bool {
	var early *earlyStop
	return errors.As(err, &early)
}

// hasResult tells an exit code that is an answer from a failure.
func hasResult(err error) bool { return isEarly(err) || errors.Is(err, errDrift) }

// failureOf takes an error apart.
func failureOf(err error) *failure {
	f := &failure{Message: err.Error() + remedy(err), Problem: err.Error(), Remedy: strings.TrimPrefix(remedy(err), ": ")}
	var input *data.InputError
	if errors.As(err, &input) {
		f.File, f.Line, f.Problem, f.Remedy = input.File, input.Line, asFlags(input.Problem), asFlags(input.Remedy)
	}
	return f
}

// argumentsOf makes the words of a command line.
func argumentsOf(r *request) ([]string, error) {
	words := strings.Fields(r.Verb)
	if len(words) == 0 || strings.HasPrefix(words[0], "-") || words[0] == "serve" {
		return nil, usagef("%q is no verb that can be asked for", r.Verb)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Options)) {
		values, err := valuesOf(table.Find(r.Verb, name), r.Options[name])
		if err != nil {
			return nil, usagef("--%s: %v", name, err)
		}
		for _, value := range values {
			words = append(words, "--"+name+"="+value)
		}
	}
	return append(append(words, "--"), r.Arguments...), nil
}

// valuesOf are the texts of a setting's value: a JSON string, number, truth or
// list of them; none for null.
func valuesOf(s *settings.Setting, raw json.RawMessage) ([]string, error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		value, given, err := valueOf(raw)
		if !given {
			return nil, err
		}
		return []string{value}, err
	}
	var values []string
	for _, element := range list {
		value, given, err := valueOf(element)
		if err != nil {
			return nil, err
		}
		if given {
			values = append(values, value)
		}
	}
	if s != nil && s.Type == settings.Repeated || len(values) < 2 && !slices.ContainsFunc(values, func(v string) bool { return strings.ContainsAny(v, ",\"\n") }) {
		return values, nil
	}
	var line strings.Builder
	w := csv.NewWriter(&line)
	w.Write(values) // a strings.Builder does not fail
	w.Flush()
	return []string{strings.TrimSuffix(line.String(), "\n")}, nil
}

func valueOf(raw json.RawMessage) (value string, given bool, err error) {
	text := string(bytes.TrimSpace(raw))
	switch {
	case text == "null" || text == "":
		return "", false, nil
	case text[0] == '"':
		err = json.Unmarshal(raw, &value)
		return value, true, err
	case text[0] == '{' || text[0] == '[':
		return "", true, fmt.Errorf("is %s, but must be a text, a number or a list of them", text)
	}
	return text, true, nil
}

// description is what a program needs to know about the verbs to offer them.
type description struct {
	Protocol int               `json:"protocol"`
	Version  string            `json:"version"`
	Verbs    []verbDescription `json:"verbs"`
}

type verbDescription struct {
	Verb     string               `json:"verb"`
	Use      string               `json:"use"`
	Short    string               `json:"short"`
	Settings []settingDescription `json:"settings"`
}

type settingDescription struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default,omitempty"`
	Range   string `json:"range,omitempty"`
	Group   string `json:"group"`
	Help    string `json:"help"`
}

// descriptionOf describes the verbs and their settings, in the order of the table.
func descriptionOf(root *cobra.Command) description {
	d := description{Protocol: protocolVersion, Version: spec.Version}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		verb := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), root.Name()), " ")
		if cmd.Name() == "completion" || cmd.Name() == "help" || verb == "serve" {
			return
		}
		if cmd.Runnable() && verb != "" {
			v := verbDescription{Verb: verb, Use: cmd.UseLine(), Short: cmd.Short, Settings: []settingDescription{}}
			for i := range table {
				s := &table[i]
				if flag := cmd.Flag(s.Name); flag != nil && settings.Of(flag) == s {
					v.Settings = append(v.Settings, settingDescription{s.Name, s.Type.String(), s.Default, s.Range, s.Group, s.Help})
				}
			}
			d.Verbs = append(d.Verbs, v)
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return d
}
