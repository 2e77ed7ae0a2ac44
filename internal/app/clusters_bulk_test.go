package app

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// madeBy are the Applications of a set that are not being deleted, by name.
func (e *engine) madeBy(ctx context.Context, set string) (map[string]types.UID, error) {
	var list v1alpha1.ApplicationList
	if err := e.List(ctx, &list, client.InNamespace(e.namespace)); err != nil {
		return nil, err
	}
	out := map[string]types.UID{}
	for i := range list.Items {
		app := &list.Items[i]
		owned := len(app.OwnerReferences) == 1 && app.OwnerReferences[0].Name == set
		if owned && app.DeletionTimestamp.IsZero() {
			out[app.Name] = app.UID
		}
	}
	return out, nil
}

// untilMade waits until a set has so many Applications, and returns them.
func (e *engine) untilMade(set string, count int) (made map[string]types.UID) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) (err error) {
		if made, err = e.madeBy(ctx, set); err == nil && len(made) != count {
			err = fmt.Errorf("set %s has %d applications, want %d", set, len(made), count)
		}
		return err
	})
	return made
}

// ofBulk makes a set over the clusters with a label.
func (e *engine) ofBulk(name, label string) {
	e.t.Helper()
	set := e.addons()
	set.Name, set.Spec.Template.Name = name, e.namespace+"-"+name+"-{{name}}"
	set.Spec.Generators[0].Clusters.Selector.MatchLabels = map[string]string{label: "true"}
	if err := e.Create(e.t.Context(), set); err != nil {
		e.t.Fatal(err)
	}
}

// untilAllHeld waits until the guard holds what is left of a set, all of it, and
// returns the digest of that list.
func (e *engine) untilAllHeld(set string) (left map[string]types.UID, digest string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) (err error) {
		if left, err = e.madeBy(ctx, set); err != nil {
			return err
		}
		var names []string
		for name := range left {
			names = append(names, name)
		}
		digest = guard.Digest(names)
		now := &v1alpha1.ApplicationSet{}
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: set}, now); err != nil {
			return err
		}
		if text := heldIn(now); !strings.Contains(text, digest) {
			return fmt.Errorf("%d applications are left, and what is held is %q", len(left), text)
		}
		return nil
	})
	return left, digest
}

// TestClustersComeAndGoInBulk: a hundred clusters bring their Applications. When they
// go at once the guard holds most of these, whichever the engine saw first, until
// somebody approves exactly those; then nothing is left, and others are as they were.
func TestClustersComeAndGoInBulk(t *testing.T) {
	const count, others = 100, 2
	e := start(t, nil)
	e.ofBulk("bulk", "enable_web")
	e.ofBulk("others", "stays")
	for i := range others {
		s := e.spoke(fmt.Sprintf("other-%d", i), "false", "eu")
		before := s.DeepCopy()
		s.Labels["stays"] = "true"
		if err := e.Patch(t.Context(), s, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range count {
		e.spoke(fmt.Sprintf("c%03d", i), "true", "eu")
	}
	e.untilMade("bulk", count)
	stays := e.untilMade("others", others)
	if n := len(e.fleet.Members()); n != 1+count+others {
		t.Errorf("the engine has %d clusters, want %d and the hub", n, count+others)
	}

	if err := e.DeleteAllOf(t.Context(), &corev1.Secret{}, client.InNamespace(e.namespace), client.MatchingLabels{"enable_web": "true"}); err != nil {
		t.Fatal(err)
	}
	left, digest := e.untilAllHeld("bulk")
	// Of 102 the fleet lets 40 go within its window.
	if len(left) < count-40 {
		t.Errorf("%d of %d applications are left without anybody's word", len(left), count)
	}
	set := e.untilSet("bulk", func(*v1alpha1.ApplicationSet) bool { return true })
	before := set.DeepCopy()
	annotate(set, gitops.AnnotationDeletionApproval, guard.Approval{Digest: digest, Until: time.Now().Add(time.Hour)}.String())
	if err := e.Patch(t.Context(), set, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}

	e.untilMade("bulk", 0)
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		var list v1alpha1.ApplicationList
		if err := e.List(ctx, &list, client.InNamespace(e.namespace)); err != nil {
			return err
		}
		if len(list.Items) != others {
			return fmt.Errorf("%d applications are there, want %d", len(list.Items), others)
		}
		if n := len(e.fleet.Members()); n != 1+others {
			return fmt.Errorf("the engine keeps %d clusters, want %d and the hub", n, others)
		}
		for server := range e.shared.Parked() {
			if server != "" && !strings.Contains(server, "/other-") {
				return fmt.Errorf("an application waits for %s", server)
			}
		}
		return nil
	})
	e.untilSet("bulk", func(s *v1alpha1.ApplicationSet) bool {
		return heldIn(s) == "" && s.Status.ResourcesCount == 0 && s.Annotations[gitops.AnnotationDeletionApproval] == ""
	})
	now, err := e.madeBy(t.Context(), "others")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(stays, now); diff != "" {
		t.Errorf("applications of another set are others now (-before +after):\n%s", diff)
	}
}
