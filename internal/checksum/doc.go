// Package checksum tells whether files are still what was written: it gives the
// SHA-256 of a file or a text as hexadecimal digits, and seals a folder by
// putting those of its files, and its own, into the JSON object that describes
// it. It must never be taken for a signature: who can change a file can change
// the checksum beside it.
package checksum
