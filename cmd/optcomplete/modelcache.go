package main

import (
	"os"
	"path/filepath"
	"time"

	"optcomplete/model"
)

// modelCache keeps the model that was used last, for a server whose requests use
// one model again and again. A model that was written anew is loaded anew. A nil
// cache keeps nothing.
type modelCache struct {
	path    string
	written time.Time
	model   *model.Model
}

func newModelCache() *modelCache { return &modelCache{} }

func (c *modelCache) load(path string) (*model.Model, error) {
	if c == nil {
		return kindAt(path).load(path)
	}
	info, err := os.Stat(filepath.Join(path, "model.json"))
	if err == nil && c.model != nil && c.path == path && c.written.Equal(info.ModTime()) {
		return c.model, nil
	}
	m, err := kindAt(path).load(path)
	if err != nil {
		return nil, err
	}
	if info != nil {
		c.path, c.written, c.model = path, info.ModTime(), m
	}
	return m, nil
}
