package bridge

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// rendering has objects, too.
type rendering struct {
	fakeStages

	render func(*v1alpha1.Application) (*gitops.Rendering, error)
}

func (r rendering) Render(_ context.Context, app *v1alpha1.Application) (*gitops.Rendering, error) {
	return r.render(app)
}

// The keys of the cluster prod that the set of charted reads, all annotations.
var chartedKeys = map[string]string{
	"env": "prod", "moon": "eu", "password": "hunter2", "region": "eu", "revision": "v1", "team": "web", "token": "t0", "unused": "x", "zone": "eu-1",
}

// charted is a fleet of one cluster, whose set makes an Application of a chart with
// the parameters region, zone, password, token and moon. A Deployment says the region,
// a Service is there for one zone, and a Secret keeps the password.
func charted(t *testing.T) (f Fleet, app *v1alpha1.Application) {
	t.Helper()
	stages := rendering{fakeStages{expandCharted}, renderCharted}
	f = Fleet{Stages: stages, Clusters: []Cluster{{
		Cluster: gitops.Cluster{Name: "prod", Secret: "prod-secret", Annotations: chartedKeys, Labels: map[string]string{"unread": "x"}},
		Set:     map[Key]Setter{{Annotation, "region"}: {Manager: "terraform"}},
	}}}
	e, err := expandCharted([]gitops.Cluster{f.Clusters[0].Cluster})
	if err != nil {
		t.Fatal(err)
	}
	f.Sets = []Set{
		{ApplicationSet: &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "broken"}}, Err: errors.New("no")},
		{ApplicationSet: &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "webs"}}, Expansion: e},
	}
	return f, &e.Applications[0]
}

func expandCharted(all []gitops.Cluster) (*generate.Expansion, error) {
	c := &all[0]
	a := c.Annotations
	if a["token"] != "t0" {
		return nil, errors.New("the set gives nothing")
	}
	app := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: a["team"] + "-prod", Labels: map[string]string{"env": a["env"]}}}
	app.Spec.Source = &v1alpha1.ApplicationSource{TargetRevision: a["revision"], Helm: &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"values-" + a["zone"] + ".yaml"}}}
	for _, name := range []string{"region", "zone", "password", "moon"} {
		app.Spec.Source.Helm.Parameters = append(app.Spec.Source.Helm.Parameters, v1alpha1.HelmParameter{Name: name, Value: a[name]})
	}
	var keys []string
	for name := range chartedKeys {
		if name != "unused" {
			keys = append(keys, "metadata.annotations."+name)
		}
	}
	return &generate.Expansion{
		Applications: []v1alpha1.Application{app}, Of: []*generate.Origin{generate.OriginOf(c)},
		Reads: generate.Reads{Clusters: true, Keys: slices.Sorted(slices.Values(keys))},
	}, nil
}

func renderCharted(app *v1alpha1.Application) (*gitops.Rendering, error) {
	helm := app.Spec.Source.Helm
	value := map[string]string{}
	for _, p := range helm.Parameters {
		value[p.Name] = p.Value
	}
	if value["moon"] != "eu" {
		return nil, errors.New("nobody is there")
	}
	if helm.ValueFiles[0] != "values-eu-1.yaml" && !helm.IgnoreMissingValueFiles {
		return nil, errors.New("a value file is missing")
	}
	object := func(kind, name string, fields map[string]any) gitops.Manifest {
		fields["apiVersion"], fields["kind"], fields["metadata"] = "v1", kind, map[string]any{"name": name, "namespace": "front"}
		return gitops.Manifest{Object: &unstructured.Unstructured{Object: fields}, Origin: gitops.Origin{File: "templates/" + name + ".yaml", Line: 3}}
	}
	out := &gitops.Rendering{Manifests: []gitops.Manifest{
		object("Deployment", "web", map[string]any{"spec": map[string]any{"region": value["region"], "list": []any{"a", value["region"]}}}),
		object("Secret", "keys", map[string]any{"data": map[string]any{"p": value["password"]}}),
	}}
	if value["zone"] == "eu-1" {
		out.Manifests = append(out.Manifests, object("Service", "front", map[string]any{"spec": map[string]any{"port": int64(80)}}))
	}
	return out, nil
}

// followed lists the keys of a trace, with the first field that each goes through.
func followed(keys []KeyOrigin) []string {
	var out []string
	for _, k := range keys {
		out = append(out, k.Name+" through "+k.Parameters[0].Path)
	}
	return out
}

const (
	throughRevision = "revision through spec.source.targetRevision"
	throughRegion   = "region through spec.source.helm.parameters[0].value"
)

