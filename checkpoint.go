package optcomplete

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"runtime"

	"optcomplete/checkpoint"
	"optcomplete/data"
	"optcomplete/internal/fingerprint"
	"optcomplete/internal/kernel"
	"optcomplete/pass"
)

// openCheckpoint opens the memory of this run.
func openCheckpoint(ctx context.Context, problem Problem, settings *Settings) (*checkpoint.Store, error) {
	entries, err := entriesHash(ctx, problem.Ratings.Source(), settings.Threads)
	if err != nil {
		return nil, err
	}
	if problem.Times != nil {
		times, err := entriesHash(ctx, problem.Times.Source(), settings.Threads)
		if err != nil {
			return nil, err
		}
		entries += " times " + times
	}
	return checkpoint.Open(settings.Checkpoint, runText(problem, settings, entries))
}

// changesNoAnswer are the fields that runs may differ in and still share what was
// computed: a checkpoint keeps what the cost is at some weights and what validation
// chose, and none of these has a part in that.
var changesNoAnswer = fingerprint.LeftOut{
	"Problem.Ratings":           "written as its shape and the hashes of ids and entries",
	"Problem.Times":             "written as the hash of its entries",
	"Problem.Nouns":             "what people call things",
	"Settings.Limits.Gap":       "a limit: it ends a search, at costs that are what they are",
	"Settings.Limits.TimeLimit": "a limit",
	"Settings.Limits.Began":     "a limit",
	"Settings.Limits.MaxNodes":  "a limit",
	"Settings.Limits.NearTies":  "how many selections are listed; a listing is kept with its length",
	"Settings.Proof":            "only watches",
	"Settings.Checkpoint":       "where the answers are kept",
	"Settings.Limits.Memory":    "where entries are kept while they are read",
	"Settings.Folder":           "where the model is kept",
	"Settings.Limits.Threads":   "results do not depend on them, to the bit",
	"Settings.OnEvent":          "only watches",
	"Settings.OnGamma":          "only watches",
	"Settings.OnDivided":        "only watches",
	"Settings.Method.OnCuts":    "only watches",
	"Settings.Method.OnStep":    "only watches",
}

// runText tells runs apart that may not share answers: by data, settings, program
// and the kind of machine, whose arithmetic may round differently. It has every
// field of the problem and the settings that is not in changesNoAnswer.
func runText(problem Problem, s *Settings, entries string) string {
	n, m := problem.Ratings.Dims()
	head := fmt.Sprintf("optcomplete %s %s vectors %v\ndata %d × %d, %d entries %s\n",
		Version, runtime.GOARCH, kernel.Accelerated(), n, m, problem.Ratings.Observed(), entries)
	ids := struct{ RowIDs, ColumnIDs []string }{problem.Ratings.RowIDs, problem.Ratings.ColumnIDs}
	return head + fingerprint.Text("Ratings", ids, nil) +
		fingerprint.Text("Problem", problem, changesNoAnswer) + fingerprint.Text("Settings", *s, changesNoAnswer)
}

// entriesHash is a hash of all observed entries.
func entriesHash(ctx context.Context, s data.Source, threads int) (string, error) {
	all := sha256.New()
	err := pass.Stream(ctx, s, threads, hashing{}, func(part *hashes) error {
		all.Write(part.Sums)
		return nil
	})
	return fmt.Sprintf("%x", all.Sum(nil)[:16]), err
}

// hashing is the pass of entriesHash.
type hashing struct{}

// Name is "fingerprint".
func (hashing) Name() string { return "fingerprint" }

// Cost of an empty part is nothing.
func (hashing) Cost(*pass.Input) int { return 0 }

// Start makes a worker.
func (hashing) Start(*pass.Input) (pass.Worker, error) { return &hasher{hash: sha256.New()}, nil }

// hashes are those of chunks of rows, one after the other.
type hashes struct{ Sums []byte }

// Merge puts the others behind.
func (h *hashes) Merge(o pass.Part) { h.Sums = append(h.Sums, o.(*hashes).Sums...) }

type hasher struct {
	hash hash.Hash
	ints []byte
}

func (w *hasher) Add(c *pass.Chunk) error {
	for i := c.First; i < c.End; i++ {
		columns, values := c.Row(i)
		w.ints = binary.LittleEndian.AppendUint64(w.ints[:0], uint64(len(columns)))
		for _, c := range columns {
			w.ints = binary.LittleEndian.AppendUint32(w.ints, uint32(c))
		}
		for _, v := range values {
			w.ints = binary.LittleEndian.AppendUint64(w.ints, math.Float64bits(v))
		}
		w.hash.Write(w.ints)
	}
	return nil
}

func (w *hasher) Part() (pass.Part, error) {
	sum := w.hash.Sum(nil)
	w.hash.Reset()
	return &hashes{sum}, nil
}

func init() { pass.Register(hashing{}, new(hashes)) }

// remember lets the checkpoint, if there is one, answer for the oracle.
func (t *task) remember(s *selector, label string, c choices) {
	if t.memory != nil {
		s.oracle = t.memory.Oracle(s.oracle, fmt.Sprintf("%s k %d gamma %v %v shrinkage %v %v", label, t.find.K, c.Gamma, c.Gamma0, c.Row, c.Column))
	}
}

// keptChoices is choices as a checkpoint keeps them.
type keptChoices struct {
	Gamma, Gamma0, Row, Column float64
	Path                       json.RawMessage
}

// chosen is choose, remembered.
func (t *task) chosen(ctx context.Context, train data.Source, s *Settings) (choices, error) {
	if t.memory == nil {
		return t.choose(ctx, train, s)
	}
	var c choices
	interrupted := false
	answer, err := t.memory.Do([]byte("choices"), func() (b []byte, err error) {
		if c, err = t.choose(ctx, train, s); err != nil {
			return nil, err
		}
		if err := cmp.Or(ctx.Err(), c.Cut); err != nil {
			interrupted = true
			return nil, err // what an interrupt or a limit left is not to be kept
		}
		path, err := json.Marshal(c.GammaPath)
		if err != nil {
			return nil, err
		}
		return json.Marshal(keptChoices{c.Gamma, c.Gamma0, c.Row, c.Column, path})
	})
	if interrupted {
		return c, nil // the best so far
	}
	if err != nil {
		return c, err
	}
	var kept keptChoices
	if err := json.Unmarshal(answer, &kept); err != nil {
		return c, err
	}
	c = choices{Gamma: kept.Gamma, Gamma0: kept.Gamma0, Row: kept.Row, Column: kept.Column, Fixed: s.ColumnShrinkage > 0}
	return c, json.Unmarshal(kept.Path, &c.GammaPath)
}
