package document

import (
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// TestTooManyValues: a short text that becomes much is refused before it is
// parsed, whichever way it would be read.
func TestTooManyValues(t *testing.T) {
	many := strings.Repeat("{},", 2_000_000)
	entry := "  - a: 1\n"
	for name, text := range map[string]string{
		"flow":      "kind: A\nx: [" + many + "1]\n",
		"json":      `{"kind":"A","x":[` + many + `1]}`,
		"plain":     "kind: A\nx:\n" + strings.Repeat(entry, 600_000),
		"together":  strings.Repeat("---\nkind: A\nx:\n"+strings.Repeat(entry, 400_000), 3),
		"aliases":   "kind: A\nx: &x " + strings.Repeat("y", 1<<20) + "\ny: [" + strings.Repeat("*x,", 1000) + "1]\n",
		"separated": "kind: A\n---\nkind: A\nx: [" + many + "1]\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read([]byte(text))
			if much := (*bounded.TooMuch)(nil); !errors.As(err, &much) {
				t.Errorf("got %v", err)
			}
		})
	}
	if e := Check([]byte("a: 1\n---\nx: [" + many + "1]\n")); e == nil || e.Line != 3 || !strings.Contains(e.Text, "400000 values") {
		t.Errorf("got %v", e)
	}
}

// TestLargeObjects are as people have them, and larger.
func TestLargeObjects(t *testing.T) {
	object := "---\nkind: Deployment\nmetadata:\n  name: a\nspec:\n" + strings.Repeat("  - name: a\n    image: \"b:1\"\n    args: [a, b]\n", 20)
	dashboard := "kind: ConfigMap\ndata:\n  a: |\n" + strings.Repeat(`    {"a":[1,2,3,4],"b":{"c":[],"d":{}}},`+"\n", 150_000)
	for name, text := range map[string]string{"5,000 objects": strings.Repeat(object, 5000), "6 MB of a text": dashboard} {
		if _, err := Read([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
