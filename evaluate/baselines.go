package evaluate

import (
	"math"

	"optcomplete/data"
	"optcomplete/model"
)

// Baselines scores simpler predictions on some entries: the mean of the training
// entries, row means, column means, and both together. The means of rows and
// columns are shrunk towards the mean of all, by as much as is best on the
// validation part, which is of the training entries.
func Baselines(train, on *data.Matrix, part Part, threads int) []model.Baseline {
	none := math.Inf(1) // shrunk to nothing
	row, column := ChooseShrinkage(part, threads)
	score := func(name string, row, column float64) model.Baseline {
		return model.Baseline{Name: name, Metrics: Score(on, model.FitEffects(train, row, column).Predict, threads)}
	}
	return []model.Baseline{
		score("mean of all values", none, none),
		score("mean of the row", row, none),
		score("mean of the column", none, column),
		score("row and column effects", row, column),
	}
}
