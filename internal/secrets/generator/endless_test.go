package generator

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// TestPasswordsThatWouldNotEnd: passwords are made in the engine, where nothing stops what goes on for ever.
func TestPasswordsThatWouldNotEnd(t *testing.T) {
	keys, err := json.Marshal(strings.Split(strings.Repeat("k,", 5000), ","))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ reason, spec, want string }{
		"one sign":        {"two of one sign, each once", `{"length":4,"digits":0,"symbols":2,"symbolCharacters":"--"}`, "repeats are not allowed"},
		"letters":         {"signs that are letters, which are all taken", `{"length":54,"digits":0,"symbols":2,"symbolCharacters":"ab"}`, "letters and digits alone"},
		"digits":          {"signs that are digits, which are all taken", `{"length":12,"digits":10,"symbols":2,"symbolCharacters":"01"}`, "letters and digits alone"},
		"negative digits": {"digits below nothing make letters without end", `{"length":8,"digits":-1000000000000,"symbols":0,"allowRepeat":true}`, "not below 0"},
		"negative signs":  {"signs as well", `{"length":8,"digits":0,"symbols":-1000000000000,"allowRepeat":true}`, "not below 0"},
		"many keys":       {"as many passwords as fit into an object", fmt.Sprintf(`{"length":4096,"digits":0,"symbols":0,"allowRepeat":true,"secretKeys":%s}`, keys), "more than 256 keys"},
		"foreign sign":    {"a sign that has more than one byte is broken in two", `{"symbolCharacters":"§§§§§§§§"}`, "not of ASCII"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Password(t.Context(), json.RawMessage(tc.spec), store.Around{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %d passwords, %v; want %q", tc.reason, len(got), err, tc.want)
			}
		})
	}
	for _, spec := range []string{
		`{"length":4,"digits":0,"symbols":2,"symbolCharacters":"--","allowRepeat":true}`, `{"length":4,"digits":0,"symbols":2,"symbolCharacters":"-a-_"}`,
		`{"length":4,"digits":0,"symbols":0,"symbolCharacters":"a"}`, `{"symbolCharacters":""}`,
	} {
		if _, err := Password(t.Context(), json.RawMessage(spec), store.Around{}); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
