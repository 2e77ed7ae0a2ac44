package version

import (
	"slices"
	"strings"
	"testing"
)

// TestSuggestions names what somebody meant who mistyped a name.
func TestSuggestions(t *testing.T) {
	for name, c := range map[string]struct {
		reason, meant, want string
		names               []string
	}{
		"Best":    {"what is most alike comes first", "mian", "main, dev, release", []string{"release", "main", "dev"}},
		"Case":    {"the case of letters does not count", "PRODUCTION", "production, x", []string{"x", "production"}},
		"Many":    {"a person reads five", "a", "a, f, e, d, c, …", []string{"f", "e", "d", "c", "b", "a"}},
		"Letters": {"letters of other scripts count as one each", "größe", "größer, grobe", []string{"grobe", "größer"}},
		"None":    {"nothing is there", "main", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Near(c.meant, c.names); got != c.want {
				t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
			}
		})
	}
}

// TestSuggestionsAreOfTheFirst: a repository may have a million branches, each of
// which would be compared at each error.
func TestSuggestionsAreOfTheFirst(t *testing.T) {
	names := append(slices.Repeat([]string{"another"}, compared), "main")
	if got := Near("main", names); strings.Contains(got, "main") {
		t.Errorf("more than %d names are compared: %s", compared, got)
	}
	if got := Near("main", names[1:]); !strings.HasPrefix(got, "main, ") {
		t.Errorf("the last of %d names is not compared: %s", compared, got)
	}
}

func TestFirst(t *testing.T) {
	for names, want := range map[string]string{"": "", "a": "a", "a b c d e": "a, b, c, d, e", "a b c d e f": "a, b, c, d, e, …"} {
		if got := First(strings.Fields(names)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
