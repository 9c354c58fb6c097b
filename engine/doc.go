// Package engine runs passes on a cluster: it sends this program to the
// executors of a Spark Connect server, lets Spark run it there beside the data,
// and puts the parts that come back together along the passes' own trees, so
// that the results have the bits of one thread on one machine.
//
// [Open] takes an address (sc://host:port) and gives a [Spark], a pass.Runner.
// It runs there what reads a pack or a folder of packs, as long as it is worth it;
// everything else runs in this process. [Work] is the other side: the process that
// an executor starts, which speaks lines over its standard input and output (see
// docs/cluster.md), so that other engines can start it too.
//
// Spark never adds anything up: workers return the parts of whole items, in any
// order, twice if Spark repeats a task, and one of each is used.
//
// It must never let a result depend on the cluster: an item that does not come, a
// worker of another version or with other arithmetic, or data that differ from
// those of the driver are errors.
package engine
