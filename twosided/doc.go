// Package twosided completes a matrix whose rows and columns both have features:
// it selects the best k of the products of a row's and a column's feature, and
// proves how good they are (the paper's section 2.3; docs/regression.md).
//
// It takes a [Problem], the observed entries and the two feature tables, and
// [Settings]. [Fit] minimises the paper's two-sided objective
//
//	(Σ_observed w_ij (a_ij − x_iᵀLb_j)² + ‖L‖²/γ) / (nm)   over L with k entries,
//
// with the weights w of the entries, or 1,
//
// and gives a [Model]: the selected products with their coefficients, cost,
// bound, gap, near-ties, and predictions for every pair whose features are known,
// whether or not the row and column were observed. A model is saved as a
// directory whose model.json says "model": "twosided".
//
// It never forms the design of entries by products. The bound comes from all
// observed entries, the cost from residuals. Settings that make no sense are a
// [spec.Error], and so are feature tables that do not fit together.
package twosided
