package checksum

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

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
