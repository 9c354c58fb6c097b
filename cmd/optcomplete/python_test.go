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

// TestSettingsOfPython: the arguments of the Python package are the settings of
// the table, with their defaults and their help.
func TestSettingsOfPython(t *testing.T) {
	golden(t, "../../python/optcomplete/_settings.py", pythonSettings())
}

// Settings that are no arguments in Python: what they are for is done otherwise
// there. python/tests/test_settings.py says how for each.
var notInPython = map[string][]string{
	"":        {"quiet", "config", "print-config", "log-times"},
	"fit":     {"watch", "features", "row-features", "output", "report", "names", "json"},
	"path":    {"watch", "features", "row-features", "output", "plot", "json"},
	"regress": {"watch", "target", "skip", "path", "bootstrap", "json", "output", "report", "field", "max-levels", "separator", "blank"},
}

// searchTimeInPython is how long searches go on by themselves there, where they are
// often one of many, by verb.
var searchTimeInPython = map[string]string{"fit": "60s", "regress": "10s"}

// TestMethodsOfPython: a setting of a verb that uses a model is an argument of its
// method in Python, or python/tests/test_settings.py, which checks it in full,
// says how else it is reached.
func TestMethodsOfPython(t *testing.T) {
	methods := readText(t, "../../python/optcomplete/_completer.py")
	reached := readText(t, "../../python/tests/test_settings.py")
	for _, v := range descriptionOf(newRoot(newCommon(io.Discard, io.Discard))).Verbs {
		name := map[string]string{"predict": "predict", "complete": "complete", "recommend": "recommend", "explain": "explain", "report": "report", "evaluate": "evaluate", "fold-in": "fold_in"}[v.Verb]
		if name == "" {
			continue
		}
		_, signature, found := strings.Cut(methods, "    def "+name+"(")
		signature, _, _ = strings.Cut(signature, ") ->")
		if !found {
			t.Fatalf("MatrixCompleter has no method %s", name)
		}
		for _, s := range v.Settings {
			argument := regexp.MustCompile(`\b` + pythonName(s.Name) + `:`)
			if !argument.MatchString(signature) && !strings.Contains(reached, `"`+s.Name+`"`) {
				t.Errorf("%s --%s has no argument in MatrixCompleter.%s: add it there, or say in python/tests/test_settings.py how else it is reached", v.Verb, s.Name, name)
			}
		}
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return string(text)
}

func pythonSettings() []byte {
	var b strings.Builder
	b.WriteString(`"""Arguments of the estimators: made from the table of settings by ` + "`make settings`" + `, not by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._path import Path

Progress = bool | str | Callable[[dict[str, Any]], None] | None
Seconds = str | float | timedelta | None
Names = str | Sequence[str] | None

`)
	d := descriptionOf(newRoot(newCommon(io.Discard, io.Discard)))
	for _, v := range d.Verbs {
		switch v.Verb {
		case "fit":
			pythonClass(&b, "CompleterSettings", "Settings of a MatrixCompleter.", v)
		case "regress":
			pythonClass(&b, "SubsetSettings", "Settings of a BestSubset.", v)
		case "path":
			pythonFunction(&b, v)
		}
	}
	return []byte(b.String())
}

// pythonArgument is a setting as Python has it.
type pythonArgument struct{ name, kind, value, help string }

var flagInHelp = regexp.MustCompile(`--?([a-z][a-z0-9-]*)`)

func pythonArguments(v verbDescription) []pythonArgument {
	first := []pythonArgument{}
	var rest []pythonArgument
	for _, s := range v.Settings {
		if slices.Contains(notInPython[""], s.Name) || slices.Contains(notInPython[v.Verb], s.Name) {
			continue
		}
		a := pythonArgument{name: pythonName(s.Name), value: "None", help: pythonHelp(s)}
		switch s.Type {
		case "whole":
			a.kind = "int | None"
			if s.Default != "" {
				a.kind, a.value = "int", s.Default
			}
		case "number":
			a.kind = "float | None"
			if slices.Contains(strings.Fields(s.Range), s.Default) && s.Default != "" {
				a.kind, a.value = "float | str", fmt.Sprintf("%q", s.Default)
			} else if s.Default != "" {
				a.kind, a.value = "float", s.Default
			}
		case "switch":
			a.kind, a.value = "bool", "False"
			if s.Default == "true" {
				a.value = "True"
			}
		case "duration":
			a.kind = "Seconds"
			if s.Default != "" {
				a.value = fmt.Sprintf("%q", s.Default)
			}
			if own := searchTimeInPython[v.Verb]; own != "" && s.Name == "search-time" {
				a.value = fmt.Sprintf("%q", own)
			}
		case "names", "repeated":
			a.kind = "Names"
		default:
			a.kind = "str | None"
			if s.Default != "" {
				a.kind, a.value = "str", fmt.Sprintf("%q", s.Default)
			}
			if s.Name == "residual-rank" {
				a.kind = "int | str"
			}
		}
		if s.Name == "k" || s.Name == "k-max" {
			first = append(first, a)
		} else {
			rest = append(rest, a)
		}
	}
	return append(append(first, rest...), pythonArgument{"progress", "Progress", "None",
		`Whether to show progress: None does on a terminal and in a notebook, "log" prints the log of the command line, and a function is called with each event.`})
}

func pythonName(name string) string { return strings.ReplaceAll(name, "-", "_") }

// pythonHelp is the help of a setting as a sentence.
func pythonHelp(s settingDescription) string {
	help := flagInHelp.ReplaceAllStringFunc(s.Help, func(flag string) string {
		name := strings.TrimLeft(flag, "-")
		if slices.ContainsFunc(table, func(s settings.Setting) bool { return s.Name == name }) && strings.HasPrefix(flag, "--") {
			return pythonName(name)
		}
		return flag
	})
	help = strings.ToUpper(help[:1]) + help[1:]
	if s.Range != "" && !strings.Contains(help, s.Range) {
		help += ". Takes " + strings.ReplaceAll(s.Range, " | ", ", ")
	}
	return strings.ReplaceAll(help, `\`, `\\`) + "."
}

func pythonDoc(b *strings.Builder, indent, summary string, arguments []pythonArgument) {
	fmt.Fprintf(b, "%s\"\"\"%s\n\n%sParameters\n%s----------\n", indent, summary, indent, indent)
	for _, a := range arguments {
		value := ""
		if a.value != "None" {
			value = ", default " + strings.ReplaceAll(a.value, `"`, "'")
		}
		fmt.Fprintf(b, "%s%s : %s%s\n", indent, a.name, a.kind, value)
		for _, line := range settings.Wrap(a.help, 96-len(indent)) {
			fmt.Fprintf(b, "%s    %s\n", indent, line)
		}
	}
	fmt.Fprintf(b, "%s\"\"\"\n", indent)
}

