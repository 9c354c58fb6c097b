package textfile

import (
	"fmt"
	"io"
	"os"
)

// Whole reads a file into memory. A file of more than most bytes, or one that never
// ends, such as /dev/zero, is an error.
func Whole(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is longer than %d MiB (check that it is the file that was meant)", path, most>>20)
	}
	return text, err
}
