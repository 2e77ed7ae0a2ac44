package environ

import (
	"errors"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	env := Env{"ARGOCD_APP_NAME": Text("web"), "EMPTY": Text("")}
	cases := map[string]struct{ reason, in, want string }{
		"Plain":   {"text without a dollar is left alone", "a:b", "a:b"},
		"Both":    {"both spellings are replaced", "$ARGOCD_APP_NAME/${ARGOCD_APP_NAME}", "web/web"},
		"Dollar":  {"two dollars are one", "a$$b", "a$b"},
		"Unknown": {"an unknown variable is empty, also one of the process", "[$PATH][$NOPE]", "[][]"},
		"Partial": {"the longest name counts", "$ARGOCD_APP_NAMES", ""},
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
