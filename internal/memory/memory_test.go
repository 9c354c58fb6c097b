package memory

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{
		"2G": 2 << 30, "512M": 512 << 20, "1.5g": 3 << 29, "4 GiB": 4 << 30, "100mb": 100 << 20, "1048576": 1 << 20, "1T": 1 << 40, "2048K": 2 << 20,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q is %d bytes (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "G", "-1G", "two", "5X", "1K", "NaN", "1e30G", "3GG"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q was taken for %d bytes", text, got)
		}
	}
}

func TestFormatIsRead(t *testing.T) {
	for _, n := range []int64{1 << 20, 3 << 29, 2 << 30, 5 << 40} {
		if got, err := Parse(Format(n)); err != nil || got != n {
			t.Errorf("%d bytes are written %s and read as %d (%v)", n, Format(n), got, err)
		}
	}
}

func TestSomeMemoryIsFree(t *testing.T) {
	if Free() < 1<<20 {
		t.Errorf("%d bytes are free", Free())
	}
}
