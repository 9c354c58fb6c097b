// Package atomicfile puts results on disk so that nothing half-written ever
// replaces something good.
//
// It takes a path and a function that writes the content (or, for content that
// arrives piece by piece, gives a Pending file to write to). The content goes to
// a temporary name beside the path, is flushed to the disk, and only then gets
// the path's name: a reader sees the old content or the new, and after a failure
// the old content remains and the temporary name is gone.
//
// It must never delete what a user put there: a directory is replaced only if it
// is empty or holds the caller's marker file, and then everything else in it is
// carried over into the new one.
package atomicfile
