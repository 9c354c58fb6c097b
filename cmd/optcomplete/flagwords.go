package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete/formulation"
	"optcomplete/internal/settings"
	"optcomplete/spec"
	"optcomplete/twosided"
)

// The library names a setting as Go has it: "use Settings.DropUnknown". On the command
// line it is a flag.
var settingName = regexp.MustCompile(`\b(?:engine\.)?(?:[A-Z]\w*)?(?:Settings|CutPlanes)\.([A-Z]\w*)`)

// asFlags writes the settings that a text of the library names as flags.
func asFlags(text string) string {
	return settingName.ReplaceAllStringFunc(text, func(name string) string {
		if flag, ok := flagNamed(name); ok {
			return flag
		}
		return name
	})
}

// flagNamed is the flag of a setting, and whether there is one.
func flagNamed(name string) (string, bool) {
	engine, is := strings.CutPrefix(name, "engine.")
	_, field, _ := strings.Cut(engine, ".")
	flag := settings.NameOf(field)
	if is {
		flag = "engine-" + flag
	}
	for i := range table {
		if table[i].Name == flag {
			return table[i].Flag(), true
		}
	}
	return "", false
}

// flagged is an error that names flags where the library named settings.
type flagged struct{ error }

func (e flagged) Error() string { return asFlags(e.error.Error()) }

func (e flagged) Unwrap() error { return e.error }

// kindOf is the method and the model of a fit, by the words of the table.
func kindOf(s formulation.Settings, twoSided bool) (method, model string) {
	switch method = s.Method.String(); {
	case twoSided:
		return method, twosided.Kind
	case formulation.Baseline(s.Method):
		return method, ""
	}
	return method, s.Model.String()
}

// checkApplies refuses what was given and would do nothing: a setting that does not
// apply to the method and the model.
func checkApplies(cmd *cobra.Command, method, model string) (err error) {
	if model == twosided.Kind && method != "certified" {
		return usagef("--method %s does not apply to two-sided models, those with --row-features: they are selected by certified", method)
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		s := settings.Of(f)
		if err != nil || s == nil || s.Use.Applies(method, model) {
			return
		}
		if f.Name == "loss" && (f.Value.String() == "squared" || f.Value.String() == "auto") {
			return // which is what all others minimise
		}
		if model == twosided.Kind && f.Name == "model" && f.Value.String() == "paper" {
			return // it is the paper's: its section 2.3
		}
		remedy := ""
		switch ofRows := slices.Equal(s.Use.Models, []string{twosided.Kind}); {
		case ofRows && model != twosided.Kind:
			remedy = ", or give the features of the rows with --row-features FILE"
		case model == twosided.Kind && slices.Contains(s.Use.Models, "full"):
			remedy = ", or leave out --row-features"
		}
		refusal := s.Use.Refusal(s.Name, method, model)
		refusal.Problem = strings.TrimSuffix(refusal.Problem, ")") + remedy + ")"
		err = withFlag(refusal)
	})
	return err
}

// withFlag names the flag of a setting that is at fault, and flags where the library
// names settings.
func withFlag(err error) error {
	var fault *spec.Error
	if errors.As(err, &fault) && fault.Setting != "" {
		for i := range table {
			if table[i].Name == fault.Setting {
				return usagef("%s %s", table[i].Flag(), asFlags(fault.Problem))
			}
		}
	}
	if err != nil && settingName.MatchString(err.Error()) {
		return flagged{err}
	}
	return err
}
