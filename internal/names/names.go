// Package names has the names by which flags and files call constants that count from 0.
package names

import (
	"fmt"
	"slices"
	"strings"
)

// Of is the names of constants, in their order.
type Of[T ~int] struct {
	What string // each of them is: "refit"
	Are  []string
}

// String is the name of a constant.
func (n Of[T]) String(v T) string {
	if v < 0 || int(v) >= len(n.Are) {
		return fmt.Sprintf("%s(%d)", n.What, int(v))
	}
	return n.Are[v]
}

// Parse is the inverse of String.
func (n Of[T]) Parse(name string) (T, error) {
	if at := slices.Index(n.Are, name); at >= 0 {
		return T(at), nil
	}
	last := len(n.Are) - 1
	return 0, fmt.Errorf("no %s is called %q (use %s or %s)", n.What, name, strings.Join(n.Are[:last], ", "), n.Are[last])
}

// Marshal is what a MarshalText gives: the name of a constant that there is.
func (n Of[T]) Marshal(v T) ([]byte, error) {
	_, err := n.Parse(n.String(v))
	return []byte(n.String(v)), err
}

// Unmarshal is the inverse of Marshal.
func (n Of[T]) Unmarshal(text []byte, v *T) (err error) {
	*v, err = n.Parse(string(text))
	return err
}
