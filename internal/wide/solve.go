package wide

// arithmetic is what the linear algebra needs of its numbers. eps bounds the
// relative error of each operation.
type arithmetic[T any] interface {
	of(x float64) T
	float(a T) float64
	eps() float64
	add(a, b T) T
	sub(a, b T) T
	mul(a, b T) T
	div(a, b T) T
	sqrt(a T) T
	shift(a T, exponent int) T // a·2^exponent
}

// tri is the place of the first number of row i of a packed lower triangle.
func tri(i int) int { return i * (i + 1) / 2 }

// factor replaces a packed symmetric matrix by its Cholesky factor. It is false
// if the matrix, as far as its digits tell, is not positive definite.
func factor[T any, A arithmetic[T]](ar A, k []T, n int) bool {
	for i := range n {
		row := k[tri(i):][:i+1]
		for j := range i + 1 {
			above := k[tri(j):][:j+1]
			sum := row[j]
			for x := range j {
				sum = ar.sub(sum, ar.mul(row[x], above[x]))
			}
			if j < i {
				row[j] = ar.div(sum, above[j])
				continue
			}
			if !(ar.float(sum) > 0) {
				return false
			}
			row[i] = ar.sqrt(sum)
		}
	}
	return true
}

// substitute solves LLᵀx = b in place.
func substitute[T any, A arithmetic[T]](ar A, l, x []T) {
	n := len(x)
	for i := range n {
		row := l[tri(i):][:i+1]
		for j := range i {
			x[i] = ar.sub(x[i], ar.mul(row[j], x[j]))
		}
		x[i] = ar.div(x[i], row[i])
	}
	for i := n - 1; i >= 0; i-- {
		row := l[tri(i):][:i+1]
		x[i] = ar.div(x[i], row[i])
		for j := range i {
			x[j] = ar.sub(x[j], ar.mul(row[j], x[i]))
		}
	}
}
