// Package imc is Inductive Matrix Completion (Jain and Dhillon, "Provable
// inductive matrix completion", 2013; Natarajan and Dhillon, "Inductive matrix
// completion for predicting gene-disease associations", Bioinformatics 30, 2014):
// a matrix of low rank whose columns' factors are linear in the columns' features,
//
//	X = U Sᵀ Bᵀ,      U n×r, S p×r, B the m×p features.
//
// Where all features have mean 0, as z-scores do, B has a constant too.
//
// It minimises
//
//	½ Σ over observed entries w_ij (x_ij − z_ij)² + λ/2·(‖U‖² + ‖S‖²)
//
// with the weights w of the entries, or 1, by alternating least squares.
//
// It takes any source and gives the factors; λ, the rank and the centring are
// chosen on a validation part of the entries unless they are given. A step is one
// pass over the rows: each row is solved exactly in r×r,
// and adds u_i u_iᵀ and x_ij u_i, times the weights, to its columns' sums Q_j and y_j. With these the
// cost of S is Σ_j ½ b_jᵀS Q_j Sᵀb_j − b_jᵀS y_j + λ/2‖S‖², which conjugate
// gradients minimise without reading the entries again. No step can raise the
// objective.
//
// It needs c·m·r²/2 numbers for c ≤ 64 chunks of rows. It must never form an n×m matrix, nor a pr×pr one.
package imc
