package document

import (
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// TestTooManyBytes: texts have their bytes from one budget, and where aliases
// repeat them it is the objects that count.
func TestTooManyBytes(t *testing.T) {
	text := "kind: A\nx: " + strings.Repeat("y", 1000) + "\n"
	for name, tc := range map[string]struct {
		texts []string
		fits  bool
	}{
		"Fits":     {[]string{text, text}, true},
		"Together": {[]string{text, text, text}, false},
		"Parts":    {[]string{strings.Repeat("---\n"+text, 3)}, false},
		"JSON":     {[]string{`{"kind":"A","x":"` + strings.Repeat("y", 3000) + `"}`}, false},
		"Aliases":  {[]string{"kind: A\nx: &x " + strings.Repeat("y", 1000) + "\ny: [*x, *x, *x]\n"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Within(nil).Holding(bounded.NewBytes(2500)), error(nil)
			for _, text := range tc.texts {
				if _, err = r.Read([]byte(text)); err != nil {
					break
				}
			}
			if much := (*bounded.TooMuch)(nil); errors.As(err, &much) == tc.fits {
				t.Errorf("got %v", err)
			}
		})
	}
}
