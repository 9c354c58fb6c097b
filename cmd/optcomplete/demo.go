package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"optcomplete/data/synth"
	"optcomplete/formulation"
	"optcomplete/model/store"
	"optcomplete/result"
	"optcomplete/spec"
)

// What the demo puts into its folder, besides what synth does.
const (
	modelFolder = "model"
	reportFile  = "report.html"
)

func demoCommand(c *common) *cobra.Command {
	var output string
	var force bool
	cmd := verb("demo", func(cmd *cobra.Command, args []string) error {
		films, err := synth.Films(c.seed, 1500, 400)
		if err != nil {
			return err
		}
		if _, err := (&synthOutput{dir: output, force: force}).write(cmd.Context(), nil, films.Source); err != nil {
			return err
		}
		problem := formulation.Problem{Ratings: films.Ratings, Features: films.Features, Nouns: result.NounsOf("viewer", "film", "rating")}
		c.factf("Data", "%s, in %s", dataText(films.Ratings, 0, problem.Nouns), output)
		log := newSearchLog(c)
		log.begin(cmd, films.K, len(films.Features.Names), "model paper", "gamma auto", "holdout 0.2")
		settings := formulation.Settings{K: films.K, Model: spec.Paper, Statistics: spec.Statistics{Holdout: 0.2, Seed: c.seed}, Limits: spec.Limits{Threads: c.threads}, OnEvent: log.event}
		fitted, err := formulation.Fit(cmd.Context(), problem, settings)
		if err != nil {
			return err
		}
		folder, page := filepath.Join(output, modelFolder), filepath.Join(output, reportFile)
		ratings, features := filepath.Join(output, "ratings.csv"), filepath.Join(output, "features.csv")
		fitted.Summary.Settings["ratings"], fitted.Summary.Settings["features"] = ratings, features
		if err := store.Save(fitted, folder); err != nil {
			return err
		}
		if err := writeReport(page, ratings, output, nil, &fitted.Summary); err != nil {
			return err
		}
		if err := own(output, reportFile, filepath.Join(modelFolder, "model.json")); err != nil {
			return err
		}
		// The oracle: the same fit with the true features given.
		truth := settings
		truth.Always, truth.Gamma, truth.OnEvent = films.SelectedNames(), fitted.Summary.Gamma, nil
		oracle, err := formulation.Fit(cmd.Context(), problem, truth)
		if err != nil {
			return err
		}
		s := &fitted.Summary
		fmt.Fprintf(c.stdout, "%-28s %s\n", "Selected", "True")
		for i, name := range ordered(s.Selected, films.SelectedNames()) {
			fmt.Fprintf(c.stdout, "  %-26s %s\n", name, films.SelectedNames()[i])
		}
		printCertificate(c, s)
		printMetrics(c.stdout, "Hold-out", s.Holdout, true, s)
		printMetrics(c.stdout, "  truth", oracle.Summary.Holdout, true, s)
		printNearTies(c.stdout, s)
		printWritten(c.stdout, "Model", folder, "Report", page, "Data", output,
			"Try", fmt.Sprintf("optcomplete predict %s %s | head", folder, filepath.Join(output, synth.TestFile)))
		return early(s)
	})
	flags := flagsOf(cmd)
	flags.Bind("output", &output)
	flags.Bind("force", &force)
	return cmd
}

// ordered arranges names so that those of the reference stand in its places.
func ordered(names, reference []string) []string {
	out := make([]string, len(reference))
	var others []string
	for _, name := range names {
		if i := slices.Index(reference, name); i >= 0 {
			out[i] = name
		} else {
			others = append(others, name)
		}
	}
	for i := range out {
		if out[i] == "" && len(others) > 0 {
			out[i], others = others[0], others[1:]
		}
	}
	return out
}
