// Package saved keeps a regression in a folder and predicts with it.
//
// A [Model] is what regress.Fit found, the name of its target, and the encoding
// that makes the selected features from a table as people have it. Save writes
// it, with a checksum, as model.json; Load reads and checks that file; Predict
// needs only the fields of the selected features.
//
// It is separate from package regress so that code that only regresses needs no
// files.
package saved
