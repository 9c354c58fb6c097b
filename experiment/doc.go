// Package experiment runs the studies that docs/experiments.md reports: it runs
// every cell of a table (a model, a k, a seed), keeps the result, and writes the
// table as Markdown, CSV and JSON with its figures.
//
// It takes problems that are read or generated, and settings; it gives files in
// one folder. A cell is saved as a line of JSON the moment it is done, so you can
// interrupt a study at any time, and the same command resumes where it stopped.
//
// Real compares models on the user's data; Paper runs the rows of the paper's
// tables on generated data, whose truth is known, and shows the paper's figures
// beside the results.
//
// It must never score a model on entries that any of its choices has seen: each
// seed holds its part out first, and everything else, the effects alone
// included, is fitted and chosen on the rest.
package experiment
