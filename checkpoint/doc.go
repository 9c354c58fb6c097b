// Package checkpoint keeps what a long run has computed, so that a run killed at
// any moment can resume there and end with the same bits.
//
// It takes a folder and a fingerprint of the run: data, settings and program. A
// [Store] remembers answers by their questions, in one file that is only ever
// appended to; every record has a checksum, and a half-written record at the end
// is dropped. [Oracle] remembers the evaluations of a cost. A search takes the
// same steps for the same answers, so a second run quickly replays what is
// remembered and computes the rest.
//
// It must never give the answer to another question or from another run: a folder
// whose fingerprint differs is an error, and so is one that another run has open. The
// answers carry the hash of the fingerprint, first and in every question, so that
// those of another run are refused wherever their file comes from.
// If a file cannot be written, the run fails; a file that cannot be read is not
// treated as empty.
package checkpoint
