package pass

import "sync"

// Gather merges the parts of a pass along its tree, as they come. Nodes of a level
// are numbered from the left; nodes 2x and 2x+1 merge to node x of the next level,
// and the last of an odd number goes up as it is. So the node of an aligned run of
// leaves is the same however many leaves follow.
//
// It keeps the parts whose neighbours have not come: if they come about in order,
// as many as there are at work and a few more.
type Gather struct {
	leaves  int
	mu      sync.Mutex
	waiting map[node]Part
	root    Part
}

type node struct{ level, at int }

// put adds the part of a node.
func (g *Gather) put(level, at int, part Part) {
	for top := levels(g.leaves); level < top; level, at = level+1, at/2 {
		if at%2 == 0 && at+1 == ceil(g.leaves, level) {
			continue // the last one: it has no neighbour
		}
		other, ok := g.meet(node{level, at}, part)
		switch {
		case !ok:
			return
		case at%2 == 0:
			part.Merge(other)
		default:
			other.Merge(part)
			part = other
		}
	}
	g.root = part
}

// meet gives a node's neighbour if it is there; otherwise the node waits for it.
func (g *Gather) meet(n node, part Part) (Part, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	neighbour := node{n.level, n.at ^ 1}
	if other, ok := g.waiting[neighbour]; ok {
		delete(g.waiting, neighbour)
		return other, true
	}
	if g.waiting == nil {
		g.waiting = map[node]Part{}
	}
	g.waiting[n] = part
	return nil, false
}

// Results puts together what the items of a plan gave, in any order, from any
// number of goroutines.
type Results struct {
	tasks []*Task
	trees []*Gather

	mu    sync.Mutex
	next  int // the item whose parts the sinks get next
	early map[int][][]Part
	moved *sync.Cond // when next moves, or the end has come
	ended bool
}

// NewResults waits for the items of a plan. The tasks are those the plan was made for.
func (p *Plan) NewResults(tasks []*Task) *Results {
	r := &Results{tasks: tasks, early: map[int][][]Part{}}
	r.moved = sync.NewCond(&r.mu)
	for range tasks {
		r.trees = append(r.trees, &Gather{leaves: p.Items()})
	}
	return r
}

// Put takes what an item gave. An item that was computed twice must be put once.
// The error is that of a sink.
func (r *Results) Put(item int, parts [][]Part) error { return r.PutRun(0, item, parts) }

// PutRun takes what an aligned run of 2^level items gave, merged; see Executor.Run. A
// level above 0 is for readings without sinks.
func (r *Results) PutRun(level, item int, parts [][]Part) error {
	sinks := make([][]Part, len(parts))
	some := false
	for x, t := range r.tasks {
		if t.Sink != nil {
			sinks[x], some = parts[x], true
		} else {
			r.trees[x].put(level, item, parts[x][0])
		}
	}
	if !some {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.early[item] = sinks
	for {
		ready, ok := r.early[r.next]
		if !ok {
			return nil
		}
		delete(r.early, r.next)
		for x, parts := range ready {
			for _, part := range parts {
				if err := r.tasks[x].Sink(part); err != nil {
					return err
				}
			}
		}
		r.next++
		r.moved.Broadcast()
	}
}

// Wait returns when the sinks have had all but this many of the items before the
// given one, so that what they are to get does not pile up; at once without sinks,
// and once End was called.
func (r *Results) Wait(item, ahead int) {
	sinks := false
	for _, t := range r.tasks {
		sinks = sinks || t.Sink != nil
	}
	if !sinks {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.ended && item > r.next+ahead {
		r.moved.Wait()
	}
}

// End releases everybody who waits: the reading failed.
func (r *Results) End() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.moved.Broadcast()
}

// Finish writes the results of the tasks, all items having been put.
func (r *Results) Finish() {
	for x, t := range r.tasks {
		if t.Sink == nil {
			t.Result = r.trees[x].root
		}
	}
}
