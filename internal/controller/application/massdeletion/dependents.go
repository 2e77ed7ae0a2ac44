package massdeletion

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// Dependents tells which objects need another one that is not theirs, and work no longer without it.
type Dependents interface {
	// Of are those that need an object, of what a cluster lists. An error is of what could not be asked.
	Of(ctx context.Context, list func(context.Context, schema.GroupVersionKind, string) ([]unstructured.Unstructured, error), key gitops.Key) ([]unstructured.Unstructured, error)
}

// needed notes how many objects need one that goes for good, and stay. Where that cannot be told, somebody may.
func (r *Keeper) needed(ctx context.Context, in state.Reader, a *gitops.Action, leaves map[gitops.Key]bool, d *guard.Deletion) {
	if r.Guard == nil || r.Guard.Dependents == nil || a.Verb != gitops.Prune && !a.Disowned {
		return
	}
	all, err := r.Guard.Dependents.Of(ctx, in.List, a.Key)
	if err != nil {
		r.Log.WarnContext(ctx, "cannot tell what needs an object that is to be deleted; its deletion is held", "object", a.Key.String(), "error", err)
		d.Needed, d.With = 1, joined(d.With, "what needs it could not be found out")
		return
	}
	var names []string
	for i := range all {
		if !goes(&all[i], leaves) {
			names = append(names, gitops.ObjectName(all[i].GetKind(), all[i].GetNamespace(), all[i].GetName()))
		}
	}
	if len(names) == 0 {
		return
	}
	d.Needed, d.With = len(names), joined(d.With, "needed by "+gitops.Listed(names, namedDependents))
}

// namedDependents bounds how many of those that need an object a message names.
const namedDependents = 3

func joined(with, more string) string { return strings.TrimPrefix(with+", "+more, ", ") }

// goes reports whether an object is going, or goes with what leaves: itself, its namespace, or its owner.
func goes(o *unstructured.Unstructured, leaves map[gitops.Key]bool) bool {
	key := gitops.KeyOf(o)
	if o.GetDeletionTimestamp() != nil || leaves[key] || leaves[gitops.Key{Kind: "Namespace", Name: key.Namespace}] {
		return true
	}
	owner := metav1.GetControllerOf(o)
	if owner == nil {
		return false
	}
	group := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).Group
	return leaves[gitops.Key{Group: group, Kind: owner.Kind, Namespace: key.Namespace, Name: owner.Name}] || leaves[gitops.Key{Group: group, Kind: owner.Kind, Name: owner.Name}]
}

// neededText is why deletions are held of which others need something.
func neededText(needed int) string {
	if needed == 1 {
		return "an object that stays needs what goes"
	}
	return gitops.Count(needed, "object") + " that stay need what goes"
}
