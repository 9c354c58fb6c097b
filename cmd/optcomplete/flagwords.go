package main

import (
	"regexp"
	"strings"

	"optcomplete/internal/settings"
)

// The library names a setting as Go has it: "use Settings.DropUnknown". On the command
// line it is a flag.
var settingName = regexp.MustCompile(`\b(?:engine\.)?(?:[A-Z]\w*)?(?:Settings|CutPlanes)\.([A-Z]\w*)`)

// asFlags writes the settings that a text of the library names as flags.
func asFlags(text string) string {
	return settingName.ReplaceAllStringFunc(text, func(name string) string {
		if flag, ok := flagNamed(name); ok {
			return flag
		}
		return name
	})
}

// flagNamed is the flag of a setting, and whether there is one.
func flagNamed(name string) (string, bool) {
	engine, is := strings.CutPrefix(name, "engine.")
	_, field, _ := strings.Cut(engine, ".")
	flag := settings.NameOf(field)
	if is {
		flag = "engine-" + flag
	}
	for i := range table {
		if table[i].Name == flag {
			return table[i].Flag(), true
		}
	}
	return "", false
}

// flagged is an error that names flags where the library named settings.
type flagged struct{ error }

func (e flagged) Error() string { return asFlags(e.error.Error()) }

func (e flagged) Unwrap() error { return e.error }
