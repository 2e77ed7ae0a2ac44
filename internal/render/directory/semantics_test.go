package directory

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func utf16Of(text string, order binary.AppendByteOrder) string {
	out := order.AppendUint16(nil, 0xFEFF)
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

// TestFiles tells what becomes of files: objects with their places, warnings,
// or an error.
func TestFiles(t *testing.T) {
	cases := map[string]struct {
		reason   string
		files    treetest.Files
		spec     v1alpha1.ApplicationSourceDirectory
		settings source.Settings
		want     []string
		warnings []string
		fails    string
	}{
		"Items": {"items of lists have their own lines",
			treetest.Files{"app/a.yaml": "# c\napiVersion: v1\nkind: List\nitems:\n- kind: A\n  metadata: {name: a}\n-\n  kind: B\n  metadata: {name: b}\n---\nkind: C\nmetadata: {name: c}\n", "app/b.json": "{\"kind\": \"List\", \"items\": [\n{\"kind\": \"D\", \"metadata\": {\"name\": \"d\"}}\n]}"},
			v1alpha1.ApplicationSourceDirectory{}, source.Settings{}, []string{"A/a app/a.yaml:5", "B/b app/a.yaml:8", "C/c app/a.yaml:11", "D/d app/b.json:2"}, nil, ""},
		"UTF16": {"files of Windows' editors are read, in both orders",
			treetest.Files{"app/a.yaml": utf16Of("kind: A\nmetadata: {name: ä😀}\n", binary.LittleEndian), "app/b.json": utf16Of(`{"kind": "B", "metadata": {"name": "b"}}`, binary.BigEndian), "app/c.yaml": utf16Of("# +argocd:skip-file-rendering\nkind: C\n", binary.LittleEndian)},
			v1alpha1.ApplicationSourceDirectory{}, source.Settings{}, []string{"A/ä😀 app/a.yaml:1", "B/b app/b.json:1"}, nil, ""},
		"Binary":         {"a binary file is left out", treetest.Files{"app/a.yaml": "\x7fELF\x00\x01\x02\xff", "app/b.yaml": "kind: B\nmetadata: {name: b}\n"}, v1alpha1.ApplicationSourceDirectory{}, source.Settings{}, []string{"B/b app/b.yaml:1"}, []string{"SkippedManifestWarning app/a.yaml:1"}, ""},
		"HalfManifest":   {"a file that was one, people are told of", treetest.Files{"app/a.yaml": "apiVersion: v1\nknd: A\n", "app/b.yaml": "<<<<<<< HEAD\n", "app/c.yaml": "replicas: 2\n", "app/d.yaml": "- op: add\n"}, v1alpha1.ApplicationSourceDirectory{}, source.Settings{}, nil, []string{"SkippedManifestWarning app/a.yaml:1", "SkippedManifestWarning app/b.yaml:1", "SkippedFile app/c.yaml:1", "SkippedFile app/d.yaml:1"}, ""},
		"BinaryManifest": {"unless it looks like manifests", treetest.Files{"app/a.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: \xff\xfe}\n"}, v1alpha1.ApplicationSourceDirectory{}, source.Settings{}, nil, nil, "app/a.yaml"},
		"OCI":            {"the manifest of an artifact is left out", treetest.Files{"app/a.json": `{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "layers": []}`}, v1alpha1.ApplicationSourceDirectory{}, source.Settings{}, nil, []string{"SkippedFile app/a.json:1"}, ""},
		"Extensions":     {"files of any name where the filter is off", treetest.Files{"app/a.txt": "kind: A\nmetadata: {name: a}\n", "app/readme.md": "# words\n"}, v1alpha1.ApplicationSourceDirectory{DisableExtensionFilter: true, Exclude: "*.md"}, source.Settings{}, []string{"A/a app/a.txt:1"}, nil, ""},
		"NoJsonnet":      {"Jsonnet that the installation turns off", treetest.Files{"app/a.jsonnet": "{kind: 'A'}", "app/b.yaml": "kind: B\nmetadata: {name: b}\n"}, v1alpha1.ApplicationSourceDirectory{}, source.Settings{Disabled: []gitops.SourceType{gitops.SourceDirectory}}, []string{"B/b app/b.yaml:1"}, []string{"SkippedFile app/a.jsonnet"}, ""},
		"NoItem":         {"an item that is no object", treetest.Files{"app/a.yaml": "kind: List\nitems: [1]\n"}, v1alpha1.ApplicationSourceDirectory{}, source.Settings{}, nil, nil, "item 0 of the List is no object"},
		"Huge":           {"more than is allowed", treetest.Files{"app/a.yaml": "kind: A\nx: " + strings.Repeat("y", DefaultMaxBytes) + "\n"}, v1alpha1.ApplicationSourceDirectory{}, source.Settings{}, nil, nil, "more than 10 MiB"},
		"Glob":           {"a pattern that is none", treetest.Files{"app/a.yaml": ""}, v1alpha1.ApplicationSourceDirectory{Include: "[a"}, source.Settings{}, nil, nil, "directory.include"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := sourceOf(t, tc.files, tc.spec)
			s.Settings = tc.settings
			got, err := Renderer{}.Render(t.Context(), s)
			if tc.fails != "" {
				var p *gitops.Problem
				if !errors.As(err, &p) || !strings.Contains(err.Error(), tc.fails) {
					t.Fatalf("%s: got %v", tc.reason, err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			check(t, tc.reason, tc.want, tc.warnings, got, s)
		})
	}
}

func check(t *testing.T, reason string, want, wantWarnings []string, got []gitops.Manifest, s *source.Source) {
	t.Helper()
	var lines, warnings []string
	for _, m := range got {
		lines = append(lines, m.Object.GetKind()+"/"+m.Object.GetName()+" "+m.Origin.String())
	}
	for _, w := range s.Warnings() {
		warnings = append(warnings, w.Reason+" "+w.Origin.File+strings.TrimPrefix(w.Origin.String(), w.Origin.File))
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("%s: -want +got:\n%s", reason, diff)
	}
	for i, w := range wantWarnings {
		if i >= len(warnings) || !strings.HasPrefix(warnings[i], w) {
			t.Errorf("%s: got warnings %v, want %v", reason, warnings, wantWarnings)
		}
	}
	if len(warnings) != len(wantWarnings) {
		t.Errorf("%s: got warnings %v, want %v", reason, warnings, wantWarnings)
	}
}

// TestLinks tells what becomes of symbolic links.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"app/a.yaml": "kind: A\nmetadata: {name: a}\n", "other/b.yaml": "kind: B\nmetadata: {name: b}\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"app/b.yaml": "../other/b.yaml", "app/folder.yaml": "../other", "app/gone.yaml": "nothing.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	render := func() ([]gitops.Manifest, *source.Source, error) {
		snapshot, err := treetest.Folder("r", "1", dir)
		if err != nil {
			t.Fatal(err)
		}
		s := &source.Source{Path: "app", Env: environ.Env{}, Tree: record.Wrap(t.Context(), snapshot, record.Limits{})}
		got, err := Renderer{}.Render(t.Context(), s)
		return got, s, err
	}
	got, s, err := render()
	if err != nil {
		t.Fatal(err)
	}
	check(t, "links inside the repository are followed, those to nothing left out", []string{"A/a app/a.yaml:1", "B/b app/b.yaml:1"}, []string{"SkippedFile app/gone.yaml"}, got, s)
	if err := os.Symlink("../../outside.yaml", filepath.Join(dir, "app/out.yaml")); err != nil {
		t.Fatal(err)
	}
	var p *gitops.Problem
	if _, _, err := render(); !errors.As(err, &p) || p.Where.File != "app/out.yaml" {
		t.Errorf("a link out of the repository is an error: %v", err)
	}
}

// FuzzGlob compiles and matches patterns that users write.
func FuzzGlob(f *testing.F) {
	for _, s := range []string{"*", "{a,b}", "**/*.yaml", "[a-z]*", "{*.yaml,{x,y}/**}", "[!a]", `\*`, "{", "[", "{a,{b,c}}d", "?", "[^]"} {
		f.Add(s, "app/a.yaml")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern) > 200 || len(name) > 200 {
			return
		}
		s := sourceOf(t, treetest.Files{}, v1alpha1.ApplicationSourceDirectory{Include: pattern})
		filter, _, err := settings(s)
		var p *gitops.Problem
		if err != nil && !errors.As(err, &p) {
			t.Fatalf("no Problem: %v", err)
		}
		if err == nil {
			filter.takes(name)
		}
	})
}
