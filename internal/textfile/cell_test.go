package textfile

import "testing"

func TestSafeCell(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "ann": "ann", "a=b": "a=b", "-5": "-5", "+1.5e3": "+1.5e3", "-.5": "-.5", "=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0",
		"-2+3": "'-2+3", "-": "'-", "-inf": "'-inf", "\t=1": "'\t=1", "'quoted": "'quoted", "=": "'=",
	} {
		if got := SafeCell(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
