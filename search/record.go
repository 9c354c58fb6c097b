package search

import (
	"errors"

	"optcomplete/internal/lists"
)

// Recorder receives what proves the bound of a search, as it happens, so that
// someone else can check it: the points at which cuts were taken, and a tree of
// regions. Cuts and nodes are numbered from 0, cuts by the order of the calls of
// Cut; node 0 is the region of all selections that the settings allow.
//
// A node is narrowed any number of times (Fix) and ends once: split in two,
// closed by a cut or a model, or enumerated. A node that never ends has no selections. The
// least value of what closed the nodes, and of the cuts that allowed a Fix, over
// the selections they rule out, is at least Result.Bound, or that is 0.
type Recorder interface {
	// Cut says that the oracle was evaluated at the weights, which must not be kept.
	Cut(weights []float64)

	// Fix says that the rest of the node has the feature (or has it not): the
	// cut rules out the selections without (or with) it.
	Fix(node, feature int, in bool, cut int)

	// Split says that the node is divided into the selections with the feature,
	// node inside, and those without, node outside.
	Split(node, feature, inside, outside int)

	// Close says that the cut bounds the node; noCut: nothing does.
	Close(node, cut int)

	// Model says that from here on the node and its parts have the model from the weights of
	// the cut, of the node's features, in or free. Tangents are of the model with another diagonal
	// between the free ones, in increasing order, and what that leaves as linear.
	Model(node, cut int, diagonal []float64)

	// Tangent says that the model's tangent at the weights of the features rules out the
	// selections of the node without those that are fixed in, and with those that are fixed
	// out. Where there are none, it bounds the node.
	Tangent(node int, features []int, weights []float64, in, out []int)

	// List says that of the selections of the node those that the model does not show to be
	// no better than the bound were evaluated.
	List(node int)

	// Enumerate says that every selection of the node was evaluated.
	Enumerate(node int)
}

// What a node's bound comes from, beside the numbers of cuts.
const (
	noCut       = -1 // nothing
	enumeration = -2 // an enumeration of a region that holds the node
)

// errRecordRequires is the error for a proof of what a Recorder cannot tell.
var errRecordRequires = errors.New("search: the proof of a search with requirements cannot be recorded")

// label is the number of a new node.
func (s *searcher) label() int {
	s.labels++
	return s.labels - 1
}

// split gives the parts of a node with and without a feature their numbers, by
// the feature's state there.
func (s *searcher) split(n *node, feature int) (labels [3]int) {
	labels[in], labels[out] = s.label(), s.label()
	if s.Recorder != nil {
		s.Recorder.Split(n.label, feature, labels[in], labels[out])
	}
	return labels
}

// recordClosed records what a node's bound comes from.
func (s *searcher) recordClosed(n *node) {
	switch {
	case s.Recorder == nil:
	case n.by == enumeration:
		s.Recorder.Enumerate(n.label)
	default:
		s.Recorder.Close(n.label, n.by)
	}
}

func (s *searcher) recordFix(n *node, feature int, to int8, c *cut) {
	if s.Recorder != nil {
		s.Recorder.Fix(n.label, feature, to == in, c.number)
	}
}

// recordOpen records the bounds of the nodes that a limit left open.
func (s *searcher) recordOpen() {
	for _, n := range s.open {
		if !n.parted {
			s.recordClosed(n)
		}
	}
}

// trail is how a node of a model's tree was narrowed, and how it ended.
type trail struct {
	steps  []tangent
	branch int // the feature it was split on, −1 if it was not
	parts  [3]*trail
	listed bool
}

// tangent is one that narrowed a node, or ended it: by places of features.
type tangent struct {
	weights []float64
	fixed   [3][]int
}

// mostTrails is how many nodes a model's tree may have to be recorded.
const mostTrails = 20_000

// recordTree records the tree of a model below a node.
func (s *searcher) recordTree(node int, t *modelTree, at *trail) {
	for _, step := range at.steps {
		var features []int
		var weights []float64
		for x, w := range step.weights {
			if w > 0 {
				features, weights = append(features, t.features[x]), append(weights, w)
			}
		}
		s.Recorder.Tangent(node, features, weights, lists.Pick(t.features, step.fixed[in]), lists.Pick(t.features, step.fixed[out]))
	}
	switch {
	case at.listed:
		s.Recorder.List(node)
	case at.branch >= 0:
		inside, outside := s.label(), s.label()
		s.Recorder.Split(node, t.features[at.branch], inside, outside)
		s.recordTree(inside, t, at.parts[in])
		s.recordTree(outside, t, at.parts[out])
	}
}
