// Package spec holds the settings of a fit, each defined and checked once: what to
// select, when to stop, and how the numbers around the selection are found. They
// are embedded in the settings of everything that selects.
//
// A setting that makes no sense is an [Error]. The package knows nothing about a
// command line: packages that have flags, configuration files and help make them
// from these settings.
package spec
