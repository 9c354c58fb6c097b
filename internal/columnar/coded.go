package columnar

// Codes are texts by their places.
func Codes(texts []string, at []int32) Coded {
	return Coded{Texts: texts, N: len(at), At: func(cell int) int { return int(at[cell]) }}
}
