package bridge

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// told writes down what follows in one Application.
func toldOf(a AppTrace) []string {
	out := []string{a.Effect + " " + a.Application}
	if a.Note != "" {
		out = append(out, a.Note)
	}
	for _, o := range a.Objects {
		out = append(out, o.Effect+" "+o.Object+" in "+o.Where+changes(o))
	}
	return out
}

func changes(o ObjectTrace) string {
	var b strings.Builder
	for _, f := range o.Fields {
		fmt.Fprintf(&b, ", %s: %v → %v", f.Path, f.Before, f.After)
	}
	return b.String()
}

func TestWhatFollowsFromAKey(t *testing.T) {
	cases := map[string]struct {
		reason, key string
		want        [][]string
		problem     string
	}{
		"Fields": {"fields of objects, each with both values", "region", [][]string{{
			"changed web-prod",
			"changed Deployment/front/web in templates/web.yaml:3, spec.list[1]: eu → eu-cwmark, spec.region: eu → eu-cwmark",
		}}, ""},
		"Secret": {"values of Secrets are not shown", "password", [][]string{{
			"changed web-prod", "changed Secret/front/keys in templates/keys.yaml:3, data.p: [masked] → [masked]",
		}}, ""},
		"ValueFile": {"a value file that is missing under another name has said what is missing then", "zone", [][]string{{"changed web-prod", "removed Service/front/front in templates/front.yaml:3"}}, ""},
		"Itself":    {"a label of the Application renders nothing", "env", [][]string{{"changed web-prod", "no object follows: the fields are about the Application itself"}}, ""},
		"Fetched":   {"what is fetched is not rendered", "revision", [][]string{{"changed web-prod", "spec.source.targetRevision says what is fetched: all objects may follow"}}, ""},
		"Name":      {"one goes and another comes", "team", [][]string{{"added web-cwmark-prod"}, {"removed web-prod"}}, ""},
		"Unable":    {"the value may be one of few", "moon", [][]string{{"changed web-prod", "with another value the application cannot be rendered: nobody is there"}}, ""},
		"Set":       {"the set itself may give nothing", "token", nil, "the set gives nothing"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f, _ := charted(t)
			trace, err := TraceKey(t.Context(), f, "prod", Key{Annotation, tc.key})
			if err != nil || len(trace.Readers) != 1 {
				t.Fatal(trace, err)
			}
			var got [][]string
			for _, a := range trace.Readers[0].Follow {
				got = append(got, toldOf(a))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || trace.Readers[0].Problem != tc.problem {
				t.Errorf("%s: %q (-want +got):\n%s", tc.reason, trace.Readers[0].Problem, diff)
			}
			if trace.Readers[0].Follow == nil {
				t.Error("programs that read it find null in place of a list")
			}
		})
	}
	f, _ := charted(t)
	if trace, err := TraceKey(t.Context(), f, "prod-secret", Key{Annotation, "unused"}); err != nil || trace.Readers == nil || len(trace.Readers) > 0 {
		t.Errorf("a key that nobody reads: %+v, %v", trace, err)
	}
}

func TestApplicationsThatCannotBeRenderedNow(t *testing.T) {
	f, _ := charted(t)
	f.Stages = rendering{fakeStages{expandCharted}, func(*v1alpha1.Application) (*gitops.Rendering, error) { return nil, errors.New("no chart") }}
	trace, err := TraceKey(t.Context(), f, "prod", Key{Annotation, "region"})
	if err != nil {
		t.Fatal(err)
	}
	if note := trace.Readers[0].Follow[0].Note; note != "it cannot be rendered as it is now: no chart" {
		t.Errorf("told is %q", note)
	}
	f.Stages = rendering{fakeStages{expandCharted}, func(*v1alpha1.Application) (*gitops.Rendering, error) { return &gitops.Rendering{}, nil }}
	trace, err = TraceKey(t.Context(), f, "prod", Key{Annotation, "region"})
	if err != nil {
		t.Fatal(err)
	}
	if note := trace.Readers[0].Follow[0].Note; note != "no object follows: the charts and manifests make nothing of the value" {
		t.Errorf("of a chart that makes nothing of it is told %q", note)
	}
}

