// Package twosided completes a matrix whose rows and columns both have features:
// it selects the best k of the products of a row's and a column's feature, and
// proves how good they are (the paper's section 2.3; docs/regression.md).
//
// It takes a [Problem], the observed entries and the two feature tables, and
// [Settings]. With effects, the default, [Fit] learns shrunken effects of rows and
// columns, centres and scales the features over what has entries, and minimises
//
//	(Σ_observed w_ij (a_ij − mean − row_i − column_j − x_iᵀLb_j)² + ‖L‖²/γ) / (nm)
//
// over L with k entries, with the weights w of the entries, or 1, and those effects;
// then it fits the effects and the k coefficients together. Without effects it is the
// paper's objective, of the features as given, without mean, row and column.
//
// It gives a [Model]: the selected products with their coefficients, cost,
// bound, gap, near-ties, and predictions for every pair whose features are known,
// whether or not the row and column were observed: what their features say of their
// effects is learned too. What the certificate is about, [Reduced] gives. A model is
// saved as a directory whose model.json says "model": "twosided".
//
// It never forms the design of entries by products. The bound comes from all
// observed entries, the cost from residuals. Settings that make no sense are a
// [spec.Error], and so are feature tables that do not fit together.
package twosided
