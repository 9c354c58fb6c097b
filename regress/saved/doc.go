// Package saved keeps a regression in a folder and predicts with it.
//
// A [Model] is what regress.Fit found, the name of its target, and the encoding
// that makes the selected features of a table as people have it. Save writes it,
// with a checksum, as model.json; Load reads and checks that file; Predict needs
// no more of a table than the fields of the selected features.
//
// It is apart from package regress so that who only regresses needs no files.
package saved
