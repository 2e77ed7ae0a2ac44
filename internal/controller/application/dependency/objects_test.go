package dependency

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// member is a cluster with objects, which may not serve their kind.
type member struct {
	objects []*unstructured.Unstructured
	unknown bool
	heeds   error
	judges  error
	asked   *[]string
}

func (member) Desc() gitops.Cluster { return gitops.Cluster{Name: "dev", Server: "https://dev"} }

func (m member) Scope() gitops.Scope {
	return func(_, kind string) (namespaced, known bool) { return kind != "ClusterRole", !m.unknown }
}

func (m member) Heed(_ context.Context, _ string, gk schema.GroupKind, namespace, name string, permits func(bool) error) (schema.GroupVersionKind, bool, error) {
	namespaced, _ := m.Scope()("", gk.Kind)
	if err := permits(namespaced); err != nil {
		return schema.GroupVersionKind{}, namespaced, err
	}
	*m.asked = append(*m.asked, strings.Join([]string{gk.Kind, namespace, name}, "/"))
	return gk.WithVersion("v1"), namespaced, m.heeds
}

func (m member) Judge(_ context.Context, _ string, _ schema.GroupVersionKind, namespace, name string, take func(*unstructured.Unstructured)) error {
	found := false
	for _, o := range m.objects {
		if (name == "" || o.GetName() == name) && o.GetNamespace() == namespace {
			found = true
			take(o)
		}
	}
	if m.judges == nil && name != "" && !found {
		return gitops.Problemf(gitops.NotFound, "there is none")
	}
	return m.judges
}

// claim is a PersistentVolumeClaim in a phase.
func claim(name, phase string, change ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "status": map[string]any{"phase": phase}}}
	o.SetName(name)
	o.SetNamespace("shop")
	o.SetLabels(map[string]string{"tier": "db"})
	for _, c := range change {
		c(o)
	}
	return o
}

// red permits claims in the namespace shop, and the ClusterRole viewer.
func red() *v1alpha1.AppProject {
	p := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "red"}}
	p.Spec.Destinations = []v1alpha1.ApplicationDestination{{Server: "https://dev", Namespace: "shop"}}
	p.Spec.NamespaceResourceWhitelist = []metav1.GroupKind{{Kind: "PersistentVolumeClaim"}}
	p.Spec.ClusterResourceWhitelist = []v1alpha1.ClusterResourceRestrictionItem{{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "viewer"}}
	return p
}

// TestObjectsAreReady to be built on when they are there and healthy, as far as the
// project permits to know.
func TestObjectsAreReady(t *testing.T) {
	going := func(o *unstructured.Unstructured) { now := metav1.NewTime(at); o.SetDeletionTimestamp(&now) }
	const pvc = "PersistentVolumeClaim"
	cases := map[string]struct {
		reason string
		on     string
		member member
		want   string
		asks   bool
	}{
		"ready":     {"it is bound", pvc + "/data", member{objects: []*unstructured.Unstructured{claim("data", "Bound")}}, "", true},
		"pending":   {"it progresses; its words would change all the time", pvc + "/data", member{objects: []*unstructured.Unstructured{claim("data", "Pending")}}, "waiting for PersistentVolumeClaim/shop/data: Progressing", true},
		"going":     {"it goes, however healthy", pvc + "/data", member{objects: []*unstructured.Unstructured{claim("data", "Bound", going)}}, "data: it is being deleted", true},
		"none":      {"it is not there", pvc + "/data", member{}, "PersistentVolumeClaim/data: it does not exist", true},
		"selected":  {"each of the label", pvc + "[tier=db]", member{objects: []*unstructured.Unstructured{claim("a", "Bound"), claim("b", "Lost"), claim("c", "Lost", func(o *unstructured.Unstructured) { o.SetLabels(nil) })}}, "shop/b: Degraded", true},
		"all":       {"one is enough to wait", pvc + "/*", member{objects: []*unstructured.Unstructured{claim("a", "Bound"), claim("b", "Pending")}}, "shop/b: Progressing", true},
		"no one":    {"a selector that finds nothing is not met", pvc + "[tier=x]", member{objects: []*unstructured.Unstructured{claim("a", "Bound")}}, "there is none", true},
		"kind":      {"what the project does not permit is not asked for", "Secret/tls", member{}, "the project does not permit to look at it", false},
		"namespace": {"nor is another namespace", pvc + "/pay/data", member{}, "the project does not permit to look at it", false},
		"unserved":  {"the kind is not there yet", pvc + "/data", member{heeds: errors.New("it serves no such kind")}, "it serves no such kind", true},
		"away":      {"what is not known is not ready", pvc + "/data", member{judges: errors.New("no answer")}, "no answer", true},
		"list away": {"also where some are known", pvc + "/*", member{judges: gitops.Problemf(gitops.NotFound, "gone"), objects: []*unstructured.Unstructured{claim("a", "Bound")}}, "gone", true},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			var asked []string
			tc.member.asked = &asked
			got, err := asks(t, &hub{}, tc.on, func(_ *Checker, by *Asker) {
				by.Cluster, by.Project, by.App.Spec.Destination.Namespace = tc.member, red(), "shop"
			})
			if err != nil || (got != "") != (tc.want != "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s: it waits: %q, %v; want %q", tc.reason, got, err, tc.want)
			}
			if (len(asked) > 0) != tc.asks {
				t.Errorf("%s: the cluster is asked for %v", tc.reason, asked)
			}
		})
	}
}

