package chart

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/archive"
)

const index = `
apiVersion: v1
entries:
  web:
  - version: 1.2.0
    urls: [https://elsewhere/web-1.2.0.tgz]
    digest: abc
  - {version: 1.10.0, urls: [charts/web-1.10.0.tgz]}
  - {version: 2.0.0-rc.1, urls: [x]}
  broken: 7
`

func TestIndex(t *testing.T) {
	x, err := ParseIndex([]byte(index))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ reason, name, revision, want, fails string }{
		"newest":  {"the newest stable version", "web", "", "1.10.0", ""},
		"range":   {"a range", "web", "~1.2", "1.2.0", ""},
		"exact":   {"an exact version, with a v", "web", "v1.2.0", "1.2.0", ""},
		"version": {"versions are listed", "web", "3.0.0", "", "2.0.0-rc.1, 1.10.0, 1.2.0"},
		"chart":   {"near charts are listed", "wep", "", "", "web"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := x.Find(c.name, c.revision)
			if c.fails != "" {
				var p *gitops.Problem
				if !errors.As(err, &p) || p.Kind != gitops.NotFound || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("%s: got %v", c.reason, err)
				}
				return
			}
			if err != nil || got.Version != c.want {
				t.Errorf("%s: got %q, %v", c.reason, got.Version, err)
			}
		})
	}
	for _, bad := range []string{"<html>", "entries: [", "a: b"} {
		if _, err := ParseIndex([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestIndexLayouts(t *testing.T) {
	for name, text := range map[string]string{
		"Helm's":    "apiVersion: v1\nentries:\n  web:\n  - urls:\n    - x.tgz\n    description: |\n      a\n\n      b\n    version: 1.0.0\n  api:\n  - version: 2.0.0\ngenerated: now\n",
		"indented":  "entries:\n    web:\n        - version: 1.0.0\n    api:\n        - version: 2.0.0\n",
		"quoted":    "entries:\n  \"web\":\n  - version: 1.0.0\n  api: [{version: 2.0.0}]\n",
		"JSON":      `{"entries":{"web":[{"version":"1.0.0"}],"api":[{"version":"2.0.0"}]}}`,
		"CRLF":      "entries:\r\n  web:\r\n  - version: 1.0.0\r\n  api:\r\n  - version: 2.0.0\r\n",
		"backwards": "generated: x\nentries:\n  api:\n    - version: 2.0.0\n  web:\n    - version: 1.0.0\n",
	} {
		x, err := ParseIndex([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		web, err := x.Find("web", "")
		if err != nil || web.Version != "1.0.0" {
			t.Errorf("%s: web %+v, %v", name, web, err)
		}
		api, err := x.Find("api", "")
		if err != nil || api.Version != "2.0.0" {
			t.Errorf("%s: api %+v, %v", name, api, err)
		}
	}
}

// A chart of which something cannot be read is told of as such, whatever the
// layout, and hides no other one.
func TestBrokenChartsOfAnIndex(t *testing.T) {
	for name, text := range map[string]string{
		"Helm's": "entries:\n  web:\n  - urls: 7\n    version: 1.0.0\n  api:\n  - version: 2.0.0\n",
		"JSON":   `{"entries":{"web":[{"urls":7}],"api":[{"version":"2.0.0"}]}}`,
		"other":  "entries: {web: [{urls: 7}], api: [{version: 2.0.0}]}\n",
	} {
		x, err := ParseIndex([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := x.Find("web", ""); err == nil || !strings.Contains(err.Error(), `cannot read chart "web" in index.yaml: `) || !gitops.IsProblem(err, gitops.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
		if api, err := x.Find("api", ""); err != nil || api.Version != "2.0.0" {
			t.Errorf("%s: it hides another: %+v, %v", name, api, err)
		}
	}
}

// TestKeysAreBounded: the library compares all keys of a mapping with one another.
func TestKeysAreBounded(t *testing.T) {
	same := "{" + strings.Repeat("a,", 2000) + "}"
	listed := func(text string) error {
		x, err := ParseIndex([]byte(text))
		if err != nil {
			return err
		}
		_, err = x.Find("web", "")
		return err
	}
	_, meta := ParseMeta([]byte("name: a\nversion: 1.0.0\nannotations: " + same + "\n"))
	for name, err := range map[string]error{
		"Chart.yaml": meta,
		"Helm's":     listed("entries:\n  web:\n  - " + same + "\n"),
		"JSON":       listed(`{"entries":{"web":[` + same + `]}}`),
		"charts":     listed(`{"entries":` + same + `}`),
	} {
		if err == nil || !strings.Contains(err.Error(), `the key "a" stands in its mapping already`) || len(err.Error()) > 500 {
			t.Errorf("%s: %.1000v", name, err)
		}
	}
	if m, err := ParseMeta([]byte("name: a\nversion: 1.0.0\nannotations: {b: c, b: d}\n")); err != nil || m.Name != "a" {
		t.Errorf("a key twice where nobody looks: %+v, %v", m, err)
	}
}

func TestShelf(t *testing.T) {
	chart := func(name, version string) []byte { return []byte("name: " + name + "\nversion: " + version + "\n") }
	tree, err := archive.NewTree(map[string][]byte{
		"web/Chart.yaml":          chart("web", "1.0.0"),
		"api/1.0.0/Chart.yaml":    chart("api", "1.0.0"),
		"api/2.0.0/Chart.yaml":    chart("api", "2.0.0"),
		"db-0.1.0.tgz":            nil,
		"db-0.2.0.tgz":            nil,
		"ns/deep/Chart.yaml":      chart("deep", "3.0.0"),
		"listed-file.tgz":         nil,
		"bad/Chart.yaml":          []byte("name: ["),
		"index.yaml":              []byte("entries: {listed: [{version: 9.9.9, urls: ['https://x/listed-file.tgz']}]}"),
		"web-extra-1.0.0.tgz":     nil,
		"notes/README.md":         nil,
		"api/1.0.0/templates/a":   nil,
		"ns/packed-1.1.0+b.2.tgz": nil,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := NewShelf(tree)
	cases := map[string]struct{ reason, name, revision, path, fails string }{
		"folder":   {"a chart's folder", "web", "1.x", "web", ""},
		"versions": {"a folder a version", "api", "1.0.0", "api/1.0.0", ""},
		"newest":   {"the newest of them", "api", "", "api/2.0.0", ""},
		"archive":  {"an archive", "db", "<0.2", "db-0.1.0.tgz", ""},
		"deep":     {"a name with a slash", "ns/deep", "", "ns/deep", ""},
		"packed":   {"an archive in a folder", "ns/packed", "", "ns/packed-1.1.0+b.2.tgz", ""},
		"index":    {"what the index says", "listed", "9.9.9", "listed-file.tgz", ""},
		"version":  {"versions are listed", "api", "3.x", "", "2.0.0, 1.0.0"},
		"chart":    {"charts are listed", "wob", "", "", "web"},
		"broken":   {"the file is named", "bad", "", "", "bad/Chart.yaml"},
		"escape":   {"names cannot leave", "../x", "", "", "no name"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := s.Find(c.name, c.revision)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("%s: got %v", c.reason, err)
				}
				return
			}
			if err != nil || got.Path != c.path {
				t.Errorf("%s: got %+v, %v", c.reason, got, err)
			}
		})
	}
}

func FuzzParseIndex(f *testing.F) {
	f.Add([]byte(index))
	if data, err := os.ReadFile("testdata/index.yaml"); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		x, err := ParseIndex(data)
		if err != nil {
			return
		}
		for _, name := range x.names() {
			_, _ = x.Find(name, "*") // must not panic
		}
	})
}
