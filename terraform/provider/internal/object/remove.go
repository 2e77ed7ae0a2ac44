package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

const removePoll = 200 * time.Millisecond

// errMoved says that an object is not any more what was read of it.
var errMoved = errors.New("it was changed, or made anew, while it was to be deleted: apply again")

// Remove deletes an object and waits until it is gone: finalizers may take
// their time. What is gone already is no error.
func (c *Client) Remove(ctx context.Context, o *unstructured.Unstructured, within time.Duration) error {
	live, err := c.Read(ctx, o)
	if err != nil || live == nil {
		return err
	}
	uid := live.GetUID()
	return c.remove(ctx, live, metav1.Preconditions{UID: &uid}, within)
}

// remove deletes what was read, if it is that yet, in the way that it asks for.
func (c *Client) remove(ctx context.Context, live *unstructured.Unstructured, only metav1.Preconditions, within time.Duration) error {
	place, err := c.place(live)
	if errors.Is(err, errNotServed) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot delete %s: %w", Name(live), err)
	}
	how := propagation(live)
	err = place.Delete(ctx, live.GetName(), metav1.DeleteOptions{PropagationPolicy: &how, Preconditions: &only})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case apierrors.IsConflict(err):
		return fmt.Errorf("cannot delete %s: %w", Name(live), errMoved)
	case err != nil:
		return fmt.Errorf("cannot delete %s: %w", Name(live), reached(err))
	}
	return c.untilGone(ctx, place, live, within)
}

// untilGone waits for the end of a deletion. One of the same name that somebody
// made since is another object.
func (c *Client) untilGone(ctx context.Context, place dynamic.ResourceInterface, o *unstructured.Unstructured, within time.Duration) error {
	var live *unstructured.Unstructured
	refusals := NewRefusals(c.now)
	err := wait.PollUntilContextTimeout(ctx, removePoll, within, true, func(ctx context.Context) (bool, error) {
		found, err := place.Get(ctx, o.GetName(), metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		if final := refusals.Final(reached(err)); err != nil {
			return false, final // what may pass is asked again until the time is over
		}
		live = found
		return found.GetUID() != o.GetUID(), nil
	})
	if err == nil {
		return nil
	}
	err = cmp.Or(refusals.Last(), err)
	if ctx.Err() != nil {
		return fmt.Errorf("the wait for the deletion of %s was interrupted; Terraform keeps it; apply again later", Name(o))
	}
	if live == nil || !wait.Interrupted(err) {
		return fmt.Errorf("cannot tell whether %s is gone: %w; Terraform keeps it; apply again later", Name(o), err)
	}
	return fmt.Errorf("%s is being deleted, and not gone after %s: its finalizers %s are not done.%s Terraform keeps it; apply again later",
		Name(o), within, strings.Join(live.GetFinalizers(), ", "), c.reasons(ctx, live))
}

// propagation lets an ApplicationSet stay until its Applications are gone, and
// with them what they deployed: the next that Terraform takes away may be the
// description of their cluster, or the cluster itself. One with deletionOrder
// Reverse has a finalizer for that: in the foreground all would go at once. Only
// the live set knows: what Terraform has of it may be no more than its name.
func propagation(o *unstructured.Unstructured) metav1.DeletionPropagation {
	order, _, _ := unstructured.NestedString(o.Object, "spec", "strategy", "deletionOrder")
	if o.GetKind() == "ApplicationSet" && order != "Reverse" {
		return metav1.DeletePropagationForeground
	}
	return metav1.DeletePropagationBackground
}

// mostShown is how many Applications of a set an error names.
const mostShown = 10

// reasons are what an object says of its deletion. An ApplicationSet goes after
// its Applications, which know why they stay.
func (c *Client) reasons(ctx context.Context, o *unstructured.Unstructured) string {
	if o.GetKind() != "ApplicationSet" {
		return complaints(o)
	}
	app := &unstructured.Unstructured{}
	app.SetGroupVersionKind(o.GroupVersionKind().GroupVersion().WithKind("Application"))
	app.SetNamespace(o.GetNamespace())
	place, err := c.place(app)
	if err != nil {
		return complaints(o)
	}
	list, err := place.List(ctx, metav1.ListOptions{})
	if err != nil {
		return complaints(o)
	}
	var stay []string
	for i := range list.Items {
		if a := &list.Items[i]; metav1.IsControlledBy(a, o) {
			stay = append(stay, " "+Name(a)+":"+cmp.Or(complaints(a), " it says nothing yet."))
		}
	}
	text := complaints(o) + strings.Join(stay[:min(len(stay), mostShown)], "")
	if more := len(stay) - mostShown; more > 0 {
		text += fmt.Sprintf(" And %d more Applications.", more)
	}
	return text
}

// complaints are the messages of an object's conditions: they tell what holds
// a deletion, such as the guard.
func complaints(o *unstructured.Unstructured) string {
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	var out strings.Builder
	for _, c := range all {
		if m, ok := c.(map[string]any); ok && m["message"] != nil && complains(o.GetKind(), m) {
			_, _ = fmt.Fprintf(&out, " %v: %v.", m["type"], m["message"])
		}
	}
	return out.String()
}

// complains tells a condition that may hold a deletion: those of an
// ApplicationSet are there also when all is well.
func complains(kind string, condition map[string]any) bool {
	if kind != "ApplicationSet" {
		return true
	}
	return condition["status"] == "True" && (condition["type"] == "ErrorOccurred" || condition["type"] == "DeletionHeld")
}
