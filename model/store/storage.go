package store

import (
	"io"

	"optcomplete/model"
	"optcomplete/model/estimate"
)

// storage is this package as others see it who do not import it.
type storage struct{}

func init() { model.Stored = storage{} }

// Loaders read the kinds of models that other packages save, by what model.json calls them.
var Loaders = map[string]func(dir string) (model.Fitted, error){}

// Open reads a model of any kind.
func Open(dir string) (model.Fitted, error) {
	if load := Loaders[KindIn(dir)]; load != nil {
		return load(dir)
	}
	return Load(dir)
}

// Save writes a model.
func (storage) Save(m *model.Model, dir string) error { return Save(m, dir) }

// Load reads a model of any kind.
func (storage) Load(dir string) (model.Fitted, error) { return Open(dir) }

// RowFile begins a file of rows.
func (storage) RowFile(dir string, ids, terms []string, effects bool, threads int) (model.RowFile, error) {
	return CreateRowFile(dir, ids, terms, effects, threads)
}

// RowShards begins several.
func (storage) RowShards(dir string, terms []string, effects bool, threads int) (interface {
	estimate.RowStore
	io.Closer
}, *estimate.ShardSink, error) {
	shards, err := CreateRowShards(dir, terms, effects, threads)
	if err != nil {
		return nil, nil, err
	}
	return shards, &estimate.ShardSink{By: shards.Writer(), Take: shards.Take}, nil
}