// TestManyObjectsAreToldInFew words: a ref may mean thousands.
func TestManyObjectsAreToldInFew(t *testing.T) {
	var all []*unstructured.Unstructured
	for i := range 3 * mostUnmet {
		all = append(all, claim(fmt.Sprintf("c-%03d", i), "Pending"))
	}
	by := &Asker{App: application("team", "web"), Project: red(), Cluster: member{objects: all, asked: new([]string)}}
	by.App.Spec.Destination.Namespace = "shop"
	found, held, err := (&Checker{Places: nowhere{}, Checks: observe.New()}).judged(t.Context(), by, depend.Ref{Kind: "PersistentVolumeClaim"})
	if err != nil || found != len(all) || len(held) != mostUnmet {
		t.Errorf("of %d objects %d are told: %v", found, len(held), err)
	}
}

// TestWhatWakes is watched before anything is looked at; what the project does not permit
// wakes nobody.
func TestWhatWakes(t *testing.T) {
	cases := map[string]struct {
		reason  string
		on      string
		unknown bool
		want    []string
	}{
		"object":      {"in the namespace of the destination", "PersistentVolumeClaim/data", false, []string{"PersistentVolumeClaim:shop/data"}},
		"all":         {"any of them", "PersistentVolumeClaim/*", false, []string{"PersistentVolumeClaim:shop/"}},
		"cluster":     {"what is in no namespace", "{group: rbac.authorization.k8s.io, kind: ClusterRole, name: viewer}", false, []string{"ClusterRole:/viewer"}},
		"not that":    {"another one of the kind is not permitted", "{group: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}", false, nil},
		"secret":      {"nor is the kind", "Secret/tls", false, nil},
		"elsewhere":   {"nor is the namespace", "PersistentVolumeClaim/pay/data", false, nil},
		"not served":  {"it may be of either scope; the project permits one", "PersistentVolumeClaim/data", true, []string{"PersistentVolumeClaim:shop/data"}},
		"application": {"of a namespace that is its own, any", "Application/db", false, []string{"Application:team/db"}},
		"others'":     {"of another one, those of the project", "Application/blue/db", false, []string{"Application:blue/db of red"}},
		"set":         {"a set, and each of its Applications", "ApplicationSet/all", false, []string{"ApplicationSet:team/all", "Application:team/"}},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			c, app := &Checker{Namespace: "argocd", Places: nowhere{}}, application("team", "web")
			app.Spec.Destination.Namespace = "shop"
			by := asking{Asker: &Asker{App: app, Project: red(), Cluster: member{unknown: tc.unknown, asked: new([]string)}}, within: c.reachOf(app)}
			refs, err := depend.Parse(tc.on)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range c.watched(by, refs) {
				text := o.Key.Kind + ":" + o.Key.Namespace + "/" + o.Key.Name
				if o.Project != "" {
					text += " of " + o.Project
				}
				got = append(got, text)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("%s (-want +got):\n%s", tc.reason, cmp.Diff(tc.want, got))
			}
		})
	}
}
