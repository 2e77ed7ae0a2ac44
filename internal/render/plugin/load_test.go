package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const full = `# ours
apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata:
  name: cue
  namespace: argocd
spec:
  version: v1.0
  allowConcurrency: true
  init:
    command: [sh]
    args: [-c, 'true']
  generate:
    command: [cue, export]
    args:
    - --out
    - yaml
  discover:
    fileName: "./sub/s*.cue"
    find:
      glob: "**/*.cue"
      command: [sh, -c]
      args: ["find . -name '*.cue'"]
  parameters:
    static:
    - name: tag
      title: Tag
      required: true
      string: v1
    - name: files
      collectionType: array
      array: [a, b]
    - {name: labels, collectionType: map, map: {a: b}}
    dynamic:
      command: [echo, '[]']
  preserveFileMode: true
  provideGitCreds: false
`

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoad(t *testing.T) {
	got, err := Load(folder(t, map[string]string{
		"b.yaml": full, "README.md": "no plugin",
		"a.yml": "---\n" + strings.Replace(full, "version: v1.0", "", 1) + "---\n# nothing\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := Plugin{
		Name: "cue", Version: "v1.0",
		Init:             Command{[]string{"sh"}, []string{"-c", "true"}},
		Generate:         Command{[]string{"cue", "export"}, []string{"--out", "yaml"}},
		PreserveFileMode: true, File: "b.yaml", Line: 2,
	}
	want.Discover.FileName = "./sub/s*.cue"
	want.Discover.Find.Glob = "**/*.cue"
	want.Discover.Find.Command = Command{[]string{"sh", "-c"}, []string{"find . -name '*.cue'"}}
	if len(got) != 2 || got[0].ID() != "cue" || got[1].ID() != "cue-v1.0" {
		t.Fatalf("got %+v", got)
	}
	if diff := cmp.Diff(want, got[1]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestLoadProblems tells that each fault has its file and line, and that the
// other plugins are there all the same.
func TestLoadProblems(t *testing.T) {
	change := func(old, with string) string { return strings.Replace(full, old, with, 1) }
	cases := map[string]struct{ reason, text, want, where string }{
		"YAML":     {"no YAML", change("kind: Config", "kind: [Config"), "did not find", "x.yaml:2"}, // the library tells the line before
		"Type":     {"another type", change("command: [sh]", "command: sh"), "cannot unmarshal", "x.yaml:11"},
		"Kind":     {"another kind", change("kind: ConfigM", "kind: M"), "kind is", "x.yaml:3"},
		"Version":  {"another version", change("v1alpha1", "v1"), "apiVersion is", "x.yaml:2"},
		"Name":     {"no name", change("  name: cue\n", ""), "metadata.name is missing", "x.yaml:4"},
		"BadName":  {"a name that is a path", change("name: cue", "name: ../cue"), "metadata.name may", "x.yaml:5"},
		"Generate": {"nothing to run", change("command: [cue, export]", "command: []"), "spec.generate.command", "x.yaml:13"},
		"Init":     {"arguments of nothing", change("command: [sh]\n", "\n"), "spec.init.command", "x.yaml:10"},
		"Creds":    {"credentials", change("provideGitCreds: false", "provideGitCreds: true"), "provideGitCreds is not supported", "x.yaml:37"},
		"FileName": {"a broken pattern", change("./sub/s*.cue", "[a"), "fileName is no pattern", "x.yaml:19"},
		"Glob":     {"another broken pattern", change(`"**/*.cue"`, `"{a"`), "glob is no pattern", "x.yaml:21"},
		"Static":   {"a parameter without a name", change("- name: tag\n      title", "- title"), "no name", "x.yaml:25"},
		"List":     {"a list", "- a\n", "no mapping", "x.yaml:1"},
		"Twice":    {"the same once more", full + "---\n" + full, "is there already, in x.yaml:2", "x.yaml:40"},
		"Keys":     {"one key very often", change("kind: Config", strings.Repeat("a:\n", 1000)+"kind: Config"), "the key \"a\" stands", "x.yaml:1002"},
		"Values":   {"more than is read", "a: [" + strings.Repeat(",", 400_000) + "]", "more than 400000 values", "x.yaml:1"},
		"Large":    {"a huge file", strings.Repeat("#", maxFile+1), "more than", "x.yaml"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Load(folder(t, map[string]string{"good.yaml": strings.Replace(full, "name: cue", "name: good", 1), "x.yaml": tc.text}))
			var p *gitops.Problem
			if !errors.As(err, &p) || !strings.Contains(p.What, tc.want) || p.Where.String() != tc.where {
				t.Errorf("%s: got %v at %v, want %q", tc.reason, err, p, tc.want)
			}
			if len(got) == 0 || got[0].Name != "good" {
				t.Errorf("%s: the good plugin is lost", tc.reason)
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing folder is no folder of plugins")
	}
}

// FuzzParse reads any text as a plugin file: plugins that can be run, or
// problems with the file's name.
func FuzzParse(f *testing.F) {
	f.Add(full)
	f.Add("---\n" + full + "---\n- a\n")
	f.Add("a: &a [*a]\n")
	f.Add("kind: ConfigManagementPlugin\napiVersion: argoproj.io/v1alpha1\nmetadata: {name: x}\nspec: {generate: {command: [a]}, discover: {find: {glob: '{a'}}}")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parse("x.yaml", []byte(text))
		for _, p := range got {
			if p.ID() == "" || !p.Generate.set() || p.File != "x.yaml" || p.Line == 0 {
				t.Errorf("got %+v", p)
			}
		}
		if err != nil && !strings.Contains(err.Error(), "x.yaml") {
			t.Errorf("no file: %v", err)
		}
	})
}
