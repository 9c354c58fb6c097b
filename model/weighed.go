package model

// weightOf is the weight of an entry: 1 where there are none.
func weightOf(weights []float64, e int) float64 {
	if weights == nil {
		return 1
	}
	return weights[e]
}

// columnCount is how much the entries of a column count: their number, or their weight.
func (m *Model) columnCount(j int) float64 {
	if m.ColumnWeights != nil {
		return m.ColumnWeights[j]
	}
	return float64(m.ColumnEntries[j])
}

// columnVariance is that of a column's effect by itself: the noise over what the
// entries count, and the shrinkage.
func (m *Model) columnVariance(noise, count float64) float64 {
	return noise / max(count+m.ColumnShrinkage, 1e-3)
}

// weighColumns finds how much the columns' entries count from the weights that a
// saved model has of its entries: as many as it was fitted on, of their mean weight.
func (m *Model) weighColumns() {
	sums, count := make([]float64, len(m.ColumnIDs)), make([]float64, len(m.ColumnIDs))
	for i, columns := range m.entries.fitted.columns {
		for e, c := range columns {
			sums[c] += m.entries.fitted.weights[i][e]
			count[c]++
		}
	}
	for j := range sums {
		sums[j] *= float64(m.ColumnEntries[j]) / max(count[j], 1)
	}
	m.ColumnWeights = sums
}
