// Package lists makes lists of lists: what loops that only collect would say again and
// again.
package lists

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