func pythonSignature(b *strings.Builder, indent string, arguments []pythonArgument) {
	for x, a := range arguments {
		fmt.Fprintf(b, "%s%s: %s = %s,\n", indent, a.name, a.kind, a.value)
		if x == 0 {
			fmt.Fprintf(b, "%s*,\n", indent)
		}
	}
}

func pythonClass(b *strings.Builder, name, summary string, v verbDescription) {
	arguments := pythonArguments(v)
	fmt.Fprintf(b, "\nclass %s:\n", name)
	pythonDoc(b, "    ", summary, arguments)
	fmt.Fprintf(b, "\n    _verb = %q\n\n    def __init__(\n        self,\n", v.Verb)
	pythonSignature(b, "        ", arguments)
	b.WriteString("    ) -> None:\n")
	for _, a := range arguments {
		fmt.Fprintf(b, "        self.%s = %s\n", a.name, a.name)
	}
	b.WriteString("\n")
}

func pythonFunction(b *strings.Builder, v verbDescription) {
	arguments := pythonArguments(v)
	b.WriteString("\ndef path(\n    ratings: Any,\n    features: Any = None,\n")
	pythonSignature(b, "    ", arguments)
	b.WriteString("    row_features: Any = None,\n    sample_weight: Any = None,\n) -> Path:\n")
	data := []pythonArgument{
		{"ratings", "frame, sparse matrix, array or path", "None", "The observed entries, as MatrixCompleter.fit takes them."},
		{"features", "frame, array or path", "None", "What is known about the columns."},
	}
	rows := pythonArgument{"row_features", "frame or path", "None", "What is known about the rows, to select products."}
	weights := pythonArgument{"sample_weight", "array", "None", "How much each entry counts, as MatrixCompleter.fit takes it."}
	pythonDoc(b, "    ", "Select 1, 2, … k_max features in one run, validate each number, and choose one.", append(append(data, arguments...), rows, weights))
	b.WriteString("    from ._path import run\n\n    options = {\n")
	for _, a := range arguments {
		if a.name != "progress" {
			fmt.Fprintf(b, "        %q: %s,\n", a.name, a.name)
		}
	}
	b.WriteString("    }\n    return run(ratings, features, row_features, sample_weight, options, progress)\n\n")
}
