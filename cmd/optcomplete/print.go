package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"optcomplete/internal/amount"
	"optcomplete/internal/lists"
	"optcomplete/internal/rounding"
	"optcomplete/internal/settings"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/result"
	"optcomplete/spec"
	"optcomplete/twosided"
)

// printSummary prints a fitted model for people.
func printSummary(c *common, s *model.Summary, written ...string) {
	w := c.stdout
	if s.Status == result.Fitted {
		fmt.Fprintf(w, "Method    %s: selects no features and proves nothing\n", s.Method)
	} else {
		fmt.Fprintf(w, "Selected %d of %d features\n", s.K, s.Features)
		for _, name := range s.Selected {
			fmt.Fprintf(w, "  %s\n", name)
		}
		printCertificate(c, s)
	}
	printRemainder(w, s)
	printErrors(w, s)
	if s.Holdout != nil {
		if s.Split != nil {
			fmt.Fprintf(w, "  split   trained on entries before %s (UTC), scored on those from then on%s\n", s.Split.Moment, untimed(s.Split.Without))
		}
		printCoverage(w, s)
	}
	printNearTies(w, s)
	printWritten(w, written...)
}

// untimed says what became of entries without a time.
func untimed(entries int) string {
	if entries == 0 {
		return ""
	}
	return fmt.Sprintf("; %s without a time trained on too", counted(entries, "entry", "entries"))
}

// printWritten says where things are: pairs of what and where, those without a
// where left out.
func printWritten(w io.Writer, written ...string) {
	for i := 0; i+1 < len(written); i += 2 {
		if written[i+1] != "" {
			fmt.Fprintf(w, "%-9s %s\n", written[i], written[i+1])
		}
	}
}

// summaryDigits is how many digits of costs and bounds a summary has.
const summaryDigits = 9

// printRemainder says how large the remainder is.
func printRemainder(w io.Writer, s *model.Summary) {
	if s.Structure == nil || s.Structure.Remainder == nil {
		return
	}
	r := s.Structure.Remainder
	other, unnamed := "", ""
	if s.Variance != nil {
		other, unnamed = " ("+share(s.Variance.Other)+" of the variance)", " ("+share(s.Variance.Remainder)+" of the variance)"
	}
	var parts []string
	if len(r.Other) > 0 {
		names := count(len(r.Other), "other feature")
		if r.OtherOf > len(r.Other) {
			names = fmt.Sprintf("%d of %s", len(r.Other), count(r.OtherOf, "other feature"))
		}
		parts = append(parts, names+other)
	}
	if traits := r.CoFactors + r.Rank; traits > 0 {
		parts = append(parts, count(traits, "unnamed trait")+unnamed)
	}
	if r.CoFactors > 0 {
		parts = append(parts, fmt.Sprintf("%d of them learned from which %s the same %s have", r.CoFactors, s.Nouns.Columns(), s.Nouns.Rows()))
	}
	fmt.Fprintf(w, "Remainder %s\n", strings.Join(parts, ", "))
}

// printCoverage says how many held-out entries lie in their intervals.
func printCoverage(w io.Writer, s *model.Summary) {
	var parts []string
	for _, c := range s.Coverage {
		parts = append(parts, fmt.Sprintf("%.1f %% in their %.3g %% intervals", 100*c.Covered, 100*c.Probability))
	}
	if len(parts) > 0 {
		fmt.Fprintf(w, "Coverage  of held-out %s: %s\n", s.Nouns.Entries(), strings.Join(parts, ", "))
	}
}

// shrinkage tells how strongly the effects of columns were shrunk, which are subtracted
// before the search: costs of fits with others cannot be compared.
func shrinkage(s *model.Summary) string {
	if !(s.ColumnShrinkage > 0) || !spec.EffectsOf(s.Model).Columns {
		return ""
	}
	how := "learned"
	if _, set := s.Settings["column-shrinkage"]; set {
		how = "as given"
	}
	unit := "entries"
	if s.Weighted {
		unit = "weight of entries"
	}
	return fmt.Sprintf("of column effects: %.4g %s, %s (--column-shrinkage)", s.ColumnShrinkage, unit, how)
}

