package offline

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
)

// treeOf is a tree with files.
func treeOf(files map[string]string) fs.FS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

const fleetHead = "apiVersion: causeway.io/v1alpha1\nkind: Fleet\n"

// TestDescriptionsThatCannotBeRead name their file: a pipeline names a folder, or a file that
// somebody else has written.
func TestDescriptionsThatCannotBeRead(t *testing.T) {
	away := errors.New("away")
	for name, tc := range map[string]struct {
		reason string
		files  map[string]string
		path   string
		says   []string
	}{
		"Nameless": {"a cluster without an address", map[string]string{"a/fleet.yaml": fleetHead + "clusters: [{name: one}]\n"}, "a/fleet.yaml", []string{"cluster 1 of the fleet file has no name or no server (a/fleet.yaml)"}},
		"Facts":    {"facts that are not there", map[string]string{"a/fleet.yaml": fleetHead + "clusters: [{name: one, server: 'https://one', facts: x}]\n"}, "a/fleet.yaml", []string{`the fleet file has no facts "x" (a/fleet.yaml)`, "causeway export fleet"}},
		"Field":    {"a field that is misspelt", map[string]string{"a/fleet.yaml": fleetHead + "cluster: []\n"}, "a/fleet.yaml", []string{"cannot read the fleet file: ", "(a/fleet.yaml)"}},
		"Secret":   {"a Secret of a file without an address", map[string]string{"a/one.yaml": secretOf("one", "")}, "a/one.yaml", []string{"cluster Secret one has no server (a/one.yaml:1)", "stringData.server"}},
		"Second":   {"or of the second file of a folder", map[string]string{"a/one.yaml": secretOf("one", "https://one"), "a/two.yaml": settingsOf("1") + "---\n" + secretOf("two", "")}, "a", []string{"cluster Secret two has no server (a/two.yaml:6)"}},
		"YAML":     {"a file that is none", map[string]string{"a/one.yaml": secretOf("one", "https://one"), "a/two.yaml": secretOf("two", "https://two") + "x: [\n"}, "a", []string{"a/two.yaml:", "correct the YAML"}},
		"Empty":    {"a folder with nothing in it that counts", map[string]string{"a/notes.txt": secretOf("one", "https://one"), "a/fleet.yaml": fleetHead}, "a", []string{"a describes no cluster", "name a fleet file of causeway export fleet, or Secrets with the label argocd.argoproj.io/secret-type: cluster"}},
		"Missing":  {"a file that is not there", map[string]string{"a/one.yaml": ""}, "b.yaml", []string{"b.yaml"}},
		"Form":     {"what another form has in it", map[string]string{"a/local.yaml": "kind: Local\n"}, "a/local.yaml", []string{"away"}},
	} {
		t.Run(name, func(t *testing.T) {
			other := func(_ fs.FS, _ string, text []byte) ([]declared.Cluster, bool, error) {
				if strings.Contains(string(text), "kind: Local") {
					return nil, false, away
				}
				return nil, false, nil
			}
			_, err := rosterAt(t.Context(), treeOf(tc.files), tc.path, Clusters{Other: other})
			for _, text := range tc.says {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Errorf("%s: got %v, want %q", tc.reason, err, text)
				}
			}
		})
	}
}

// TestFormsOfDescriptions: each cluster says where it is described, so that what is wrong
// with it can be mended there, and has the facts that were given where it says none.
func TestFormsOfDescriptions(t *testing.T) {
	files := map[string]string{
		"fleet.yaml": fleetHead + "facts: {new: {kubeVersion: 1.34.0}}\nclusters: [{name: one, server: 'https://one'}, {name: two, server: 'https://two', facts: new}]\n",
		"local.yaml": "kind: Local\n",
		"all/a.json": `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "j", "labels": {"argocd.argoproj.io/secret-type": "cluster"}}, "stringData": {"name": "j", "server": "https://j"}}`,
		"all/b.yaml": settingsOf("1") + "---\n" + secretOf("u", "https://u"),
		"all/c.yml":  strings.Replace(secretOf("v", "https://v"), "secret-type: cluster", "secret-type: cluster, argocd.argoproj.io/kubernetes-version: v1.35", 1),
		"twice.yaml": secretOf("t", "https://t") + "---\n" + strings.Replace(secretOf("t", "https://t"), "name: t,", "name: later,", 1),
	}
	other := func(_ fs.FS, name string, text []byte) ([]declared.Cluster, bool, error) {
		if !strings.Contains(string(text), "kind: Local") {
			return nil, false, nil
		}
		s := &corev1.Secret{StringData: map[string]string{"name": "local", "server": "https://local"}}
		s.Name, s.Data = "local", map[string][]byte{"name": []byte("local"), "server": []byte("https://local")}
		return []declared.Cluster{{Secret: s, Place: declared.Place{File: name, Line: 3}}}, true, nil
	}
	for path, want := range map[string][]string{
		"fleet.yaml": {"one fleet.yaml 1.33.0", "two fleet.yaml 1.34.0"},
		"local.yaml": {"local local.yaml:3 1.33.0"},
		"all":        {"j all/a.json:1 1.33.0", "u all/b.yaml:6 1.33.0", "v all/c.yml:1 1.35.0"},
		"all/b.yaml": {"u all/b.yaml:6 1.33.0"},
		"twice.yaml": {"t twice.yaml:6 1.33.0"},
	} {
		got, err := rosterAt(t.Context(), treeOf(files), path, Clusters{Facts: gitops.Facts{KubeVersion: "1.33.0"}, Other: other})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var told []string
		for _, c := range got.Clusters {
			told = append(told, strings.Join([]string{c.Name, c.Origin.String(), c.Facts.KubeVersion}, " "))
		}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

// TestFoldersAreLeftWhenNobodyWaits: a folder of very many files is not read to its end.
func TestFoldersAreLeftWhenNobodyWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rosterAt(ctx, treeOf(map[string]string{"a/one.yaml": secretOf("one", "https://one")}), "a", Clusters{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
