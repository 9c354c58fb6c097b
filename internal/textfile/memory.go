package textfile

import "sync"

// inMemory are files by their names, for a process that gets its input over a pipe:
// whatever opens a file by its name finds one of these first. Only a server that was
// given tables has any. Names are for the whole process, and the content must not be
// changed.
var inMemory sync.Map // name to []byte

// PutInMemory takes a file; one of the same name is replaced.
func PutInMemory(name string, content []byte) { inMemory.Store(name, content) }

// InMemory gives a file that was put there.
func InMemory(name string) ([]byte, bool) {
	content, ok := inMemory.Load(name)
	if !ok {
		return nil, false
	}
	return content.([]byte), true
}

// DropFromMemory forgets a file.
func DropFromMemory(name string) { inMemory.Delete(name) }