// printCertificate prints cost, bound, gap, what they prove, and what the search
// did.
func printCertificate(c *common, s *model.Summary) {
	w := c.stdout
	fmt.Fprintf(w, "Cost      %s  (%s; %.4g %s)\n", costText(s.Cost, s.Bound, summaryDigits), gammaText(s), s.PerEntry(), s.PerWhat())
	if s.Certified {
		fmt.Fprintf(w, "Bound     %s\n", rounding.Down(s.Bound, summaryDigits))
		c.printProof("Gap", rounding.PercentUp(s.Gap), green, certificate(s))
	} else {
		c.printProof("Bound", "none", yellow, certificate(s))
	}
	if text := shrinkage(s); text != "" {
		fmt.Fprintf(w, "Shrinkage %s\n", text)
	}
	if s.Delta > 0 {
		fmt.Fprintf(w, "Delta     %.4g  errors beyond it count linearly (--delta)\n", s.Delta)
	}
	if u := s.Units; u != nil {
		if names := u.Unsupported(); len(names) > 0 {
			c.printProof("Spread", fmt.Sprintf("%d of %d", len(u.Selected())-len(names), len(u.Selected())), yellow, s.Nouns.Rows()+" do not measurably differ on "+strings.Join(names, ", ")+": these data do not say whether they belong to the selection")
		}
	}
	if words := s.Units.Words(); words != "" {
		c.printProof("Gamma", fmt.Sprintf("× %.4g", s.Units.Factor), yellowUnless(s.Units.Same()), words)
	}
	if words := s.Alike.Words(); words != "" {
		if equal := s.Alike.Equal(s.Gamma); equal != "" {
			words = equal + "; " + words
		}
		c.printProof("Gamma", fmt.Sprintf("%.4g", s.Gamma), yellowUnless(s.Alike.Agree), words)
	}
	if s.SampledGap != nil {
		size := count(s.SampleRows, "row")
		if s.SampleColumns > 0 { // only the paper's method draws columns
			size += " × " + count(s.SampleColumns, "column")
		}
		fmt.Fprintf(w, "Sampled   gap ~%s on samples of %s: proves nothing\n", percent(*s.SampledGap), size)
	}
	if s.Solver != "" {
		fmt.Fprintf(w, "Masters   %s%s, by the %s solver, version %s\n", count(s.MasterNodes, "node"), c.took(s.MasterSeconds, " in "), s.Solver, s.SolverVersion)
	}
	fmt.Fprintf(w, "Search    %s, %s, %s enumerated, %s over the data\n",
		count(s.Nodes, "node"), count(s.Cuts, "cut"), count(s.Enumerated, "selection"), counted(s.Passes, "pass", "passes"))
	if of := readings(s.Readings); of != "" {
		fmt.Fprintf(w, "Readings  %s\n", of)
	}
	if c.logTimes {
		fmt.Fprintf(w, "Time      %s\n", timeText(s))
	}
}

// readings tells how often the data were read; --json has what for. Readings of parts
// of them (trials, samples, comparisons) are counted apart.
func readings(of map[string]int) string {
	all, parts := 0, 0
	for name, n := range of {
		if strings.Contains(name, ": ") {
			parts += n
		} else {
			all += n
		}
	}
	switch {
	case all == 0:
		return ""
	case parts == 0:
		return fmt.Sprintf("%s of all entries", grouped(all))
	}
	return fmt.Sprintf("%s of all entries, %s of a part (trials, samples, comparisons)", grouped(all), grouped(parts))
}

// timeText tells where the time went.
func timeText(s *model.Summary) string {
	t := s.Seconds
	var parts []string
	if len(s.GammaPath) > 0 {
		parts = append(parts, "γ chosen in "+seconds(t.Choose))
	}
	parts = append(parts, "features selected in "+seconds(t.Select-t.Choose))
	if s.Certified {
		parts = append(parts, "proof in "+seconds(t.Certify))
	}
	return strings.Join(append(parts, "rows fitted and compared in "+seconds(t.Complete)), ", ")
}

// yellowUnless is the colour of a sentence that people should stop at.
func yellowUnless(fine bool) string {
	if fine {
		return green
	}
	return yellow
}

