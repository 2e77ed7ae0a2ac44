package app

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// unmatchedLogged counts the expansions of sets whose selector matches no cluster: each
// has that logged, and nothing else does.
type unmatchedLogged struct{ times *atomic.Int64 }

func (h unmatchedLogged) Enabled(context.Context, slog.Level) bool { return true }
func (h unmatchedLogged) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h unmatchedLogged) WithGroup(string) slog.Handler            { return h }

func (h unmatchedLogged) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "reason" && a.Value.String() == "SelectorMatchesNothing" {
			h.times.Add(1)
		}
		return true
	})
	return nil
}

// TestUnreadLabelsExpandNoSet changes labels and annotations of a cluster Secret that a set
// over clusters does not read, and in the end one that it does: that alone has it expanded.
func TestUnreadLabelsExpandNoSet(t *testing.T) {
	var expanded atomic.Int64
	e := start(t, nil, func(c *Config) { c.Log = slog.New(unmatchedLogged{&expanded}) })
	var taken atomic.Int64
	e.described.add(func(secret string) {
		if secret == "dev" {
			taken.Add(1)
		}
	})
	took := func(change func()) {
		before := taken.Load()
		change()
		embeddedtest.Eventually(t, func(context.Context) error {
			if taken.Load() == before {
				return errors.New("the engine has not taken the change of the cluster Secret")
			}
			return nil
		})
	}
	var dev *corev1.Secret
	took(func() { dev = e.spoke("dev", "true", "eu-1") })
	name := types.NamespacedName{Namespace: e.namespace, Name: "elsewhere"}
	if err := e.Create(t.Context(), overNone(name)); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		if !e.router.Readers.Of(name).Clusters { // it is known what it reads
			return errors.New("the set is not expanded yet")
		}
		return nil
	})
	const unread = 4 // two changes each, which is less than a flood
	before := expanded.Load()
	for i := range unread {
		took(func() { e.alters(dev, func(s *corev1.Secret) { s.Labels["unread"] = strconv.Itoa(i) }) })
		took(func() { e.alters(dev, func(s *corev1.Secret) { s.Annotations["unread"] = strconv.Itoa(i) }) })
	}
	e.alters(dev, func(s *corev1.Secret) { s.Labels["zone"] = "north" })
	embeddedtest.Eventually(t, func(context.Context) error {
		if expanded.Load() == before {
			return errors.New("the set is not expanded for a label that it reads")
		}
		return nil
	})
	if got := expanded.Load() - before; got != 1 {
		t.Errorf("the set is expanded %d times, of which one is for the label that it reads", got)
	}
}

// overNone is a set over clusters of which there is none.
func overNone(name types.NamespacedName) *v1alpha1.ApplicationSet {
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
	set.Spec.Generators = []v1alpha1.ApplicationSetGenerator{{Clusters: &v1alpha1.ClusterGenerator{
		Selector: metav1.LabelSelector{MatchLabels: map[string]string{"zone": "south"}},
	}}}
	set.Spec.Template.Name = "elsewhere-{{name}}"
	set.Spec.Template.Spec.Project = "default"
	return set
}

// alters writes labels and annotations of a cluster Secret.
func (e *engine) alters(s *corev1.Secret, change func(*corev1.Secret)) {
	e.t.Helper()
	before := s.DeepCopy()
	change(s)
	if err := e.Patch(e.t.Context(), s, client.MergeFrom(before)); err != nil {
		e.t.Fatal(err)
	}
}
