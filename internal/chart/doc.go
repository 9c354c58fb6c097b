// Package chart draws charts as SVG, for reports and documents that are read in
// a browser.
//
// A Chart has an x and a y axis and holds lines, steps, points with error bars
// and bars; Rows is a list of named things on one x axis: bars, dots with
// intervals, small histograms. SVG writes either as one self-contained picture,
// light or dark to match the reader's system; Inline writes it for an HTML page
// that includes Style in its own styles and sets the variables of Light and Dark.
// Colours are those of Okabe and Ito, which colour-blind readers can tell apart,
// and series differ in the shape of their marks too.
//
// Points that are not finite are left out, as are points that are not positive on
// a logarithmic axis. It must never write a number that a viewer cannot read.
package chart
