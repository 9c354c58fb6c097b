package search

import "optcomplete/result"

// Certificate is what the search proved, with the names of the selections' members.
// Certified says whether the bound is of all observed entries, which the search
// cannot know.
func (r *Result) Certificate(certified bool, names func(selection []int) []string) result.Certificate {
	c := result.Certificate{
		Cost: r.Cost, Bound: r.Bound, Gap: r.Gap, Certified: certified, Status: r.Status,
		Cuts: r.Cuts, Nodes: r.Nodes, Enumerated: r.Enumerated, Passes: r.Passes, NearTies: []result.NearTie{},
	}
	for _, tie := range r.NearTies {
		c.NearTies = append(c.NearTies, result.NearTie{Selected: names(tie.Selection), Cost: tie.Cost})
	}
	return c
}
