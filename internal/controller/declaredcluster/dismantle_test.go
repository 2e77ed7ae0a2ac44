package declaredcluster

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/kubeconfig"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// declared is a hub with the Secret of a Cluster and some Applications. It writes down what is done, in order.
type declared struct {
	client.Client

	secret *corev1.Secret
	apps   []v1alpha1.Application
	did    []string
}

func (d *declared) Get(_ context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	if d.secret == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, "dev")
	}
	d.secret.DeepCopyInto(o.(*corev1.Secret)) //nolint:forcetypeassert // nothing else is read
	return nil
}

func (d *declared) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*v1alpha1.ApplicationList).Items = slices.Clone(d.apps) //nolint:forcetypeassert // nothing else is listed
	return nil
}

func (d *declared) Patch(_ context.Context, o client.Object, _ client.Patch, _ ...client.PatchOption) error {
	what := "lets the Cluster go"
	if s, ok := o.(*corev1.Secret); ok {
		if what = "takes the mark away"; gitops.Draining(s.Annotations) {
			what = "marks the Secret"
		}
	}
	d.did = append(d.did, what)
	return nil
}

func (d *declared) Delete(_ context.Context, o client.Object, opts ...client.DeleteOption) error {
	var as client.DeleteOptions
	as.ApplyOptions(opts)
	what := "deletes " + o.GetName()
	if p := as.Preconditions; p == nil || p.UID == nil || *p.UID != o.GetUID() || p.ResourceVersion == nil || *p.ResourceVersion != o.GetResourceVersion() {
		what += ", whatever it is by now"
	}
	d.did = append(d.did, what)
	return nil
}

// driven is a driver that writes down that it takes a cluster away.
type driven struct {
	Driver

	hub *declared
	err error
}

func (d driven) Make(context.Context, *causeway.Cluster) (kubeconfig.Connection, error) {
	return kubeconfig.Connection{}, nil
}

func (d driven) Remove(context.Context, *causeway.Cluster) error {
	d.hub.did = append(d.hub.did, "takes the cluster away")
	return d.err
}

// TestClustersGoLast: ApplicationSets are told first, then Applications go, then the cluster, its Secret, and the object.
func TestClustersGoLast(t *testing.T) {
	at := metav1.ObjectMeta{Namespace: "argocd", Name: "dev", UID: "u", ResourceVersion: "7", Annotations: map[string]string{gitops.AnnotationDeclaredBy: "dev"}}
	fresh := &corev1.Secret{ObjectMeta: at}
	marked := fresh.DeepCopy()
	marked.Annotations[gitops.AnnotationDraining] = "true"
	another := fresh.DeepCopy()
	another.Annotations = nil
	web := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "web", UID: "w", ResourceVersion: "3"}}
	web.Spec.Destination.Name = "dev"
	ofSet := *web.DeepCopy()
	ofSet.OwnerReferences = []metav1.OwnerReference{{Kind: v1alpha1.ApplicationSetKind, Name: "addons"}}
	for name, c := range map[string]struct {
		reason  string
		policy  causeway.DeletionPolicy
		driver  string
		secret  *corev1.Secret
		apps    []v1alpha1.Application
		removal error
		want    []string
		over    bool
	}{
		"First":     {"sets look before anything goes, although nothing is on it yet", "", "kind", fresh, nil, nil, []string{"marks the Secret"}, false},
		"Drains":    {"what is on it goes as it was judged", "", "kind", marked, []v1alpha1.Application{web}, nil, []string{"deletes web"}, false},
		"Of a set":  {"what a set makes goes by the set", "", "kind", marked, []v1alpha1.Application{ofSet}, nil, nil, false},
		"Empty":     {"then all that describes it", "", "kind", marked, nil, nil, []string{"takes the cluster away", "deletes dev", "lets the Cluster go"}, true},
		"Stays":     {"a cluster that is still going keeps its Secret", "", "kind", marked, nil, gitops.Problemf(gitops.NotReady, "it goes"), []string{"takes the cluster away"}, false},
		"No Secret": {"nothing was ever deployed to it: what has its name is another's", "", "kind", nil, []v1alpha1.Application{web}, nil, []string{"takes the cluster away", "lets the Cluster go"}, true},
		"Another's": {"a Secret of somebody else is neither marked nor deleted", "", "kind", another, []v1alpha1.Application{web}, nil, []string{"takes the cluster away", "lets the Cluster go"}, true},
		"No driver": {"nothing was ever made", "", "", nil, nil, nil, []string{"lets the Cluster go"}, true},
		"Orphan":    {"all of it stays, also what is on it", causeway.DeletionOrphan, "kind", fresh, []v1alpha1.Application{web}, nil, []string{"lets the Cluster go"}, true},
		"Part":      {"and sets may use it again", causeway.DeletionOrphan, "kind", marked, []v1alpha1.Application{web}, nil, []string{"takes the mark away", "lets the Cluster go"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			hub := &declared{secret: c.secret, apps: c.apps}
			r := New(Options{
				Client: hub, Secrets: hub, Drivers: map[string]Driver{"kind": driven{hub: hub, err: c.removal}}, Ledger: guard.NewLedger(), Now: time.Now,
				Limits: func() guard.Settings { return guard.Settings{Fleet: guard.Rule{Off: true}} },
			})
			out := r.begin(&causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "dev", Finalizers: []string{causeway.FinalizerCluster}}, Spec: causeway.ClusterSpec{DeletionPolicy: c.policy}, Status: causeway.ClusterStatus{Driver: c.driver}})
			if err := r.dismantle(t.Context(), out); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, hub.did, cmpopts.EquateEmpty()); diff != "" || out.over != c.over {
				t.Errorf("%s: it is over: %t (-want +got):\n%s", c.reason, out.over, diff)
			}
		})
	}
}

// TestNothingGoesWhereNobodyCanTell what a cluster has: its Applications would be left without it.
func TestNothingGoesWhereNobodyCanTell(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "dev", Annotations: map[string]string{gitops.AnnotationDeclaredBy: "dev", gitops.AnnotationDraining: "true"}}}
	web := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	web.Spec.Destination.Name = "dev"
	hub := &declared{secret: secret, apps: []v1alpha1.Application{web}}
	r := New(Options{
		Client: hub, Secrets: hub, Drivers: map[string]Driver{"kind": driven{hub: hub}},
		Permits: func(context.Context, *v1alpha1.Application) (bool, error) { return false, errors.New("no project") },
	})
	out := r.begin(&causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "dev"}, Status: causeway.ClusterStatus{Driver: "kind"}})
	err := r.dismantle(t.Context(), out)
	if err == nil || !strings.Contains(err.Error(), "cannot tell whether application web is on cluster dev: no project") || len(hub.did) > 0 {
		t.Errorf("did %q: %v", hub.did, err)
	}
}