func TestFieldsFollowKeys(t *testing.T) {
	cases := map[string]struct {
		reason, object, path string
		value                any
		want                 []string
	}{
		"Field":      {"a parameter is in it", "Deployment/web", "spec.region", "eu", []string{throughRegion, throughRevision}},
		"Item":       {"an item of a list is a field", "deployment/WEB", "spec.list[1]", "eu", []string{throughRegion, throughRevision}},
		"Constant":   {"what is fetched may say anything, and nothing else follows", "Deployment/front/web", "spec.list[0]", "a", []string{throughRevision}},
		"Object":     {"where the object goes, all its fields do", "Service/front", "spec.port", int64(80), []string{throughRevision, "zone through spec.source.helm.parameters[1].value"}},
		"Secret":     {"the value is not shown", "Secret/keys", "data.p", redacted, []string{"password through spec.source.helm.parameters[2].value", throughRevision}},
		"SecretPart": {"of what has it, the name is", "Secret/keys", "data", map[string]any{"p": redacted}, []string{"password through spec.source.helm.parameters[2].value", throughRevision}},
		"SecretWay":  {"nor is it where the path is written in another way", "Secret/keys", `["data"].p`, redacted, []string{"password through spec.source.helm.parameters[2].value", throughRevision}},
		"SecretDot":  {"a leading dot is no other field", "Secret/keys", ".data.p", redacted, []string{"password through spec.source.helm.parameters[2].value", throughRevision}},
		"SecretKind": {"what is no value is shown", "Secret/keys", "metadata.name", "keys", []string{throughRevision}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f, app := charted(t)
			trace, err := TraceField(t.Context(), f, app, tc.object, tc.path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, followed(trace.Keys)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if !cmp.Equal(trace.Value, tc.value) || trace.Path != tc.path || !strings.HasPrefix(trace.Where, "templates/") {
				t.Errorf("%s: it is told of %v at %s in %s", tc.reason, trace.Value, trace.Path, trace.Where)
			}
			if trace.Set != "webs" || trace.Cluster != "prod" || trace.Secret != "prod-secret" {
				t.Errorf("it was made by %s of %s (%s)", trace.Set, trace.Cluster, trace.Secret)
			}
		})
	}
}

