// Package record is what every table of columns gives, whatever its format: the
// columns by name and kind, and their values in batches, each a Vector.
//
// Packages that read a format set an opener here: internal/columnar sets
// OpenParquet and data/arrowfile sets OpenArrow. Who reads text alone pulls in
// neither. Texts gives the records of a table as the text that people would have
// written into a CSV file, so that a reader of text tables reads all of them.
package record
