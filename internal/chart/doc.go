// Package chart draws charts as SVG, for reports and documents that are read in
// a browser.
//
// A Chart has an x and a y axis and holds lines, steps, points with error bars
// and bars; Rows is a list of named things on one x axis: bars, dots with
// intervals, small histograms. SVG writes either as one self-contained picture,
// light or dark as the reader's system is; Inline writes it to stand in an HTML
// page that has Style among its own and sets the variables of Light and Dark.
// Colours are those of Okabe and Ito, which colour-blind readers can tell apart,
// and series differ in the shape of their marks too.
//
// Points that are not finite are left out, and on a logarithmic axis those that
// are not positive; it must never write a number that a viewer cannot read.
package chart
