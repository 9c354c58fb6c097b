package service

import (
	"embed"
	"net/http"
)

//go:embed page/index.html page/page.css page/page.js page/charts.js page/icon.svg
var page embed.FS

// servePage adds the page: its files and no others.
func servePage(mux *http.ServeMux) {
	for path, file := range map[string]struct{ name, kind string }{
		"GET /{$}":       {"page/index.html", "text/html; charset=utf-8"},
		"GET /page.css":  {"page/page.css", "text/css; charset=utf-8"},
		"GET /page.js":   {"page/page.js", "text/javascript; charset=utf-8"},
		"GET /icon.svg":  {"page/icon.svg", "image/svg+xml"},
		"GET /charts.js": {"page/charts.js", "text/javascript; charset=utf-8"},
	} {
		text, err := page.ReadFile(file.name)
		if err != nil {
			panic(err) // it is in the program
		}
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file.kind)
			w.Header().Set("Cache-Control", "no-cache")
			w.Write(text)
		})
	}
}
