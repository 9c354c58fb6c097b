// Package checkpoint keeps what a long run has computed, so that a run killed at
// any moment goes on from there and ends with the same bits.
//
// It takes a folder and a fingerprint of the run: data, settings and program. A
// [Store] remembers answers by their questions, in one file that is only ever
// appended to; every record has a checksum, and what a kill left half-written at
// the end is dropped. [Oracle] remembers the evaluations of a cost: since a search
// takes the same steps for the same answers, a second run walks through what is
// remembered in no time and computes the rest.
//
// It must never give an answer to another question, or of another run: a folder
// whose fingerprint differs is an error, and so is one that another run has open. A file that cannot be written fails the
// run; one that cannot be read does not pass for an empty one.
package checkpoint
