// Package exact is a brute force that shares nothing with the rest of the program:
// plain normal equations in 700-bit arithmetic, for every selection. It takes small
// instances made to be hard on rounding ([Nasty]) and gives their least costs, for
// the tests that compare certificates with them (`make exact`).
//
// It must stay plain enough to be believed by reading it.
package exact
