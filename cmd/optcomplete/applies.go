package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete"
	"optcomplete/internal/settings"
	"optcomplete/twosided"
)

// kindOf is the method and the model of a fit, by the words of the table.
func kindOf(s optcomplete.Settings, twoSided bool) (method, model string) {
	switch method = s.Method.String(); {
	case twoSided:
		return method, twosided.Kind
	case optcomplete.Baseline(s.Method):
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
		if err != nil || s == nil || s.Applies(method, model) {
			return
		}
		if model == twosided.Kind && f.Name == "model" && f.Value.String() == "paper" {
			return // it is the paper's: its section 2.3
		}
		to := fmt.Sprintf("the model %s", model)
		switch {
		case s.Methods != nil && !slices.Contains(s.Methods, method):
			to = fmt.Sprintf("the method %s", method)
		case model == twosided.Kind:
			to = "two-sided models, those with --row-features"
		}
		remedy := ""
		if slices.Equal(s.Models, []string{twosided.Kind}) && model != twosided.Kind {
			remedy = " (give the features of the rows with --row-features FILE)"
		}
		err = usagef("%s does not apply to %s: it is for the %s%s", s.Flag(), to, s.AppliesTo(), remedy)
	})
	return err
}
