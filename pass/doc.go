// Package pass makes every reading of the data a value: a description says what
// to compute from the rows, a Runner decides where, and the result has the same
// bits wherever it ran.
//
// A [Pass] is a description. It makes a [Worker] for one goroutine, which takes
// [Chunk]s of consecutive rows and gives a [Part], and parts merge. Chunks are a
// function of the data alone (data.Chunks), and parts merge along a fixed binary
// tree over them, so any subtree may be computed anywhere, twice, or again after
// a failure. [Run] reads a source once for all the passes it is given, with the
// Runner of the context: threads of this process unless [WithRunner] says
// otherwise. Every reading is counted under the names of its passes; see [Counts].
//
// # To write a pass
//
// Declare a struct whose exported fields say what to compute, and a part whose
// exported fields are what a chunk adds; register both, so that they can be sent
// to another process (by encoding/gob: an unexported field is not sent):
//
//	type squares struct{ Shift float64 }
//
//	func (p squares) Start(*pass.Input) (pass.Worker, error) { return &squaring{p, &Sum{}}, nil }
//
//	type Sum struct{ Value float64 }
//
//	func (s *Sum) Merge(o pass.Part) { s.Value += o.(*Sum).Value }
//
//	type squaring struct { squares; sum *Sum }
//
//	func (w *squaring) Add(c *pass.Chunk) error { for i := c.First; i < c.End; i++ { … c.Row(i) … } }
//	func (w *squaring) Part() (pass.Part, error) { s := w.sum; w.sum = new(Sum); return s, nil }
//
//	func init() { pass.Register("squares", squares{}, &Sum{}) }
//
//	sum, err := pass.One[*Sum](ctx, source, threads, squares{3})
//
// Rules. A worker's part depends on the chunks it was given since the last part,
// and on nothing else: not on the chunks before, nor on its neighbours. Merge
// adds what comes after in the order of the rows. If a part takes long to make or
// merge compared with the entries of a chunk (a number for every column), the
// pass is [Costly] and gets more chunks at a time. A large value that many
// passes use (the features, effects of all rows) is a [Shared] value: it is sent
// once. A value that a pass can use but does not need (factors of the rows, kept
// from the pass before) may be held by a pointer that is not sent, or by
// Input.Memory: where it is missing, the worker makes it again and gives the same
// bits. Results that are as long as the rows go to a sink, in their order:
// [Task].
//
// A runner needs four things from this package: [NewPlan] says how a reading is
// divided, an [Executor] computes its items, a [Gather] merges their parts, and
// [Encode] and [Decode] send a reading. Package internal/passtest is the suite
// that every runner must pass.
//
// Nothing else may call Source.Reader: a reading that no runner knows about
// cannot run on another machine, and is not counted.
package pass
