// Package settings makes flags, range checks, help, a configuration file and a
// page of the manual from one table.
//
// A [Setting] is a line of the table: its name, type, default, range, group and
// the verbs that take it. A verb binds its variables to settings by name
// ([Flags.Bind]); everything else follows from the line. A value outside its
// range is refused before any work starts, wherever it was given.
//
// It knows only flags and text, not what a setting means, nor the verbs.
package settings
