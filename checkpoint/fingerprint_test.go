package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type inner struct{ Deep []string }

type record struct {
	K            int
	RowShrinkage float64
	Names        []string
	Inner        inner
	Maybe        *inner
	Way          any
	Folder       string
	OnEvent      func()
}

type quick struct{ Steps int }

type slow struct{ Steps int }

func TestEveryFieldThatIsNotLeftOutHasItsLine(t *testing.T) {
	got := text("Settings", record{K: 3, RowShrinkage: 0.1, Names: []string{"a b", "c"}, Maybe: &inner{[]string{"x"}}, Way: &slow{2}, OnEvent: func() {}})
	want := "k 3\nrow shrinkage 0.1\nnames 2[\"a b\" \"c\" ]\ninner deep 0[]\nmaybe {Deep 1[\"x\" ] }\nway slow\nway steps 2\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestDifferentValuesDiffer: where a space or a comma falls must not matter.
func TestDifferentValuesDiffer(t *testing.T) {
	seen := map[string]record{}
	for _, r := range []record{
		{Names: []string{"a", "b"}}, {Names: []string{"a b"}}, {Names: []string{`a" "b`}}, {Names: nil}, {Names: []string{""}},
		{Maybe: &inner{}}, {Maybe: nil}, {Way: quick{1}}, {Way: slow{1}}, {Way: slow{2}}, {Names: []string{strings.Repeat("x", 500)}}, {Names: []string{strings.Repeat("x", 501)}},
		{RowShrinkage: 0.1}, {RowShrinkage: 0.1 + 1e-17*2}, {RowShrinkage: 0.10000000000000002},
	} {
		text := text("Settings", r)
		if other, ok := seen[text]; ok && other.RowShrinkage != r.RowShrinkage {
			t.Errorf("%+v and %+v have the same text %s", other, r, text)
		}
		seen[text] = r
	}
	if len(seen) != 13 {
		t.Errorf("%d different texts of 13 different records", len(seen))
	}
}

func TestWhatCannotBeWrittenPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a function was left out in silence")
		}
	}()
	text("Settings", struct{ Rule func() }{})
}

// TestBuildsAreToldApart: a run names the program that runs, and another program has
// another name, if it differs in one byte.
func TestBuildsAreToldApart(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	content, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2]++
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, content, 0o600); err != nil {
		t.Fatal(err)
	}
	name, err := hashOf(other)
	if err != nil || len(name) != 16 || build() == name {
		t.Errorf("%q and %q, %v", build(), name, err)
	}
	if again, _ := hashOf(own); again != build() || !strings.Contains(Fingerprint("", record{}, record{}), "\nbuild "+again+"\n") {
		t.Errorf("%q is not in %q", again, Fingerprint("", record{}, record{}))
	}
}
