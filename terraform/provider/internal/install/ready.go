package install

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

const readyPoll = 250 * time.Millisecond

// reader reads single objects; none and no error is one that is not there.
type reader interface {
	Read(ctx context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error)
}

// ready waits until every Deployment runs what was applied last.
func ready(ctx context.Context, hub reader, all []*unstructured.Unstructured, within time.Duration, now func() time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for _, o := range all {
		if o.GetKind() != "Deployment" {
			continue
		}
		var live *unstructured.Unstructured
		refusals := object.NewRefusals(now)
		err := wait.PollUntilContextCancel(ctx, readyPoll, true, func(ctx context.Context) (bool, error) {
			found, err := hub.Read(ctx, o)
			if final := refusals.Final(err); err != nil || found == nil {
				return false, final // what may pass is asked again until the time is over
			}
			live = found
			return available(found), nil
		})
		err = cmp.Or(refusals.Last(), err)
		if err != nil && !wait.Interrupted(err) {
			return fmt.Errorf("cannot tell whether %s is available: %w", object.Name(o), err)
		}
		if err != nil {
			return fmt.Errorf("%s is not available after %s%s: see its pods, as in `kubectl -n %s get pods`", object.Name(o), within, reasons(live), o.GetNamespace())
		}
	}
	return nil
}

// available is what `kubectl rollout status` waits for.
func available(o *unstructured.Unstructured) bool {
	number := func(path ...string) int64 {
		n, _, _ := unstructured.NestedInt64(o.Object, path...)
		return n
	}
	want := number("spec", "replicas")
	return number("status", "observedGeneration") >= o.GetGeneration() && number("status", "updatedReplicas") >= want &&
		number("status", "replicas") <= max(want, number("status", "updatedReplicas")) && number("status", "availableReplicas") >= want
}

// reasons are the conditions that do not hold.
func reasons(o *unstructured.Unstructured) string {
	if o == nil {
		return ""
	}
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	var out strings.Builder
	for _, c := range all {
		if m, ok := c.(map[string]any); ok && m["status"] != "True" {
			_, _ = fmt.Fprintf(&out, " (%v: %v)", m["type"], m["message"])
		}
	}
	return out.String()
}
