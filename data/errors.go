package data

import "optcomplete/internal/textfile"

// InputError is a fault in what the user gave: where it is, what is wrong and
// what to do about it.
type InputError = textfile.InputError
