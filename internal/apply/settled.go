package apply

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// withContent gives the compact form of an object that was read whole, with its
// content: for objects whose fingerprint alone does not tell whether they are
// as desired.
func (a *Applier) withContent(c Cluster, live *unstructured.Unstructured) *gitops.Live {
	now := a.options.Convert(c.Server(), live)
	now.Content = gitops.ContentOf(live)
	return now
}

// keep settles an object that is as desired and whose fields are all ours: its
// fingerprint tells of each later change.
func (a *Applier) keep(c Cluster, action gitops.Action, live *gitops.Live) gitops.Action {
	if live.Fingerprint != "" {
		a.options.Remember(c.Server(), action.Key, action.Digest, live.Fingerprint)
	}
	return kept(action, live)
}

func kept(action gitops.Action, live *gitops.Live) gitops.Action {
	action.Verb, action.Suspect, action.Live, action.Sync, action.Reason = gitops.Keep, false, live, gitops.Synced, ""
	return action
}

// rememberContent is for an object that is as desired although others own what
// an apply would make ours: its fingerprint does not tell when they change it.
func (a *Applier) rememberContent(c Cluster, action *gitops.Action, live *gitops.Live) {
	if live.Content != "" && !action.Ignore.CountStatus {
		a.options.Remember(c.Server(), action.Key, action.Digest, live.Content)
	}
}

// lacks reports whether fields that count would become ours by an apply. What is
// to be ignored does not.
func lacks(ctx context.Context, live *unstructured.Unstructured, wanted *fieldpath.Set, action *gitops.Action) (bool, error) {
	ours, err := difference.Applied(live, gitops.FieldManager)
	if err != nil {
		return false, err
	}
	others := wanted.Difference(ours)
	if others.Empty() {
		return false, nil
	}
	content := difference.Content
	if action.Ignore.CountStatus {
		content = difference.Whole
	}
	counts, err := forget(ctx, content(live.Object), live, action.Ignore)
	if err != nil {
		return false, err
	}
	return difference.HasAny(counts, others), nil
}
