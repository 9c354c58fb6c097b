package selection

import (
	"slices"
	"strconv"
	"strings"

	"optcomplete/feasible"
	"optcomplete/internal/lists"
	"optcomplete/internal/suggest"
	"optcomplete/search"
	"optcomplete/spec"
)

// Find is the settings of a search for k units, of which some are always and some never
// selected, found by name.
func Find(k int, choice spec.Choice, limits spec.Limits, find func(names []string, list string) ([]int, error)) (s search.Settings, err error) {
	s = search.Settings{K: k, Gap: limits.Gap, TimeLimit: limits.TimeLimit, SearchTime: limits.SearchTime, MaxNodes: limits.MaxNodes, NearTies: limits.NearTies}
	if s.Always, err = find(choice.Always, "always"); err != nil {
		return s, err
	}
	if s.Never, err = find(choice.Never, "never"); err != nil {
		return s, err
	}
	for _, limit := range choice.AtMost {
		at := strings.LastIndex(limit, "=")
		most, wrong := strconv.Atoi(limit[at+1:])
		if at < 1 || wrong != nil || most < 0 {
			return s, spec.Errorf("the %s list has %q, which is not a field and how many of its features may be selected, such as Genre=2", atMost, limit)
		}
		members, err := find([]string{limit[:at]}, atMost)
		if err != nil {
			return s, err
		}
		s.Families = append(s.Families, feasible.Family{Name: limit[:at], Members: lists.Distinct(members), Most: most})
	}
	return s, nil
}

// atMost is the list of fields of which only some features may be selected.
const atMost = "at-most"

// WithAll is a list of names with all features in the place of the word all.
func WithAll(names, all []string) []string {
	at := slices.Index(names, "all")
	if at < 0 || slices.Contains(all, "all") && len(names) > 1 {
		return names
	}
	return slices.Concat(names[:at], all, names[at+1:])
}

// Indices finds features by name. The list is what they were named in: where it limits
// fields, a name is that of a field, which a feature has of its own or before the sign =.
// Fields are those of the features; nil: they are not known.
func Indices(features, fields, names []string, list string) ([]int, error) {
	var found []int
	for _, name := range names {
		before := len(found)
		for j, feature := range features {
			if feature == name || list == atMost && (fields == nil && strings.HasPrefix(feature, name+"=") || fields != nil && fields[j] == name) {
				found = append(found, j)
			}
		}
		if len(found) == before {
			return nil, spec.Errorf("the %s list names %q, which is not a feature%s", list, name, suggest.After(name, slices.Concat(features, fields)))
		}
	}
	return found, nil
}
