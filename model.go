package optcomplete

import (
	"context"

	"optcomplete/formulation"
	"optcomplete/model"
	"optcomplete/proof"
)

// Model is a fitted model of any kind, and Query what it is asked.
type (
	Model = model.Fitted
	Query = model.Query
)

// Matrix is a fitted model of a matrix, which Fit gives; it can do much more than Model says.
type Matrix = model.Model

// Save writes a model to a directory. An earlier model there is replaced only once the new
// one is complete. The program must import optcomplete/files.
func Save(m Model, dir string) error { return m.Save(dir) }

// Load reads a saved model of any kind. One of a matrix is a *Matrix. The program must import
// optcomplete/files.
func Load(dir string) (Model, error) {
	from, err := model.NeedStorage()
	if err != nil {
		return nil, err
	}
	return from.Load(dir)
}

// Verify checks the proof of a fitted model against the problem it was fitted to,
// by arithmetic of its own; see package proof. The summary says what is claimed.
func Verify(ctx context.Context, problem Problem, summary *model.Summary, p *proof.Proof, threads int) (*proof.Verdict, error) {
	return formulation.Verify(ctx, problem, summary, p, threads)
}
