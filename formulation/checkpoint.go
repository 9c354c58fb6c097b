package formulation

import (
	"context"
	"fmt"

	"optcomplete/checkpoint"
	"optcomplete/internal/fingerprint"
	"optcomplete/pass"
)

// openCheckpoint opens the memory of this run.
func openCheckpoint(ctx context.Context, problem Problem, settings *Settings) (*checkpoint.Store, error) {
	entries, err := pass.Fingerprint(ctx, problem.Ratings.Source(), settings.Threads)
	if err != nil {
		return nil, err
	}
	if problem.Times != nil {
		times, err := pass.Fingerprint(ctx, problem.Times.Source(), settings.Threads)
		if err != nil {
			return nil, err
		}
		entries += " times " + times
	}
	return checkpoint.Open(settings.Checkpoint, runText(problem, settings, entries))
}

// changesNoAnswer are the fields that runs may differ in and still share what was
// computed: a checkpoint keeps what the cost is at some weights and what validation
// chose, and none of these has a part in that.
var changesNoAnswer = fingerprint.LeftOut{
	"Problem.Ratings":            "written as its shape and the hashes of ids and entries",
	"Problem.Times":              "written as the hash of its entries",
	"Problem.Nouns":              "what people call things",
	"Settings.Limits.Gap":        "a limit: it ends a search, at costs that are what they are",
	"Settings.Limits.TimeLimit":  "a limit",
	"Settings.Limits.SearchTime": "a limit",
	"Settings.Limits.Began":      "a limit",
	"Settings.Limits.MaxNodes":   "a limit",
	"Settings.Limits.NearTies":   "how many selections are listed; a listing is kept with its length",
	"Settings.Proof":             "only watches",
	"Settings.Checkpoint":        "where the answers are kept",
	"Settings.Limits.Memory":     "where entries are kept while they are read",
	"Settings.Folder":            "where the model is kept",
	"Settings.Limits.Threads":    "results do not depend on them, to the bit",
	"Settings.OnEvent":           "only watches",
	"Settings.OnUnits":           "only watches",
	"Settings.OnDivided":         "only watches",
	"Settings.OnOutlook":         "only watches",
	"Settings.Method.OnCuts":     "only watches",
	"Settings.Method.OnStep":     "only watches",
}

// runText tells runs apart that may not share answers: by data, settings, program
// and the kind of machine, whose arithmetic may round differently. It has every
// field of the problem and the settings that is not in changesNoAnswer.
func runText(problem Problem, s *Settings, entries string) string {
	n, m := problem.Ratings.Dims()
	head := fingerprint.Run() + fmt.Sprintf("data %d × %d, %d entries %s\n", n, m, problem.Ratings.Observed(), entries)
	ids := struct{ RowIDs, ColumnIDs []string }{problem.Ratings.RowIDs, problem.Ratings.ColumnIDs}
	return head + fingerprint.Text("Ratings", ids, nil) +
		fingerprint.Text("Problem", problem, changesNoAnswer) + fingerprint.Text("Settings", *s, changesNoAnswer)
}

// remember lets the checkpoint, if there is one, answer for the oracle.
func (t *task) remember(s *selector, label string, c choices) {
	s.oracle = c.Remember(s.oracle, t.memory, label, t.find.K)
}
