package main

import (
	"strconv"
	"strings"
	"testing"
)

// TestPartsOfAnErrorNameFlags: the problem and the remedy of an answer name settings as
// its message does, so that the packages can say them in their own language.
func TestPartsOfAnErrorNameFlags(t *testing.T) {
	c := newClient(t)
	ratings := "row,column,value\na,x,1\na,x,2\nb,x,3\n"
	a, _ := c.ask(`{"id":1,"verb":"fit","arguments":["ratings"],"options":{"method":"effects","output":"`+c.folder+`/m"},"tables":[{"name":"ratings","bytes":`+strconv.Itoa(len(ratings))+`}]}`, ratings)
	if a.Error == nil || a.Error.File != "ratings" {
		t.Fatalf("the answer is %+v", a)
	}
	if !strings.Contains(a.Error.Remedy, "--duplicates") || strings.Contains(a.Error.Remedy+a.Error.Problem, "Settings.") {
		t.Errorf("the problem is %q, the remedy %q", a.Error.Problem, a.Error.Remedy)
	}
}
