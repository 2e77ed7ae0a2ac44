package reference

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPagesAreCurrent(t *testing.T) {
	want, err := Pages(t.Context(), os.DirFS("../../examples"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	root := os.DirFS("../../docs")
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		got[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run `make generate`: the pages are stale (-want +got):\n%s", diff)
	}
}

// toNested leads from an attribute to those in it.
var toNested = regexp.MustCompile(` \(see \[below for nested schema\]\(#([\w-]+)\)\)`)

// untyped is an attribute of a type that has no word, alone or with what else is said of it.
var untyped = regexp.MustCompile("^- `[^`]+` \\([,)]")

func TestPagesAreComplete(t *testing.T) {
	pages, err := Pages(t.Context(), os.DirFS("../../examples"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names(pages) {
		text := pages[name]
		if !strings.Contains(text, "\n## Example Usage\n") {
			t.Errorf("%s has no example", name)
		}
		if !strings.HasPrefix(text, "---\npage_title: \"causeway") || !strings.Contains(text, "\nsubcategory: \"\"\ndescription: |-\n") {
			t.Errorf("%s has not the head that the registry reads", name)
		}
		if _, schema, ok := strings.Cut(text, "\n## Schema\n"); !ok || !strings.HasPrefix(schema, "\n### Required\n") && !strings.HasPrefix(schema, "\n### Optional\n") {
			t.Errorf("%s has no groups of attributes as headings", name)
		}
		for _, m := range toNested.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(text, "<a id=\""+m[1]+"\"></a>\n### Nested Schema for `"+strings.ReplaceAll(strings.TrimPrefix(m[1], "nestedatt--"), "--", ".")+"`\n") {
				t.Errorf("%s has no schema for %s", name, m[1])
			}
		}
		if strings.HasPrefix(name, "resources/") && !strings.Contains(text, "## Import") {
			t.Errorf("%s does not say how to import", name)
		}
		for line := range strings.Lines(text) {
			said := toNested.ReplaceAllString(strings.TrimSpace(line), "")
			if strings.HasPrefix(line, "- `") && (untyped.MatchString(line) || !strings.HasSuffix(said, ".")) {
				t.Errorf("%s: an attribute has no type or no description: %s", name, line)
			}
		}
	}
}

// TestManifestOfTheRegistry: the registry offers the provider to those versions
// of Terraform that speak what it serves.
func TestManifestOfTheRegistry(t *testing.T) {
	text, err := os.ReadFile("../../terraform-registry-manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	type metadata struct {
		ProtocolVersions []string `json:"protocol_versions"`
	}
	type manifest struct {
		Version  int      `json:"version"`
		Metadata metadata `json:"metadata"`
	}
	var got manifest
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(manifest{Version: 1, Metadata: metadata{[]string{"6.0"}}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
