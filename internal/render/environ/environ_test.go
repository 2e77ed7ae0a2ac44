package environ

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpand(t *testing.T) {
	env := Env{"ARGOCD_APP_NAME": Text("web"), "EMPTY": Text(""), "LOOP": Text("$LOOP ${ARGOCD_APP_NAME}")}
	cases := map[string]struct{ reason, in, want string }{
		"Plain":   {"text without a dollar is left alone", "a:b", "a:b"},
		"Both":    {"both spellings are replaced", "$ARGOCD_APP_NAME/${ARGOCD_APP_NAME}", "web/web"},
		"Dollar":  {"two dollars are one", "a$$b", "a$b"},
		"Unknown": {"an unknown variable is empty, also one of the process", "[$PATH][$NOPE]", "[][]"},
		"Partial": {"the longest name counts", "$ARGOCD_APP_NAMES", ""},
		"Bound":   {"unless braces end it", "${ARGOCD_APP_NAME}S-$ARGOCD_APP_NAME-s", "webS-web-s"},
		"Empty":   {"one that has no value is known", "[$EMPTY]", "[]"},
		"Nested":  {"what a value has in it is no variable", "$LOOP", "$LOOP ${ARGOCD_APP_NAME}"},
		"Unicode": {"letters of other alphabets end a name", "$ARGOCD_APP_NAMEß", "webß"},
		"Digits":  {"numbers are names of one digit, as of a shell, and of nothing here", "$10", "0"},
		"Open":    {"a brace that is not closed is left out with its dollar", "a${ARGOCD_APP_NAME", "aARGOCD_APP_NAME"},
		"Nothing": {"as is one with nothing in it", "a${}b", "ab"},
		"Last":    {"a dollar at the end is one", "a$", "a$"},
		"Blank":   {"as is one before a blank", "5 $ a", "5 $ a"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			size := len(tc.in)
			got, err := env.Expand(tc.in, func(n int) error { size = n; return nil })
			if got != tc.want || err != nil || size != len(tc.want) {
				t.Errorf("%s: Expand(%q) = %q (%d bytes, %v), want %q", tc.reason, tc.in, got, size, err, tc.want)
			}
		})
	}
}

// TestExpandIsBounded: what variables add is counted before any of it is made.
func TestExpandIsBounded(t *testing.T) {
	asked := 0
	env := Env{"A": func() string { asked++; return strings.Repeat("a", 1000) }}
	if _, err := env.Expand(strings.Repeat("$A", 2000), func(int) error { t.Error("it is held"); return nil }); !errors.Is(err, ErrTooMuch) || asked != 1 {
		t.Errorf("got %v, asked %d times", err, asked)
	}
	full := errors.New("full")
	if got, err := env.Expand("$A", func(int) error { return full }); !errors.Is(err, full) || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
}

// A variable is asked for once a text, and only where the text has it: asking for the revision
// or the cluster ties what is rendered to that.
func TestVariablesAreAskedForAsNeeded(t *testing.T) {
	asked := map[string]int{}
	env := Env{}
	for _, name := range []string{"A", "B", "C"} {
		env[name] = func() string { asked[name]++; return name }
	}
	for _, text := range []string{"$A $B ${A}", "no variable", "$$A"} {
		if _, err := env.Expand(text, nil); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if diff := cmp.Diff(map[string]int{"A": 1, "B": 1}, asked); diff != "" {
		t.Errorf("what was asked for (-want +got):\n%s", diff)
	}
	held := false
	if got, err := env.Expand("as it is", func(int) error { held = true; return nil }); got != "as it is" || err != nil || held {
		t.Errorf("a text without variables: %q, %v, held %t", got, err, held)
	}
}
