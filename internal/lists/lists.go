// Package lists makes lists of lists: what loops that only collect would say again and
// again.
package lists

import (
	"cmp"
	"slices"
)

// Each is what a function makes of every element.
func Each[T, U any](list []T, of func(T) U) []U {
	out := make([]U, len(list))
	for x, v := range list {
		out[x] = of(v)
	}
	return out
}

// Pick is the elements at some places, in their order.
func Pick[T any, I int | int32](list []T, at []I) []T {
	out := make([]T, len(at))
	for x, i := range at {
		out[x] = list[i]
	}
	return out
}

// Without is the elements of one list that are not in another.
func Without[T comparable](list, others []T) []T {
	out := []T{}
	for _, v := range list {
		if !slices.Contains(others, v) {
			out = append(out, v)
		}
	}
	return out
}

// Distinct is the elements of a list, each once, in order.
func Distinct[T cmp.Ordered](list []T) []T { return slices.Compact(slices.Sorted(slices.Values(list))) }
