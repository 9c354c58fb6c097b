// Package checksum checks whether files are still as written: it gives the
// SHA-256 of a file or a text as hexadecimal digits, and seals a folder by
// putting those of its files, and its own, into the JSON object that describes
// it. It is not a signature: anyone who can change a file can change the checksum
// beside it.
package checksum
