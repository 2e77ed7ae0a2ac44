package clustersecret

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// one answers with one Secret, or with an error.
type one struct {
	client.Client

	secret *corev1.Secret
	err    error
}

func (o one) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if o.err == nil {
		o.secret.DeepCopyInto(into.(*corev1.Secret))
	}
	return o.err
}

// members are what a fleet has of a Secret; it refuses what refuses says.
type members struct {
	has     *gitops.Cluster
	refuses error
	broken  error
	clashes []gitops.Clash
}

func (m *members) Set(_ context.Context, c gitops.Cluster, _ *rest.Config) error {
	if m.refuses == nil {
		m.has = &c
	}
	return m.refuses
}

func (m *members) SetBroken(c gitops.Cluster, reason error) error {
	m.has, m.broken = &c, reason
	return reason
}

func (m *members) Remove(string) { m.has = nil }

func (m *members) Of(string) (gitops.Cluster, bool) {
	if m.has == nil {
		return gitops.Cluster{}, false
	}
	return *m.has, true
}

func (m *members) Clashes(gitops.Cluster) []gitops.Clash { return m.clashes }

// told are the events of a Secret.
type told []string

func (e *told) Event(_ client.Object, kind, reason, message string) {
	*e = append(*e, kind+" "+reason+": "+message)
}

// What becomes of a cluster by its Secret, and who is told of the change: sets and
// Applications look again by that alone.
func TestWhatASecretChanges(t *testing.T) {
	cluster := func(name, color string) gitops.Cluster {
		return gitops.Cluster{Name: name, Server: "https://" + name, Secret: "dev", Labels: map[string]string{"color": color}}
	}
	dev, test, theirs := cluster("dev", "red"), cluster("test", "red"), cluster("dev", "red")
	theirs.Project = "bank"
	now := metav1.Now()
	secret := func(kind, name, color string, deleted *metav1.Time) *corev1.Secret {
		s := &corev1.Secret{Data: map[string][]byte{"name": []byte(name)}}
		s.Name, s.DeletionTimestamp, s.Labels = "dev", deleted, map[string]string{v1alpha1.LabelSecretType: kind, "color": color}
		return s
	}
	sound := secret("cluster", "dev", "red", nil)
	gone := one{err: apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, "dev")}
	clash := gitops.Clash{}
	whole := func(meant ...gitops.Cluster) *gitops.ClusterChange {
		return &gitops.ClusterChange{Secret: "dev", Whole: true, Meant: meant}
	}
	for name, tc := range map[string]struct {
		reason string
		hub    one
		fleet  members
		want   *gitops.ClusterChange // nil where nothing is told
		there  bool
		events int
	}{
		"New":         {"nobody waits for it by name", one{secret: sound}, members{}, &gitops.ClusterChange{Secret: "dev", Whole: true, Keys: []string{"metadata.labels.color"}}, true, 0},
		"Same":        {"nothing differs", one{secret: sound}, members{has: &dev}, &gitops.ClusterChange{Secret: "dev"}, true, 0},
		"Label":       {"one key differs, and no destination", one{secret: secret("cluster", "dev", "blue", nil)}, members{has: &dev}, &gitops.ClusterChange{Secret: "dev", Keys: []string{"metadata.labels.color"}}, true, 0},
		"Renamed":     {"those of both names look again", one{secret: secret("cluster", "test", "red", nil)}, members{has: &dev}, whole(dev, test), true, 0},
		"Given away":  {"a project has it no longer: those that it was permitted to look again", one{secret: sound}, members{has: &theirs}, whole(theirs, dev), true, 0},
		"Gone":        {"those that it was meant by look again", gone, members{has: &dev}, whole(dev), false, 0},
		"Never there": {"nobody meant it", gone, members{}, whole(), false, 0},
		"Going":       {"a Secret that is being deleted describes nothing", one{secret: secret("cluster", "dev", "red", &now)}, members{has: &dev}, whole(dev), false, 0},
		"Other type":  {"nor does one of a repository", one{secret: secret("repository", "dev", "red", nil)}, members{has: &dev}, whole(dev), false, 0},
		"Away":        {"nobody knows: what was there stays", one{err: errors.New("away")}, members{has: &dev}, nil, true, 0},
		"Refused":     {"it stays known, with why it cannot be used", one{secret: sound}, members{has: &dev, refuses: errors.New("no CA")}, &gitops.ClusterChange{Secret: "dev"}, true, 1},
		"Twice":       {"those whom a second one is in the way look again, and who wrote it is told", one{secret: sound}, members{clashes: []gitops.Clash{clash}}, &gitops.ClusterChange{Secret: "dev", Whole: true, Keys: []string{"metadata.labels.color"}, Meant: []gitops.Cluster{dev}}, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			events, changes := &told{}, []gitops.ClusterChange(nil)
			parse := func(s *corev1.Secret) (gitops.Cluster, *rest.Config, error) {
				return cluster(string(s.Data["name"]), s.Labels["color"]), &rest.Config{}, nil
			}
			r := New(tc.hub, &tc.fleet, parse, events, func(c gitops.ClusterChange) { changes = append(changes, c) }, slog.New(slog.DiscardHandler))
			_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "argocd", Name: "dev"}})
			if (err != nil) != (tc.want == nil) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			var want []gitops.ClusterChange
			if tc.want != nil {
				want = append(want, *tc.want)
			}
			if diff := cmp.Diff(want, changes); diff != "" {
				t.Errorf("%s: told (-want +got):\n%s", tc.reason, diff)
			}
			if (tc.fleet.has != nil) != tc.there || len(*events) != tc.events || tc.fleet.refuses != nil && tc.fleet.broken == nil {
				t.Errorf("%s: the fleet has %v, events are %v", tc.reason, tc.fleet.has, *events)
			}
		})
	}
}
