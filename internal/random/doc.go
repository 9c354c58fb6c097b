// Package random gives the random numbers of the whole program: synthetic data,
// splits, samples, bootstraps.
//
// It takes a seed and the numbers that name a stream (a purpose, a row, a
// column) and gives uniform and normal numbers, permutations and samples. The
// generator is counter-based: the n-th number of a stream is a hash of the
// stream's key and n, so streams need no order among themselves and Hash gives
// the number for any (seed, i, j) directly.
//
// The same seed gives the same bits on every machine. So it must never use
// math.Log or math.Exp (assembly on some machines), and every product that is
// added to something is written float64(x*y), which forbids its fusion with the
// sum (the Go specification, "Floating-point operators"). Do not use it for
// secrets.
package random

//go:generate sh -c "cd gen && go run . -out ../normals_amd64.s -stubs ../stubs_amd64.go -pkg random"
