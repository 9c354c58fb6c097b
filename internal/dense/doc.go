// Package dense has the small dense linear algebra that fits one row at a time: dot
// products, Cholesky factors, checks for numbers that are not finite.
package dense
