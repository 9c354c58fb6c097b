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

// TestDefaultIsHalfOfTheMachine, and leaves a quarter of what is free.
func TestDefaultIsHalfOfTheMachine(t *testing.T) {
	for _, c := range []struct{ all, free, want int64 }{
		{16 << 30, 15 << 30, 8 << 30}, // an idle machine
		{16 << 30, 4 << 30, 3 << 30},  // one that others fill
		{16 << 30, 0, 0},
	} {
		if got := allowance(c.all, c.free); got != c.want {
			t.Errorf("of %s with %s free %s may be used, want %s", Format(c.all), Format(c.free), Format(got), Format(c.want))
		}
	}
	if got := Default(); got < 1<<20 || got > Free() {
		t.Errorf("%s by default, with %s free", Format(got), Format(Free()))
	}
}
