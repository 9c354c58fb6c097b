package ingest

import "optcomplete/data"

// NoWeights as the name of the column of weights means that there are none.
const NoWeights = none

// weightColumn is how weights are found.
var weightColumn = &propertyColumn{
	Property: data.Weight, setting: "Settings.Weight", asked: func(s *Settings) *string { return &s.Weight },
	taken:  "are weighted by",
	remedy: "weights are positive numbers: write 1 for an entry that counts once", zero: "one that is to be left out",
	joined: sum, mean: weightedMean,
}

func sum(numbers []float64) (all float64) {
	for _, x := range numbers {
		all += x
	}
	return all
}

// weightedMean is the mean of values by their weights, which may be large.
func weightedMean(values, weights []float64) (mean float64) {
	all := sum(weights)
	for x, v := range values {
		mean += v * (weights[x] / all)
	}
	return mean
}
