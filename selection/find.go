package selection

import (
	"slices"

	"optcomplete/internal/suggest"
	"optcomplete/search"
	"optcomplete/spec"
)

// Find is the settings of a search for k units, of which some are always and some never
// selected, found by name.
func Find(k int, choice spec.Choice, limits spec.Limits, find func(names []string, list string) ([]int, error)) (s search.Settings, err error) {
	s = search.Settings{K: k, Gap: limits.Gap, TimeLimit: limits.TimeLimit, SearchTime: limits.SearchTime, MaxNodes: limits.MaxNodes, NearTies: limits.NearTies}
	if s.Always, err = find(choice.Always, "always"); err == nil {
		s.Never, err = find(choice.Never, "never")
	}
	return s, err
}

// WithAll is a list of names with all features in the place of the word all.
func WithAll(names, all []string) []string {
	at := slices.Index(names, "all")
	if at < 0 || slices.Contains(all, "all") && len(names) > 1 {
		return names
	}
	return slices.Concat(names[:at], all, names[at+1:])
}

// Indices finds features by name. The list is what they were named in.
func Indices(features, names []string, list string) ([]int, error) {
	var found []int
	for _, name := range names {
		j := slices.Index(features, name)
		if j < 0 {
			return nil, spec.Errorf("the %s list names %q, which is not a feature%s", list, name, suggest.After(name, features))
		}
		found = append(found, j)
	}
	return found, nil
}
