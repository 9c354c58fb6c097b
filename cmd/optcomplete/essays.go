package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"optcomplete/internal/lists"
	"optcomplete/internal/suggest"
)

// essay is a topic of help that is no verb.
type essay struct{ name, short, text string }

var essays = []essay{
	{"certificate", "What a bound, a gap and a certificate say, and what they do not", `A certificate says how far the selection can be from the best one.

  Cost    what the selection costs: squared errors over the observed entries plus
          the size of the coefficients (see: optcomplete help gamma)
  Bound   no selection of k features costs less
  Gap     (cost − bound) / cost

A gap of 1 % means that no selection is more than 1 % cheaper. When the search is
done the gap is 0, up to 5 parts in 10¹⁰ of the cost, and the status is optimal: no
other selection costs less. If rounding errors keep it open (features of very
different sizes, near duplicates, a huge γ) the status is numerical_limit, and the
exit code 3.

The bound comes from cuts. With fractional weights for the features the cost is a
convex function, so its tangent at any point, a cut, is below it everywhere. The
search collects cuts and shows, region by region, that no selection there can cost
less than the best one found; small regions are enumerated. Only cuts computed on
all observed entries count. Bounds are lowered by what rounding may have added and
printed rounded down; gaps are printed rounded up.

The bound holds at every moment. A search that was stopped (--time-limit,
--gap, --max-nodes, Ctrl-C) still says how good its answer is; the exit code is
then 3, except with --gap.

You can check the proof: fit --proof FILE writes it down, and optcomplete verify
checks it with arithmetic of its own.

Samples prove nothing. The log marks their numbers with ~ and calls their gap the
sampled gap. --method optcomplete ends there; --certify goes on to a proof.

A certificate does not say that the features are causes, or that predictions are
good. It is about the cost on your data, at one γ. --holdout tells how good the
predictions are, optcomplete path how many features to take and how stable the
choice is, and the next best selections which features can replace which.`},

	{"gamma", "How much rows differ: what is learned, and what the cost does with it", `For a selection S the cost is the least, over all levels and coefficients u, of

  ( Σ (value − prediction)²  +  Σ level²/γ_level  +  Σ u_f²/γ_f ) / (rows · columns)

summed over the observed entries, the rows, and the selected features f. γ_f is by
how much rows differ in their coefficient of f, in parts of the noise: τ_f²/σ².
With a large γ_f each row follows its own entries, with a small one its coefficient
stays near 0. So 1/γ_f is to a row what λ is to ridge regression.

--gamma auto, the default, learns all γ_f and the noise by maximum evidence, with
every feature in the model. So the unit of a feature does not matter, nothing is
validated, and a feature on which rows do not differ gains next to nothing.
The report, optcomplete explain and feature_spread_ in Python show how much rows
differ on every feature, selected or not.

--gamma-factor multiplies all of them. It changes which features are selected and
what is proven; the coefficients that predict have a prior that is learned again for
the selected features. The summary says whether a third or three times as much would
select others. A smaller factor is easier to prove, and the log names one where no
proof is in sight.

--gamma 0.5 gives all features, at a standard deviation of 1, the same γ. In the
model paper there is one γ for features as they are; auto learns it as the mean of
the k largest variances. In pooled, --gamma0 is γ of the coefficients that all rows
share, in parts of a row's own.`},

	{"models", "The three models: full, pooled and paper", `With the features f in the selection S, b the features of a column, and u the
coefficients of a row, a value is

  full    mean + column effect + level + Σ b u
  pooled  mean + level + Σ b (μ + u)
  paper   Σ b u

full, the default, is for real ratings. Some rows give higher values than others:
their level, which is part of every selection's cost. Some columns get them: their
effects, shrunken means that are subtracted first (--column-shrinkage). The features
then explain differences in taste. A column without entries gets its effect from its
features.

pooled has a coefficient μ of the whole population for every selected feature, and
rows differ from it. Use it when rows have few entries, too few to learn their own
coefficients, and to ask what features do overall. The population is part of the
cost, so the proof covers both.

paper is the cost of Bertsimas and Li's paper to the digit: features as given, no
effects, each row's coefficients held near 0. Add a constant feature if the
values are not around 0.

All three come with the same proof. Do not compare costs of different models;
compare their errors on held-out entries (--holdout). After the selection each
row is refitted: with a prior learned from all rows, or in paper by least squares
(--refit).`},
}

// helpCommand is the verb help: of a verb, or one of the essays.
func helpCommand(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB or TOPIC]",
		Short: "Help about a verb, or an essay on a topic",
		Example: `  optcomplete help fit
  optcomplete help certificate`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return append(topics(), verbNames(cmd.Root())...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if len(args) == 0 {
				return root.Help()
			}
			if at := slices.Index(topics(), args[0]); at >= 0 && len(args) == 1 {
				_, err := fmt.Fprintf(c.stdout, "%s\n\n%s\n", c.outTerminal.style(bold, essays[at].short), essays[at].text)
				return err
			}
			verb, rest, err := root.Find(args)
			if err != nil || verb == root || len(rest) > 0 {
				return usagef("there is no help on %q%s", strings.Join(args, " "), suggest.After(args[0], append(topics(), verbNames(root)...)))
			}
			return verb.Help()
		},
	}
}

// topics are the names of the essays.
func topics() []string {
	return lists.Each(essays, func(e essay) string { return e.name })
}
