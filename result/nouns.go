package result

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Nouns is what the reader calls rows, columns and entries: user, book and rating,
// say, as the header of a file names them. An empty one is row, column or entry; so
// are those of a nil *Nouns.
type Nouns struct {
	Row    string `json:"row,omitempty"`
	Column string `json:"column,omitempty"`
	Entry  string `json:"entry,omitempty"`
}

// entryNouns are the names of values that name an entry too: there are ratings, but
// no ic50s.
var entryNouns = map[string]bool{"rating": true, "score": true, "response": true, "grade": true, "vote": true, "review": true, "purchase": true, "sale": true, "click": true, "measurement": true}

// NounsOf takes the nouns from the header of a file; nil if it has none.
func NounsOf(row, column, value string) *Nouns {
	n := Nouns{Row: noun(row), Column: noun(column), Entry: noun(value)}
	if !entryNouns[n.Entry] {
		n.Entry = ""
	}
	if n.Row == n.Column { // both "id", say
		n.Row, n.Column = "", ""
	}
	if n == (Nouns{}) {
		return nil
	}
	return &n
}

// noun is the singular that a heading names, without "id"; empty if it says nothing.
func noun(heading string) string {
	var words []string
	start := 0
	heading = strings.TrimSpace(heading)
	for i, r := range heading { // userId and user_id are two words
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(heading[i-1])) {
			words = append(words, heading[start:i])
			start = i
		}
	}
	text := strings.ToLower(strings.Join(append(words, heading[start:]), " "))
	words = strings.FieldsFunc(text, func(r rune) bool { return r == '_' || r == ' ' || r == '-' || r == '.' })
	if n := len(words); n > 1 && words[n-1] == "id" {
		words = words[:n-1]
	}
	text = singular(strings.Join(words, " "))
	switch text {
	case "row", "rowname", "column", "col", "value", "val", "entry", "id", "index", "name", "key", "unnamed", "x", "y", "v", "i", "j":
		return ""
	}
	if len(text) < 2 || len(text) > 24 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != ' ' }) {
		return ""
	}
	return text
}

var irregular = map[string]string{"person": "people", "child": "children", "man": "men", "woman": "women", "series": "series", "species": "species"}

// Plural is more than one of a noun.
func Plural(noun string) string {
	before, last := "", noun
	if at := strings.LastIndex(noun, " "); at >= 0 {
		before, last = noun[:at+1], noun[at+1:]
	}
	if many, ok := irregular[last]; ok {
		return before + many
	}
	switch n := len(last); {
	case strings.HasSuffix(last, "s"), strings.HasSuffix(last, "x"), strings.HasSuffix(last, "ch"), strings.HasSuffix(last, "sh"):
		return noun + "es"
	case n > 1 && last[n-1] == 'y' && !strings.ContainsRune("aeiou", rune(last[n-2])):
		return before + last[:n-1] + "ies"
	}
	return noun + "s"
}

// singular is the singular of a noun that may be a plural.
func singular(noun string) string {
	for one, many := range irregular {
		if noun == many {
			return one
		}
	}
	n := len(noun)
	switch {
	case strings.HasSuffix(noun, "ies") && n > 4 && noun != "movies":
		return noun[:n-3] + "y"
	case strings.HasSuffix(noun, "s") && !strings.HasSuffix(noun, "ss") && !strings.HasSuffix(noun, "us") && !strings.HasSuffix(noun, "is") && n > 3:
		return noun[:n-1]
	}
	return noun
}

// Rows is the noun for many rows; see Each.
func (n *Nouns) Rows() string { return Plural(n.Each()) }

// Columns is the noun for many columns; see Item.
func (n *Nouns) Columns() string { return Plural(n.Item()) }

// Entries is the noun for many entries; see One.
func (n *Nouns) Entries() string { return Plural(n.One()) }

// Each is the noun for a single row.
func (n *Nouns) Each() string {
	if n == nil || n.Row == "" {
		return "row"
	}
	return n.Row
}

// Item is the noun for a single column.
func (n *Nouns) Item() string {
	if n == nil || n.Column == "" {
		return "column"
	}
	return n.Column
}

// One is the noun for a single entry.
func (n *Nouns) One() string {
	if n == nil || n.Entry == "" {
		return "entry"
	}
	return n.Entry
}

// Replacer puts the nouns in the place of "{rows}", "{row}", "{columns}", "{column}",
// "{entries}" and "{entry}", of the same with a capital, and of "{a row}" and so on
// with the right article.
func (n *Nouns) Replacer() *strings.Replacer {
	var pairs []string
	for _, p := range [][2]string{{"rows", n.Rows()}, {"row", n.Each()}, {"columns", n.Columns()}, {"column", n.Item()}, {"entries", n.Entries()}, {"entry", n.One()}} {
		pairs = append(pairs, "{"+p[0]+"}", p[1], "{"+capital(p[0])+"}", capital(p[1]))
		article := "a"
		if strings.ContainsRune("aeio", rune(p[1][0])) {
			article = "an"
		}
		pairs = append(pairs, "{a "+p[0]+"}", article+" "+p[1], "{A "+p[0]+"}", capital(article)+" "+p[1])
	}
	return strings.NewReplacer(pairs...)
}

func capital(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}
