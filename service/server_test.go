package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"optcomplete/internal/attack"
	"optcomplete/internal/events"
	"optcomplete/internal/modeltest"
	"optcomplete/internal/must"
	"optcomplete/model/store"
)

// Every operation's answer, and every fault, is as the OpenAPI document says.
func TestAnswersAreAsDescribed(t *testing.T) {
	m := drawn(t, 5)
	fit := NewFit("fit", func() {})
	cost := 0.5
	fit.Take(events.Event{Event: "search", Kind: "incumbent", K: 2, Cost: &cost, Selected: []string{"f0"}})
	fit.Take(events.Event{Event: "task", Task: 1, Label: "Reading", Done: 3, Total: 10})
	fit.Take(events.Event{Event: "gamma", Gamma: 0.5, RMSE: 1})
	_, h := started(t, Settings{Fit: fit, Names: map[string]string{"c0": "Heat"}}, m)
	var doc map[string]any
	ask(t, h, "GET", "/v1/openapi.json", nil, &doc)
	text := must.Get(json.Marshal(doc))(t)
	for _, ref := range regexp.MustCompile(`"\$ref":"#/components/schemas/([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
		if _, has := doc["components"].(map[string]any)["schemas"].(map[string]any)[ref[1]]; !has {
			t.Errorf("no schema is called %s", ref[1])
		}
	}
	asked := map[string]bool{}
	check := func(method, path, body string) {
		name, _, _ := strings.Cut(strings.Replace(path, "/models/m", "/models/{model}", 1), "?")
		call := at(doc, "paths", name, strings.ToLower(method))
		if call == nil {
			t.Fatalf("%s %s is not described", method, name)
		}
		var got any
		status := ask(t, h, method, path, body, &got)
		asked[method+name+fmt.Sprint(status)] = true
		schema := at(call, "responses", fmt.Sprint(status), "content", "application/json", "schema")
		if schema == nil {
			t.Fatalf("%s %s: %d is not described: %v", method, path, status, got)
		}
		if wrong := invalid(doc, schema, got, "answer"); wrong != "" {
			t.Errorf("%s %s %s: %s", method, path, body, wrong)
		}
		if q := at(call, "requestBody", "content", "application/json", "schema"); q != nil && status == 200 && body != "" {
			var sent any
			must.Do(t, json.Unmarshal([]byte(body), &sent))
			if wrong := invalid(doc, q, sent, "request"); wrong != "" {
				t.Errorf("%s %s %s: %s", method, path, body, wrong)
			}
		}
	}
	record := `{"f0": 1, "f1": "0.5", "f2": -2}`
	for _, path := range []string{"/v1/models", "/v1/models/m", "/v1/models/m/rows?search=r", "/v1/models/m/columns", "/v1/models/m/row?id=r0", "/v1/fit", "/v1/openapi.json", "/healthz", "/readyz"} {
		check("GET", path, "")
	}
	check("GET", "/v1/models/m/rows?limit=0", "")
	check("GET", "/v1/models/m/row?id=zzz", "")
	for _, body := range []string{`{"pairs": [{"row": "r0", "column": "c0"}, {"row": "x", "column": "x"}], "interval": 80}`, `{"ratings": {"c0": 3}}`, `{"pairs": [{"row": "r0", "column": "x"}], "new_columns": {"x": ` + record + `}}`, `{`, `{}`} {
		check("POST", "/v1/models/m/predict", body)
	}
	for _, body := range []string{`{"row": "r0", "n": 3, "lowest": true}`, `{"row": "zzz"}`, `{}`} {
		check("POST", "/v1/models/m/recommend", body)
	}
	for _, body := range []string{``, `{"row": "r0"}`, `{"row": "r3"}`, `{"row": "r0", "column": "c0"}`, `{"feature": "f1"}`, `{"ratings": {"c0": 2}}`, `{"feature": "zzz"}`, `{"row": "r0", "feature": "f1"}`} {
		check("POST", "/v1/models/m/explain", body)
	}
	for _, body := range []string{`{"column": "c0"}`, `{"features": ` + record + `}`, `{"column": "zzz"}`} {
		check("POST", "/v1/models/m/column", body)
	}
	check("POST", "/v1/fit/stop", "")
	for _, o := range operations {
		if !asked[o.method+o.path+"200"] {
			t.Errorf("%s %s was not asked for", o.method, o.path)
		}
	}
}

// at follows keys of objects; nil if there is nothing.
func at(v any, keys ...string) any {
	for _, key := range keys {
		o, _ := v.(map[string]any)
		v = o[key]
	}
	return v
}

// invalid says where a value is not as its schema says; empty: nowhere.
func invalid(doc, schema, v any, where string) string {
	s, _ := schema.(map[string]any)
	if ref, is := s["$ref"].(string); is {
		return invalid(doc, at(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), v, where)
	}
	if options, is := s["anyOf"].([]any); is {
		var all []string
		for _, option := range options {
			wrong := invalid(doc, option, v, where)
			if wrong == "" {
				return ""
			}
			all = append(all, wrong)
		}
		return strings.Join(all, " | ")
	}
	if options, is := s["enum"].([]any); is {
		for _, option := range options {
			if option == v {
				return ""
			}
		}
		return fmt.Sprintf("%s is %v, not one of %v", where, v, options)
	}
	kind := map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Float64: "number", reflect.Map: "object", reflect.Slice: "array", reflect.Invalid: "null"}[reflect.ValueOf(v).Kind()]
	types, several := s["type"].([]any)
	if !several {
		types = []any{s["type"]}
	}
	fits := false
	for _, name := range types {
		whole, number := v.(float64)
		fits = fits || name == kind || name == "integer" && number && whole == float64(int64(whole))
	}
	if !fits {
		return fmt.Sprintf("%s is a %s, not a %v", where, kind, types)
	}
	switch v := v.(type) {
	case []any:
		for n, one := range v {
			if wrong := invalid(doc, s["items"], one, fmt.Sprintf("%s[%d]", where, n)); wrong != "" {
				return wrong
			}
		}
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		if required, is := s["required"].([]any); is {
			for _, name := range required {
				if _, has := v[name.(string)]; !has {
					return fmt.Sprintf("%s has no %v", where, name)
				}
			}
		}
		for name, one := range v {
			inner := properties[name]
			if inner == nil {
				if inner = s["additionalProperties"]; inner == false {
					return fmt.Sprintf("%s has %s, which is not described", where, name)
				}
			}
			if inner == nil {
				continue
			}
			if wrong := invalid(doc, inner, one, where+"."+name); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

func TestTokensAndHosts(t *testing.T) {
	_, h := started(t, Settings{Token: "secret", Local: true}, drawn(t, 5))
	get := func(path, token, host, origin string) int {
		q := must.Get(http.NewRequest("POST", h.URL+path, strings.NewReader("{}")))(t)
		if !strings.HasSuffix(path, "explain") {
			q.Method = "GET"
		}
		if token != "" {
			q.Header.Set("Authorization", token)
		}
		if host != "" {
			q.Host = host
		}
		if origin != "" {
			q.Header.Set("Origin", origin)
		}
		r := must.Get(h.Client().Do(q))(t)
		r.Body.Close()
		return r.StatusCode
	}
	for _, c := range []struct {
		path, token, host, origin string
		status                    int
	}{
		{"/v1/models", "", "", "", 401}, {"/v1/models", "Bearer wrong", "", "", 401}, {"/v1/models", "secret", "", "", 401},
		{"/v1/models", "Bearer secret", "", "", 200}, {"/v1/models", "bearer secret", "localhost:1", "", 200},
		{"/metrics", "", "", "", 401}, {"/metrics", "Bearer secret", "", "", 200}, {"/v1/fit/events", "", "", "", 401}, {"/v1/fit/stop", "", "", "", 405},
		{"/healthz", "", "", "", 200}, {"/readyz", "", "", "", 200}, {"/", "", "", "", 200},
		{"/healthz", "", "evil.example", "", 403}, {"/v1/models/m/explain", "Bearer secret", "", "https://evil.example", 403},
		{"/v1/models/m/explain", "Bearer secret", "", "", 200},
	} {
		if status := get(c.path, c.token, c.host, c.origin); status != c.status {
			t.Errorf("%+v: %d", c, status)
		}
	}
	for address, want := range map[string]bool{"127.0.0.1:80": true, "[::1]:80": true, "localhost:80": true, ":80": false, "0.0.0.0:80": false, "10.0.0.1:80": false, "localhost.evil.example:80": false} {
		if IsLocal(address) != want {
			t.Errorf("IsLocal(%q) is %v", address, !want)
		}
	}
}

// The strictest headers, on everything.
func TestHeaders(t *testing.T) {
	_, h := started(t, Settings{}, drawn(t, 5))
	for _, path := range []string{"/", "/page.js", "/v1/models", "/nothing", "/metrics"} {
		r := must.Get(h.Client().Get(h.URL + path))(t)
		r.Body.Close()
		csp := r.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, r.Header)
		}
	}
}

// More requests than it takes at once are sent away, and slow ones end.
func TestLimits(t *testing.T) {
	s, h := started(t, Settings{Most: 1, Time: time.Nanosecond}, drawn(t, 5))
	var p Problem
	pairs := strings.Repeat(`{"row": "r0", "column": "c0"},`, 1000)
	if status := ask(t, h, "POST", "/v1/models/m/predict", `{"pairs": [`+pairs[:len(pairs)-1]+`]}`, &p); status != http.StatusServiceUnavailable {
		t.Error(status, p)
	}
	s.slots <- struct{}{}
	if status := ask(t, h, "GET", "/v1/models", nil, &p); status != http.StatusTooManyRequests {
		t.Error(status, p)
	}
	if status := ask(t, h, "GET", "/healthz", nil, nil); status != http.StatusOK {
		t.Error("a busy service seems dead:", status)
	}
}

// A replaced model is swapped in under load: every answer is one model's or the other's, and
// none fails. A damaged one is refused, and the one before serves on. OPTCOMPLETE_ATTACK says how many swaps.
func TestSwapsUnderLoad(t *testing.T) {
	few, swaps := 60, 0
	if testing.Short() {
		few = 10
	}
	a, b := drawn(t, 5), drawn(t, 6)
	folder := filepath.Join(t.TempDir(), "m")
	must.Do(t, store.Save(a, folder))
	var log bytes.Buffer
	s := must.Get(New(Settings{Folders: []string{folder}, Every: time.Hour, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}))}))(t)
	handler := s.Handler()
	var done atomic.Bool
	var answers [2]atomic.Int64
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for !done.Load() {
				w := &recorder{header: http.Header{}}
				q := must.Get(http.NewRequest("POST", "/v1/models/m/predict", strings.NewReader(`{"pairs": [{"row": "r1", "column": "c2"}, {"row": "r9", "column": "c7"}], "interval": 90}`)))(t)
				handler.ServeHTTP(w, q)
				var got PredictAnswer
				if err := json.Unmarshal(w.body.Bytes(), &got); err != nil || w.status != 200 {
					t.Errorf("%d %s", w.status, &w.body)
					return
				}
				x, y := got.Predictions[0].Value, got.Predictions[1].Value
				switch {
				case x == a.Answer("r1", "c2").Value && y == a.Answer("r9", "c7").Value:
					answers[0].Add(1)
				case x == b.Answer("r1", "c2").Value && y == b.Answer("r9", "c7").Value:
					answers[1].Add(1)
				default:
					t.Errorf("an answer is neither model's: %v", got)
					return
				}
			}
		})
	}
	for n := range attack.Rounds(few) {
		swaps++
		one := a
		if n%2 == 0 {
			one = b
		}
		must.Do(t, store.Save(one, folder))
		must.Do(t, s.renew(s.served[0]))
	}
	if got := s.served[0].swaps.Load(); got != int64(swaps) {
		t.Errorf("%d swaps, not %d", got, swaps)
	}
	before := s.served[0].now.Load()
	must.Do(t, os.WriteFile(filepath.Join(folder, "rows.parquet"), []byte("nonsense"), 0o666))
	now := time.Now().Add(time.Second)
	must.Do(t, os.Chtimes(filepath.Join(folder, "model.json"), now, now))
	if err := s.renew(s.served[0]); err == nil || s.served[0].now.Load() != before || s.list().Models[0].Refused == "" || !strings.Contains(log.String(), "refused") {
		t.Errorf("%v %s", err, &log)
	}
	must.Do(t, os.RemoveAll(folder))
	s.renew(s.served[0])
	done.Store(true)
	clients.Wait()
	if answers[0].Load() == 0 || answers[1].Load() == 0 {
		t.Errorf("answers of the two models: %v, %v", answers[0].Load(), answers[1].Load())
	}
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

// It listens, swaps by itself, logs a line a request, and ends with what is in flight.
func TestRunEndsGracefully(t *testing.T) {
	folder := modeltest.Save(t, drawn(t, 5))
	var log syncBuffer
	s := must.Get(New(Settings{Folders: []string{folder}, Every: 10 * time.Millisecond, Log: slog.New(slog.NewJSONHandler(&log, nil))}))(t)
	ctx, stop := context.WithCancel(context.Background())
	address, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() { ended <- s.Run(ctx, Listen{Address: "127.0.0.1:0"}, func(a net.Addr) { address <- a }) }()
	url := "http://" + (<-address).String()
	name := filepath.Base(folder)
	r := must.Get(http.Post(url+"/v1/models/"+name+"/predict", "", strings.NewReader(`{"pairs": [{"row": "r1", "column": "c2"}]}`)))(t)
	io.Copy(io.Discard, r.Body)
	must.Do(t, store.Save(drawn(t, 6), folder))
	for s.served[0].swaps.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	slow, out := io.Pipe()
	answered := make(chan int, 1)
	go func() {
		q := must.Get(http.NewRequest("POST", url+"/v1/models/"+name+"/predict", slow))(t)
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Error(err)
			answered <- 0
			return
		}
		answered <- r.StatusCode
	}()
	io.WriteString(out, `{"pairs": [{"row": "r1", `)
	for len(s.slots) == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	for !s.ending.Load() {
		time.Sleep(time.Millisecond)
	}
	io.WriteString(out, `"column": "c2"}]}`)
	out.Close()
	if status := <-answered; status != http.StatusOK {
		t.Error("a request in flight was answered with", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if lines := log.lines("request"); lines != 2 {
		t.Errorf("%d lines for 2 requests", lines)
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) lines(message string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Count(s.b.String(), `"msg":"`+message+`"`)
}

// The text that Prometheus reads: names, labels, numbers.
func TestMetrics(t *testing.T) {
	_, h := started(t, Settings{}, drawn(t, 5))
	ask(t, h, "POST", "/v1/models/m/predict", `{"ratings": {"c0": 3}}`, nil)
	ask(t, h, "POST", "/v1/models/m/predict", `{`, nil)
	r := must.Get(h.Client().Get(h.URL + "/metrics"))(t)
	text := string(must.Get(io.ReadAll(r.Body))(t))
	for _, want := range []string{`optcomplete_requests_total{operation="predict",code="200"} 1`, `optcomplete_requests_total{operation="predict",code="400"} 1`, "optcomplete_predictions_total 12", `le="+Inf"} 2`, `optcomplete_model_swaps_total{model="m"} 0`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	line := regexp.MustCompile(`^(# (HELP|TYPE) optcomplete_\w+ .+|optcomplete_\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [0-9.e+-]+)$`)
	for _, one := range strings.Split(strings.TrimSpace(text), "\n") {
		if !line.MatchString(one) {
			t.Errorf("not of the format: %s", one)
		}
	}
}

// Memory does not grow with the requests that were answered.
func TestMemoryStaysFlat(t *testing.T) {
	s := must.Get(New(Settings{}))(t)
	must.Do(t, s.Add("m", drawn(t, 5)))
	handler := s.Handler()
	bodies := map[string][]string{
		"predict":   {`{"pairs": [{"row": "r1", "column": "c2"}], "interval": 90}`, `{"ratings": {"c1": 4}}`, `{"pairs": [{"row": "r1", "column": "x"}], "new_columns": {"x": {"f0": 1, "f1": 2, "f2": 3}}}`, `{`},
		"recommend": {`{"row": "r1"}`, `{"ratings": {"c1": 4}, "exclude": ["c2"]}`, `{"row": "nobody"}`},
		"explain":   {`{"row": "r1"}`, `{"row": "r1", "column": "c3"}`}, "column": {`{"column": "c3"}`},
	}
	heap := func(rounds int) uint64 {
		for range rounds {
			for call, all := range bodies {
				for _, body := range all {
					handler.ServeHTTP(&recorder{header: http.Header{}}, must.Get(http.NewRequest("POST", "/v1/models/m/"+call, strings.NewReader(body)))(t))
				}
			}
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap(100)
	if after := heap(1000); after > before+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes in 10,000 requests", before, after)
	}
}
