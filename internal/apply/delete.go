package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Delete deletes the live object of an action, and only that one, as it was
// when that was decided: an object of the same name that somebody made since,
// or that has become somebody else's, is left alone. It does not wait for
// finalizers. The message is for people.
func (a *Applier) Delete(ctx context.Context, c Cluster, action *gitops.Action) (message string, err error) {
	if action.Live == nil || action.Live.UID == "" {
		return "", fmt.Errorf("cannot delete %s: it was never seen", action.Key)
	}
	var got answer
	err = a.mapped(ctx, c, action.Live.Version, action.Key, func(p paths) (err error) {
		if err = a.letGo(ctx, c, p.object, action.Live); err != nil {
			return err
		}
		got, err = a.deleteAsSeen(ctx, c, p.object, action.Live, action.Options.PrunePolicy)
		return err
	})
	switch {
	case got.deleted:
		return gitops.Pruned, nil
	case err == nil:
		return gitops.Pruned + ": it was being deleted already", nil
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return gitops.Pruned + ": it was gone already", nil
	case uidChanged(err):
		return "kept: another object has its name now", nil
	case errors.Is(err, errOtherwise):
		return "kept: it is no longer what was to be deleted; the next comparison tells whose it is", nil
	}
	return "", problem("delete", action, c, err)
}

// errOtherwise is what became of an object that was to be deleted.
var errOtherwise = errors.New("what its deletion rested on has changed")

// deleteAsSeen deletes an object in the version that was decided about. One
// that was written since is read again: what tells whose it is, and whether it
// may go, must be as it was. The answer reports whether the deletion is this one's:
// it was not being deleted yet, or began to be by a request whose answer was lost.
func (a *Applier) deleteAsSeen(ctx context.Context, c Cluster, path string, live *gitops.Live, policy gitops.Propagation) (answer, error) {
	version, going, lost := live.ResourceVersion, live.Deleting, false
	for try := 1; ; try++ {
		body, err := deleteOptions(live.UID, version, policy)
		if err != nil {
			return answer{}, err
		}
		got, err := a.send(ctx, c, call{verb: http.MethodDelete, path: path, body: body})
		lost = lost || got.again
		if !versionChanged(err) || try == releases {
			got.deleted = !going && (err == nil || lost && isGone(err))
			return got, err
		}
		object, err := a.get(ctx, c, path)
		if err != nil {
			return answer{deleted: !going && lost && isGone(err)}, err
		}
		if now := a.options.Convert(c.Server(), object); now.UID == live.UID && !sameOwnership(live, now) {
			return answer{}, errOtherwise
		}
		version, going = object.GetResourceVersion(), going || !lost && object.GetDeletionTimestamp() != nil
	}
}

// sameOwnership reports whether all that a deletion rests on is the same.
func sameOwnership(before, now *gitops.Live) bool {
	return before.Tracking == now.Tracking && maps.Equal(before.Annotations, now.Annotations) && slices.Equal(before.Owners, now.Owners)
}

// deleteOptions are for one object, in one version where that is given.
func deleteOptions(uid types.UID, version string, policy gitops.Propagation) ([]byte, error) {
	o := metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: "v1"}}
	o.Preconditions = &metav1.Preconditions{UID: &uid}
	if version != "" {
		o.Preconditions.ResourceVersion = &version
	}
	propagation, err := propagationOf(policy)
	if err != nil {
		return nil, err
	}
	o.PropagationPolicy = &propagation
	body, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the delete options: %w", err)
	}
	return body, nil
}

func propagationOf(policy gitops.Propagation) (metav1.DeletionPropagation, error) {
	switch gitops.Propagation(strings.ToLower(string(policy))) {
	case "", gitops.DeleteForeground:
		return metav1.DeletePropagationForeground, nil
	case gitops.DeleteBackground:
		return metav1.DeletePropagationBackground, nil
	case gitops.DeleteOrphan:
		return metav1.DeletePropagationOrphan, nil
	}
	return "", gitops.Problemf(gitops.Invalid, "cannot delete with PrunePropagationPolicy=%s", policy).Do("write foreground, background or orphan")
}

// goneWithin is how long an object that is created anew may take to go.
const goneWithin = 30 * time.Second

// deleteAndWait deletes an object, as it was when that was decided, and returns
// when its name is free. It reports whether the API server took the deletion.
func (a *Applier) deleteAndWait(ctx context.Context, c Cluster, path string, live *gitops.Live, k gitops.Key, policy gitops.Propagation) (deleted bool, err error) {
	got, err := a.deleteAsSeen(ctx, c, path, live, policy)
	if isGone(err) {
		return got.deleted, nil
	}
	if uidChanged(err) || errors.Is(err, errOtherwise) {
		return false, unseen(k)
	}
	if err != nil {
		return false, err
	}
	// The answer is a Status when the object is gone, and the object when
	// finalizers hold it.
	object, err := got.object()
	if err != nil || object.GetKind() == "Status" {
		return got.deleted, err
	}
	return got.deleted, a.waitGone(ctx, c, path, object.GetUID())
}

var errStillThere = errors.New("the object that has to go first is still being deleted")

func (a *Applier) waitGone(ctx context.Context, c Cluster, path string, uid types.UID) error {
	end := time.Now().Add(goneWithin)
	for wait := 25 * time.Millisecond; time.Now().Before(end); wait = min(2*wait, time.Second) {
		object, err := a.get(ctx, c, path)
		if apierrors.IsNotFound(err) || err == nil && object.GetUID() != uid {
			return nil
		}
		if err != nil {
			return err
		}
		if !sleep(ctx, wait) {
			return ctx.Err()
		}
	}
	return (&gitops.Problem{Kind: gitops.NotReady, What: errStillThere.Error(), Err: errStillThere}).Do("see which of its finalizers is not taken away")
}
