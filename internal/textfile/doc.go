// Package textfile reads text tables line by line, from a file that a user names
// to the fields of its lines.
//
// It opens and unpacks files (plain, gzip, zstd, standard input), finds the
// delimiter, splits and unquotes fields, and parses numbers, exactly rounded.
// Every fault is an *InputError, which names the file, the line and what to do;
// package data exports that type. It must never hold more of a line than its
// limit, whatever the file contains.
package textfile
