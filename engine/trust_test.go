package engine

import (
	"encoding/base64"
	"strings"
	"testing"

	"optcomplete/data"
	"optcomplete/pass"
)

// TestUntrustedAnswersEndTheFit: of another program, changed on their way, answers to other
// questions, and counts that are not those of the data.
func TestUntrustedAnswersEndTheFit(t *testing.T) {
	for name, c := range map[string]struct {
		change func(item, kind, body string) string
		forged bool
		want   string
	}{
		"program": {func(_, _, body string) string {
			text, _ := base64.StdEncoding.DecodeString(body)
			return strings.Replace(string(text), programSum(), strings.Repeat("0", 64), 1)
		}, false, "another program"},
		"changed": {func(_, kind, _ string) string {
			if kind == kindParts {
				return "parts that nobody computed"
			}
			return ""
		}, true, "of this session"},
	} {
		t.Run(name, func(t *testing.T) {
			_, source := packed(t)
			f := newFake(t)
			s, _ := f.open(t)
			f.forged = c.forged
			f.change = func(line string) string {
				was := strings.Split(line, "\t")
				if now := c.change(was[0], was[1], was[2]); now != "" && (was[1] == kindHello || c.forged) {
					return answerOf(was[0], was[1], now)
				}
				return line
			}
			_, err := runOn(s, source)
			if err == nil || !strings.Contains(err.Error(), c.want) || s.Stats.Repeated > 0 {
				t.Errorf("the error is %v, %+v", err, s.Stats)
			}
		})
	}
	one, other := newSealer([]byte("key"), "one"), newSealer([]byte("key"), "other")
	old := strings.TrimSuffix(strings.Split(one.answer(3, kindParts, []byte("x")), "\t")[2], "\n")
	if _, err := one.open(3, kindParts, old); err != nil {
		t.Error(err)
	}
	if _, err := other.open(3, kindParts, old); err == nil {
		t.Error("an answer to another question is taken")
	}
	if _, err := one.open(4, kindParts, old); err == nil {
		t.Error("an answer for another item is taken")
	}
	_, source := packed(t)
	_, m := source.Dims()
	if err := surveyed(pass.Reading{Source: source, Tasks: []*pass.Task{{Result: &pass.SurveyPart{Survey: data.NewSurvey(m)}}}}); err == nil || !strings.Contains(err.Error(), "counted 0 entries") {
		t.Errorf("the error is %v", err)
	}
}
