package cutplanes

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"optcomplete/data"
	"optcomplete/milp"
)

// Steps is the record of a run: what the master asks for, and its cuts in the
// order they were made.
type Steps struct {
	Header
	Steps []Step
}

// Header is what all masters of a run have in common.
type Header struct {
	Method   string   `json:"method"`   // cutplanes or optcomplete
	Features []string `json:"features"` // their names
	K        int      `json:"k"`
	Always   []int    `json:"always,omitempty"`
	Never    []int    `json:"never,omitempty"`
	Gamma    float64  `json:"gamma"`
}

// Master is the master after an iteration: the one with its cut and all before.
// Zero means the last. It is an error if there is no such iteration.
func (s *Steps) Master(iteration int) (*milp.Master, error) {
	if iteration < 0 || iteration > len(s.Steps) {
		return nil, fmt.Errorf("cutplanes: there is no iteration %d: the cuts are those of iterations 1..%d", iteration, len(s.Steps))
	}
	if iteration == 0 {
		iteration = len(s.Steps)
	}
	master := &milp.Master{P: len(s.Features), K: s.K, Always: s.Always, Never: s.Never}
	for _, step := range s.Steps[:iteration] {
		master.Cuts = append(master.Cuts, milp.Cut{Constant: step.Constant, Gradient: step.Gradient})
	}
	return master, master.Validate()
}

// Write writes the record as JSON lines: the header, then one line for each cut.
// Numbers read back to the same bits.
func (s *Steps) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(s.Header); err != nil {
		return err
	}
	for i := range s.Steps {
		if err := e.Encode(&s.Steps[i]); err != nil {
			return err
		}
	}
	return nil
}

// ReadSteps reads what Write wrote. Anything else is a *data.InputError that
// names the file and the line.
func ReadSteps(file string, r io.Reader) (*Steps, error) {
	bad := func(line int, format string, args ...any) error {
		return &data.InputError{File: file, Line: line, Problem: fmt.Sprintf(format, args...), Remedy: "a fit with CutPlanes.SaveCuts writes such files"}
	}
	in := bufio.NewScanner(r)
	in.Buffer(nil, longestLine)
	s := &Steps{}
	line := 0
	for in.Scan() {
		line++
		text := in.Bytes()
		if line == 1 {
			if err := json.Unmarshal(text, &s.Header); err != nil || len(s.Features) == 0 {
				return nil, bad(line, "is not the header of a file of cuts")
			}
			continue
		}
		var step Step
		if err := json.Unmarshal(text, &step); err != nil {
			return nil, bad(line, "is not a cut: %s", data.DescribeJSON(err))
		}
		if step.Iteration != line-1 || len(step.Gradient) != len(s.Features) {
			return nil, bad(line, "is iteration %d with a gradient of %d numbers, want %d with %d", step.Iteration, len(step.Gradient), line-1, len(s.Features))
		}
		s.Steps = append(s.Steps, step)
	}
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, bad(line+1, "is longer than any line of cuts")
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(s.Features) == 0 {
		return nil, bad(0, "is empty")
	}
	return s, nil
}

// longestLine is more than a line of cuts has for a million features. Files that
// never end, such as /dev/zero, are refused by it.
const longestLine = 64 << 20
