package settings

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/pflag"
)

// Flags makes the flags of one verb.
type Flags struct {
	table Table
	set   *pflag.FlagSet
	verb  string
}

// For makes flags of a verb in a set; the verb "" is for the settings that all
// verbs take.
func (t Table) For(verb string, set *pflag.FlagSet) *Flags {
	set.SortFlags = false
	return &Flags{table: t, set: set, verb: verb}
}

// Bind makes the flag of a setting: a variable that gets its default now, and
// what is given later. A setting that the table does not hold for the verb, or
// of another type, is a programming error and panics.
func (f *Flags) Bind(name string, to any) {
	s := f.table.Find(f.verb, name)
	if s == nil {
		panic(fmt.Sprintf("settings: the table has no setting %q for the verb %q", name, f.verb))
	}
	inner := s.value(to)
	if inner == nil {
		panic(fmt.Sprintf("settings: %q cannot be bound to a %T", name, to))
	}
	v := &value{Value: inner, setting: s}
	if s.Default != "" {
		if err := v.Set(s.Default); err != nil {
			panic(fmt.Sprintf("settings: default of %q: %v", name, err))
		}
		if l, ok := inner.(*list); ok {
			l.given = false
		}
	}
	flag := f.set.VarPF(v, name, s.Short, s.Help)
	if s.Type == Switch {
		flag.NoOptDefVal = "true"
	}
}

// BindFields makes the flags of a struct's exported fields: a field is bound to the setting of
// its name ([NameOf]), if the verb has one of its type that no other variable is bound to. Fields
// of embedded structs are those of the struct.
func (f *Flags) BindFields(to any) {
	v := reflect.ValueOf(to).Elem()
	for i := range v.NumField() {
		field, at := v.Type().Field(i), v.Field(i).Addr()
		name := NameOf(field.Name)
		switch s := f.table.Find(f.verb, name); {
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			f.BindFields(at.Interface())
		case field.IsExported() && s != nil && f.set.Lookup(name) == nil && s.value(at.Interface()) != nil:
			f.Bind(name, at.Interface())
		}
	}
}

// NameOf is how the table calls a field: row-name for RowName, k-max for KMax.
func NameOf(field string) string {
	var b strings.Builder
	letters := []rune(field)
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// value is a flag's value that checks what it is given.
type value struct {
	pflag.Value
	setting *Setting
}

// Set takes what is in the setting's range.
func (v *value) Set(text string) error {
	if _, many := v.Value.(*list); !many { // which checks its elements
		if err := v.setting.Check(text); err != nil {
			return err
		}
	}
	return v.Value.Set(text)
}

// Of returns the setting behind a flag; nil if it is not in a table.
func Of(flag *pflag.Flag) *Setting {
	if v, ok := flag.Value.(*value); ok {
		return v.setting
	}
	return nil
}

// value makes the value of a variable, or nil if the types do not fit.
func (s *Setting) value(to any) pflag.Value {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	switch to := to.(type) {
	case pflag.Value:
		if s.Type != Text {
			return nil
		}
		return to
	case *string:
		if s.Type != Text && s.Type != File && s.Type != Folder {
			return nil
		}
		set.StringVar(to, "x", "", "")
	case *bool:
		if s.Type != Switch {
			return nil
		}
		set.BoolVar(to, "x", false, "")
	case *int:
		if s.Type != Whole {
			return nil
		}
		set.IntVar(to, "x", 0, "")
	case *uint64:
		if s.Type != Whole {
			return nil
		}
		set.Uint64Var(to, "x", 0, "")
	case *float64:
		if s.Type != Number {
			return nil
		}
		*to = 0
		return &number{to: to, words: s.Words()}
	case *time.Duration:
		if s.Type != Duration {
			return nil
		}
		*to = 0
		return &lasting{to: (*duration)(to), words: s.Words()}
	case *[]string:
		if s.Type != Names && s.Type != Repeated {
			return nil
		}
		*to = nil
		return &list{setting: s, assign: func(elements []string) { *to = elements }}
	default:
		return nil
	}
	return set.Lookup("x").Value
}

// number is a float64 for which a word may stand, as 0.
type number struct {
	to    *float64
	words []string
}

func (v *number) Type() string { return "number" }

func (v *number) String() string {
	if *v.to == 0 && len(v.words) > 0 {
		return v.words[0]
	}
	return strconv.FormatFloat(*v.to, 'g', -1, 64)
}

func (v *number) Set(text string) error {
	for _, w := range v.words {
		if text == w {
			*v.to = 0
			return nil
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err == nil {
		*v.to = x
	}
	return err
}

// duration prints 0 as 0.
type duration time.Duration

func (v duration) Type() string { return "duration" }

func (v duration) String() string {
	if v == 0 {
		return "0"
	}
	return time.Duration(v).String()
}

func (v *duration) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err == nil {
		*v = duration(d)
	}
	return err
}

// lasting is a time for which a word may stand, as 0. It is shown as it was given.
type lasting struct {
	to    *duration
	words []string
	given string
}

func (v *lasting) Type() string { return v.to.Type() }

func (v *lasting) String() string { return cmp.Or(v.given, v.to.String()) }

func (v *lasting) Set(text string) error {
	if slices.Contains(v.words, text) {
		*v.to, v.given = 0, text
		return nil
	}
	err := v.to.Set(text)
	if err == nil {
		v.given = text
	}
	return err
}

// list is a list of texts or numbers. The first Set replaces the default, each
// further one adds. Where elements stand between commas, one with a comma in it
// is quoted as in CSV.
type list struct {
	setting  *Setting
	elements []string
	assign   func([]string)
	given    bool
}

func (v *list) Type() string { return "list" }

func (v *list) String() string {
	if v.setting.Type == Repeated || len(v.elements) == 0 {
		return strings.Join(v.elements, " ")
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(v.elements) // a strings.Builder does not fail
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// Words are the values of a flag as it was given: one, or one for each time that a
// repeated flag was.
func Words(flag *pflag.Flag) []string {
	if v, ok := flag.Value.(*value); ok {
		if l, many := v.Value.(*list); many && v.setting.Type == Repeated {
			return l.elements
		}
	}
	return []string{flag.Value.String()}
}

func (v *list) Set(text string) error {
	more := []string{text}
	if v.setting.Type != Repeated {
		more = nil
		if text == "" && v.setting.Blank {
			more = []string{""}
		} else if text != "" {
			var err error
			if more, err = csv.NewReader(strings.NewReader(text)).Read(); err != nil {
				return err
			}
		}
	}
	if v.given {
		more = append(slices.Clone(v.elements), more...)
	}
	return v.Replace(more)
}

// Replace gives the whole list.
func (v *list) Replace(elements []string) error {
	for _, e := range elements {
		if err := v.setting.Check(e); err != nil {
			return err
		}
	}
	v.elements, v.given = elements, true
	v.assign(elements)
	return nil
}
