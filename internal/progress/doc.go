// Package progress shows how far long work has come, with its rate and the time
// that is left: a bar on a terminal, a line now and then elsewhere.
//
// A [Display] belongs to one output; everything else that is written there goes
// through it ([Display.Write]), so that bars and text do not disturb each other.
// Work anywhere below gets at it through its context:
//
//	task := progress.Start(ctx, "Packing", entries, "entries")
//	defer task.Done()
//	…
//	task.Add(n) // from any goroutine
//
// Without a display in the context all of this does nothing. Work that is done
// soon is never shown.
package progress
