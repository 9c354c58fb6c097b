package textfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadSmall reads a file that has at most this many MiB if it is what it should be,
// which the remedy for a larger one says.
func ReadSmall(path string, mebibytes int, remedy string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		problem := "cannot be opened: " + err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			problem = "there is no such file"
		}
		return nil, &InputError{File: path, Problem: problem, Err: err}
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, int64(mebibytes)<<20+1))
	switch {
	case err != nil:
		return nil, &InputError{File: path, Problem: "cannot be read: " + err.Error(), Err: err}
	case len(text) > mebibytes<<20:
		return nil, &InputError{File: path, Problem: fmt.Sprintf("is longer than %d MiB", mebibytes), Remedy: remedy}
	}
	return text, nil
}
