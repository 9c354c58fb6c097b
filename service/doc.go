// Package service answers questions about fitted models over HTTP, for programs (JSON, /v1)
// and for people (a page).
//
// New takes the folders of saved models. Handler is all of it as a handler; Run listens,
// looks for replaced folders, and ends gracefully. A model that is replaced is loaded, checked
// and swapped in while requests in flight end on the old one; a damaged one is refused and the
// old one serves on. What can be asked stands in one table (operations), from which the routes and
// the metrics are made; the types of requests and answers are in api.go, and openapi.json
// describes them. A Fit shows a fit while it runs, and then its model.
//
// What answers is a [Model], which [Load] reads from a folder: a program may ask it without HTTP.
// Matrices with features of the columns or of both sides, and regressions, are each one.
//
// No request may change anything on disk, or read a file of the machine: the page is embedded,
// and models are known by the names they were given at the start. The answers are those of the
// verbs: the numbers are made by package model, and none here.
package service
