package suggest

import "testing"

func TestDistanceCountsEditsAndSwaps(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"fit", "fit", 0}, {"fit", "", 3}, {"", "fit", 3},
		{"fti", "fit", 1}, {"fitt", "fit", 1}, {"ft", "fit", 1}, {"fat", "fit", 1},
		{"predcit", "predict", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}, {"größe", "grösse", 2},
	} {
		if got := distance([]rune(c.a), []rune(c.b), 99); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance([]rune(c.b), []rune(c.a), 99); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestNearestOfLevels(t *testing.T) {
	levels := []string{"Genre=Horror", "Genre=Comedy", "Horrors"}
	for typed, want := range map[string]string{"Horror": "Genre=Horror", "comdy": "Genre=Comedy", "Genre=Horor": "Genre=Horror", "Horrors": "Horrors"} {
		if got := Nearest(typed, levels); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	verbs := []string{"fit", "path", "predict", "features", "fold-in", "complete"}
	for typed, want := range map[string]string{
		"fti": "fit", "FIT": "fit", "pth": "path", "predcit": "predict", "feature": "features",
		"foldin": "fold-in", "compelte": "complete", "zzz": "", "banana": "", "": "",
	} {
		if got := Nearest(typed, verbs); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	if got := Hint("drma", []string{"Comedy", "Drama"}); got != `did you mean "Drama"?` {
		t.Error(got)
	}
	if got := Hint("western", []string{"Comedy", "Drama"}); got != "" {
		t.Error(got)
	}
}
