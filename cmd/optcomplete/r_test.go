package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"optcomplete/internal/must"
	"optcomplete/internal/settings"
)

// TestSettingsOfR: the arguments of the R functions, in the code and on their help
// pages, are the settings of the table, with their defaults and their help. They stand
// between "settings: VERB" and "end of settings"; the rest of each file is written by hand.
func TestSettingsOfR(t *testing.T) {
	parts := rParts()
	for path, mark := range map[string]string{
		"R/settings.R": "#", "R/complete_matrix.R": "#", "R/path.R": "#", "R/best_subset.R": "#",
		"man/complete_matrix.Rd": "%", "man/path.Rd": "%", "man/best_subset.Rd": "%",
	} {
		path = "../../r/" + path
		var b strings.Builder
		inside := false
		for line := range strings.Lines(readText(t, path)) {
			words := strings.TrimSpace(line)
			end := strings.HasPrefix(words, mark+" end of settings")
			if end {
				inside = false
			}
			if !inside {
				b.WriteString(line)
			}
			if name, found := strings.CutPrefix(words, mark+" settings: "); found && !end {
				name, _, _ = strings.Cut(name, ",")
				part, known := parts[name]
				if !known {
					t.Fatalf("%s: there are no settings %q", path, name)
				}
				b.WriteString(part)
				inside = true
			}
		}
		if inside {
			t.Fatalf(`%s: "%s end of settings" is missing`, path, mark)
		}
		golden(t, path, []byte(b.String()))
	}
}

// Settings that are no arguments in R: what they are for is done otherwise there.
// r/tests/testthat/test-settings.R says how for each.
var notInR = map[string][]string{
	"":        {"watch", "quiet", "config", "print-config", "log-times"},
	"fit":     {"features", "row-features", "output", "report", "names", "json"},
	"path":    {"features", "row-features", "raw-names", "output", "plot", "json"},
	"regress": {"target", "weight", "skip", "path", "bootstrap", "json", "output", "report", "field", "max-levels", "separator", "blank"},
}

// rParts are what stands between the marks: for a verb its arguments, "VERB usage" and
// "VERB help" for its help page, and "types" for the code that makes requests.
func rParts() map[string]string {
	parts := map[string]string{}
	types := map[string][]string{}
	for _, v := range descriptionOf(newRoot(newCommon(io.Discard, io.Discard))).Verbs {
		for _, s := range v.Settings {
			for kind, of := range map[string][]string{"switch": {"switch"}, "duration": {"duration"}, "names": {"names", "repeated", "wholes"}, "path": {"file", "folder"}} {
				if slices.Contains(of, s.Type) && !slices.Contains(types[kind], s.Name) {
					types[kind] = append(types[kind], s.Name)
				}
			}
		}
		if notInR[v.Verb] == nil {
			continue
		}
		var arguments, usage, help strings.Builder
		for _, s := range v.Settings {
			if s.Name == "k" || s.Name == "k-max" {
				writeR(&arguments, &usage, &help, s)
			}
		}
		for _, s := range v.Settings {
			if s.Name != "k" && s.Name != "k-max" && !slices.Contains(notInR[""], s.Name) && !slices.Contains(notInR[v.Verb], s.Name) {
				writeR(&arguments, &usage, &help, s)
			}
		}
		parts[v.Verb], parts[v.Verb+" usage"], parts[v.Verb+" help"] = arguments.String(), usage.String(), help.String()
	}
	var b strings.Builder
	b.WriteString(".types <- list(\n")
	for i, kind := range []string{"switch", "duration", "names", "path"} {
		if slices.Sort(types[kind]); i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "  %s = c(\n", kind)
		for _, line := range settings.Wrap(`"`+strings.Join(types[kind], `", "`)+`"`, 110) {
			fmt.Fprintf(&b, "    %s\n", line)
		}
		b.WriteString("  )")
	}
	b.WriteString("\n)\n")
	parts["types"] = b.String()
	return parts
}

func writeR(arguments, usage, help *strings.Builder, s settingDescription) {
	value := rDefault(s)
	fmt.Fprintf(arguments, "  %s = %s,\n", pythonName(s.Name), value)
	fmt.Fprintf(usage, "  %s = %s,\n", pythonName(s.Name), value)
	fmt.Fprintf(help, "  \\item{%s}{", pythonName(s.Name))
	for i, line := range settings.Wrap(rHelp(s), 110) {
		if i > 0 {
			help.WriteString("\n    ")
		}
		help.WriteString(line)
	}
	help.WriteString("}\n")
}

// rDefault is a default as R writes it.
func rDefault(s settingDescription) string {
	switch {
	case s.Type == "switch" && s.Default == "true":
		return "TRUE"
	case s.Type == "switch":
		return "FALSE"
	case s.Default == "":
		return "NULL"
	case regexp.MustCompile(`^-?[0-9.]+(e-?[0-9]+)?$`).MatchString(s.Default) && (s.Type == "whole" || s.Type == "number"):
		return s.Default
	}
	return fmt.Sprintf("%q", s.Default)
}

var rWords = strings.NewReplacer("∞", "Inf", "…", "...", `\`, `\\`, "%", `\%`, "{", `\{`, "}", `\}`)

// rHelp is the help of a setting as a sentence of a help page.
func rHelp(s settingDescription) string {
	help := s.Help
	for _, other := range table {
		if other.Type == settings.Switch {
			help = regexp.MustCompile(`--`+other.Name+`\b([^-]|$)`).ReplaceAllString(help, pythonName(other.Name)+" = TRUE$1")
		}
	}
	s.Help = help
	return rWords.Replace(strings.ReplaceAll(pythonHelp(s), `\\`, `\`))
}

// TestFunctionsOfR: a setting of a verb that uses a model is an argument of its function
// in R, or r/tests/testthat/test-settings.R, which checks it in full, says how else it is reached.
func TestFunctionsOfR(t *testing.T) {
	functions := string(must.Get(os.ReadFile("../../r/R/use.R"))(t))
	reached := readText(t, "../../r/tests/testthat/test-settings.R")
	names := map[string]string{"predict": "predict.optcomplete", "complete": "completed", "recommend": "recommend.optcomplete", "explain": "explain.optcomplete", "report": "report.optcomplete", "evaluate": "evaluate.optcomplete", "fold-in": "fold_in.optcomplete"}
	for _, v := range descriptionOf(newRoot(newCommon(io.Discard, io.Discard))).Verbs {
		name := names[v.Verb]
		if name == "" {
			continue
		}
		_, signature, found := strings.Cut(functions, name+" <- function(")
		signature, _, _ = strings.Cut(signature, ") {\n")
		if !found {
			t.Fatalf("r/R/use.R has no function %s", name)
		}
		for _, s := range v.Settings {
			if !regexp.MustCompile(`\b`+pythonName(s.Name)+`\b`).MatchString(signature) && !strings.Contains(reached, `"`+s.Name+`"`) {
				t.Errorf("%s --%s is no argument of %s: add it there, or say in r/tests/testthat/test-settings.R how else it is reached", v.Verb, s.Name, name)
			}
		}
	}
}