func TestTracesOfFieldsTellWhoSetAKeyAndWhatCouldNotBeTried(t *testing.T) {
	f, app := charted(t)
	trace, err := TraceField(t.Context(), f, app, "Deployment/web", "spec.region")
	if err != nil {
		t.Fatal(err)
	}
	want := KeyOrigin{
		Key: Key{Annotation, "region"}, Value: "eu", SetBy: Setter{Manager: "terraform"},
		Parameters: []FieldChange{{"spec.source.helm.parameters[0].value", "eu", "eu-cwmark"}},
	}
	if diff := cmp.Diff(want, trace.Keys[0]); diff != "" {
		t.Errorf("the first key (-want +got):\n%s", diff)
	}
	notes := []string{
		"annotation moon: with another value the application cannot be rendered: nobody is there",
		"annotation revision: spec.source.targetRevision says what is fetched: the field may follow",
	}
	if diff := cmp.Diff(notes, trace.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if keys := len(chartedKeys) - 1; trace.Tried != keys {
		t.Errorf("%d keys were tried, want the %d that the set reads", trace.Tried, keys)
	}
}

func TestObjectsAndFieldsThatAreNotThere(t *testing.T) {
	cases := map[string]struct{ reason, object, path, want string }{
		"Object":    {"the nearest is told", "Deployment/wep", "spec", `application web-prod has no object Deployment/wep; did you mean "Deployment/web"?`},
		"Namespace": {"another namespace is another object", "Deployment/back/web", "spec", "has no object Deployment/back/web"},
		"Field":     {"the nearest is told", "Deployment/web", "spec.regiom", `Deployment/front/web has no field spec.regiom; did you mean "spec.region"?`},
		"Item":      {"a list ends", "Deployment/web", "spec.list[2]", "has no field spec.list[2]"},
		"Negative":  {"nothing is before a list", "Deployment/web", "spec.list[-1]", "has no field spec.list[-1]"},
		"Word":      {"an item has a number", "Deployment/web", "spec.list.a", "has no field spec.list.a"},
		"Below":     {"a text has no fields", "Deployment/web", "spec.region.x", "has no field spec.region.x"},
		"Open":      {"a bracket that is not closed", "Deployment/web", "spec.list[0", "has no field spec.list[0"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f, app := charted(t)
			_, err := TraceField(t.Context(), f, app, tc.object, tc.path)
			if !gitops.IsProblem(err, gitops.NotFound) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
	f, app := charted(t)
	app.Spec.Source.Helm.Parameters[3].Value = "other"
	if _, err := TraceField(t.Context(), f, app, "Deployment/web", "spec"); err == nil || !strings.Contains(err.Error(), "nobody is there") {
		t.Errorf("what cannot be rendered now has no fields: %v", err)
	}
}

// An Application that people wrote, and one whose cluster has gone, follow no key.
func TestApplicationsOfNoSetFollowNothing(t *testing.T) {
	f, app := charted(t)
	own := app.DeepCopy()
	own.Name = "own"
	gone, _ := charted(t)
	gone.Clusters[0].Secret = "another"
	for name, tc := range map[string]struct {
		reason string
		fleet  Fleet
		app    *v1alpha1.Application
	}{
		"Own":  {"no set has made it", f, own},
		"Gone": {"it was made of another cluster with that name", gone, app},
	} {
		t.Run(name, func(t *testing.T) {
			trace, err := TraceField(t.Context(), tc.fleet, tc.app, "Deployment/web", "spec.region")
			if err != nil {
				t.Fatal(err)
			}
			if trace.Set != "" || trace.Tried > 0 || trace.Keys == nil || len(trace.Keys) > 0 {
				t.Errorf("%s: got %+v", tc.reason, trace)
			}
		})
	}
}

// readParameters gives the parameters of an Application as its values.
func readParameters(_ context.Context, app *v1alpha1.Application) (map[string]any, error) {
	if _, err := renderCharted(app); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for _, p := range app.Spec.Source.Helm.Parameters {
		out[p.Name] = p.Value
		if p.Name == "region" && p.Value == "eu" {
			out["onlyInEU"] = true
		}
		if p.Name == "region" && p.Value != "eu" {
			out["elsewhere"] = true
		}
	}
	return out, nil
}

func TestValuesFollowKeys(t *testing.T) {
	f, app := charted(t)
	trace, err := TraceValues(t.Context(), f, app, readParameters)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, k := range trace.Keys {
		got[k.Name] = k.Values
	}
	want := map[string][]string{"password": {"password"}, "region": {"elsewhere", "onlyInEU", "region"}, "revision": nil, "zone": {"zone"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("each key with the values that change, come and go (-want +got):\n%s", diff)
	}
	notes := []string{
		"annotation moon: with another value the application cannot be rendered: nobody is there",
		"annotation revision: spec.source.targetRevision says what is fetched: any value may follow",
	}
	if diff := cmp.Diff(notes, trace.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if trace.Set != "webs" || trace.Cluster != "prod" || trace.Secret != "prod-secret" || trace.Tried != len(chartedKeys)-1 {
		t.Errorf("it was made by %s of %s (%s), with %d keys", trace.Set, trace.Cluster, trace.Secret, trace.Tried)
	}
}

func TestOneValueFollowsKeys(t *testing.T) {
	f, app := charted(t)
	trace, err := TraceValue(t.Context(), f, app, func(ctx context.Context, app *v1alpha1.Application) (any, error) {
		all, err := readParameters(ctx, app)
		return all["region"], err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{throughRegion, throughRevision}, followed(trace.Keys)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(trace.Notes) != 2 || !strings.HasSuffix(trace.Notes[1], "the value may follow") {
		t.Errorf("notes are %q", trace.Notes)
	}
	unreadable := errors.New("no values")
	failing := func(context.Context, *v1alpha1.Application) (any, error) { return nil, unreadable }
	if _, err := TraceValue(t.Context(), f, app, failing); !errors.Is(err, unreadable) {
		t.Errorf("of what cannot be read now is told %v", err)
	}
	several := func(context.Context, *v1alpha1.Application) (map[string]any, error) { return nil, unreadable }
	if _, err := TraceValues(t.Context(), f, app, several); !errors.Is(err, unreadable) {
		t.Errorf("of values that cannot be read now is told %v", err)
	}
}

// A question that nobody waits for is not answered with what was found until then.
func TestTracesEndWithTheirContext(t *testing.T) {
	f, app := charted(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := TraceField(ctx, f, app, "Deployment/web", "spec.region"); !errors.Is(err, context.Canceled) {
		t.Errorf("a field: %v", err)
	}
	if _, err := TraceKey(ctx, f, "prod", Key{Annotation, "region"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a key: %v", err)
	}
}

// A value is masked by all that tells it to be secret: what was decrypted, also where it
// is a number, what stands beside it, and annotations that an installation hides.
func TestFieldsOfObjectsAreMasked(t *testing.T) {
	object := map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"annotations": map[string]any{"lease": "open", "note": "plain"}},
		"spec": map[string]any{"pin": int64(987654), "none": nil, "env": []any{map[string]any{"name": "DB_PASSWORD", "value": "treasure"}, map[string]any{"name": "REGION", "value": "eu"}}},
	}
	known, f := redact.NewKnown([]string{"987654"}), Fleet{Hides: []string{"lease"}}
	for path, want := range map[string]any{
		"spec.pin": redacted, "spec.none": nil, "spec.env[0].value": redacted, "spec.env[1].value": "eu", "spec.env[0].name": "DB_PASSWORD",
		"metadata.annotations.lease": redacted, "metadata.annotations.note": "plain", "spec.env[1]": map[string]any{"name": "REGION", "value": "eu"},
	} {
		if got := f.shownAt(object, path, known); !cmp.Equal(got, want) {
			t.Errorf("%s is told as %v", path, got)
		}
	}
}
