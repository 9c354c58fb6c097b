// Package synth generates data whose truth is known: the paper's synthetic
// matrices, ratings shaped like its Netflix data, and a small film-ratings set.
//
// It takes a Config and gives a Source: features, the true selection, and rows
// that are generated when they are read, so that n = m = 10⁶ takes no more memory
// than its features. An Instance is a Source with its entries in memory. Both
// give the value of every entry, observed or not, with and without noise. Every
// number comes from its own stream (package internal/random), so any row can be
// made by itself, in any order, on any number of threads, and the same seed gives
// the same bytes on every machine.
//
// It must never use a number that depends on the order of generation, on the
// machine's floating-point fusion, or on math.Log and math.Exp.
package synth
