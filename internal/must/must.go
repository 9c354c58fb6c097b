// Package must ends a test at an error that nothing in it is about, without a word more
// than the call itself:
//
//	m := must.Get(store.Load(dir))(t)
//	must.Do(t, store.Save(m, other))
package must

// TB is a test: of package testing, or of rapid.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Get is the value of a call that must not fail.
func Get[T any](value T, err error) func(TB) T {
	return func(t TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// Do is for a call that gives nothing but its error.
func Do(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
