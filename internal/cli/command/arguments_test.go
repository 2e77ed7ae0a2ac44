package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestArgumentsThatCannotBeTaken are answered with what can.
func TestArgumentsThatCannotBeTaken(t *testing.T) {
	parent, child, hidden := &cobra.Command{Use: "fleet"}, &cobra.Command{Use: "tree APP", Example: "  fleet tree shop\n  fleet tree other"}, &cobra.Command{Use: "secretive", Hidden: true}
	for _, c := range []*cobra.Command{child, hidden} {
		c.Run = func(*cobra.Command, []string) {}
		parent.AddCommand(c)
	}
	plain := &cobra.Command{Use: "doctor"}
	one := One("an application")
	cases := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"none":      {"what is missing is named", one(child, nil), "name an application"},
		"many":      {"an example says how", one(child, []string{"a", "b"}), `cannot take the argument "b": fleet tree takes APP, as in: fleet tree shop`},
		"one":       {"that is right", one(child, []string{"a"}), ""},
		"extra":     {"all of them are told", None(plain, []string{"a", "b"}), `cannot take the argument "a b"`},
		"no extra":  {"that is right", None(plain, nil), ""},
		"misspelt":  {"the nearest is named", UnknownCommand(parent, []string{"tre"}), `there is no command "tre"; did you mean "tree"?`},
		"far":       {"none is guessed", UnknownCommand(parent, []string{"zzzzzzzz"}), `there is no command "zzzzzzzz"`},
		"hidden":    {"nor one that is not shown", UnknownCommand(parent, []string{"secretiv"}), `there is no command "secretiv"`},
		"no words":  {"that is help", UnknownCommand(parent, nil), ""},
		"no sample": {"without an example none is told", TooMany(plain, "x"), `cannot take the argument "x": doctor takes `},
	}
	for name, c := range cases {
		got := ""
		if c.err != nil {
			got = c.err.Error()
		}
		if got != c.want || c.err != nil && ExitCode(c.err) != ExitUsage {
			t.Errorf("%s: %s: got %q, want %q", name, c.reason, got, c.want)
		}
	}
}

// TestNamesAreMeantOnce, in their order.
func TestNamesAreMeantOnce(t *testing.T) {
	if got := Compact([]string{"b", "a", "b", "", "a", ""}); !slices.Equal(got, []string{"b", "a", ""}) {
		t.Errorf("got %q", got)
	}
	if got := NearOr("shpo", []string{"shop"}, "get apps"); got != `; did you mean "shop"?` {
		t.Error(got)
	}
	if got := NearOr("x", nil, "get apps"); got != "; name one of those that `causeway get apps` lists" {
		t.Error(got)
	}
}

// TestFlagsThatWereGivenNothing: in a script that is a variable without a value. What was not given is fine.
func TestFlagsThatWereGivenNothing(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"not given": {"the default counts", nil, ""},
		"given":     {"there is a value", []string{"--one=a", "--many=b"}, ""},
		"empty":     {"there is none", []string{"--one="}, "--one has no value"},
		"blank":     {"blanks are none", []string{"--one= "}, "--one has no value"},
		"list":      {"nor is an empty one in a list", []string{"--many="}, "--many has no value"},
		"another":   {"nobody asks about it", []string{"--other="}, ""},
		"zero":      {"a zero is a value", []string{"--count=0"}, ""},
	}
	for name, c := range cases {
		f := pflag.NewFlagSet("x", pflag.ContinueOnError)
		f.String("one", "default", "")
		f.String("other", "", "")
		f.StringArray("many", nil, "")
		f.Int("count", 1, "")
		if err := f.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		err := Emptied(f, "one", "many", "count")
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %s: %v", name, c.reason, err)
		}
	}
}
