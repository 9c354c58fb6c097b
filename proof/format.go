package proof

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"math"
)

// Version is the version of the file that this package writes and reads.
const Version = 3

// Statement is the first line of a proof: what it is about.
type Statement struct {
	Version  int    `json:"optcomplete_proof"`
	Model    string `json:"model"` // paper, pooled or full
	Rows     int    `json:"rows"`
	Columns  int    `json:"columns"`
	Entries  int    `json:"entries"`  // observed entries that were fitted
	Data     string `json:"data"`     // a digest of them, whatever the order of the rows
	Features string `json:"features"` // a digest of the features

	K               int       `json:"k"`
	Gamma           float64   `json:"gamma"`
	Gamma0          float64   `json:"gamma0,omitempty"`
	Gammas          []float64 `json:"gammas,omitempty"` // of each feature, last that of the rows' level; in pooled, Gamma0 is in parts of them
	RowShrinkage    float64   `json:"row_shrinkage,omitempty"`
	ColumnShrinkage float64   `json:"column_shrinkage,omitempty"`
	Units           []string  `json:"units"` // what can be selected: features, or groups of them
	Always          []int     `json:"always,omitempty"`
	Never           []int     `json:"never,omitempty"`
	Families        []Family  `json:"families,omitempty"` // of the units of each at most so many are selected
}

// line is any further line. Which fields it has tells what it is:
//
//	{"point":[3,7],"weights":[1,0.25]}         the next cut, numbered from 0; other weights are 0
//	{"node":4,"fix":7,"in":true,"cut":2}       the rest of node 4 has unit 7: cut 2 rules out what has it not
//	{"node":4,"split":9,"inside":5,"outside":6}
//	{"node":5,"cut":3}                         cut 3 bounds node 5
//	{"node":5,"cut":3,"model":true,"diagonal":[…]}  from here on, node 5 has the model from the weights of cut 3
//	{"node":5,"point":[3,7],"weights":[1,0.5],"within":[3]}  its tangent there rules out what has not unit 3; where nothing is ruled out, it bounds node 5
//	{"node":5,"listed":true}                   of the selections of node 5 those were evaluated that its model does not rule out
//	{"node":5,"cut":3,"model":true}            the model from the weights of cut 3, and the selections listed by it
//	{"node":6,"enumerated":true}               every selection of node 6 was evaluated
//	{"selected":[0,4],"cost":0.12,"bound":0.11}  what was found, and claimed
//	{"lines":812,"sha256":"…"}                 the last line: of all bytes before it
type line struct {
	Node       *int      `json:"node,omitempty"`
	Point      *[]int    `json:"point,omitempty"`
	Weights    []float64 `json:"weights,omitempty"`
	Fix        *int      `json:"fix,omitempty"`
	In         bool      `json:"in,omitempty"`
	Split      *int      `json:"split,omitempty"`
	Inside     int       `json:"inside,omitempty"`
	Outside    int       `json:"outside,omitempty"`
	Cut        *int      `json:"cut,omitempty"`
	Model      bool      `json:"model,omitempty"`
	Diagonal   []float64 `json:"diagonal,omitempty"`
	Within     []int     `json:"within,omitempty"`
	Without    []int     `json:"without,omitempty"`
	Listed     bool      `json:"listed,omitempty"`
	Enumerated bool      `json:"enumerated,omitempty"`
	Selected   *[]int    `json:"selected,omitempty"`
	Cost       float64   `json:"cost,omitempty"`
	Bound      float64   `json:"bound,omitempty"`
	Lines      *int      `json:"lines,omitempty"`
	SHA256     string    `json:"sha256,omitempty"`
}

// Writer writes a proof line by line, as a search finds it; it is a
// search.Recorder. The first error is kept and returned by Finish.
type Writer struct {
	out   *bufio.Writer
	sum   hash.Hash
	json  *json.Encoder
	lines int
	err   error
}

// NewWriter begins a proof with its statement.
func NewWriter(w io.Writer, s Statement) *Writer {
	out := &Writer{out: bufio.NewWriterSize(w, 1<<16), sum: sha256.New()}
	out.json = json.NewEncoder(io.MultiWriter(out.out, out.sum))
	s.Version = Version
	out.write(s)
	return out
}

func (w *Writer) write(v any) {
	if w.err == nil {
		w.err = w.json.Encode(v)
		w.lines++
	}
}

// Cut records the point of the next cut.
func (w *Writer) Cut(weights []float64) {
	at := []int{}
	var positive []float64
	for j, x := range weights {
		if x != 0 {
			at, positive = append(at, j), append(positive, x)
		}
	}
	w.write(line{Point: &at, Weights: positive})
}

// Fix records a unit that the rest of a node has, or has not.
func (w *Writer) Fix(node, unit int, in bool, cut int) {
	w.write(line{Node: &node, Fix: &unit, In: in, Cut: &cut})
}

// Split records the parts of a node.
func (w *Writer) Split(node, unit, inside, outside int) {
	w.write(line{Node: &node, Split: &unit, Inside: inside, Outside: outside})
}

// Close records the cut that bounds a node. What nothing bounds is left out: the
// checker takes it to be bounded by 0.
func (w *Writer) Close(node, cut int) {
	if cut >= 0 {
		w.write(line{Node: &node, Cut: &cut})
	}
}

// Model records that a node has a model from the weights of a cut.
func (w *Writer) Model(node, cut int, diagonal []float64) {
	w.write(line{Node: &node, Cut: &cut, Model: true, Diagonal: diagonal})
}

// Tangent records what a tangent of the model rules out of a node.
func (w *Writer) Tangent(node int, units []int, weights []float64, in, out []int) {
	if units == nil {
		units = []int{}
	}
	w.write(line{Node: &node, Point: &units, Weights: weights, Within: in, Without: out})
}

// List records that what the model does not rule out of a node was evaluated.
func (w *Writer) List(node int) { w.write(line{Node: &node, Listed: true}) }

// Enumerate records that every selection of a node was evaluated.
func (w *Writer) Enumerate(node int) { w.write(line{Node: &node, Enumerated: true}) }

// Finish writes what was found and claimed, and the checksum.
func (w *Writer) Finish(selected []int, cost, bound float64) error {
	if selected == nil {
		selected = []int{}
	}
	w.write(line{Selected: &selected, Cost: cost, Bound: math.Max(bound, 0)})
	lines := w.lines
	w.write(line{Lines: &lines, SHA256: hex.EncodeToString(w.sum.Sum(nil))})
	if w.err == nil {
		w.err = w.out.Flush()
	}
	if w.err != nil {
		return fmt.Errorf("writing the proof: %w", w.err)
	}
	return nil
}
