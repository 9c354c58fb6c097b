package textfile

import (
	"slices"
	"strings"
)

// Role is what a column of a long table is for, as its name says.
type Role int

// The roles of a long table.
const (
	NoRole Role = iota
	RowRole
	ColumnRole
	ValueRole
	TimeRole
)

var roleNames = map[Role][]string{
	RowRole:    {"row", "user", "customer", "reader", "viewer", "patient", "member", "respondent", "person", "client", "reviewer", "cellline", "rowname"},
	ColumnRole: {"column", "col", "item", "movie", "film", "book", "product", "song", "track", "game", "drug", "question", "isbn", "asin", "joke"},
	ValueRole:  {"value", "rating", "score", "stars", "star", "response", "grade", "val"},
	TimeRole:   {"time", "timestamp", "date", "datetime", "day"},
}

// RoleOf tells the role of a column from its name: user_id, userId and User are
// all for the row.
func RoleOf(name string) Role {
	plain := strings.NewReplacer("_", "", " ", "", "-", "", ".", "").Replace(strings.ToLower(name))
	for role, names := range roleNames {
		if slices.Contains(names, plain) || role != ValueRole && slices.Contains(names, strings.TrimSuffix(plain, "id")) {
			return role
		}
	}
	return NoRole
}

// Roles finds the one column of each of the roles in a header; ok is false if
// some role has none, or several.
func Roles(header [][]byte, roles ...Role) (at []int, ok bool) {
	for _, role := range roles {
		found := -1
		for x, name := range header {
			if RoleOf(string(name)) == role {
				if found >= 0 {
					return nil, false
				}
				found = x
			}
		}
		if found < 0 {
			return nil, false
		}
		at = append(at, found)
	}
	return at, true
}

// Boolean reads yes, no, true and false, in any case, as 1 and 0.
func Boolean(field []byte) (value float64, ok bool) {
	if len(field) < 2 || len(field) > 5 {
		return 0, false
	}
	switch strings.ToLower(string(field)) {
	case "yes", "true":
		return 1, true
	case "no", "false":
		return 0, true
	}
	return 0, false
}
