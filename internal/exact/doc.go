// Package exact is a brute-force solver that shares nothing with the rest of the
// program: plain normal equations in 700-bit arithmetic, for every selection. It
// takes small instances made to be hard on rounding ([Nasty]) and gives their
// least costs, for the tests that compare certificates with them (`make exact`).
//
// It must stay plain enough that reading it is enough to trust it.
package exact
