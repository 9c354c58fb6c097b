// Package trace keeps the moments of a search at which something changed, for the
// summary of a fit and the plots of a report.
package trace
