// Package kernel holds the inner loops, and nothing else.
//
// Rows of the matrix are solved eight at a time: a lane array is eight numbers,
// one for each of eight rows, and every array of the solver (packed triangles,
// right-hand sides) consists of lane arrays. A step of a Cholesky factorisation
// is then a vector instruction, whatever the size of the systems.
//
// Each loop has a version in plain Go, which is its specification, and a
// generated one for processors with AVX2 and FMA (see gen), chosen at start-up.
// Some have a third, for AVX-512, with the same bits as the second. The tests check
// that they agree. The build tag purego leaves only the first.
//
// The caller must pass the right shapes; nothing here allocates, starts
// goroutines or knows what a feature is.
package kernel

//go:generate sh -c "cd gen && go run . -out ../kernel_amd64.s -stubs ../stubs_amd64.go -pkg kernel"
