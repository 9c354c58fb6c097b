// Package loss holds the losses that a fit can minimise: how badly a prediction x
// does for an observed value a, and what a proof needs to know about it.
//
// A [Loss] is convex in x and never negative. It gives its value, slope and
// curvature ([Loss.At]), its conjugate ℓ*(α) = max over x of αx − ℓ(x), from which
// cuts are made ([Loss.Conjugate]), and the prediction in the units of the values
// ([Loss.Mean]). For the mathematics see docs/method.md, "Other losses".
package loss
