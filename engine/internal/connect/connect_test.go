package connect

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"optcomplete/internal/must"
)

func TestAddress(t *testing.T) {
	t.Setenv(TokenVariable, "")
	for text, want := range map[string]string{
		"sc://head":                              "sc://head:15002",
		"sc://head:1":                            "sc://head:1",
		"sc://head:443/;token=SECRET":            "sc://head:443/;use_ssl=true",
		"sc://h:443/;use_ssl=true;token=SECRET":  "sc://h:443/;use_ssl=true",
		"sc://127.0.0.1:1/;token=SECRET":         "sc://127.0.0.1:1",
		"sc://h:443/;token=SECRET;use_ssl=false": "error",
		"spark://head:7077":                      "error",
		"sc://":                                  "error",
		"head:15002":                             "error",
		"sc://head/;session_id=SECRET":           "error",
		"sc://head/;a%20b=SECRET":                "error",
		"sc://head/;x-cluster=SECRET":            "sc://head:15002",
	} {
		a, err := ParseAddress(text)
		got := a.String()
		if err != nil {
			if got = "error"; strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%s: the error shows the token: %v", text, err)
			}
		}
		if got != want || strings.Contains(got, "SECRET") {
			t.Errorf("%s is %s, not %s", text, got, want)
		}
	}
	t.Setenv(TokenVariable, "SECRET")
	if a, err := ParseAddress("sc://head"); err != nil || a.token != "SECRET" || !a.SSL {
		t.Errorf("the token of the environment is not taken: %v %v", a, err)
	}
}

// server answers one method with a status.
func server(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *Session {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(answer))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	a := must.Get(ParseAddress("sc://" + strings.TrimPrefix(s.URL, "http://")))(t)
	return Open(a)
}

func TestSentFilesArrive(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 9000)
	var got []byte
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		for {
			m, err := readMessage(r.Body)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Error(err)
				break
			}
			fields(m, func(field int, b []byte, _ uint64) {
				if field == 4 || field == 5 {
					piece := b
					if field == 4 {
						fields(b, func(field int, b []byte, _ uint64) {
							if field == 4 {
								piece = b
							}
						})
					}
					fields(piece, func(field int, b []byte, _ uint64) {
						if field == 1 {
							got = append(got, b...)
						}
					})
				}
			})
		}
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		writeMessage(w, message(nil).bytes(1, message(nil).text(1, "files/x").number(2, 1)))
		w.Header().Set("Grpc-Status", "0")
	})
	if err := s.Send(context.Background(), "x", content); err != nil || !bytes.Equal(got, content) {
		t.Fatalf("%d of %d bytes arrived: %v", len(got), len(content), err)
	}
}

func TestErrorsOfTheServer(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Grpc-Status", "16")
		w.Header().Set("Grpc-Message", "no%20token")
	})
	var e *Error
	if err := s.Command(context.Background(), "SET x=1"); !errors.As(err, &e) || e.Code != Unauthenticated || e.Message != "no token" {
		t.Errorf("the error is %v", err)
	}
	gone := Open(Address{Host: "127.0.0.1:1"})
	if err := gone.Command(context.Background(), "SET x=1"); !errors.As(err, &e) || e.Code != Unavailable {
		t.Errorf("the error is %v", err)
	}
}

// TestOtherKeysAreHeaders, as with Spark's own clients.
func TestOtherKeysAreHeaders(t *testing.T) {
	seen := http.Header{}
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Grpc-Status", "0")
	})
	s.Address = must.Get(ParseAddress("sc://" + s.Address.Host + "/;x-databricks-cluster-id=0123-a;user_agent=me"))(t)
	must.Do(t, s.Command(context.Background(), "SET x=1"))
	if seen.Get("X-Databricks-Cluster-Id") != "0123-a" || s.Address.Agent != "me" {
		t.Errorf("%v %+v", seen, s.Address)
	}
}

func FuzzFields(f *testing.F) {
	f.Add([]byte(message(nil).text(1, "a").number(2, 300)))
	f.Fuzz(func(_ *testing.T, b []byte) { _ = fields(b, func(int, []byte, uint64) {}) })
}
