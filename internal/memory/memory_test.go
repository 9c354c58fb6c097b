package memory

import "testing"

func TestAmounts(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "4096": 4096, "512M": 512 << 20, "2G": 2 << 30, "2g": 2 << 30, "1.5GiB": 3 << 29, "64 kb": 64 << 10, "1T": 1 << 40,
	} {
		var got Bytes
		if err := got.Set(text); err != nil || int64(got) != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
		var again Bytes
		if err := again.Set(got.String()); err != nil || again != got {
			t.Errorf("%q is written %q", text, got.String())
		}
	}
	for _, text := range []string{"", "G", "0", "-1G", "much", "NaN", "1e99", "2GG"} {
		var got Bytes
		if err := got.Set(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestFreeIsPlausible(t *testing.T) {
	if free := Free(); free < 1<<20 || free > 1<<50 {
		t.Errorf("%d bytes", free)
	}
}
