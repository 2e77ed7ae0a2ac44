package inspect

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/controller/members"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// stocked is a hub with projects, cluster Secrets and ApplicationSets; errs are what it answers
// to lists of a kind.
type stocked struct {
	governed

	clusters []string
	sets     []v1alpha1.ApplicationSet
	schemas  []causeway.MetadataSchema
	errs     map[string]error
}

func (stocked) RESTMapper() meta.RESTMapper { return nil }

func (s stocked) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	switch list := into.(type) {
	case *corev1.SecretList:
		for _, name := range s.clusters {
			secret := corev1.Secret{Data: map[string][]byte{"name": []byte(name), "server": []byte("https://" + name)}}
			secret.Name = "cluster-" + name
			list.Items = append(list.Items, secret)
		}
		return s.errs["Secret"]
	case *v1alpha1.ApplicationSetList:
		list.Items = s.sets
		return s.errs["ApplicationSet"]
	case *causeway.MetadataSchemaList:
		list.Items = s.schemas
		return s.errs["MetadataSchema"]
	case *v1alpha1.ApplicationList:
		return s.errs["Application"]
	}
	return s.errs["ClusterMetadata"]
}

// setsOf has a set that reads clusters, one that does not, and one that fails.
func setsOf(t *testing.T) []v1alpha1.ApplicationSet {
	t.Helper()
	var out []v1alpha1.ApplicationSet
	for name, generators := range map[string]string{"fleet": "[{clusters: {}}]", "list": "[{list: {elements: [{name: one}]}}]", "none": "[{list: {elements: [{name: '{'}]}, selector: {matchExpressions: [{key: a, operator: Bogus}]}}]"} {
		set := v1alpha1.ApplicationSet{}
		text := "metadata: {namespace: argocd, name: " + name + "}\nspec: {generators: " + generators + ", template: {metadata: {name: '" + name + "-{{name}}'}, spec: {project: shop, source: {repoURL: 'https://git.example.com/shop'}, destination: {name: dev, namespace: shop}}}}"
		if err := yaml.UnmarshalStrict([]byte(text), &set); err != nil {
			t.Fatal(err)
		}
		out = append(out, set)
	}
	return out
}

// stocking looks at a hub with three sets and two clusters.
func stocking(t *testing.T, errs map[string]error) *Inspector {
	t.Helper()
	i := governing(t)
	hub := stocked{governed: i.client.(governed), clusters: []string{"prod", "dev"}, sets: setsOf(t), errs: errs}
	i.client, i.direct, i.clusters, i.cfg.Log = hub, hub, members.New(i.fleet), slog.New(slog.DiscardHandler)
	return i
}

