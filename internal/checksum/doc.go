// Package checksum tells whether a file is still what was written: it gives the
// SHA-256 of a file or a text as hexadecimal digits. It must never be taken for
// a signature: who can change the file can change the checksum beside it.
package checksum
