package optcomplete

import (
	"context"
	"math"

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
// everything else fitted on a part of the entries, predict the other part best.
// There is none unless that is better than no remainder by a standard error.
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
	if helps, err := helps(part.Held, choice.Start); err != nil || !helps {
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

// helps tells whether the factors predict the values, which are what is left, better
// than nothing does: whether the mean of v² − (v − prediction)² is larger than its
// standard error.
func helps(held data.Source, f *softimpute.Factors) (bool, error) {
	if f == nil || f.Rank == 0 {
		return false, nil
	}
	var sum, square, count float64
	var out []float64
	err := data.ForEach(held, func(i int, columns []int32, values []float64) error {
		out = append(out[:0], make([]float64, len(columns))...)
		f.Predict(i, columns, out)
		for x, v := range values {
			gain := v*v - (v-out[x])*(v-out[x])
			sum += gain
			square += gain * gain
			count++
		}
		return nil
	})
	if err != nil || count < 2 {
		return false, err
	}
	mean := sum / count
	return mean > math.Sqrt(max(square/count-mean*mean, 0)/count), nil
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
