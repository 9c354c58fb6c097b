package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"optcomplete/internal/rounding"
	"optcomplete/result"
	"optcomplete/selection"
)

// watch reports a path as it comes: every k of the first curve, every fold with the
// curve so far and the time that is left, every proof.
func watch(c *common, path *selection.PathSettings) {
	var began, validating time.Time
	path.OnChoice = func(chosen selection.Learned) {
		began = time.Now()
		c.notef("")
		if chosen.Units != nil && !chosen.Given {
			c.factf("Learned", "how much rows differ on each feature, for every k; the first curve comes next")
			return
		}
		c.factf("Gamma", "%.3g for every k; the first curve comes next", chosen.Gamma)
	}
	path.OnDivided = func(d selection.PathDivision) {
		if c.logTimes {
			c.factf("Limit", "%s: choosing gamma took %s; %s for the curve, %s for the folds, %s%s for the proofs; time left over goes to the next part", d.Limit, seconds(d.Choice.Seconds()),
				seconds(d.Curve.Seconds()), seconds(d.Folds.Seconds()), bootstrapTime(d), seconds(d.Proof.Seconds()))
		}
	}
	tell := func(points ...selection.PathPoint) {
		for _, p := range points {
			if c.events != nil {
				c.events.Point(p.K, p.Gap, p.Train, p.Validation, p.Selected)
			}
		}
	}
	path.OnPoint = func(p selection.PathPoint) {
		tell(p)
		c.notef("k %-3d gap %-9s training error %-9.5g %s", p.K, rounding.PercentUp(p.Gap), p.Train, strings.Join(p.Selected, ", "))
		validating = time.Now()
	}
	path.OnFold = func(done, of int, points []selection.PathPoint) {
		tell(points...)
		if done == 1 {
			c.notef("first curve done%s", c.took(validating.Sub(began).Seconds(), " in "))
		}
		least := points[0]
		for _, p := range points {
			if p.Validation < least.Validation {
				least = p
			}
		}
		left := ""
		if done < of {
			left = c.took(time.Since(validating).Seconds()/float64(done)*float64(of-done), "; about ") + map[bool]string{true: " left"}[c.logTimes]
		}
		c.notef("validated fold %d of %d: so far %s, least at k = %d%s", done, of, curveSoFar(points), least.K, left)
	}
	path.OnResample = func(done, of int) {
		if done == of || done%10 == 0 {
			c.notef("resample %d of %d", done, of)
		}
	}
	path.OnProof = func(p selection.PathPoint) {
		c.notef("k %-3d %s", p.K, provenWords(p.Certificate))
	}
}

func bootstrapTime(d selection.PathDivision) string {
	if d.Bootstrap == 0 {
		return ""
	}
	return seconds(d.Bootstrap.Seconds()) + " for the resamples, "
}

// curveSoFar is the validation error of the first and last k and of some between.
func curveSoFar(points []selection.PathPoint) string {
	var parts []string
	step := max(1, (len(points)+5)/6)
	for x := 0; x < len(points); x += step {
		parts = append(parts, fmt.Sprintf("k %d %.5g", points[x].K, points[x].Validation))
	}
	if last := points[len(points)-1]; (len(points)-1)%step != 0 {
		parts = append(parts, fmt.Sprintf("k %d %.5g", last.K, last.Validation))
	}
	return strings.Join(parts, ", ")
}

// provenWords says what is proven about one k.
func provenWords(p result.Certificate) string {
	switch p.Status {
	case result.Optimal:
		return "proven optimal"
	case result.GapReached:
		return "proven to " + rounding.PercentUp(p.Gap) + ", as asked for"
	}
	return fmt.Sprintf("not proven: gap %s (%s)", rounding.PercentUp(p.Gap), strings.ReplaceAll(p.Status.String(), "_", " "))
}

// moves says what enters and leaves.
func moves(p selection.PathPoint) string {
	var parts []string
	for _, name := range p.Entering {
		parts = append(parts, "+"+name)
	}
	for _, name := range p.Leaving {
		parts = append(parts, "−"+name)
	}
	text := strings.Join(parts, " ")
	if !p.Settled {
		text = "not proven: " + text
	}
	return text
}

// stoppedPath is the error for a path that was stopped before all was done: by an
// interrupt, by a limit that was given, or by the precision of numbers. The end that a
// path has by itself is none.
func stoppedPath(cmd *cobra.Command, c *common, path *selection.PathResult) (err error) {
	if path.Interrupted {
		return &earlyStop{result.Interrupted}
	}
	if path.TimeLimit {
		return &earlyStop{result.TimeLimit}
	}
	for _, p := range path.Points {
		switch p.Status {
		case result.NumericalLimit:
			c.notef("warning: k = %d ended at a numerical limit: rounding errors hide what is below a gap of %s %s", p.K, rounding.PercentUp(p.Gap), numericalRemedy)
			err = &earlyStop{p.Status}
		case result.NodeLimit:
			if cmd.Flags().Changed("max-nodes") && err == nil {
				err = &earlyStop{p.Status}
			}
		}
	}
	return err
}
