package encode

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"optcomplete/data"
	"optcomplete/internal/amount"
)

const (
	// otherLevel names the feature of the pooled levels. A level of this name is
	// pooled with them.
	otherLevel = "other"
	// leastCovered is the part of the filled cells that the frequent levels must
	// account for; else the field is free text.
	leastCovered = 0.25
	// fewestDistinct is the number of cells from which on a field without any
	// repetition is free text.
	fewestDistinct = 8
)

// count is a level and in how many items it is.
type count struct {
	level string
	items int
}

// tally counts the levels of a text or list field over some items: most frequent
// first, then by name.
func (f *Field) tally(texts []string) []count {
	items := map[string]int{}
	var c cell
	for _, text := range texts {
		f.read(text, &c) // text and lists have no faults
		for _, level := range c.levels {
			items[level]++
		}
	}
	counts := make([]count, 0, len(items))
	for level, n := range items {
		counts = append(counts, count{level, n})
	}
	slices.SortFunc(counts, func(a, b count) int {
		return cmp.Or(cmp.Compare(b.items, a.items), cmp.Compare(a.level, b.level))
	})
	return counts
}

// pool divides the levels into frequent and rare ones. Two levels are never
// pooled.
func (f *Field) pool(counts []count, most, least int) {
	f.Levels, f.Pooled = nil, nil
	for i, c := range counts {
		if len(counts) > 2 && (i >= most || c.items < least) {
			f.Pooled = append(f.Pooled, c.level)
		} else {
			f.Levels = append(f.Levels, c.level)
		}
	}
	if i := slices.Index(f.Levels, otherLevel); i >= 0 && len(f.Pooled) > 0 {
		f.Levels = slices.Delete(f.Levels, i, i+1)
		f.Pooled = append(f.Pooled, otherLevel)
	}
	slices.Sort(f.Pooled)
}

// covered is the part of the filled cells that have a frequent level.
func (f *Field) covered(texts []string) float64 {
	var c cell
	filled, has := 0, 0
	for _, text := range texts {
		if f.read(text, &c); c.blank {
			continue
		}
		filled++
		if slices.ContainsFunc(c.levels, func(level string) bool { return slices.Contains(f.Levels, level) }) {
			has++
		}
	}
	return float64(has) / float64(max(filled, 1))
}

// levelFeatures gives the features of a text or list field: one for each frequent
// level and one for the others. Of two levels of a text one says it all.
func (f *Field) levelFeatures() []Feature {
	named := func(level string) Feature {
		return Feature{Name: f.Name + "=" + level, Part: Level, Level: level}
	}
	if f.Type == Text && len(f.Levels) == 2 && len(f.Pooled) == 0 {
		return []Feature{named(affirmative(f.Levels))}
	}
	var out []Feature
	for _, level := range f.Levels {
		out = append(out, named(level))
	}
	if len(f.Pooled) > 0 {
		out = append(out, Feature{Name: f.Name + "=" + otherLevel, Part: Other})
	}
	return out
}

// affirmative gives the level of two that says yes, or the rarer one.
func affirmative(levels []string) string {
	yes := []string{"yes", "y", "true", "t", "1", "on", "ja", "oui", "si", "sí"}
	if slices.Contains(yes, strings.ToLower(levels[0])) {
		return levels[0]
	}
	return levels[1]
}

// sameButCase names levels that differ in upper and lower case only.
func sameButCase(counts []count) []string {
	lower := map[string][]string{}
	for _, c := range counts {
		key := strings.ToLower(c.level)
		lower[key] = append(lower[key], c.level)
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(lower)) {
		if len(lower[key]) > 1 {
			out = append(out, data.QuoteList(lower[key]))
		}
	}
	return out
}

// detectSeparator finds what stands between the levels of a list, "" if the
// cells are no lists. A bar seldom stands in text, so one cell in a hundred is
// enough. A semicolon or a comma does: one cell in twenty must have it, and to
// split there must leave fewer levels than there are different cells. Brackets around
// every cell are those of a list.
func detectSeparator(filled []string) string {
	if len(filled) > 0 && !slices.ContainsFunc(filled, func(text string) bool { return !bracketed(text) }) {
		return brackets
	}
	whole := map[string]bool{}
	for _, text := range filled {
		whole[text] = true
	}
	for _, try := range []struct {
		separator string
		share     float64
		fewer     bool
	}{{"|", 0.01, false}, {";", 0.05, true}, {",", 0.05, true}} {
		with := 0
		parts := map[string]bool{}
		var levels []string
		for _, text := range filled {
			if strings.Contains(text, try.separator) {
				with++
			}
			levels = splitList(text, try.separator, levels)
			for _, level := range levels {
				parts[level] = true
			}
		}
		if with > 0 && float64(with) >= try.share*float64(len(filled)) && !(try.fewer && len(parts) >= len(whole)) {
			return try.separator
		}
	}
	return ""
}

// leastItems is how many items a level needs not to be pooled.
func leastItems(share float64, items int) int {
	return max(1, int(math.Ceil(share*float64(items))))
}

// describeLevels shows the number of levels and the most frequent ones.
func describeLevels(counts []count) string {
	const most = 3
	var shown []string
	for i, c := range counts {
		if i == most {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, short(c.level))
	}
	noun := "levels"
	if len(counts) == 1 {
		noun = "level"
	}
	return fmt.Sprintf("%s %s: %s", amount.Grouped(len(counts)), noun, strings.Join(shown, ", "))
}