// printProof prints a number and a sentence on it, broken where a terminal ends.
func (c *common) printProof(name, number, color, sentence string) {
	before := fmt.Sprintf("%-9s %s  ", name, number)
	lines := []string{sentence}
	if c.outTerminal.is {
		lines = settings.Wrap(sentence, max(c.outTerminal.width-utf8.RuneCountInString(before)-1, 30))
	}
	for _, line := range lines {
		fmt.Fprintf(c.stdout, "%s%s\n", before, c.outTerminal.style(color, line))
		before = strings.Repeat(" ", utf8.RuneCountInString(before))
	}
}

// took is a time with a word before it, or nothing where times are not shown.
func (c *common) took(x float64, before string) string {
	if !c.logTimes {
		return ""
	}
	return before + seconds(x)
}

// numericalRemedy is what to do about a numerical limit.
const numericalRemedy = "(take a smaller --gamma, bring the features to similar sizes, or leave out near duplicates)"

// certificate says in one sentence what is proven.
func certificate(s *model.Summary) string {
	thing := "feature"
	if s.Model == twosided.Kind {
		thing = "product"
	}
	selection := "selection of " + count(s.K, thing)
	if len(s.Always)+len(s.Never)+len(s.AtMost) > 0 {
		selection = "allowed " + selection // by --always, --never and --at-most
	}
	early := "stopped early (" + s.Status.Words() + ")"
	if s.Status.ByItself() {
		early = byItself(s.Status)
	}
	switch {
	case !s.Certified:
		if s.Settings["certify"] == "true" {
			return early + " while still on samples, which prove nothing (a larger --time-limit reaches the proof)"
		}
		return "not proven: samples prove nothing (--certify goes on to a proof)"
	case s.Status == result.Optimal:
		return "proven optimal: no other " + selection + " costs less"
	case s.Status == result.NumericalLimit:
		reached := "nothing is proven"
		if s.Gap < 1 {
			reached = "it is proven that no " + selection + " is more than " + rounding.PercentUp(s.Gap) + " cheaper"
		}
		return "numerical limit: " + reached + ", and rounding errors hide the rest " + numericalRemedy
	case s.Gap >= 1:
		return early + " before anything was proven"
	case s.Status == result.GapReached:
		return "proven: no " + selection + " is more than " + rounding.PercentUp(s.Gap) + " cheaper"
	}
	return early + ", proven so far: no " + selection + " is more than " + rounding.PercentUp(s.Gap) + " cheaper"
}

// printErrors prints the errors of a fit. The relative one is shown for both parts or
// for none: the values are alike.
func printErrors(w io.Writer, s *model.Summary) {
	train, holdout := &s.Train, s.Holdout
	tells := result.TellsMAPE(train.MAPE, train.MAPESkipped) && (holdout == nil || result.TellsMAPE(holdout.MAPE, holdout.MAPESkipped))
	printMetrics(w, "Train", train, tells, s)
	if holdout != nil {
		printMetrics(w, "Hold-out", holdout, tells, s)
		printGain(w, s)
		printTrial(w, s)
	}
}

// leastGain is what a remainder must gain at least to be worth a line.
const leastGain = 0.005

// printTrial says what a remainder would gain, if it would.
func printTrial(w io.Writer, s *model.Summary) {
	if t := s.RemainderTrial; t != nil && t.Low > leastGain {
		fmt.Fprintf(w, "Remainder --residual-rank auto would lower the error: by %s (95 %% interval %s to %s) in a trial on %s\n",
			percent(t.Gain), percent(t.Low), percent(t.High), counted(t.Entries, "entry", "entries"))
	}
}

// printGain says how much better than the best of simpler predictions the held-out
// entries are predicted.
func printGain(w io.Writer, s *model.Summary) {
	if len(s.Baselines) == 0 {
		return
	}
	best := &s.Baselines[0]
	for i := range s.Baselines {
		if b := &s.Baselines[i]; b.Score() < best.Score() {
			best = b
		}
	}
	gain, higher := 1-s.Holdout.Score()/best.Score(), "lower"
	if !(best.Score() > 0) {
		return
	}
	if gain < 0 {
		gain, higher = -gain, "higher"
	}
	sure := ""
	if g := best.Gain; g != nil {
		low, high := g.Low, g.High
		if higher == "higher" {
			low, high = -high, -low
		}
		sure = fmt.Sprintf(" (95 %% interval %s to %s)", percent(low), percent(high))
		if g.Low <= 0 && g.High >= 0 {
			sure += ", which may be chance"
		}
	}
	fmt.Fprintf(w, "Gain      %s %s %s than with %s%s\n", percent(gain), higher, cmp.Or(s.Loss.Measure(), "RMSE"), best.Words(s.Nouns), sure)
}

