package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folder makes a folder with files and returns its path.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const head = "apiVersion: causeway.io/v1alpha1\nkind: LocalFleet\nmetadata: {name: shop}\nspec:\n"

func TestRead(t *testing.T) {
	dir := folder(t, map[string]string{
		"dev.yaml": "", "charts/x": "", "boot/a.yaml": "",
		"fleet.yaml": head + "  clusters:\n  - {name: dev, secret: dev.yaml, nodes: 2}\n  - {name: hub, hub: true}\n" +
			"  mirrors: {\"https://charts.example.com\": charts}\n  apply: [boot]\n  next: see\n",
	})
	got, err := Read(filepath.Join(dir, "fleet.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "shop" || got.Namespace != DefaultNamespace || got.Next != "see" {
		t.Errorf("got %+v", got)
	}
	want := []Cluster{{Name: "hub", Hub: true}, {Name: "dev", Secret: filepath.Join(dir, "dev.yaml"), Nodes: 2}}
	if diff := cmp.Diff(want, got.Clusters); diff != "" {
		t.Errorf("the hub comes first, and paths count from the file: %s", diff)
	}
	if len(got.Mirrors) != 1 || got.Mirrors[0].Path != filepath.Join(dir, "charts") {
		t.Errorf("mirrors: %+v", got.Mirrors)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "boot")}, got.Apply); diff != "" {
		t.Error(diff)
	}
}

// TestReadFormerVersion: files of before there was one API domain are read, and known.
func TestReadFormerVersion(t *testing.T) {
	former := strings.Replace(head, APIVersion, FormerAPIVersion, 1)
	dir := folder(t, map[string]string{"now.yaml": head + "  clusters: [{name: hub, hub: true}]\n  apply: [now.yaml]\n", "former.yaml": former + "  clusters: [{name: hub, hub: true}]\n  apply: [now.yaml]\n"})
	for name, want := range map[string]bool{"now.yaml": false, "former.yaml": true} {
		got, err := Read(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got.Former != want {
			t.Errorf("%s: former is %v", name, got.Former)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	tests := map[string]struct {
		reason string
		text   string
		want   []string
	}{
		"Empty":         {reason: "an empty file is no fleet", text: "", want: []string{"it is empty"}},
		"NoYAML":        {reason: "the line is told", text: "a: b\n c: d\n", want: []string{"line 2"}},
		"UnknownField":  {reason: "a typing error is named with its line", text: head + "  clustres: []\n", want: []string{"fleet.yaml:5", `"clustres"`, "clusters, mirrors"}},
		"UnknownInside": {reason: "inside of lists too", text: head + "  clusters:\n  - {name: hub, secrt: x}\n", want: []string{"fleet.yaml:6", `"secrt"`, "name, hub, secret"}},
		"Documents":     {reason: "a cluster behind a mark is not passed over", text: head + "  clusters: [{name: a}]\n---\nspec: {clusters: [{name: b}]}\n", want: []string{"fleet.yaml: line 7", "have all of it in one document"}},
		"OneKey":        {reason: "a key is written once", text: head + strings.Repeat("  next: x\n", 2000), want: []string{"line 2004", `the key "next" stands in its mapping already`}},
		"Values":        {reason: "a file is what a person writes", text: head + "  apply: [" + strings.Repeat("{},", 400_000) + "]\n", want: []string{"more than 400000 values"}},
		"WrongType":     {reason: "a wrong type is told with its line", text: head + "  clusters:\n  - {name: hub, nodes: many}\n", want: []string{"fleet.yaml:6", "many"}},
		"WrongKind":     {reason: "another kind is refused", text: "apiVersion: v1\nkind: Secret\n", want: []string{`"Secret"`, "LocalFleet"}},
		"NoClusters":    {reason: "a fleet has a hub", text: head + "  namespace: x\n", want: []string{"spec.clusters is empty"}},
		"NoHub":         {reason: "the engine lives somewhere", text: head + "  clusters: [{name: a}, {name: b}]\n", want: []string{"0 clusters have hub: true"}},
		"TwoHubs":       {reason: "in one place", text: head + "  clusters: [{name: a, hub: true}, {name: b, hub: true}]\n", want: []string{"2 clusters have hub: true"}},
		"BadName":       {reason: "names become folders and contexts", text: head + "  clusters: [{name: ../x}]\n", want: []string{`"../x" is no name`}},
		"SameName":      {reason: "names are told apart", text: head + "  clusters: [{name: a, hub: true}, {name: a}]\n", want: []string{`a second cluster is named "a"`}},
		"NoSecret":      {reason: "a missing file is named", text: head + "  clusters: [{name: a, secret: nope.yaml}]\n", want: []string{"secret of cluster a", "nope.yaml"}},
		"TwoWords":      {reason: "a cluster is described in one place", text: head + "  undescribed: true\n  clusters: [{name: a, secret: a.yaml}]\n", want: []string{"spec.clusters[0]", "undescribed"}},
		"NoApply":       {reason: "all problems are told at once", text: head + "  clusters: [{name: a, secret: nope.yaml}]\n  apply: [gone]\n", want: []string{"nope.yaml", "gone"}},
		"NoMirror":      {reason: "a mirror is a folder", text: head + "  clusters: [{name: a}]\n  mirrors: {\"https://x.example.com\": gone}\n", want: []string{"https://x.example.com", "gone"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Read(filepath.Join(folder(t, map[string]string{"fleet.yaml": tc.text}), "fleet.yaml"))
			if err == nil {
				t.Fatalf("%s: no error", tc.reason)
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %q is not in %q", tc.reason, part, err)
				}
			}
		})
	}
}

func TestReadMissingFile(t *testing.T) {
	_, err := Read(filepath.Join(t.TempDir(), "fleet.yaml"))
	if err == nil || !strings.Contains(err.Error(), "--file") {
		t.Errorf("the error says which flag to use: %v", err)
	}
}

func TestReadTheExample(t *testing.T) {
	fleet, err := Read("../../examples/fleet/causeway.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(fleet.Clusters) != 4 || fleet.Hub().Name != "hub" || fleet.Next == "" {
		t.Errorf("got %+v", fleet)
	}
}

func TestRememberedFleetIsTheSame(t *testing.T) {
	dir := folder(t, map[string]string{"charts/x": "", "fleet.yaml": head + "  clusters: [{name: hub}]\n  mirrors: {\"https://charts.example.com\": charts}\n"})
	fleet, err := Read(filepath.Join(dir, "fleet.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	home, err := HomeOf(filepath.Join(dir, "state"), fleet.Name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := home.Recall(); err == nil || !strings.Contains(err.Error(), "never started") {
		t.Errorf("before the first start: %v", err)
	}
	if err := home.Remember(fleet); err != nil {
		t.Fatal(err)
	}
	again, err := home.Recall()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fleet, again); diff != "" {
		t.Error(diff)
	}
}
