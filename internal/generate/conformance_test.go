package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/test/deviation"
)

// recorded is how many cases there are; the number only goes up.
const recorded = 830

// suite is one folder of the conformance data with one list of clusters.
type suite struct {
	root, dir string
	expected  string
	clusters  string
	semantics bool
	options   []Option
}

// entry is one case: see the README of the conformance data.
type entry struct {
	Source         string           `json:"source"`
	ApplicationSet string           `json:"applicationSet"`
	Namespace      string           `json:"namespace"`
	Error          string           `json:"error"`
	Stage          string           `json:"stage"`
	Applications   []map[string]any `json:"applications"`
	Rejected       []struct {
		Name        string         `json:"name"`
		Stage       string         `json:"stage"`
		Application map[string]any `json:"application"`
	} `json:"rejected"`
	Deleted []string `json:"deleted"`
}

func TestApplicationSetConformance(t *testing.T) {
	root := sharedRoot(t)
	tally := deviation.New(t)
	for _, s := range suites(t, root) {
		s.run(t, tally)
	}
	tally.End(t, recorded)
}

// sharedRoot is the folder with the conformance data, beside the module.
func sharedRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		t.Fatal("cannot find go.mod above the test's folder")
	}
	root := filepath.Join(filepath.Dir(dir), "shared")
	if _, err := os.Stat(filepath.Join(root, "conformance", "applicationset")); err != nil {
		deviation.Missing(t, "shared/conformance/applicationset")
	}
	return root
}

func suites(t testing.TB, root string) []suite {
	t.Helper()
	lists, err := filepath.Glob(filepath.Join(root, "conformance", "applicationset", "*", "expected*.yaml"))
	if err != nil || len(lists) == 0 {
		t.Fatalf("no lists of expected results: %v", err)
	}
	var out []suite
	for _, list := range lists {
		dir := filepath.Dir(list)
		s := suite{
			root: root, dir: dir, expected: list, clusters: filepath.Join(dir, "clusters.yaml"),
			semantics: strings.HasPrefix(filepath.Base(dir), "semantics"),
		}
		switch filepath.Base(list) {
		case "expected-single.yaml":
			s.clusters = filepath.Join(dir, "clusters-single.yaml")
		case "expected-new-git-file-globbing.yaml":
			s.options = []Option{WithDoublestarFiles()}
		}
		out = append(out, s)
	}
	return out
}

func (s suite) name() string {
	return strings.TrimSuffix(filepath.Base(s.dir)+strings.TrimPrefix(filepath.Base(s.expected), "expected"), ".yaml")
}

func (s suite) run(t *testing.T, tally *deviation.Tally) {
	t.Helper()
	var entries []entry
	readYAML(t, s.expected, &entries)
	g, live := s.generator(t)
	for _, e := range entries {
		difference := ""
		if err := s.compare(t, g, e, live[e.ApplicationSet]); err != nil {
			difference = err.Error()
		}
		tally.Case(t, s.name()+" "+e.Source+"/"+e.ApplicationSet, difference)
	}
}

func (s suite) generator(t testing.TB) (*Generator, map[string][]v1alpha1.Application) {
	t.Helper()
	repos := map[string]string{}
	readYAML(t, filepath.Join(s.dir, "repos.yaml"), &repos)
	snapshots := fakeRepos{}
	for url, dir := range repos {
		snapshots[plainURL(url)] = dirTree{os.DirFS(filepath.Join(s.root, dir))}
	}
	var projects Projects = anyProject{}
	if s.semantics {
		projects = fakeProjects{"default", "platform", "team-a", "addons"}
	}
	live := map[string][]v1alpha1.Application{}
	if path := filepath.Join(s.dir, "live.yaml"); exists(path) {
		readYAML(t, path, &live)
	}
	return New(readClusters(t, s.clusters), snapshots, projects, s.options...), live
}

func (s suite) compare(t testing.TB, g *Generator, e entry, live []v1alpha1.Application) error {
	t.Helper()
	set, err := s.read(t, e)
	if err == nil {
		err = admission(t, set)
	}
	var exp *Expansion
	if err == nil {
		typed := &v1alpha1.ApplicationSet{}
		if err := convert(set, typed); err != nil {
			return err
		}
		if typed.Namespace == "" {
			typed.Namespace = "argocd"
		}
		if exp, err = g.Applications(context.Background(), typed); err == nil {
			if e.Error != "" {
				return fmt.Errorf("no error, want: %s", e.Error)
			}
			return compareResult(typed, exp, live, e)
		}
	}
	if e.Error == "" {
		return fmt.Errorf("unexpected error: %w", err)
	}
	return nil
}

