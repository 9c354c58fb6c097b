// Package arrowtext reads Arrow tables as the text that people would have written
// into a CSV file, so that any reader of text tables can read Arrow too.
//
// It takes the stream or the file form of Arrow IPC (also called Feather), or any
// reader of records, and gives the names of the columns and then the fields of
// one record after another. Numbers are the shortest decimals that read back as
// the same number; null and NaN are blank; dates are YYYY-MM-DD; lists have |
// between their parts. [Reader.Kinds] reports what the text no longer shows, such
// as that a column of numbers is categorical.
package arrowtext
