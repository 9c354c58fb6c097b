// Package spec holds the settings of a fit, each defined and checked once: what to
// select, when to stop, and how the numbers around the selection are found. They
// are embedded in the settings of everything that selects.
//
// A setting that cannot be meant is an [Error]. The package knows of no command
// line: flags, configuration files and help are made from these by who has them.
package spec
