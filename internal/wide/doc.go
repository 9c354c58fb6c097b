// Package wide evaluates ridge regressions that double precision cannot handle:
// those with features of very different sizes, near duplicates among them, and a
// huge γ.
//
// It takes the entries of one regression and gives what package objective needs:
// a value of the cost from above, and a cut, which is a bound from below, both
// rounded outwards. Features and values are first scaled to sizes near 1 by
// powers of two, which changes no digit. The arithmetic has 106 bits (pairs of
// doubles); where cost and cut do not meet, it takes more bits until they do.
//
// It is far slower than the loops of package objective, and handles only what
// those leave open. It must never give a cost below the true one, nor a cut above
// it.
package wide