// Whoever looks has of all sets what they need, and no more is held: names alone, all of each,
// or all of those that a trial compares. A set that fails is there with why.
func TestWhatOfSetsIsRead(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		read   func(*Inspector, context.Context) (bridge.Fleet, error)
		whole  map[string]bool // of which sets more than names is there
	}{
		"Whole":      {"all of each", (*Inspector).Bridge, map[string]bool{"fleet": true, "list": true}},
		"Outline":    {"names alone", (*Inspector).Outline, map[string]bool{}},
		"Supposable": {"what another metadata might change", (*Inspector).Supposable, map[string]bool{"fleet": true}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.read(stocking(t, map[string]error{"ClusterMetadata": errors.New("no such kind")}), t.Context())
			if err != nil || len(got.Sets) != 3 || len(got.Clusters) != 2 || got.Clusters[0].Name != "dev" {
				t.Fatalf("%s: %d sets, clusters %v, %v", tc.reason, len(got.Sets), got.Clusters, err)
			}
			whole, names := map[string]bool{}, map[string]int{}
			for _, set := range got.Sets {
				if set.Name == "none" {
					if set.Err == nil {
						t.Errorf("%s: a set that cannot be expanded has no error", tc.reason)
					}
					continue
				}
				names[set.Name] = len(set.Expansion.Applications)
				if app := set.Expansion.Applications[0]; app.Spec.Project != "" && !set.Outlined && app.Name != "" {
					whole[set.Name] = true
				}
			}
			if diff := cmp.Diff(map[string]int{"fleet": 3, "list": 1}, names) + cmp.Diff(tc.whole, whole); diff != "" { // the hub is a cluster, too
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// What cannot be read is named; who goes meanwhile waits for no other set.
func TestBridgesThatCannotBeRead(t *testing.T) {
	for kind, says := range map[string]string{"Secret": "cannot list cluster Secrets: away", "ApplicationSet": "cannot list ApplicationSets: away"} {
		if _, err := stocking(t, map[string]error{kind: errors.New("away")}).Outline(t.Context()); err == nil || err.Error() != says {
			t.Errorf("%s: %v", kind, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := stocking(t, nil).Outline(gone); !errors.Is(err, context.Canceled) || len(got.Sets) > 0 {
		t.Errorf("who has gone has %d sets, %v", len(got.Sets), err)
	}
	i := stocking(t, map[string]error{"Application": errors.New("away")})
	if _, err := i.Trial(t.Context(), bridge.Fleet{}); err == nil || err.Error() != "cannot list applications: away" {
		t.Errorf("a trial that does not know what is fetched: %v", err)
	}
}

// Types of keys are told where they are known: without them all else is there. A schema that
// is wrong is said to be.
func TestSchemasThatAreThere(t *testing.T) {
	named := causeway.MetadataSchema{}
	named.Name = "teams"
	wrong := causeway.MetadataSchema{}
	wrong.Name, wrong.Spec.Selector = "wrong", &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Bogus"}}}
	kind := schema.GroupResource{Resource: "metadataschemas"}
	for name, tc := range map[string]struct {
		reason string
		all    []causeway.MetadataSchema
		err    error
		want   int
		says   string
	}{
		"There":     {"one is there", []causeway.MetadataSchema{named}, nil, 1, ""},
		"Unserved":  {"the hub does not know the kind", []causeway.MetadataSchema{wrong}, &meta.NoKindMatchError{}, 0, ""},
		"Forbidden": {"whoever looks may not read it", []causeway.MetadataSchema{wrong}, apierrors.NewForbidden(kind, "", errors.New("no")), 0, ""},
		"Wrong":     {"one is wrong", []causeway.MetadataSchema{named, wrong}, nil, 0, "cannot use MetadataSchema wrong: "},
	} {
		i := &Inspector{direct: stocked{schemas: tc.all, errs: map[string]error{"MetadataSchema": tc.err}}}
		got, err := i.Schemas(t.Context())
		if len(got) != tc.want || (err != nil) != (tc.says != "") || err != nil && !strings.HasPrefix(err.Error(), tc.says) {
			t.Errorf("%s: %s: %d schemas, %v", name, tc.reason, len(got), err)
		}
	}
}

// A trial fetches nothing for an Application that would be fetched for nobody, and knows what
// is fetched by what sets give; of those of which only names are kept it knows what the hub has.
func TestTrialsRenderWhatIsFetchedAnyway(t *testing.T) {
	app := func(repos ...string) v1alpha1.Application {
		a := v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Project: "shop"}}
		for _, repo := range repos {
			a.Spec.Sources = append(a.Spec.Sources, v1alpha1.ApplicationSource{RepoURL: repo})
		}
		return a
	}
	tr := &trial{repos: map[projectRepo]bool{}}
	whole := bridge.Set{Expansion: &generate.Expansion{Applications: []v1alpha1.Application{app("a", "b")}}}
	outlined := bridge.Set{Outlined: true, Expansion: &generate.Expansion{Applications: []v1alpha1.Application{app("c")}}}
	tr.noteSets(bridge.Fleet{Sets: []bridge.Set{whole, outlined}})
	for repo, want := range map[string]bool{"a": true, "b": true, "c": false} {
		if (tr.used("shop", repo) == nil) != want {
			t.Errorf("%s is fetched: %t", repo, !want)
		}
	}
	one := app("a", "https://ann:secret@git.example.com/c")
	if _, err := tr.Render(t.Context(), &one); !gitops.IsProblem(err, gitops.Forbidden) || strings.Contains(err.Error(), "secret") {
		t.Errorf("one of two sources is fetched for nobody: %v", err)
	}
}

// A key is told with who set it and what it changes, and rights to it go by the set and by the
// cluster, of which several may have the name.
func TestKeysAreOfOneClusterAndSet(t *testing.T) {
	set := &v1alpha1.ApplicationSet{Spec: v1alpha1.ApplicationSetSpec{Template: v1alpha1.ApplicationSetTemplate{Spec: v1alpha1.ApplicationSpec{Project: "shop"}}}}
	set.Namespace, set.Name = "argocd", "webs"
	fleet := bridge.Fleet{Sets: []bridge.Set{{ApplicationSet: set}}, Clusters: []bridge.Cluster{
		{Cluster: gitops.Cluster{Name: "dev", Secret: "own", Server: "https://own", Project: "shop"}}, {Cluster: gitops.Cluster{Name: "dev", Secret: "other", Server: "https://other", Project: "bank"}},
	}}
	want := &api.ParameterKeys{Set: "webs", Cluster: "dev", Server: "https://own", Project: "shop", From: api.BridgeSet{Namespace: "argocd", Name: "webs", Project: "shop"}, Keys: []api.ParameterKey{}}
	if diff := cmp.Diff(want, keysOf(fleet, "webs", "dev", "own")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if none := keysOf(bridge.Fleet{}, "", "", ""); none.Keys == nil || none.Set != "" || none.From != (api.BridgeSet{}) {
		t.Errorf("of no set there are %+v", none)
	}
	at := time.Unix(1, 0)
	key := bridge.KeyOrigin{Key: bridge.Key{In: bridge.Label, Name: "tier"}, Value: "gold", SetBy: bridge.Setter{Manager: "terraform", Time: at}, Parameters: []bridge.FieldChange{{Path: "spec.a"}, {Path: "spec.b"}}}
	for _, values := range [][]string{nil, {"0:image.tag"}} {
		got := keyOf(key, values)
		if got.Name != "tier" || got.Value != "gold" || got.SetBy != "terraform" || !got.SetAt.Equal(at) || strings.Join(got.Through, " ") != "spec.a spec.b" || got.Values == nil || len(got.Values) != len(values) {
			t.Errorf("told is %+v", got)
		}
	}
}
