// Package synth makes data whose truth is known: the paper's synthetic matrices
// and a film-ratings set with the paper's 59 feature names.
//
// It takes a Config and gives an Instance: observed entries, features, the true
// selection, and the value of every entry, observed or not, with and without
// noise. Every number comes from a stream of its own (package internal/random),
// so any row can be made by itself, in any order, on any number of threads, and
// the same seed gives the same bytes on every machine.
//
// It must never use a number that depends on the order of generation, on the
// machine's floating-point fusion, or on math.Log and math.Exp.
package synth
