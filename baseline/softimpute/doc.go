// Package softimpute is SoftImpute-ALS (Hastie, Mazumder, Lee and Zadeh, "Matrix
// completion and low-rank SVD via fast alternating least squares", JMLR 16, 2015):
// the matrix of rank at most r that minimises
//
//	½ Σ over observed entries w_ij (x_ij − z_ij)² + λ‖Z‖_*
//
// with the weights w of the entries, or 1,
// as Z = A Bᵀ with the penalty λ/2·(‖A‖² + ‖B‖²), which has the same minimum.
//
// Fit is meant to be as good as the R package softImpute run to convergence along
// a warm-started path of λ: the default tolerance is far below R's, paths of
// larger ranks begin where the smaller one began to cut, and it also tries by
// itself the rank that the penalty left uncut.
//
// It takes any source and gives U, d, V with Z = U diag(d) Vᵀ: Solve for one λ,
// Fit along a path of λ with warm starts. Fit chooses λ, the rank, the centring
// and the de-biasing on a validation part of the entries unless they are given.
//
// A step is one pass over the rows. Filled in with the current Z, the matrix is
// sparse plus low rank, X* = (X − Z on the observed entries) + Z, and is never
// formed: a row's new factors are a_i + (e_i B − λa_i)(BᵀB + λ)⁻¹ with the row's
// residuals e_i, and B gets the same from the new A, in the same pass, summed by
// chunks of rows. (With weights, e_i is multiplied by them, and BᵀB by the row's
// heaviest: what then stands in place of the squares is nowhere below them.) The factors
// are then balanced (AᵀA = BᵀB = diag(d)), which is
// the singular value decomposition of the paper's algorithm. Neither half of a
// step, nor the balancing, nor the final threshold can raise the objective. The
// next step starts further along the direction of the last, with Nesterov's
// momentum: with the paper's steps alone, several times as many are needed.
//
// It needs (2n + c·m)·r numbers for c ≤ 64 chunks, in addition to the entries.
package softimpute
