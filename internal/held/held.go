// Package held keeps files in memory under a name, for a process that gets its
// input over a pipe: whatever opens a file by its name finds a held one first.
//
// Only a server that was given tables holds any; everywhere else a lookup finds
// nothing, and a name is a path. Names are for the whole process. What is held
// must not be changed.
package held

import "sync"

var files sync.Map // name to []byte

// Put holds a file; one of the same name is replaced.
func Put(name string, content []byte) { files.Store(name, content) }

// Get gives a held file.
func Get(name string) ([]byte, bool) {
	content, ok := files.Load(name)
	if !ok {
		return nil, false
	}
	return content.([]byte), true
}

// Drop lets go of a file.
func Drop(name string) { files.Delete(name) }
