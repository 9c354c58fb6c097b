package service

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"optcomplete/internal/checksum"
	"optcomplete/internal/lists"
	"optcomplete/model"
	"optcomplete/model/store"
	"optcomplete/regress"
	"optcomplete/regress/saved"
	"optcomplete/twosided"
)

// Model is a fitted model of any kind, and what can be asked about it. Any number of goroutines
// may ask.
type Model interface {
	Info() *ModelInfo
	Predict(context.Context, *PredictRequest) (*PredictAnswer, error)
	Recommend(context.Context, *RecommendRequest) (*RecommendAnswer, error)
	Explain(context.Context, *ExplainRequest) (any, error)
	Column(context.Context, *ColumnRequest) (*ColumnAnswer, error)
	IDs(rows bool, search string, most int) *IDList
	Row(id string) (*RowAnswer, error)
}

// served is a name and the model that answers to it, which may be replaced.
type served struct {
	name, folder string // no folder: a model that is only in memory
	now          atomic.Pointer[Model]

	mu      sync.Mutex // of one load at a time, and what follows
	seen    stamp      // of what was loaded or refused last
	refused string     // why what is there now was not loaded
	again   time.Time  // when to try it again: it may be half copied
	swaps   atomic.Int64
	refuses atomic.Int64
}

// stamp tells whether a file is another than before.
type stamp struct {
	info os.FileInfo
}

func (s stamp) is(t stamp) bool {
	if s.info == nil || t.info == nil {
		return s.info == nil && t.info == nil
	}
	return os.SameFile(s.info, t.info) && s.info.ModTime().Equal(t.info.ModTime()) && s.info.Size() == t.info.Size()
}

// modelFile makes a folder a saved model.
const modelFile = "model.json"

// load reads a saved model of any kind, all of it: what its folder holds may be another's at
// any moment, and then it is read again.
func (s *Server) load(of *served) (Model, error) {
	path := filepath.Join(of.folder, modelFile)
	for try := 0; ; try++ {
		before, err := checksum.File(path)
		if err != nil {
			_, _, err := store.ReadSealed(path)
			return nil, err
		}
		k, err := Load(of.folder, s.settings.Names, s.settings.Ratings)
		if after, _ := checksum.File(path); after == before || try == 5 {
			if err == nil {
				i := k.Info()
				i.Name, i.Checksum, i.Loaded = of.name, before, time.Now().UTC().Format(time.RFC3339)
			}
			return k, err
		}
	}
}

// Load reads a saved model of any kind. names are those of columns, by their ids, and ratings those
// of the rows; nil: they are not known.
func Load(folder string, names map[string]string, ratings *Known) (Model, error) {
	switch store.KindIn(folder) {
	case regress.Kind:
		m, err := saved.Load(folder)
		if err != nil {
			return nil, err
		}
		return newRegression(m), nil
	case twosided.Kind:
		two, err := twosided.Load(folder)
		if err != nil {
			return nil, err
		}
		m, err := two.Matrix()
		if err != nil {
			return nil, err
		}
		return newMatrix(m, "two-sided", names, ratings)
	}
	m, err := store.Load(folder)
	if err != nil {
		return nil, err
	}
	return newMatrix(m, "matrix", names, ratings)
}

// renew loads the folder's model if it is another than before, and swaps it in. A damaged one
// is refused, and the old one serves on.
func (s *Server) renew(of *served) error {
	of.mu.Lock()
	defer of.mu.Unlock()
	info, err := os.Stat(filepath.Join(of.folder, modelFile))
	if err != nil && of.now.Load() != nil {
		return nil // it is being replaced, or was taken away: serve on
	}
	now := stamp{info}
	if of.now.Load() != nil && now.is(of.seen) && (of.refused == "" || time.Now().Before(of.again)) {
		return nil
	}
	k, err := s.load(of)
	of.seen = now
	if err != nil {
		if of.refused != err.Error() {
			s.settings.Log.Error("model refused", "model", of.name, "why", err.Error())
		}
		of.refused, of.again = err.Error(), time.Now().Add(5*time.Second)
		of.refuses.Add(1)
		return err
	}
	first := of.now.Load() == nil
	of.refused = ""
	of.now.Store(&k)
	if !first {
		of.swaps.Add(1)
	}
	s.settings.Log.Info("model loaded", "model", of.name, "checksum", k.Info().Checksum[:12], "swapped", !first)
	return nil
}

// watch renews the models now and then, until the context ends.
func (s *Server) watch(ctx context.Context) {
	tick := time.NewTicker(s.settings.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for _, of := range s.models() {
				if of.folder != "" {
					s.renew(of) // it is in the log, and the old one serves on
				}
			}
		}
	}
}

// models are those served now: a fit adds its own when it is done.
func (s *Server) models() []*served {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.served
}

// Add serves a model that is in memory.
func (s *Server) Add(name string, m *model.Model) error {
	k, err := newMatrix(m, "matrix", s.settings.Names, s.settings.Ratings)
	if err != nil {
		return err
	}
	k.info.Name, k.info.Loaded = name, time.Now().UTC().Format(time.RFC3339)
	of := &served{name: name}
	var is Model = k
	of.now.Store(&is)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served = append(s.served[:len(s.served):len(s.served)], of)
	return nil
}

// Open serves the model in a folder.
func (s *Server) Open(folder string) error {
	of := &served{name: s.nameFor(folder), folder: folder}
	if err := s.renew(of); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served = append(s.served[:len(s.served):len(s.served)], of)
	return nil
}

// Names are those of the models that are served.
func (s *Server) Names() []string {
	return lists.Each(s.models(), func(of *served) string { return of.name })
}

// nameFor is the folder's own name, with a number if another model has it.
func (s *Server) nameFor(folder string) string {
	full, err := filepath.Abs(folder)
	if err != nil {
		full = folder
	}
	base := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == '?' || r == '#' || r == '%' || r < ' ' {
			return '-'
		}
		return r
	}, filepath.Base(full))
	if strings.Trim(base, ".-") == "" {
		base = "model"
	}
	name := base
	for n := 2; s.find(name) != nil; n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

func (s *Server) find(name string) *served {
	for _, of := range s.models() {
		if of.name == name {
			return of
		}
	}
	return nil
}

// model is what answers to a name.
func (s *Server) model(name string) (Model, error) {
	of := s.find(name)
	if of == nil {
		return nil, faultf(http.StatusNotFound, "GET /v1/models lists those that there are", "there is no model %q", name)
	}
	return *of.now.Load(), nil
}

// list is the models that are served.
func (s *Server) list() *ModelList {
	out := &ModelList{Models: []ModelLine{}, Fit: s.fit != nil}
	for _, of := range s.models() {
		i := (*of.now.Load()).Info()
		of.mu.Lock()
		refused := ""
		if of.refused != "" {
			refused = "the folder holds a model that cannot be used; the one before serves on (the log says why)"
		}
		of.mu.Unlock()
		out.Models = append(out.Models, ModelLine{Name: of.name, Kind: i.Kind, Model: i.Model, Rows: i.Rows, Columns: i.Columns, Selected: some(i.Selected), Loaded: i.Loaded, Refused: refused})
	}
	return out
}
