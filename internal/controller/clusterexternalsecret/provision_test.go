package clusterexternalsecret_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/controller/clusterexternalsecret"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

func namespaceOf(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// TestNamespacesComeAndGo: each that is selected has the ExternalSecret, from when it is selected until it is not.
func TestNamespacesComeAndGo(t *testing.T) {
	served(t)
	team, names := namespaces(t, 2, nil)
	other, others := namespaces(t, 2, nil)
	wanted(t, team, func(s *esv1.ClusterExternalSecretSpec) {
		s.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"and": other}}
		s.Namespaces = []string{others[0], "not-there"}
	})
	one := says(t, team, 3, 0, "Ready", "3 namespaces")
	if !slices.IsSorted(one.Status.ProvisionedNamespaces) || one.Status.ExternalSecretName != team {
		t.Errorf("it says %+v", one.Status)
	}
	for _, name := range append(names, others[0]) {
		embeddedtest.Eventually(t, there(name, team))
	}
	change(t, namespaceOf(others[1]), `{"metadata":{"labels":{"and":"`+other+`"}}}`)
	embeddedtest.Eventually(t, there(others[1], team))
	says(t, team, 4, 0, "Ready", "")
	change(t, namespaceOf(names[0]), `{"metadata":{"labels":{"team":null}}}`)
	embeddedtest.Eventually(t, gone(names[0], team))
	says(t, team, 3, 0, "Ready", "")
	if err := kube.Delete(t.Context(), namespaceOf(names[1])); err != nil {
		t.Fatal(err)
	}
	says(t, team, 2, 0, "Ready", "")
	made := &esv1.ExternalSecret{}
	if err := kube.Get(t.Context(), client.ObjectKey{Namespace: others[0], Name: team}, made); err != nil || !metav1.IsControlledBy(made, one) {
		t.Errorf("it does not go with its owner: %+v (%v)", made.OwnerReferences, err)
	}
}

// TestOthersExternalSecretsStay: one that is there is left and told, until it is gone.
func TestOthersExternalSecretsStay(t *testing.T) {
	served(t)
	team, names := namespaces(t, 2, nil)
	theirs := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: names[0], Name: "shared"}, Spec: esv1.ExternalSecretSpec{SecretStoreRef: esv1.SecretStoreRef{Name: "theirs"}}}
	if err := kube.Create(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	wanted(t, team, func(s *esv1.ClusterExternalSecretSpec) { s.ExternalSecretName = "shared" })
	one := says(t, team, 1, 1, "PartiallyReady", "1 of 2, such as "+names[0]+": external secret already exists in namespace")
	if f := one.Status.FailedNamespaces[0]; f.Namespace != names[0] || one.Status.Conditions[0].Type != "Ready" || one.Status.Conditions[0].Status != "False" {
		t.Errorf("it says %+v", one.Status)
	}
	if err := kube.Get(t.Context(), client.ObjectKeyFromObject(theirs), theirs); err != nil || theirs.Spec.SecretStoreRef.Name != "theirs" || len(theirs.OwnerReferences) > 0 {
		t.Errorf("theirs is %+v (%v)", theirs, err)
	}
	second := wanted(t, team+"-second", func(s *esv1.ClusterExternalSecretSpec) {
		s.ExternalSecretName, s.NamespaceSelectors = "shared", []*metav1.LabelSelector{{MatchLabels: map[string]string{"team": team}}}
	})
	says(t, second.Name, 0, 2, "NotReady", "2 of 2")
	if err := kube.Delete(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error { // by whichever was first
		now := &esv1.ExternalSecret{}
		if err := kube.Get(ctx, client.ObjectKeyFromObject(theirs), now); err != nil || metav1.GetControllerOf(now) == nil {
			return errors.Join(err, errors.New("it is nobody's"))
		}
		return nil
	})
}

