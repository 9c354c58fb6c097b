package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"optcomplete/internal/lists"
	"optcomplete/loss"
	"optcomplete/model"
	"optcomplete/model/estimate"
	"optcomplete/result"
	"optcomplete/spec"
)

// signed prints a number with its sign.
func signed(x float64) string {
	if math.Abs(x) < 5e-13 {
		return "0"
	}
	return fmt.Sprintf("%+.3g", x)
}

// leftOf pads names to the width of the longest, so that they stand left in a
// table whose numbers stand right.
func leftOf(names []string) func(name string) string {
	width := 0
	for _, name := range names {
		width = max(width, utf8.RuneCountInString(name))
	}
	return func(name string) string { return fmt.Sprintf("%-*s", width, name) }
}

// share prints a share, which may be slightly negative.
func share(x float64) string {
	if x < 0 {
		return "-" + percent(-x)
	}
	return percent(x)
}

// newColumnNote says which numbers are for which columns, in a model with column effects.
const newColumnNote = "(for {a column} that had {entries}; \"new {column}\": for one without, whose effect comes from its features)"

// only is a text where it applies.
func only(applies bool, text string) string {
	if applies {
		return text
	}
	return ""
}

func printExplanation(w io.Writer, e *result.Explanation, s *model.Summary) error {
	if len(e.Terms) == 0 {
		return printVariance(w, e, s.Nouns)
	}
	what, ratios := "a prediction", ""
	if e.Scale != "" {
		what, ratios = "the "+e.Scale, ratioOf(e.Scale)
	}
	say := worded(s.Nouns)
	fmt.Fprintln(w, say("What one unit of a feature adds to %s (%s with {entries})", what, counted(e.Rows, s.Nouns.Each(), s.Nouns.Rows())))
	full := spec.EffectsOf(e.Model).Columns
	if full {
		fmt.Fprintln(w, say(newColumnNote))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	names := lists.Each(e.Terms, func(x result.TermExplanation) string { return x.Name })
	name := leftOf(append(names, "feature"))
	average := slices.ContainsFunc(e.Terms, func(x result.TermExplanation) bool { return x.Population != 0 })
	fmt.Fprintln(t, name("feature")+say("\tper\t"+typical(average)+"\tper sd\tsd over {rows}\t5 %%\tmedian\t95 %%\t{rows} above 0\tvariance\t"+only(full, "new {column}\tits per sd\t"))+only(ratios != "", ratios+" ratio, 5 % to 95 %\t"))
	for _, x := range e.Terms {
		variance := "-"
		if e.Variance != nil {
			variance = share(x.Share)
		}
		ratio := ""
		if x.Ratio != nil {
			ratio = fmt.Sprintf("%.3g to %.3g\t", x.Ratio.Low, x.Ratio.High)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.3g\t%s\t%s\t%s\t%s\t%s\t%s%s\n", name(x.Name), x.Unit, signed(x.Population), signed(x.PerSD),
			x.Spread.SD, signed(x.Spread.Q05), signed(x.Spread.Median), signed(x.Spread.Q95), percent(x.Spread.Positive), variance,
			only(full, signed(x.NewColumn)+"\t"+signed(x.NewPerSD)+"\t"), ratio)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := printVariance(w, e, s.Nouns); err != nil {
		return err
	}
	fmt.Fprintln(w, "How much each selected feature is needed")
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, x := range e.Selected {
		removed, instead := "-", "no other selection was seen without it"
		if x.Removed > 0 {
			removed = "cost +" + percent(max(x.Increase, 0)) + " without it"
		}
		if x.Instead != nil {
			more := 0.0
			if s.Cost > 0 {
				more = max(x.Instead.Cost-s.Cost, 0) / s.Cost
			}
			instead = fmt.Sprintf("cost +%s with %s", percent(more), exchange(s.Selected, x.Instead.Selected))
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", x.Name, removed, instead)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printDifferences(w, e.Units, s.Nouns, s.Loss.Probabilities())
}

// printVariance says who explains the variance of the training values.
func printVariance(w io.Writer, e *result.Explanation, nouns *result.Nouns) error {
	v := e.Variance
	if v == nil {
		return nil
	}
	features := 0.0
	for _, x := range v.Terms {
		features += x
	}
	var parts []string
	if spec.EffectsOf(e.Model).Rows {
		parts = append(parts, nouns.Each()+" effects "+share(v.Rows))
	}
	if spec.EffectsOf(e.Model).Columns {
		parts = append(parts, nouns.Item()+" effects "+share(v.Columns))
	}
	parts = append(parts, "features "+share(features))
	if v.Other != 0 {
		parts = append(parts, estimate.OtherNamed+" "+share(v.Other))
	}
	if v.Remainder != 0 {
		parts = append(parts, estimate.Unnamed+" "+share(v.Remainder))
	}
	parts = append(parts, "rest "+share(v.Rest))
	negative := ""
	if min(v.Rows, v.Columns, features, v.Other, v.Remainder) < 0 || slices.ContainsFunc(v.Terms, func(x float64) bool { return x < 0 }) {
		negative = " (a part with a negative share makes the errors larger, on average over all orders of adding the parts)"
	}
	_, err := fmt.Fprintf(w, "Variance of the training values: %s%s\n", strings.Join(parts, ", "), negative)
	return err
}

func printRow(w io.Writer, e *result.RowExplanation, full bool, nouns *result.Nouns) error {
	say := worded(nouns)
	average := slices.ContainsFunc(e.Terms, func(x result.RowTerm) bool { return x.Population != 0 })
	other := typical(average)
	if e.New {
		fmt.Fprintln(w, say("{Row} %s: the model knows no {entries} of this {row}, so "+only(average, "the ")+only(!average, "a ")+other+" is shown", e.Row))
	} else {
		fmt.Fprintln(w, say("{Row} %s: %s, effect %s ("+other+" %s)", e.Row, counted(e.Entries, nouns.One(), nouns.Entries()), signed(e.Effect), signed(e.PopulationEffect)))
	}
	what, ratios := "predictions", ""
	if e.Scale != "" {
		what, ratios = e.Scale, ratioOf(e.Scale)
	}
	fmt.Fprintln(w, say("What one unit of a feature adds to the %s for this {row}; the largest difference from that of "+only(average, "the ")+only(!average, "a ")+other+" comes first", what))
	if full {
		fmt.Fprintln(w, say(newColumnNote))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	var names []string
	intervals := false
	for _, x := range e.Terms {
		names = append(names, x.Name)
		intervals = intervals || x.Interval != nil
	}
	name := leftOf(append(names, "feature"))
	fmt.Fprintln(t, name("feature")+say("\tper\tthis {row}\t"+other+"\t"+only(full, "this {row}, new {column}\t")+"difference per sd\t")+
		only(intervals, "95 % interval\t\t")+only(ratios != "", ratios+" ratio\t"+only(intervals, "95 % interval\t")))
	for _, x := range e.Terms {
		interval, ratio := "", only(ratios != "", fmt.Sprintf("%.3g\t", x.Ratio))
		if x.Interval != nil {
			interval = fmt.Sprintf("%s to %s\t%s\t", signed(x.Interval.Low), signed(x.Interval.High), say(compared(x.Differs, average)))
		}
		if r := x.RatioInterval; r != nil {
			ratio += fmt.Sprintf("%.3g to %.3g\t", r.Low, r.High)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s%s\t%s\n", name(x.Name), x.Unit, signed(x.Row), signed(x.Population), only(full, signed(x.NewColumn)+"\t"), signed(x.PerSD), interval+ratio)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if !intervals && len(e.Terms) > 0 {
		fmt.Fprintln(w, say("No intervals: the model has no learned prior, or was saved without the {entries} of its {rows}"))
	}
	if len(e.Top) == 0 {
		return nil
	}
	fmt.Fprintln(w, say("What the model recommends, and what lifts each prediction above that of a typical {column}"))
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	named := slices.ContainsFunc(e.Top, func(x result.ItemWhys) bool { return x.Name != "" })
	for _, item := range e.Top {
		fmt.Fprintf(t, "  %s\t%s%.4g\t%s\n", item.Column, only(named, item.Name+"\t"), item.Prediction, reasons(item.Whys, nouns))
	}
	return t.Flush()
}

// typical is what a row is compared with: the average row if the model learned one,
// else a row without entries, whose coefficients are 0.
func typical(average bool) string {
	if average {
		return "average {row}"
	}
	return "new {row}"
}

// compared says on which side of the typical row a row is, as far as its entries tell.
func compared(differs int, average bool) string {
	than := "0"
	if average {
		than = "the average {row}"
	}
	return [...]string{"below " + than, "", "above " + than}[1+differs]
}

// basisText says by the reader's nouns what a prediction rests on.
func basisText(b result.Basis, nouns *result.Nouns) string {
	switch b {
	case result.NewRow:
		return "new " + nouns.Each()
	case result.NewColumn:
		return "new " + nouns.Item()
	case result.NewRowAndColumn:
		return "new " + nouns.Each() + " and " + nouns.Item()
	}
	return b.String()
}

// reasons names the three largest parts that lift a prediction.
func reasons(whys []result.Why, nouns *result.Nouns) string {
	var out []string
	for _, why := range whys {
		if len(out) == 3 || why.Part <= 5e-13 {
			break
		}
		name := why.Name
		if name == result.ColumnEffect {
			name = nouns.Item() + " effect"
		}
		out = append(out, name+" "+signed(why.Part))
	}
	return strings.Join(out, ", ")
}

func printSum(w io.Writer, e *result.SumExplanation, nouns *result.Nouns) error {
	say := worded(nouns)
	fmt.Fprintln(w, say("{Row} %s, {column} %s (%s)", e.Row, e.Column, basisText(e.Basis, nouns)))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	names := lists.Each(e.Parts, func(p result.SumPart) string { return p.Name })
	if e.Other != nil {
		names = append(names, estimate.OtherNamed)
	}
	if e.Remainder != nil {
		names = append(names, estimate.Unnamed)
	}
	name := leftOf(append(names, say("{row} effect"), say("{column} effect")))
	fmt.Fprintf(t, "%s\t%.4f\t\n", name("mean"), e.Mean)
	fmt.Fprintf(t, "%s\t%+.4f\t\n", name(say("{row} effect")), e.RowEffect)
	from := ""
	if e.Basis == result.NewColumn || e.Basis == result.NewRowAndColumn {
		from = "  predicted from its features"
	}
	fmt.Fprintf(t, "%s\t%+.4f\t%s\n", name(say("{column} effect")), e.ColumnEffect, from)
	for _, p := range e.Parts {
		value := fmt.Sprintf("%.4g", p.Value)
		if p.Centre != 0 {
			value = fmt.Sprintf("(%.4g − average %.4g)", p.Value, p.Centre)
		}
		fmt.Fprintf(t, "%s\t%+.4f\t  %s × %s%s\n", name(p.Name), p.Part, value, signed(p.PerUnit), only(e.Scale != "", fmt.Sprintf(": %s × %.3g", ratioOf(e.Scale), p.Ratio)))
	}
	if e.Other != nil {
		fmt.Fprintf(t, "%s\t%+.4f\t  %s, in --json one by one\n", name(estimate.OtherNamed), *e.Other, count(len(e.OtherParts), "feature"))
	}
	if e.Remainder != nil {
		fmt.Fprintf(t, "%s\t%+.4f\t\n", name(estimate.Unnamed), *e.Remainder)
	}
	fmt.Fprintf(t, "%s\t%.4f\t%s\n", name("sum"), e.Sum, only(e.Scale != "", "  "+e.Scale))
	if err := t.Flush(); err != nil {
		return err
	}
	note := ""
	if e.Clip != nil && (e.Prediction == e.Clip.Low || e.Prediction == e.Clip.High) {
		note = fmt.Sprintf("  kept between %.4g and %.4g", e.Clip.Low, e.Clip.High)
	}
	of := loss.OfScale(e.Scale)
	if of.Probabilities() {
		note = ""
	}
	_, err := fmt.Fprintf(w, "  %s %.4f%s\n", of.Prediction(), e.Prediction, note)
	return err
}

// ratioOf is what a sum on the scale multiplies.
func ratioOf(scale string) string { return strings.TrimPrefix(scale, "log-") }
