package optcomplete

import (
	"context"

	"optcomplete/baseline/effects"
	"optcomplete/baseline/softimpute"
	"optcomplete/data"
	"optcomplete/evaluate"
	"optcomplete/model"
)

// AutoRank lets validation choose the rank of the remainder.
const AutoRank = -1

// setRemainder fits what the effects and the selected features leave: a matrix of
// low rank, by SoftImpute-ALS. Its rank and its penalty are those that, with
// everything else fitted on a part of the entries, predict the other part best;
// if nothing is better than no remainder, there is none.
func (t *task) setRemainder(ctx context.Context, train data.Source, selection []int, c choices, parts *model.Parts, s *Settings) error {
	if s.ResidualRank == 0 {
		return nil
	}
	part, err := (&evaluate.GammaSettings{Seed: s.Seed}).Validation(train)
	if err != nil || part.Train.Observed() == 0 || part.Held.Observed() == 0 {
		return err
	}
	members := t.members(selection)
	chosen := model.Chosen(t.features, members)
	trial, err := t.parts(ctx, part.Train, selection, c)
	if err != nil {
		return err
	}
	base := trial.Unclipped(chosen, len(members))
	part = evaluate.Part{Train: leave(part.Train, base), Held: leave(part.Held, base)}
	settings := softimpute.Settings{
		Rank: max(s.ResidualRank, 0), Center: effects.NoCenter, Debias: softimpute.NeverDebias, Seed: s.Seed, Threads: t.threads,
	}
	choice, err := softimpute.Choose(ctx, part, settings)
	if err != nil {
		return err
	}
	nothing, err := evaluate.Score(part.Held, func(_ int, _ []int32, out []float64) { clear(out) }, t.threads)
	if err != nil || choice.RMSE >= nothing.RMSE {
		return err
	}
	factors, err := softimpute.Solve(ctx, leave(train, parts.Unclipped(chosen, len(members))), softimpute.SolveSettings{
		Rank: choice.Rank, Lambda: choice.Lambda, Start: choice.Start, Seed: s.Seed, Threads: t.threads,
	})
	if err != nil || factors.Rank == 0 {
		return err
	}
	_, columns := factors.Balanced()
	return parts.SetRemainder(ctx, train, chosen, len(members), model.Remainder{Rank: factors.Rank, Ridge: choice.Lambda}, columns, t.threads)
}

// leave is what predictions leave of a source. It is kept in memory only by who
// reads it often.
func leave(source data.Source, predict func(row int, columns []int32, out []float64)) data.Source {
	return data.Map(source, func(row int, column int32, value float64) float64 {
		var out [1]float64
		predict(row, []int32{column}, out[:])
		return value - out[0]
	})
}
