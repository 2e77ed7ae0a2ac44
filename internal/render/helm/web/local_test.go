package web_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/helm/web"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// shelf has files for one project, and refuses its own.
type shelf struct{ asked *[]string }

var errShelf = errors.New("the folder cannot be read")

// File implements web.Local.
func (s shelf) File(_ context.Context, address, project string) ([]byte, error) {
	*s.asked = append(*s.asked, "local")
	switch {
	case strings.Contains(address, "broken"):
		return nil, errShelf
	case strings.Contains(address, "here") && project == "ours":
		return []byte("local"), nil
	}
	return nil, fs.ErrNotExist
}

// outside has all files.
type outside struct{ asked *[]string }

// File implements helm.Files.
func (o outside) File(context.Context, string, source.Rule) ([]byte, error) {
	*o.asked = append(*o.asked, "web")
	return []byte("web"), nil
}

// TestMirroredFilesComeFirst: what a machine has is not fetched, and the rule of the
// installation holds for it as well.
func TestMirroredFilesComeFirst(t *testing.T) {
	const user, query = "https://user:hunter2@h.example.com/", "?token=hunter2#part"
	for name, tc := range map[string]struct {
		reason, address, project string
		without                  bool
		want, asked, fails       string
	}{
		"Mirrored":    {"the folder has it", user + "here.yaml" + query, "ours", false, "local", "local", ""},
		"Theirs":      {"a folder may be of another project", user + "here.yaml" + query, "theirs", false, "web", "local web", ""},
		"Elsewhere":   {"the web has what the folder lacks", user + "a.yaml" + query, "ours", false, "web", "local web", ""},
		"Broken":      {"a folder in trouble is no folder that lacks it", user + "broken.yaml" + query, "ours", false, "", "local", "cannot be read"},
		"NoWeb":       {"without a web nothing is fetched", user + "a/b.yaml" + query, "ours", true, "", "local", "--mirror https://h.example.com/a=FOLDER"},
		"NoWebAtRoot": {"a file at the root", user + "b.yaml", "ours", true, "", "local", "--mirror https://h.example.com/=FOLDER"},
		"Scheme":      {"a scheme that is not allowed is not even looked for", "http://user:hunter2@h.example.com/here.yaml", "ours", false, "", "", "scheme http"},
		"Host":        {"nor is a host", "https://user:hunter2@h.example.org/here.yaml", "ours", false, "", "", "not among the allowed"},
		"NoAddress":   {"what is no address is not repeated", "https://h.example.com/hunter2%zz", "ours", false, "", "", "its address is broken"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			behind := web.Behind{Local: shelf{&asked}, Web: helm.Files(outside{&asked})}
			if tc.without {
				behind.Web = nil
			}
			rule := source.Rule{Schemes: []string{"https"}, Hosts: []string{"*.example.com"}, Project: tc.project}
			text, err := behind.File(t.Context(), tc.address, rule)
			if string(text) != tc.want || strings.Join(asked, " ") != tc.asked {
				t.Errorf("%s: got %q, asked were %v", tc.reason, text, asked)
			}
			if said := fmt.Sprint(err); (err != nil) != (tc.fails != "") || !strings.Contains(said, tc.fails) || strings.Contains(said, "hunter2") {
				t.Errorf("%s: it says %s", tc.reason, said)
			}
		})
	}
}
