// Package shards lets several processes, on one machine or many, write parts of a
// result to one folder: each part to a file of its own, under a name that no other
// attempt has, so that attempts do not disturb each other.
//
// The process that wants the result makes the folder (Create) and sends its Writer; the
// others write files and tell their names and checksums; the first then takes one file
// for each part (Place), and what else is in the folder goes with it (Close). A process
// that does not see the folder says so instead of writing.
package shards
