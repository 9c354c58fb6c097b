// Package sampling measures what the paper claims about its samples: that the
// error of the sampled cost and gradient falls as 1/√g with the number of rows g
// (Theorem 3), and that OptComplete fails to find the optimum less often the
// larger g is (Theorem 4).
//
// The tests check the claims with fixed seeds; the program in figures writes the
// plots and tables of docs/sampling.md from the same functions. Nothing here is
// part of the product.
package sampling
