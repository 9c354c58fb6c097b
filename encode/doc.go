// Package encode turns a table as people have it (text, numbers, lists, dates and
// blanks) into features.
//
// It takes a data.RawTable, whose columns are called fields here because "column"
// means a column of the matrix, and Options, which may come from a features.yaml
// (ReadConfig) and from flags (ParseField). [Learn] interprets every field and
// gives the Features to fit with, the [Encoding] that made them, and a [Report]
// of what was understood, filled in and left out.
//
// The Encoding is part of a saved model: ApplyTable encodes the raw records of new
// items, and a record of the table gives the same bits as it did in the table.
// Its Groups are what a selection counts: one feature each, or a whole family.
//
// Sums run in the order of the ids, so the order of the lines changes only the
// order of the result. It must never drop, fill in or pool anything without
// saying so in the report, and never give a number that is not finite.
package encode
