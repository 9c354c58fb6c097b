// Package files is for programs that read and write files of every kind. They import it
// for its effect alone:
//
//	import _ "optcomplete/files"
//
// Then tables may be Parquet and Arrow too, and models of every kind are saved and loaded. A
// program that fits what it has in memory, or reads text and packs, does without and
// compiles in a fraction of the time.
package files

import (
	_ "optcomplete/data/arrowfile"    // reads Arrow
	_ "optcomplete/internal/columnar" // reads Parquet
	_ "optcomplete/model/store"       // saves and loads models of a matrix
	_ "optcomplete/regress/saved"     // regressions
	_ "optcomplete/twosided"          // products of features
)