// TestWhatIsSaidIsKept: what people change of an ExternalSecret comes back, and labels and annotations that they add stay.
func TestWhatIsSaidIsKept(t *testing.T) {
	served(t)
	team, names := namespaces(t, 1, nil)
	all := wanted(t, team, func(s *esv1.ClusterExternalSecretSpec) {
		s.ExternalSecretMetadata = esv1.ExternalSecretMetadata{Labels: map[string]string{"a": "1", "b": "1"}, Annotations: map[string]string{"example.com/c": "1"}}
	})
	says(t, team, 1, 0, "Ready", "")
	one := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: names[0], Name: team}}
	has := func(what string, is func(*esv1.ExternalSecret) bool) {
		t.Helper()
		embeddedtest.Eventually(t, func(ctx context.Context) error {
			if err := kube.Get(ctx, client.ObjectKeyFromObject(one), one); err != nil || !is(one) {
				return errors.Join(err, fmt.Errorf("%s: it is %+v", what, one))
			}
			return nil
		})
	}
	has("metadata", func(e *esv1.ExternalSecret) bool {
		return e.Labels["a"] == "1" && e.Labels["b"] == "1" && e.Annotations["example.com/c"] == "1"
	})
	change(t, one, `{"metadata":{"labels":{"own":"x","a":"2"}},"spec":{"secretStoreRef":{"name":"other"},"refreshInterval":"1m"}}`)
	has("what people change", func(e *esv1.ExternalSecret) bool {
		return e.Labels["own"] == "x" && e.Labels["a"] == "1" && e.Spec.SecretStoreRef.Name == "s" && e.Spec.RefreshInterval == nil
	})
	change(t, all, `{"spec":{"externalSecretMetadata":{"labels":{"b":null},"annotations":null},"externalSecretSpec":{"refreshInterval":"5m"}}}`)
	has("what is said no longer", func(e *esv1.ExternalSecret) bool {
		_, b := e.Labels["b"]
		_, c := e.Annotations["example.com/c"]
		return !b && !c && e.Labels["own"] == "x" && e.Labels["a"] == "1" && e.Spec.RefreshInterval != nil
	})
	change(t, all, `{"spec":{"externalSecretName":"renamed"}}`)
	embeddedtest.Eventually(t, there(names[0], "renamed"))
	embeddedtest.Eventually(t, gone(names[0], team))
	if err := kube.Delete(t.Context(), &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: names[0], Name: "renamed"}}); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, there(names[0], "renamed"))
}

// TestUnreadableSelectors: what cannot be read deletes nothing.
func TestUnreadableSelectors(t *testing.T) {
	served(t)
	team, names := namespaces(t, 1, nil)
	all := wanted(t, team, nil)
	says(t, team, 1, 0, "Ready", "")
	change(t, all, `{"spec":{"namespaceSelectors":[{"matchExpressions":[{"key":"team","operator":"Like","values":["x"]}]}]}}`)
	says(t, team, 1, 0, "PartiallyReady", "spec.namespaceSelectors[0]")
	if err := there(names[0], team)(t.Context()); err != nil {
		t.Error(err)
	}
}

// counted is a cluster that counts what is written, and may lack namespaces or refuse to make something.
type counted struct {
	client.Client

	away, refuses bool
	writes        *atomic.Int64
	now           *time.Time
	// holds is a namespace in which nothing can be deleted.
	holds *string
}

// wrote has each write take a second.
func (c counted) wrote() {
	c.writes.Add(1)
	*c.now = c.now.Add(time.Second)
}

func (c counted) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	if _, is := into.(*metav1.PartialObjectMetadataList); is && c.away {
		return errors.New("the server is away")
	}
	var own bool
	for i, o := range options {
		if fields, is := o.(client.MatchingFields); is { // the API server has no such index
			own, options = fields[clusterexternalsecret.IndexOwner] != "", slices.Delete(slices.Clone(options), i, i+1)
			break
		}
	}
	err := c.Client.List(ctx, into, options...)
	if all, is := into.(*esv1.ExternalSecretList); is && own {
		all.Items = slices.DeleteFunc(all.Items, func(e esv1.ExternalSecret) bool { return len(clusterexternalsecret.OwnerOf(&e)) == 0 })
	}
	return err
}

func (c counted) Create(ctx context.Context, o client.Object, options ...client.CreateOption) error {
	c.wrote()
	if c.refuses {
		return apierrors.NewForbidden(esv1.GroupVersion.WithResource("externalsecrets").GroupResource(), o.GetName(), errors.New("quota"))
	}
	return c.Client.Create(ctx, o, options...)
}

