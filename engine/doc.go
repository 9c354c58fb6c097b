// Package engine runs passes on a cluster: it sends this program to the executors
// of a Spark Connect server, lets Spark run it there beside the data, and merges
// the returned parts along the passes' own trees, so that the results have the
// same bits as one thread on one machine.
//
// [Open] takes an address (sc://host:port) and gives a [Spark], a pass.Runner.
// Readings of a pack or a folder of packs run there when that is worthwhile;
// everything else runs in this process. [Work] is the other side: the process
// that an executor starts, which speaks lines over its standard input and output
// (see docs/cluster.md), so that other engines can start it too.
//
// Spark never adds anything up: workers return the parts of whole items, in any
// order, and twice if Spark repeats a task; one of each is used.
//
// It must never let a result depend on the cluster: a missing item, a worker of
// another version or with other arithmetic, and data that differ from the
// driver's are all errors.
package engine
