package report

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"regexp"
	"strings"
	"testing"
)

// TestPolicyNamesWhatRuns: the page's policy allows its one style and its one
// script by their hashes, and nothing else that is inline.
func TestPolicyNamesWhatRuns(t *testing.T) {
	text, _ := written(t, jsonOf(t, fitted(t, usual).Summary), nil)
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)[1])
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %s", policy)
	}
	for _, tag := range []string{"style", "script"} {
		found := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(text, -1)
		if len(found) != 1 || strings.Count(text, "<"+tag) != 1 {
			t.Fatalf("%d %ss", len(found), tag)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		if want := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("%s is not in the policy %s", want, policy)
		}
	}
	if strings.Contains(text, ` style="`) || regexp.MustCompile(` on[a-z]+="`).MatchString(text) {
		t.Error("the page has styles or scripts in attributes, which the policy forbids")
	}
}
