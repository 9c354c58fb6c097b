package proof

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"optcomplete/internal/textfile"
)

// Proof is a proof as it was read: nothing in it is trusted.
type Proof struct {
	Statement
	points []point
	nodes  map[int]*node

	selected    []int
	cost, bound float64 // as claimed
}

// point is weights, apart from zeros, with increasing units.
type point struct {
	units   []int
	weights []float64
}

// node is a region: the steps that narrow it and, where ended, the last of them its end.
type node struct {
	steps []step
	ended bool
}

// step is what rules out a part of a region, or all that is left of it.
type step struct {
	kind            kind
	cut             int // of byCut and byModel
	unit            int // of a split
	inside, outside int
	within, without []int     // units that the rest of the region has, or has not
	at              point     // of a tangent
	diagonal        []float64 // of a model
}

type kind int8

const (
	byNothing     kind = iota
	byCut              // bounds what lacks the unit within, or has that without; or all
	byModel            // declares the model of what is left
	byTangent          // as byCut
	byList             // ends
	byEnumeration      // ends
	split              // ends
)

const none = -1

// mostLine is the longest line that is read.
const mostLine = 1 << 26

// Read reads a proof, compressed or not. What is wrong with it is a
// *data.InputError with the line.
func Read(r io.Reader, name string) (*Proof, error) {
	text, release, err := textfile.Unpack(r, name)
	if err != nil {
		return nil, err
	}
	defer release()
	p := &Proof{nodes: map[int]*node{}}
	sum := sha256.New()
	scanner := bufio.NewScanner(text)
	scanner.Buffer(nil, mostLine)
	scanner.Split(wholeLines)
	number, ended := 0, false
	fault := func(format string, args ...any) error {
		return &textfile.InputError{File: name, Line: number, Problem: fmt.Sprintf(format, args...), Remedy: "this is not a proof as a fit with Settings.Proof writes it"}
	}
	for scanner.Scan() && scanner.Err() == nil { // what an error cut short is no line
		number++
		if ended {
			return nil, fault("there is something after the checksum")
		}
		bytes := scanner.Bytes()
		if number == 1 {
			if err := decode(bytes, &p.Statement); err != nil || p.Version == 0 {
				return nil, fault("the first line does not say what is proven")
			}
			if p.Version != Version && p.Version != 2 && (p.Version != 1 || p.Model != "paper") { // other models had other costs
				return nil, fault("the proof has version %d, and this program checks versions 2 and %d: models of older programs cost selections in another way", p.Version, Version)
			}
			sum.Write(bytes)
			continue
		}
		var l line
		if err := decode(bytes, &l); err != nil {
			return nil, fault("the line cannot be read: %v", err)
		}
		if l.Lines != nil {
			if ended = true; l.SHA256 != hex.EncodeToString(sum.Sum(nil)) || *l.Lines != number-1 {
				return nil, fault("the checksum is wrong: the proof was changed or damaged")
			}
			continue
		}
		sum.Write(bytes)
		if err := p.add(&l); err != nil {
			return nil, fault("%v", err)
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fault("a line is longer than %d bytes", mostLine)
	case err != nil:
		return nil, textfile.ReadError(name, number, err)
	case !ended:
		return nil, fault("the proof ends before its checksum")
	case p.selected == nil:
		return nil, fault("the proof does not say what was found")
	}
	return p, nil
}

// wholeLines splits after line feeds, which belong to the lines: the checksum is
// of every byte.
func wholeLines(text []byte, end bool) (advance int, token []byte, err error) {
	if at := bytes.IndexByte(text, '\n'); at >= 0 {
		return at + 1, text[:at+1], nil
	}
	if end && len(text) > 0 {
		return len(text), text, nil
	}
	return 0, nil, nil
}

// decode reads one JSON object with no fields that are not known.
func decode(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one object")
	}
	return nil
}

// add takes a line that is not the last.
func (p *Proof) add(l *line) error {
	units := len(p.Units)
	if p.Gammas != nil {
		units++ // the level of a row
	}
	switch {
	case p.selected != nil:
		return errors.New("something stands after what was found")
	case l.Selected != nil:
		p.selected, p.cost, p.bound = *l.Selected, l.Cost, l.Bound
		if p.selected == nil {
			p.selected = []int{}
		}
		return increasing(p.selected, units)
	case l.Point != nil:
		if len(*l.Point) != len(l.Weights) {
			return fmt.Errorf("%d units have %d weights", len(*l.Point), len(l.Weights))
		}
		for _, w := range l.Weights {
			if !(w > 0) || math.IsInf(w, 1) {
				return fmt.Errorf("a weight is %v", w)
			}
		}
		if err := increasing(*l.Point, units); err != nil {
			return err
		}
		if l.Node != nil {
			return p.tell(l, units)
		}
		p.points = append(p.points, point{*l.Point, l.Weights})
		return nil
	case l.Node == nil:
		return errors.New("the line says nothing that is known")
	}
	return p.tell(l, units)
}

// tell takes a line about a node.
func (p *Proof) tell(l *line, units int) error {
	n := p.nodes[*l.Node]
	if n == nil {
		n = &node{}
		p.nodes[*l.Node] = n
	}
	if n.ended {
		return fmt.Errorf("node %d goes on after its end", *l.Node)
	}
	if l.Cut != nil && (*l.Cut < 0 || *l.Cut >= len(p.points)) {
		return fmt.Errorf("cut %d is not among the %d before", *l.Cut, len(p.points))
	}
	named := slices.Concat(l.Within, l.Without)
	for _, unit := range []*int{l.Fix, l.Split} {
		if unit != nil {
			named = append(named, *unit)
		}
	}
	for _, unit := range named {
		if unit < 0 || unit >= units {
			return fmt.Errorf("unit %d of %d", unit, units)
		}
	}
	end := func(s step) { n.steps, n.ended = append(n.steps, s), true }
	switch {
	case l.Fix != nil && l.Cut != nil:
		s := step{kind: byCut, cut: *l.Cut}
		if l.In {
			s.within = []int{*l.Fix}
		} else {
			s.without = []int{*l.Fix}
		}
		n.steps = append(n.steps, s)
	case l.Split != nil:
		end(step{kind: split, unit: *l.Split, inside: l.Inside, outside: l.Outside})
	case l.Point != nil:
		s := step{kind: byTangent, at: point{*l.Point, l.Weights}, within: l.Within, without: l.Without}
		n.steps = append(n.steps, s)
		n.ended = len(s.within)+len(s.without) == 0
	case l.Cut != nil && l.Model:
		n.steps = append(n.steps, step{kind: byModel, cut: *l.Cut, diagonal: l.Diagonal})
		if l.Diagonal == nil {
			end(step{kind: byList})
		}
	case l.Cut != nil:
		end(step{kind: byCut, cut: *l.Cut})
	case l.Listed:
		end(step{kind: byList})
	case l.Enumerated:
		end(step{kind: byEnumeration})
	default:
		return errors.New("the line says nothing that is known")
	}
	return nil
}

func increasing(list []int, below int) error {
	for x, j := range list {
		if j < 0 || j >= below || x > 0 && j <= list[x-1] {
			return fmt.Errorf("units %v of %d are not in order", list, below)
		}
	}
	return nil
}
