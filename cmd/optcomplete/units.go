package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"optcomplete/model"
	"optcomplete/result"
)

// units prints what was learned of how much rows differ on each feature.
func (l *searchLog) units(u *result.Units) {
	if l.events != nil {
		l.events.Units(u)
	}
	l.factf("Learned", "%s", unitsText(u))
}

// unitsText says in a line how much rows differ.
func unitsText(u *result.Units) string {
	if !u.Learned {
		return "nothing: too few entries, no differences or too little time to tell how much rows differ; every feature counts alike"
	}
	var most *result.FeatureUnit
	for x := range u.Features {
		if f := &u.Features[x]; most == nil || f.Gamma > most.Gamma {
			most = f
		}
	}
	all, without := len(u.Features), len(u.Unmeasured())
	if most == nil || without == all {
		return fmt.Sprintf("rows do not measurably differ on any of %s", count(all, "feature"))
	}
	return fmt.Sprintf("how much rows differ on each of %s: measurably on %d, most on %s", count(all, "feature"), all-without, most.Name)
}

// gammaText says what the cost shrinks coefficients by.
func gammaText(s *model.Summary) string {
	switch {
	case s.Units == nil || !s.Units.Learned:
		return fmt.Sprintf("gamma %.4g", s.Gamma)
	case s.Gamma == 1:
		return "gamma learned for each feature"
	}
	return fmt.Sprintf("gamma learned for each feature, times %.4g", s.Gamma)
}

// mostSpread is how many features are listed by how much rows differ on them; --json has all.
const mostSpread = 20

// printDifferences lists by how much rows differ on each feature, selected or not.
func printDifferences(w io.Writer, u *result.Units, nouns *result.Nouns, lower bool) error {
	features := u.BySpread()
	if len(features) == 0 {
		return nil
	}
	say := worded(nouns)
	fmt.Fprintln(w, say("How much {rows} differ on each feature: the standard deviation over {rows} of what one standard deviation of the feature does, and gamma of the cost (* selected)"))
	if lower {
		fmt.Fprintln(w, "  (for values of yes and no these are lower estimates)")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	measured := 0
	for _, f := range features {
		if !f.Measurable {
			continue
		}
		if measured++; measured <= mostSpread {
			mark := " "
			if f.Selected {
				mark = "*"
			}
			fmt.Fprintf(t, "  %s %s\t%.3g\tgamma %.3g\n", mark, f.Name, f.Spread, f.Gamma)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if measured > mostSpread {
		fmt.Fprintf(w, "    and %s more (--json has all)\n", count(measured-mostSpread, "feature"))
	}
	if rest := u.Unmeasured(); len(rest) > 0 {
		more := ""
		if len(rest) > mostSpread {
			more, rest = fmt.Sprintf(" and %d more", len(rest)-mostSpread), rest[:mostSpread]
		}
		fmt.Fprintln(w, say("  {Rows} do not measurably differ on %s%s", strings.Join(rest, ", "), more))
	}
	return nil
}