// printMetrics prints errors of a model whose summary is s.
func printMetrics(w io.Writer, name string, m *result.Metrics, relatively bool, s *model.Summary) {
	on := counted(m.Entries, s.Nouns.One(), s.Nouns.Entries())
	if m.Weighted {
		on += " (weighted)"
	}
	if m.Measures != nil || s.Loss.Linked() || s.Loss.HasUnit() {
		fmt.Fprintf(w, "%-9s %s on %s\n", name, measuresText(s.Loss, m.Measures, m.RMSE), on)
		return
	}
	relative := ""
	if relatively {
		relative = ", MAPE " + percent(m.MAPE.Value)
	}
	fmt.Fprintf(w, "%-9s RMSE %.5g, MAE %.5g%s on %s\n", name, m.RMSE, m.MAE, relative, on)
}

// measuresText tells how good predictions are in the terms of their loss. Measures that
// are all 0 may be nil in a model that was read. The mean of one class leaves nothing to
// explain, and then nothing is said of that.
func measuresText(l loss.Loss, m *result.Measures, rmse float64) string {
	if m == nil {
		m = new(result.Measures)
	}
	explained := func(words string) string {
		if m.Explained == 0 {
			return ""
		}
		return words + percent(m.Explained)
	}
	switch {
	case l.Counts():
		return fmt.Sprintf("deviance %.5g%s, RMSE %.5g", m.Deviance, explained(", explained "), rmse)
	case l.HasUnit():
		return fmt.Sprintf("Huber loss %.5g, RMSE %.5g", m.Huber, rmse)
	}
	auc := ""
	if m.AUC != nil {
		auc = fmt.Sprintf(" AUC %.4f,", *m.AUC)
	}
	if r := m.AUCInterval; r != nil {
		auc = fmt.Sprintf(" AUC %.4f (%.4f to %.4f),", *m.AUC, r.Low, r.High)
	}
	return fmt.Sprintf("log-loss %.5g,%s Brier %.5g%s", m.LogLoss, auc, m.Brier, explained(", deviance explained "))
}

// printNearTies prints the next best selections, by what they exchange.
func printNearTies(w io.Writer, s *model.Summary) {
	if len(s.NearTies) == 0 {
		return
	}
	fmt.Fprintln(w, "Next best selections seen")
	for _, tie := range s.NearTies {
		more := "same cost"
		if s.Cost > 0 {
			more = fmt.Sprintf("cost +%s", percent((tie.Cost-s.Cost)/s.Cost))
		}
		fmt.Fprintf(w, "  %-16s %s\n", more, exchange(s.Selected, tie.Selected))
	}
}

// exchange describes selection b by what it has other than a.
func exchange(a, b []string) string {
	return strings.Join(lists.Without(b, a), ", ") + " instead of " + strings.Join(lists.Without(a, b), ", ")
}

// percent prints a fraction as a percentage with three digits that matter.
func percent(x float64) string {
	switch x *= 100; {
	case x == 0:
		return "0 %"
	case x < 0:
		return "−" + percent(-x/100)
	case x < 1e-3:
		return fmt.Sprintf("%.0e %%", x)
	case x >= 999.5:
		return grouped(int(math.Round(min(x, 1e15)))) + " %"
	default:
		return fmt.Sprintf("%.3g %%", x)
	}
}

func seconds(x float64) string {
	switch {
	case x < 0.0995:
		return fmt.Sprintf("%.3f s", x)
	case x < 99.95:
		return fmt.Sprintf("%.1f s", x)
	default:
		return (time.Duration(x) * time.Second).String()
	}
}

// worded makes texts that call rows, columns and entries, written {row} and so on,
// by the reader's nouns.
func worded(n *result.Nouns) func(format string, args ...any) string {
	words := n.Replacer()
	return func(format string, args ...any) string { return fmt.Sprintf(words.Replace(format), args...) }
}

func count(n int, what string) string { return counted(n, what, what+"s") }

// counted and grouped are those of package amount.
func counted(n int, one, many string) string {
	return amount.Of(n, one, many)
}

func grouped(n int) string {
	return amount.Grouped(n)
}
