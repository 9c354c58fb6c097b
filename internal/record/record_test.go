package record

import "testing"

// TestBrokenTablesAreNotToldInGo: a panic of a decoder is told in words of people.
func TestBrokenTablesAreNotToldInGo(t *testing.T) {
	damaged := func(at int) (err error) {
		defer Recovered(&err)
		_ = []int{1}[:len(t.Name())+at]
		return nil
	}
	if err := damaged(-1); err.Error() != "its parts contradict each other" {
		t.Error(err)
	}
}