func (c counted) Patch(ctx context.Context, o client.Object, p client.Patch, options ...client.PatchOption) error {
	c.wrote()
	return c.Client.Patch(ctx, o, p, options...)
}

func (c counted) Delete(ctx context.Context, o client.Object, options ...client.DeleteOption) error {
	c.wrote()
	if o.GetNamespace() == *c.holds {
		return errors.New("a policy keeps it")
	}
	return c.Client.Delete(ctx, o, options...)
}

// TestTurns: a turn writes so much and no more, one that finds nothing to do writes nothing, and without all namespaces nothing is
// deleted.
func TestTurns(t *testing.T) {
	served(t)
	team, names := namespaces(t, 5, map[string]string{"turns": "yes"})
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), esv1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	// The controller that runs beside leaves it alone: its namespaces are selected by nobody it sees.
	one := &esv1.ClusterExternalSecret{ObjectMeta: metav1.ObjectMeta{Name: team, UID: "4d1b1b1e-0000-4000-8000-000000000001"}}
	one.Spec.NamespaceSelectors = []*metav1.LabelSelector{{MatchLabels: map[string]string{"team": team}}}
	writes := &atomic.Int64{}
	now := time.Now()
	cluster := &lone{counted: counted{Client: kube, writes: writes, now: &now, holds: new(string)}, one: one}
	r := clusterexternalsecret.New(clusterexternalsecret.Options{
		Objects: cluster, Live: kube, Cluster: cluster, Turn: 2 * time.Second, Now: func() time.Time { return now },
	})
	turn := func(wants int64, again, fails bool) {
		t.Helper()
		writes.Store(0)
		result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: team}})
		if writes.Load() != wants || (result.RequeueAfter > 0) != again || (err != nil) != fails {
			t.Errorf("%d writes, %+v, %v; want %d writes, again %v, an error %v", writes.Load(), result, err, wants, again, fails)
		}
	}
	cluster.refuses = true
	turn(2, true, false)
	cluster.refuses = false
	turn(2, true, false) // two that did not fail
	if c := one.Status.Conditions[0]; c.Status != "Unknown" {
		t.Errorf("before the end it says %+v", c)
	}
	cluster.refuses = true
	turn(2, false, true) // all have been tried, and three failed
	cluster.refuses = false
	turn(2, false, true)
	turn(1, false, false)
	turn(0, false, false)
	one.Spec.NamespaceSelectors[0].MatchLabels["turns"] = "no"
	cluster.away = true
	turn(0, false, true)
	cluster.away = false
	*cluster.holds = slices.Min(names)
	turn(2, true, false)
	turn(2, true, false)
	turn(2, false, true) // and it goes on to the others where one cannot be deleted
	if c := one.Status.Conditions[0]; c.Status != "False" || !strings.Contains(c.Message, "1 cannot be deleted, such as: cannot delete ExternalSecret "+slices.Min(names)) {
		t.Errorf("of one that is kept it says %+v", c)
	}
	*cluster.holds = ""
	turn(1, false, false)
	if len(one.Status.ProvisionedNamespaces) != 0 || one.Status.Conditions[0].Status != "True" {
		t.Errorf("in the end it says %+v", one.Status)
	}
}

// lone is a cluster with one ClusterExternalSecret, which only a test knows.
type lone struct {
	counted

	one *esv1.ClusterExternalSecret
}

func (l *lone) Get(ctx context.Context, name client.ObjectKey, into client.Object, options ...client.GetOption) error {
	if one, is := into.(*esv1.ClusterExternalSecret); is {
		l.one.DeepCopyInto(one)
		return nil
	}
	return l.Client.Get(ctx, name, into, options...)
}

func (l *lone) Status() client.SubResourceWriter { return status{l.Client.Status(), l} }

type status struct {
	client.SubResourceWriter

	of *lone
}

func (s status) Patch(_ context.Context, o client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	now, _ := o.(*esv1.ClusterExternalSecret)
	now.Status.DeepCopyInto(&s.of.one.Status)
	return nil
}