// read finds the document of an entry.
func (s suite) read(t testing.TB, e entry) (map[string]any, error) {
	t.Helper()
	path := filepath.Join(s.dir, e.Source)
	if !s.semantics {
		path = filepath.Join(s.root, "corpus", filepath.Base(s.dir), e.Source)
	}
	for _, doc := range readDocs(t, path) {
		var object map[string]any
		if err := yaml.Unmarshal(doc, &object); err != nil {
			continue
		}
		meta, _ := object["metadata"].(map[string]any)
		if object["kind"] == "ApplicationSet" && meta["name"] == e.ApplicationSet {
			return object, nil
		}
	}
	return nil, errors.New("no such ApplicationSet in the file")
}

func compareResult(set *v1alpha1.ApplicationSet, exp *Expansion, live []v1alpha1.Application, e entry) error {
	changes, err := Plan(context.Background(), set, live, exp)
	if err != nil {
		return err
	}
	after := map[string]v1alpha1.Application{}
	for _, list := range [][]v1alpha1.Application{live, changes.Create, changes.Update} {
		for _, app := range list {
			after[app.Name] = app
		}
	}
	var deleted []string
	for _, app := range changes.Delete {
		delete(after, app.Name)
		deleted = append(deleted, app.Name)
	}
	if d := cmp.Diff(e.Deleted, deleted); d != "" {
		return fmt.Errorf("deleted (-want +got):\n%s", d)
	}
	got, want := map[string]any{}, map[string]any{}
	for name, app := range after {
		got[name] = significant(app)
	}
	for _, app := range e.Applications {
		want[app["metadata"].(map[string]any)["name"].(string)] = withoutZero(app)
	}
	if d := cmp.Diff(want, got); d != "" {
		return fmt.Errorf("Applications (-want +got):\n%s", d)
	}
	return compareRejected(exp, e)
}

func compareRejected(exp *Expansion, e entry) error {
	got, want := map[string]any{}, map[string]any{}
	for _, r := range exp.Rejected {
		got[r.Name] = map[string]any{"stage": string(r.By)}
		if r.Application != nil {
			got[r.Name].(map[string]any)["application"] = significant(*r.Application)
		}
	}
	for _, r := range e.Rejected {
		want[r.Name] = map[string]any{"stage": r.Stage}
		if r.Application != nil {
			want[r.Name].(map[string]any)["application"] = withoutZero(r.Application)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		return fmt.Errorf("rejected (-want +got):\n%s", d)
	}
	return nil
}

// significant is what the data has of an Application.
func significant(app v1alpha1.Application) map[string]any {
	text, err := json.Marshal(app)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	object := map[string]any{}
	if err := json.Unmarshal(text, &object); err != nil {
		return map[string]any{"error": err.Error()}
	}
	delete(object, "status")
	meta, _ := object["metadata"].(map[string]any)
	for k := range meta {
		if !slices.Contains([]string{"name", "namespace", "labels", "annotations", "finalizers"}, k) {
			delete(meta, k)
		}
	}
	return withoutZero(object)
}

// withoutZero drops empty labels, which equal absent ones, and the empty
// structs that Argo CD's own encoder cannot leave out.
func withoutZero(app map[string]any) map[string]any {
	meta, _ := app["metadata"].(map[string]any)
	for _, k := range []string{"labels", "annotations", "finalizers"} {
		if m, ok := meta[k].(map[string]any); ok && len(m) == 0 {
			delete(meta, k)
		}
	}
	operation, _ := app["operation"].(map[string]any)
	for _, k := range []string{"initiatedBy", "retry"} {
		if m, ok := operation[k].(map[string]any); ok && len(m) == 0 {
			delete(operation, k)
		}
	}
	return app
}

func readClusters(t testing.TB, path string) fakeClusters {
	t.Helper()
	var out fakeClusters
	for _, doc := range readDocs(t, path) {
		var secret struct {
			Metadata struct {
				Name, Namespace     string
				Labels, Annotations map[string]string
			}
			StringData map[string]string
		}
		if err := yaml.Unmarshal(doc, &secret); err != nil {
			t.Fatal(err)
		}
		if secret.Metadata.Namespace != "argocd" || secret.Metadata.Labels[secretTypeLabel] != "cluster" {
			continue
		}
		out = append(out, gitops.Cluster{
			Name: secret.StringData["name"], Server: secret.StringData["server"], Secret: secret.Metadata.Name,
			Project: secret.StringData["project"], Labels: secret.Metadata.Labels, Annotations: secret.Metadata.Annotations,
		})
	}
	return out
}

func readDocs(t testing.TB, path string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	reader := utilyaml.NewYAMLReader(bufioReader(bytes.NewReader(text)))
	var out [][]byte
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, doc)
	}
}

func readYAML(t testing.TB, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
