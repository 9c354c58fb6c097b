package service

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/internal/must"
	"optcomplete/internal/testkit"
	"optcomplete/model/store"
	"optcomplete/regress"
	"optcomplete/regress/saved"
	"optcomplete/spec"
	"optcomplete/twosided"
)

// folders serves saved models.
func folders(t *testing.T, paths ...string) func(method, path, body string, to any) int {
	t.Helper()
	_, h := started(t, Settings{Folders: paths}, nil)
	return func(method, path, body string, to any) int { return ask(t, h, method, path, body, to) }
}

// A regression predicts and explains lines of a table, and says so where it is asked for rows.
func TestRegressionsAnswer(t *testing.T) {
	table := data.NewRawTable("t", make([]string, 6), []string{"a", "b"}, []string{"1", "3", "2", "1", "3", "4", "4", "1", "5", "5", "6", "9"})
	encoding, features, _, err := encode.Learn(t.Context(), table, encode.Options{})
	must.Do(t, err)
	n, p := len(features.IDs), len(features.Names)
	problem := regress.Problem{Names: features.Names, X: features.Values, Y: []float64{1, 2, 3.5, 4, 5.5, 6}}
	if n*p != len(problem.X) {
		t.Fatal(n, p)
	}
	result := must.Get(regress.Fit(t.Context(), problem, regress.Settings{K: 1, Statistics: spec.Statistics{Gamma: 100}}))(t)
	m := saved.New("y", result, encoding)
	folder := filepath.Join(t.TempDir(), "line")
	must.Do(t, m.Save(folder))
	say := folders(t, folder)
	var got PredictAnswer
	if status := say("POST", "/v1/models/line/predict", `{"records": [{"a": 2, "b": 1}, {"a": "5", "b": 5, "c": 7}]}`, &got); status != 200 {
		t.Fatal(status)
	}
	want, _, _ := m.Predict(data.NewRawTable("t", make([]string, 2), []string{"a", "b"}, []string{"2", "1", "5", "5"}))
	if len(got.Predictions) != 2 || got.Predictions[0].Value != want[0] || got.Predictions[1].Value != want[1] {
		t.Errorf("%+v, not %v", got, want)
	}
	var sum saved.Explanation
	if say("POST", "/v1/models/line/explain", `{"record": {"a": 2, "b": 1}}`, &sum); sum.Prediction != want[0] || len(sum.Parts) != 1 {
		t.Errorf("%+v", sum)
	}
	var info ModelInfo
	if say("GET", "/v1/models/line", "", &info); info.Kind != "regression" || len(info.Effects) != 1 || info.Effects[0].Population != m.Coefficients[0] {
		t.Errorf("%+v", info)
	}
	for call, body := range map[string]string{"recommend": `{"row": "r"}`, "column": `{"column": "c"}`, "predict": `{"pairs": []}`, "explain": `{"row": "r"}`} {
		if status := say("POST", "/v1/models/line/"+call, body, nil); status != http.StatusBadRequest {
			t.Errorf("%s: %d", call, status)
		}
	}
	if status := say("GET", "/v1/models/line/rows", "", nil); status != 200 {
		t.Error(status)
	}
}

// A two-sided model answers for its rows, and takes no ratings.
func TestTwoSidedModelsAnswer(t *testing.T) {
	matrix, columns := testkit.Drawn(t, 40, 9, 3, 0.6, 5)
	rows := testkit.FeaturesOf(40, 2, func() (v []float64) {
		for i := range 80 {
			v = append(v, float64(i*i%7)-3)
		}
		return v
	}())
	ids := make([]string, 40)
	for i := range ids {
		ids[i] = "r" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		rows.IDs[i] = ids[i]
	}
	rows.Names = []string{"age", "size"}
	m, err := twosided.Fit(t.Context(), twosided.Problem{Ratings: data.NewRatings(matrix, ids, columns.IDs), Rows: rows, Columns: columns}, twosided.Settings{K: 2, Statistics: spec.Statistics{Gamma: 1}})
	must.Do(t, err)
	folder := filepath.Join(t.TempDir(), "both")
	must.Do(t, m.Save(folder))
	say := folders(t, folder)
	var got PredictAnswer
	say("POST", "/v1/models/both/predict", `{"pairs": [{"row": "rba", "column": "c3"}]}`, &got)
	if want := must.Get(m.Predict("rba", "c3"))(t); len(got.Predictions) != 1 || got.Predictions[0].Value != want {
		t.Errorf("%+v, not %v", got, want)
	}
	for call, body := range map[string]string{"recommend": `{"row": "rba", "n": 3}`, "explain": `{"row": "rba", "column": "c3"}`, "column": `{"column": "c3"}`} {
		if status := say("POST", "/v1/models/both/"+call, body, nil); status != 200 {
			t.Errorf("%s: %d", call, status)
		}
	}
	for call, body := range map[string]string{"recommend": `{"ratings": {"c3": 1}}`, "predict": `{"ratings": {"c3": 1}}`, "column": `{"features": {"f0": 1}}`} {
		if status := say("POST", "/v1/models/both/"+call, body, nil); status != http.StatusBadRequest {
			t.Errorf("%s: %d", call, status)
		}
	}
}

// Of models whose folders have the same name, the later ones have a number.
func TestModelsAreCalledAsTheirFolders(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "a", "m"), filepath.Join(dir, "b", "m")
	for _, folder := range []string{one, two} {
		must.Do(t, os.MkdirAll(filepath.Dir(folder), 0o777))
		must.Do(t, store.Save(drawn(t, 5), folder))
	}
	say := folders(t, one, two)
	var all ModelList
	if say("GET", "/v1/models", "", &all); len(all.Models) != 2 || all.Models[0].Name != "m" || all.Models[1].Name != "m-2" {
		t.Errorf("%+v", all)
	}
	if _, err := New(Settings{Folders: []string{dir}}); err == nil {
		t.Error("a folder without a model is served")
	}
}

// With a certificate it speaks TLS, and nothing else.
func TestTLS(t *testing.T) {
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	dir := t.TempDir()
	at := Listen{Address: "127.0.0.1:0", Certificate: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
	must.Do(t, os.WriteFile(at.Certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must.Do(t, os.WriteFile(at.Key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must.Get(x509.MarshalPKCS8PrivateKey(key))(t)}), 0o600))
	s := must.Get(New(Settings{}))(t)
	must.Do(t, s.Add("m", drawn(t, 5)))
	ctx, stop := context.WithCancel(context.Background())
	address, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() { ended <- s.Run(ctx, at, func(a net.Addr) { address <- a }) }()
	host := (<-address).String()
	pool := x509.NewCertPool()
	pool.AddCert(must.Get(x509.ParseCertificate(der))(t))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	r := must.Get(client.Get("https://" + host + "/v1/models"))(t)
	r.Body.Close()
	if r.StatusCode != http.StatusOK || r.TLS == nil {
		t.Error(r.Status)
	}
	if r, err := http.Get("http://" + host + "/v1/models"); err == nil {
		if r.Body.Close(); r.StatusCode == http.StatusOK {
			t.Error("it answers without TLS")
		}
	}
	client.CloseIdleConnections()
	stop()
	must.Do(t, <-ended)
	at.Key = filepath.Join(dir, "absent.pem")
	if err := s.Run(context.Background(), at, func(net.Addr) {}); err == nil {
		t.Error("it listens without a key")
	}
}
