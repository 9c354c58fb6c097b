package experiment

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"optcomplete"
)

// cellsFile holds a head and then one line of JSON for each cell that is done.
const cellsFile = "cells.jsonl"

// Head says what a study is made on. Results are only added to a folder whose
// head is the same.
type Head struct {
	Rows     int     `json:"rows"`
	Columns  int     `json:"columns"`
	Features int     `json:"features"`
	Observed int     `json:"observed"`
	Sum      float64 `json:"sum"` // of all values: other data of the same shape has another
	Holdout  float64 `json:"holdout"`
	Limit    float64 `json:"limit"` // seconds for each search; 0: none
	Version  string  `json:"version"`
}

func headOf(problem optcomplete.Problem, s RealSettings) Head {
	h := Head{Observed: problem.Ratings.Observed(), Holdout: s.Holdout, Limit: s.TimeLimit.Seconds(), Version: optcomplete.Version}
	h.Rows, h.Columns = problem.Ratings.Dims()
	_, h.Features = problem.Features.Dims()
	for i := range h.Rows {
		_, values := problem.Ratings.Matrix().Row(i)
		for _, v := range values {
			h.Sum += v
		}
	}
	return h
}

// OtherStudyError is returned for a folder with results of other data or
// settings.
type OtherStudyError struct{ Folder string }

func (e *OtherStudyError) Error() string {
	return fmt.Sprintf("%s holds results of other data or other settings: use another folder, or delete it", e.Folder)
}

// store keeps the cells of a study on disk, under a head of type H.
type store[H comparable, C any] struct {
	head  H
	file  *os.File
	cells []C
}

// openStore reads what is done and opens the file for more. A last line that a
// crash left half written is dropped.
func openStore[C any, H comparable](folder string, head H) (*store[H, C], error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	s := &store[H, C]{head: head}
	path := filepath.Join(folder, cellsFile)
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	good := 0
	if len(text) > 0 {
		if good, err = s.read(text, folder); err != nil {
			return nil, err
		}
	}
	if s.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
		return nil, err
	}
	if err := s.file.Truncate(int64(good)); err != nil {
		return nil, err
	}
	if _, err := s.file.Seek(int64(good), 0); err != nil {
		return nil, err
	}
	if good == 0 {
		return s, s.line(head)
	}
	return s, nil
}

// read takes in the lines of a file and returns how many bytes of it are whole
// lines.
func (s *store[H, C]) read(text []byte, folder string) (good int, err error) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for first := true; lines.Scan(); first = false {
		end := good + len(lines.Bytes()) + 1
		if end > len(text) {
			break // without its end: half written
		}
		if first {
			var have H
			if json.Unmarshal(lines.Bytes(), &have) != nil || have != s.head {
				return 0, &OtherStudyError{folder}
			}
		} else {
			var cell C
			if err := json.Unmarshal(lines.Bytes(), &cell); err != nil {
				return 0, fmt.Errorf("%s: %w", filepath.Join(folder, cellsFile), err)
			}
			s.cells = append(s.cells, cell)
		}
		good = end
	}
	return good, lines.Err()
}

func (s *store[H, C]) line(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err := s.file.Write(append(text, '\n')); err != nil {
		return err
	}
	return s.file.Sync()
}

func (s *store[H, C]) add(cell C) error {
	s.cells = append(s.cells, cell)
	return s.line(cell)
}

func (s *store[H, C]) close() { s.file.Close() }
