package hub

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// anyFile is there at each address.
type anyFile struct{}

func (anyFile) File(context.Context, string, string) ([]byte, error) { return []byte("text"), nil }

// TestFilesOfDeniedRepositories: what a project denies is not read file by file, however
// the address is spelled.
func TestFilesOfDeniedRepositories(t *testing.T) {
	project := oneProject{"*", "!https://github.com/org/denied", "!https://gitlab.com/org/denied", "!https://git.example.com/org/denied.git", "!https://git.example.com:8443/own/denied"}
	for address, read := range map[string]bool{
		"https://raw.githubusercontent.com/org/denied/main/a.yaml":          false,
		"https://RAW.githubusercontent.com/org/denied/main/a.yaml":          false,
		"HTTPS://raw.githubusercontent.com/org/denied/main/a.yaml":          false,
		"http://raw.githubusercontent.com/org/denied/main/a.yaml":           false,
		"https://raw.githubusercontent.com:443/org/denied/main/a.yaml":      false,
		"https://u@raw.githubusercontent.com/org/denied/main/a.yaml":        false,
		"https://u:p@raw.githubusercontent.com/Org/Denied/main/a.yaml":      false,
		"https://raw.githubusercontent.com//org/denied/main/./a.yaml":       false,
		"https://raw.githubusercontent.com/x/../org/denied/main/a.yaml":     false,
		"https://raw.githubusercontent.com/%6Frg/denied/main/a.yaml?x=y#z":  false,
		"https://raw.githubusercontent.com./org/denied/main/a.yaml":         false,
		"https://ｒaw.githubusercontent。com/org/denied/main/a.yaml":          false,
		"https://media.githubusercontent.com/media/org/denied/main/a.yaml":  false,
		"https://www.github.com/org/denied/raw/main/a.yaml":                 false,
		"https://GitHub.com/org/denied/raw/main/a.yaml":                     false,
		"https://github.com/org/denied/blob/main/a.yaml?raw=true":           false,
		"https://github.com/org/denied/releases/download/v1/all.yaml":       false,
		"https://gitlab.com/org/denied/raw/main/a.yaml":                     false,
		"https://git.example.com/org/denied/plain/a.yaml":                   false,
		"https://git.example.com/org/denied.git/plain/a.yaml":               false,
		"https://git.example.com:8443/own/denied/plain/a.yaml":              false,
		"https://media.githubusercontent.com/media":                         true,
		"https://raw.githubusercontent.com/org/other/main/a.yaml":           true,
		"https://raw.githubusercontent.com/org/denied-not/main/a b;c.yaml":  true,
		"https://github.com/other/denied/releases/download/v1/all.yaml?x=y": true,
		"https://example.org/values.yaml":                                   true,
		"https://example.org/":                                              true,
	} {
		text, err := undenied{anyFile{}, project}.File(t.Context(), address, "p")
		var p *gitops.Problem
		if read != (err == nil && string(text) == "text") || !read && (!errors.As(err, &p) || p.Kind != gitops.Forbidden) {
			t.Errorf("%s: got %q, %v", address, text, err)
		}
		if text, err := (undenied{anyFile{}, oneProject{"https://git.example.com/org/permitted"}}).File(t.Context(), address, "p"); err != nil || len(text) == 0 {
			t.Errorf("%s, where nothing is denied: %v", address, err)
		}
	}
}

// TestFilesInManyFolders: of more folders than a project is asked about one may be denied, so
// that nothing is read of them.
func TestFilesInManyFolders(t *testing.T) {
	denied := "https://git.example.com/" + strings.Repeat("x/", deepest-1) + "denied"
	for name, c := range map[string]struct {
		reason, address string
		read            bool
	}{
		"other":  {"the folder is one of those that are asked about", "https://git.example.com/" + strings.Repeat("x/", deepest-1) + "y/a", true},
		"denied": {"the last folder that is asked about is denied", denied + "/a", false},
		"deeper": {"what is denied may lie below the last folder that is asked about", denied + "/more/a", false},
	} {
		_, err := undenied{anyFile{}, oneProject{"*", "!" + denied}}.File(t.Context(), c.address, "p")
		var p *gitops.Problem
		if c.read != (err == nil) || !c.read && (!errors.As(err, &p) || p.Kind != gitops.Forbidden) {
			t.Errorf("%s: %s: %v", name, c.reason, err)
		}
	}
}