func TestObjectsThatFollow(t *testing.T) {
	object := func(kind, namespace, name, value string) gitops.Manifest {
		return gitops.Manifest{Origin: gitops.Origin{File: "f"}, Object: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": namespace}, "spec": value,
		}}}
	}
	all := func(m ...gitops.Manifest) []gitops.Manifest { return m }
	const secret = "an-inventory-of-secrets"
	cases := map[string]struct {
		reason        string
		before, after []gitops.Manifest
		secrets       []string
		want          []string
	}{
		"Same":      {"what is the same does not follow", all(object("A", "", "a", "1")), all(object("A", "", "a", "1")), nil, nil},
		"Comes":     {"objects come and go", all(object("B", "n", "b", "1")), all(object("A", "", "a", "1")), nil, []string{"added A/a", "removed B/n/b"}},
		"Namespace": {"another namespace is another object", all(object("A", "n", "a", "1")), all(object("A", "m", "a", "1")), nil, []string{"added A/m/a", "removed A/n/a"}},
		"Order":     {"objects are told in order, however they are rendered", all(object("B", "", "b", "1"), object("A", "", "a", "1")), all(object("A", "", "a", "2"), object("B", "", "b", "2")), nil, []string{"changed A/a, spec: 1 → 2", "changed B/b, spec: 1 → 2"}},
		"Decrypted": {"what was decrypted is not shown, in no object", all(object("A", "", "a", "x "+secret)), all(object("A", "", "a", "y")), []string{secret}, []string{"changed A/a, spec: [masked] → y"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, o := range compareObjects(tc.before, tc.after, tc.secrets) {
				got = append(got, o.Effect+" "+o.Object+changes(o))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFieldsThatSayWhatIsFetchedOrRendered(t *testing.T) {
	cases := map[string]struct {
		reason, path     string
		fetches, renders bool
	}{
		"Path":        {"another folder", "spec.source.path", true, true},
		"OfSeveral":   {"of one of several sources", "spec.sources[1].repoURL", true, true},
		"Sources":     {"a source more", "spec.sources", true, true},
		"Source":      {"a source at all", "spec.source", true, true},
		"Values":      {"a field of that name within values", "spec.source.helm.values → path", false, true},
		"Parameter":   {"a parameter", "spec.source.helm.parameters[0].value", false, true},
		"HelmPath":    {"a field of that name further within", "spec.source.plugin.env.path", false, true},
		"Namespace":   {"charts know their namespace", "spec.destination.namespace", false, true},
		"Destination": {"where it goes is no part of manifests", "spec.destination.name", false, false},
		"Project":     {"nor is the project", "spec.project", false, false},
		"Label":       {"nor a label that is called so", `metadata.labels["spec.source.path"]`, false, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			fields := []FieldChange{{Path: "spec.project"}, {Path: tc.path}}
			at, fetched := fetched(fields)
			if fetched != tc.fetches || Renders(fields) != tc.renders || fetched && at != tc.path {
				t.Errorf("%s: fetched %t (%s), rendered %t", tc.reason, fetched, at, Renders(fields))
			}
		})
	}
}

// Another name of a value file is tried as if the file were optional; the fleet's own
// Application still needs it.
func TestValueFilesMayBeMissingInTrials(t *testing.T) {
	helm := func() *v1alpha1.ApplicationSourceHelm {
		return &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"a.yaml"}}
	}
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	app.Spec.Source = &v1alpha1.ApplicationSource{Helm: helm()}
	app.Spec.Sources = []v1alpha1.ApplicationSource{{Helm: helm()}, {Path: "plain"}}
	got := lenient(app, []FieldChange{{Path: "spec.sources[0].helm.valueFiles[0]"}})
	if !got.Spec.Source.Helm.IgnoreMissingValueFiles || !got.Spec.Sources[0].Helm.IgnoreMissingValueFiles || got.Spec.Sources[1].Helm != nil {
		t.Errorf("it is tried as %+v", got.Spec)
	}
	if app.Spec.Source.Helm.IgnoreMissingValueFiles || app.Spec.Sources[0].Helm.IgnoreMissingValueFiles {
		t.Error("the fleet's own Application no longer needs its files")
	}
	if got := lenient(app, []FieldChange{{Path: "spec.source.helm.parameters[0].value"}}); got.Spec.Source.Helm.IgnoreMissingValueFiles {
		t.Error("another parameter makes files optional")
	}
}
