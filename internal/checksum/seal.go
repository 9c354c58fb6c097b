package checksum

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// The last members of a sealed object.
const (
	filesMember = `"files"`
	sumMember   = `"checksum": "`
)

// Remedy is what to do about what was changed.
const Remedy = "restore it from a copy, or fit again"

// Seal gives an indented JSON object two more members, its last: the checksums
// of the files beside it, and its own, which is that of the text without the
// digits of that one.
func Seal(object []byte, dir string, files []string) ([]byte, error) {
	open, ok := bytes.CutSuffix(bytes.TrimRight(object, "\n"), []byte("\n}"))
	if !ok {
		return nil, errors.New("checksum: the text is not an indented JSON object")
	}
	sums := map[string]string{}
	for _, name := range files {
		sum, err := File(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		sums[name] = sum
	}
	list, err := json.MarshalIndent(sums, "  ", "  ")
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("%s,\n  %s: %s,\n  %s", open, filesMember, list, sumMember)
	const tail = "\"\n}\n"
	return []byte(head + Bytes([]byte(head+tail)) + tail), nil
}

// Sums are the checksums of the files beside a sealed object, by name.
type Sums map[string]string

// Unseal checks the text of a sealed object. An object without a seal has no
// sums, and no error.
func Unseal(path string, text []byte) (Sums, error) {
	at := bytes.LastIndex(text, []byte(sumMember))
	if at < 0 {
		return nil, nil
	}
	at += len(sumMember)
	end := at + 2*len([32]byte{})
	if end > len(text) || Bytes(append(text[:at:at], text[end:]...)) != string(text[at:end]) {
		return nil, fmt.Errorf("%s: its checksum is not that of its content: it was changed or damaged after it was written (%s)", path, Remedy)
	}
	var object struct {
		Files Sums `json:"files"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("%s: not a readable JSON object: %w", path, err)
	}
	if object.Files == nil {
		object.Files = Sums{}
	}
	return object.Files, nil
}

// Check is the error for a file that is not the one the sums speak of. Without
// sums there is nothing to check.
func (s Sums) Check(path string) error {
	if s == nil {
		return nil
	}
	sum, err := File(path)
	if err != nil {
		return err
	}
	switch want, ok := s[filepath.Base(path)]; {
	case !ok:
		return fmt.Errorf("%s: the model does not speak of this file: it is of another one (%s)", path, Remedy)
	case want != sum:
		return fmt.Errorf("%s: it was changed or damaged after it was written, or is of another model (%s)", path, Remedy)
	}
	return nil
}

// File is the checksum of a file.
func File(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return Reader(f)
}

// Reader is the checksum of all that is left of a reader.
func Reader(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Bytes is the checksum of a text.
func Bytes(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
