package settings

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"optcomplete/internal/must"
)

var table = Table{
	{Name: "threads", Type: Whole, Range: "[0, ∞)", Group: "General", Help: "processors"},
	{Name: "k", Short: "k", Type: Whole, Range: "[1, ∞)", Group: "Choice", Verbs: []string{"fit"}, Help: "features"},
	{Name: "gamma", Type: Number, Default: "auto", Range: "auto | (0, ∞)", Group: "Model", Verbs: []string{"fit"}, Help: "weight"},
	{Name: "gap", Type: Number, Range: "[0, 1)", Group: "Search", Verbs: []string{"fit"}, Help: "gap"},
	{Name: "model", Type: Text, Default: "full", Range: "full | pooled | paper", Group: "Model", Verbs: []string{"fit"}, Help: "model"},
	{Name: "models", Type: Names, Default: "full,paper", Range: "full | pooled | paper", Group: "Model", Verbs: []string{"bench"}, Help: "models"},
	{Name: "time-limit", Type: Duration, Default: "10s", Range: "[0, ∞)", Group: "Search", Verbs: []string{"fit"}, Help: "time"},
	{Name: "field", Type: Repeated, Group: "Data", Verbs: []string{"fit"}, Help: "field"},
	{Name: "keep", Type: Switch, Group: "Data", Verbs: []string{"fit"}, Help: "keep"},
	{Name: "output", Short: "o", Type: Folder, Group: "Output", Verbs: []string{"fit"}, Help: "folder"},
}

// fitValues are bound by the flags of fit.
type fitValues struct {
	k             int
	gamma, gap    float64
	model, output string
	limit         time.Duration
	fields        []string
	keep          bool
}

func fitFlags() (*pflag.FlagSet, *fitValues) {
	set, v := pflag.NewFlagSet("fit", pflag.ContinueOnError), new(fitValues)
	f := table.For("fit", set)
	f.Bind("k", &v.k)
	f.Bind("gamma", &v.gamma)
	f.Bind("gap", &v.gap)
	f.Bind("model", &v.model)
	f.Bind("time-limit", &v.limit)
	f.Bind("field", &v.fields)
	f.Bind("keep", &v.keep)
	f.Bind("output", &v.output)
	return set, v
}

func TestFlagsHaveDefaultsAndTakeValues(t *testing.T) {
	set, v := fitFlags()
	if v.model != "full" || v.limit != 10*time.Second || v.gamma != 0 || v.k != 0 {
		t.Fatalf("defaults: %+v", v)
	}
	if f := set.Lookup("gamma"); f.DefValue != "auto" || f.Value.String() != "auto" {
		t.Errorf("gamma is %q by default", f.DefValue)
	}
	err := set.Parse([]string{"-k", "5", "--gamma", "0.25", "--model=paper", "--time-limit", "1m30s", "--field", "a:x=1,y=2", "--field", "b", "--keep", "-o", "out"})
	if err != nil {
		t.Fatal(err)
	}
	if v.k != 5 || v.gamma != 0.25 || v.model != "paper" || v.limit != 90*time.Second || !v.keep || v.output != "out" {
		t.Errorf("%+v", v)
	}
	if !slices.Equal(v.fields, []string{"a:x=1,y=2", "b"}) {
		t.Errorf("fields %q", v.fields)
	}
	if err := set.Parse([]string{"--gamma", "auto"}); err != nil || v.gamma != 0 {
		t.Errorf("auto gives %v, %v", v.gamma, err)
	}
}

func TestListsReplaceTheirDefaultAndThenGrow(t *testing.T) {
	var models []string
	set := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	f := table.For("bench", set)
	f.Bind("models", &models)
	if !slices.Equal(models, []string{"full", "paper"}) {
		t.Fatalf("defaults %v", models)
	}
	must.Do(t, set.Parse([]string{"--models", "pooled,paper", "--models", "full"}))
	if !slices.Equal(models, []string{"pooled", "paper", "full"}) {
		t.Errorf("%v", models)
	}
}

func TestValuesOutsideTheRangeAreRefused(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-k 0", `is 0, but must be a whole number of at least 1`},
		{"-k 2.5", "a whole number of at least 1"},
		{"-k=-3", "a whole number of at least 1"},
		{"--gamma 0", "must be a positive number or auto"},
		{"--gamma NaN", "must be a positive number or auto"},
		{"--gamma +Inf", "must be a positive number or auto"},
		{"--gamma auot", `did you mean "auto"?`},
		{"--gap 1", "of at least 0 and below 1"},
		{"--gap -0.1", "of at least 0 and below 1"},
		{"--model fulll", `must be full, pooled or paper: did you mean "full"?`},
		{"--model other", "must be full, pooled or paper"},
		{"--time-limit -1s", "not negative"},
		{"--time-limit 5", "a time such as"},
	} {
		set, _ := fitFlags()
		set.Usage = func() {}
		err := set.Parse(strings.Fields(c.args))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
	for _, args := range []string{"-k 1", "--gap 0", "--gap 0.999", "--gamma 1e-9", "--time-limit 0"} {
		set, _ := fitFlags()
		if err := set.Parse(strings.Fields(args)); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestBindRefusesWhatTheTableDoesNotSay(t *testing.T) {
	mustPanic := func(name, setting string, to any) {
		defer func() {
			if recover() == nil {
				t.Error(name)
			}
		}()
		table.For("fit", pflag.NewFlagSet("", pflag.ContinueOnError)).Bind(setting, to)
	}
	mustPanic("a setting of another verb", "models", new([]string))
	mustPanic("another type", "k", new(float64))
	mustPanic("a pointer to nothing known", "k", new(complex128))
}

func TestUsageFollowsTheTable(t *testing.T) {
	set, _ := fitFlags()
	set.String("stray", "", "not in the table")
	var flags []*pflag.Flag
	set.VisitAll(func(f *pflag.Flag) { flags = append(flags, f) })
	text := table.Usage(flags, []string{"Choice", "Model", "Search", "Data", "Output"}, 50)
	want := []string{"Choice", "-k, --k N", "[1 or more]", "Model", "--gamma X", "auto or above 0; default auto", "--model TEXT", "Search", "--gap X", "0 to below 1", "Data", "Output", "Other", "--stray STRING"}
	at := 0
	flat := strings.Join(strings.Fields(text), " ")
	for _, w := range want {
		i := strings.Index(flat[at:], w)
		if i < 0 {
			t.Fatalf("no %q in its place:\n%s", w, text)
		}
		at += i
	}
	for _, line := range strings.Split(text, "\n") {
		if n := len([]rune(line)); n > 50 {
			t.Errorf("a line of %d letters: %s", n, line)
		}
	}
}
