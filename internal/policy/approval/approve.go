// Package approval tells which deletions wait for a person's word, and gives
// it: a mass deletion that the guard holds, and objects that ask to be
// confirmed. It changes values alone; who writes them stands above.
package approval

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// Held are the objects of an Application whose deletion the guard holds until
// somebody approves it, in the order of their names.
func Held(app *v1alpha1.Application) []gitops.Key {
	held := slices.ContainsFunc(app.Status.Conditions, func(c v1alpha1.ApplicationCondition) bool {
		return c.Type == v1alpha1.ApplicationConditionDeletionHeldError
	})
	st := app.Status.OperationState
	if !held || st == nil || st.SyncResult == nil || app.DeletionTimestamp != nil { // it goes, whatever was held before
		return nil
	}
	var out []gitops.Key
	for _, r := range st.SyncResult.Resources {
		if r.Status == v1alpha1.ResultCodePruneSkipped {
			out = append(out, gitops.Key{Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name})
		}
	}
	return sorted(out)
}

// HeldOfSet are the names of the Applications whose deletion by their set is
// held, sorted.
func HeldOfSet(set *v1alpha1.ApplicationSet) []string {
	var out []string
	for _, r := range set.Status.Resources {
		if r.RequiresPruning {
			out = append(out, r.Name)
		}
	}
	slices.Sort(out)
	return out
}

// Approve lets exactly the deletions of a digest go until a time. by is who says so.
func Approve(app *v1alpha1.Application, digest string, until time.Time, by string) error {
	return approve(app, "application "+app.Name, NamesOf(Held(app)), guard.Approval{Digest: digest, Until: until, By: by})
}

// ApproveSet is Approve for what a set would delete.
func ApproveSet(set *v1alpha1.ApplicationSet, digest string, until time.Time, by string) error {
	return approve(set, "ApplicationSet "+set.Name, HeldOfSet(set), guard.Approval{Digest: digest, Until: until, By: by})
}

func approve(o metav1.Object, what string, held []string, a guard.Approval) error {
	if len(held) == 0 {
		return gitops.Problemf(gitops.NotReady, "no deletion of %s is held", what)
	}
	if now := guard.Digest(held); now != a.Digest {
		return gitops.Problemf(gitops.NotReady, "the deletions of %s that are held are others now: their digest is %s, not %s", what, now, a.Digest).
			Do("look at the list as it is now, and approve that")
	}
	Give(o, a)
	return nil
}

// Give writes an approval for what is held, or will be.
func Give(o metav1.Object, a guard.Approval) {
	annotate(o, gitops.AnnotationDeletionApproval, a.String())
}

// NamesOf are the names of objects as digests are made of them.
func NamesOf(keys []gitops.Key) []string {
	out := make([]string, len(keys))
	for i := range keys {
		out[i] = keys[i].String()
	}
	return out
}

func sorted(keys []gitops.Key) []gitops.Key {
	slices.SortFunc(keys, func(a, b gitops.Key) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

func annotate(o metav1.Object, key, value string) {
	all := map[string]string{}
	for k, v := range o.GetAnnotations() {
		all[k] = v
	}
	all[key] = value
	o.SetAnnotations(all)
}
