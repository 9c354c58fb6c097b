package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"optcomplete/data"
)

// Known is the ratings of rows, where the service is given them.
type Known struct {
	ratings *data.Ratings
	rows    map[string]int
}

// NewKnown keeps ratings that are in memory.
func NewKnown(r *data.Ratings) *Known {
	k := &Known{ratings: r, rows: make(map[string]int, len(r.RowIDs))}
	for i, id := range r.RowIDs {
		k.rows[id] = i
	}
	return k
}

// of is the ratings of a row, which the caller may change.
func (k *Known) of(id string) (Ratings, bool) {
	if k == nil {
		return nil, false
	}
	i, known := k.rows[id]
	if !known {
		return nil, false
	}
	out := Ratings{}
	columns, values := k.ratings.Matrix().Row(i)
	for x, j := range columns {
		out[k.ratings.ColumnIDs[j]] = &values[x]
	}
	return out, true
}

// cellOf is a value of JSON as a file has it; null is blank.
func cellOf(raw json.RawMessage) (string, error) {
	text := string(bytes.TrimSpace(raw))
	switch {
	case text == "null" || text == "":
		return "", nil
	case text == "true":
		return "1", nil
	case text == "false":
		return "0", nil
	case text[0] == '"':
		err := json.Unmarshal(raw, &text)
		return text, err
	case text[0] == '[' || text[0] == '{':
		return "", errors.New("a list or an object")
	}
	return text, nil
}

// mostFound is how many ids one answer lists.
const mostFound = 100

// find lists what has a text in its id or name: first those that begin with it.
func find(search string, most, n int, item func(int) ID) *IDList {
	search = strings.ToLower(strings.TrimSpace(search))
	out := &IDList{Items: []ID{}, Of: n}
	var later []ID
	for i := range n {
		one := item(i)
		id, name := strings.ToLower(one.ID), strings.ToLower(one.Name)
		switch {
		case strings.HasPrefix(id, search) || strings.HasPrefix(name, search):
			out.Items = append(out.Items, one)
		case len(later) < most && (strings.Contains(id, search) || strings.Contains(name, search)):
			later = append(later, one)
		}
		if len(out.Items) == most {
			break
		}
	}
	out.Items = append(out.Items, later[:min(len(later), most-len(out.Items))]...)
	return out
}
