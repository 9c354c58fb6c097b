package pack

import "optcomplete/data"

// The versions of the format: a program must not read a pack whose properties it does
// not know as if there were none. Version is that of packs without properties,
// WeightedVersion of those with weights alone, which say so by a word of their own, and
// PropertiesVersion of all others, which list the names. All are written and read.
const (
	Version           = 1
	WeightedVersion   = 2
	PropertiesVersion = 3
)

// Said is how a pack says which properties its entries have, each of eight bytes.
type Said struct {
	Weighted   bool     `json:"weighted,omitempty"`   // they have weights
	Properties []string `json:"properties,omitempty"` // the names of all, if there are others
}

// say is what is said of some properties.
func say(p data.Properties) Said {
	s := Said{Weighted: p.Has(data.Weight)}
	if p != 0 && versionOf(p) == PropertiesVersion {
		s.Properties = p.Names()
	}
	return s
}

// Set is the properties; not ok if one is unknown to this program.
func (s Said) Set() (p data.Properties, ok bool) {
	switch {
	case s.Properties != nil:
		p, ok = data.PropertiesNamed(s.Properties)
		return p, ok && p.Has(data.Weight) == s.Weighted
	case s.Weighted:
		return p.With(data.Weight), true
	}
	return 0, true
}

// versionOf is the version of packs whose entries have these properties.
func versionOf(p data.Properties) uint32 {
	switch p {
	case 0:
		return Version
	case data.Properties(0).With(data.Weight):
		return WeightedVersion
	}
	return PropertiesVersion
}
