package report

import (
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// settings answers: how is this made again?
func (m *Model) settings() section {
	s := section{ID: "settings", Short: "Settings", Title: "Settings and versions, to make it again"}
	s.Lead = "The same data, settings and seed give the same model, whatever the number of threads; only the times differ."
	s.add(block{Code: m.command()})
	t := &table{Caption: "Settings", Head: []string{"Setting", "Value"}, Text: []bool{true, true}}
	t.row("Method", text(m.s.Method))
	if m.selects() {
		t.row("Model", text(m.s.Model))
		t.row("Features selected, k", m.num("k", whole))
		t.row("γ", m.num("gamma", short))
	}
	unit := "in entries"
	if m.s.Weighted {
		unit = "in weight of entries"
	}
	for _, optional := range []struct{ label, path string }{
		{"γ of the population", "gamma0"}, {"Shrinkage of row effects, " + unit, "row_shrinkage"}, {"Shrinkage of column effects, " + unit, "column_shrinkage"},
		{"Shrinkage of column effects as learned, " + unit, "structure.column_shrinkage"},
		{"Rows of a sample", "sample_rows"}, {"Columns of a sample’s row", "sample_columns"},
	} {
		if _, ok := m.doc.find(optional.path); ok {
			t.row(markup(optional.label), m.num(optional.path, short))
		}
	}
	if m.selects() {
		t.row("Refit of the coefficients", text(m.s.Refit.String()))
	}
	t.row("Seed", m.num("seed", func(float64) string { return fmt.Sprint(m.s.Seed) }))
	if len(m.s.Always) > 0 {
		t.row("Selected in any case", say("%s", m.s.Always))
	}
	if len(m.s.Never) > 0 {
		t.row("Never selected", say("%s", m.s.Never))
	}
	if len(m.s.AtMost) > 0 {
		t.row("Selected at most", say("%s", m.s.AtMost))
	}
	for _, key := range slices.Sorted(maps.Keys(m.s.Settings)) {
		label := say("<code>--%s</code>", key)
		switch key { // arguments
		case "ratings":
			label = "Ratings"
		case "table":
			label = "Table"
		}
		t.row(label, name(strings.Join(wordsOf(m.s.Settings[key]), " ")))
	}
	m.kind().facts(m, t)
	if m.s.Solver != "" {
		t.row("Solver of the masters", name(m.s.Solver+" "+m.s.SolverVersion))
	}
	t.row("Program", say("optcomplete %s", name(m.s.Version)))
	if m.s.Platform != "" {
		t.row("Platform", name(m.s.Platform))
	}
	t.row("Format of model.json", m.num("format_version", whole))
	s.table(t)
	return s
}

// inputs are the files of the command line, by the names they were given.
func (m *Model) inputs() string {
	ratings, features := m.s.Settings["ratings"], m.s.Settings["features"]
	if ratings == "" {
		ratings = "RATINGS"
	}
	switch {
	case features == "" && m.s.Settings["ratings"] != "":
		return quote(ratings) // it was fitted without
	case features == "":
		features = "FEATURES"
	}
	return quote(ratings) + " --features " + quote(features)
}

// wordsOf are the values of a flag that was given more than once: they stand in
// lines.
func wordsOf(value string) []string { return strings.Split(value, "\n") }

// files are settings that stand at the beginning of the command line.
var files = []string{"ratings", "features", "row-features", "table"}

// command is a command line that makes the model again.
func (m *Model) command() string {
	words, flags := m.kind().command(m)
	first := len(words)
	words = append(append(words, flags...), m.flags(func(string) bool { return true })...)
	slices.Sort(words[first:])
	return strings.Join(append(words, fmt.Sprintf("--seed %d", m.s.Seed), "-o model"), " ")
}

// dataFlags say which data are fitted, and by which model.
var dataFlags = []string{"drop-unknown", "min-entries", "missing", "row-name", "column-name", "value-name", "delimiter", "format", "duplicates",
	"features-config", "field", "group", "max-levels", "separator", "blank", "scale", "keep", "complete-features",
	"model", "loss", "delta", "nonnegative", "constants", "heredity", "skip", "weight", "no-intercept"}

// sameData are the flags that make another command read the same data in the same
// way.
func (m *Model) sameData() string {
	flags := m.flags(func(key string) bool { return slices.Contains(dataFlags, key) })
	slices.Sort(flags)
	return strings.Join(append([]string{""}, flags...), " ")
}

// flags are the flags that were given, but for the files: those that are wanted, and
// the features that were forced or banned.
func (m *Model) flags(wanted func(key string) bool) []string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(m.s.Settings)) {
		switch value := m.s.Settings[key]; {
		case slices.Contains(files, key) || !wanted(key):
		case value == "true":
			words = append(words, "--"+key)
		case value == "false": // a switch takes no word of its own
			words = append(words, "--"+key+"=false")
		default:
			flags := make([]string, 0, 1)
			for _, word := range wordsOf(value) {
				flags = append(flags, "--"+key+" "+quote(word))
			}
			words = append(words, strings.Join(flags, " ")) // in their order
		}
	}
	for flag, list := range map[string][]string{"always": m.s.Always, "never": m.s.Never, "at-most": m.s.AtMost} {
		if len(list) > 0 {
			words = append(words, "--"+flag+" "+quote(listOf(list)))
		}
	}
	return words
}

// listOf is the value of a flag that takes a list: one with a comma in it is quoted
// as in CSV.
func listOf(elements []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(elements) // a strings.Builder does not fail
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// quote makes a word of a shell.
func quote(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
