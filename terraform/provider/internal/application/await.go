package application

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
)

const awaitPoll = 500 * time.Millisecond

// reader reads single objects; none and no error is one that is not there.
type reader interface {
	Read(ctx context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error)
}

// await returns the Application once it is as it should be. An error tells
// how it was at the last look.
func (f facts) await(ctx context.Context, hub reader, o *unstructured.Unstructured, within time.Duration) (*unstructured.Unstructured, error) {
	var live *unstructured.Unstructured
	missing := fmt.Errorf("there is no Application %s/%s", o.GetNamespace(), o.GetName())
	var last error
	err := wait.PollUntilContextTimeout(ctx, awaitPoll, within, true, func(ctx context.Context) (bool, error) {
		found, err := hub.Read(ctx, o)
		switch {
		case err != nil && over(ctx):
			return false, nil // the time is over, which the caller says better
		case err != nil:
			last = err
			return false, err
		case found == nil:
			last = missing
			return !f.waits(), nil
		}
		live, last = found, nil
		return !f.waits() || f.fine(found), nil
	})
	switch {
	case last != nil && errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("%w after %s", last, within)
	case last != nil:
		return nil, last
	case err != nil && live == nil:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("the Application %s/%s is not synced and healthy after %s: %s", o.GetNamespace(), o.GetName(), within, f.complaint(live))
	}
	return live, nil
}

// over tells that the time to wait is over. The context may say so a moment
// later than those who compare its deadline with the clock.
func over(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && !time.Now().Before(deadline)
}

func (f facts) waits() bool { return f.Wait.IsNull() || f.Wait.ValueBool() }

// fine tells that the Application is synced and healthy, at the wanted
// revision. While an operation runs, the status is of before.
func (f facts) fine(live *unstructured.Unstructured) bool {
	_, asked := live.Object["operation"]
	phase := at(live, "status", "operationState", "phase")
	return !asked && phase != "Running" && phase != "Terminating" &&
		at(live, "status", "sync", "status") == "Synced" && at(live, "status", "health", "status") == "Healthy" && f.revised(live)
}

func (f facts) revised(live *unstructured.Unstructured) bool {
	want := f.Revision.ValueString()
	several, _, _ := unstructured.NestedStringSlice(live.Object, "status", "sync", "revisions")
	return want == "" || at(live, "status", "sync", "revision") == want || slices.Contains(several, want)
}

// complaint is what an Application says of itself.
func (f facts) complaint(live *unstructured.Unstructured) string {
	known := func(text string) string {
		if text == "" {
			return "not known: no engine has looked at it yet"
		}
		return text
	}
	out := []string{"sync is " + known(at(live, "status", "sync", "status")), "health is " + known(at(live, "status", "health", "status"))}
	if !f.revised(live) {
		out = append(out, "its revision is "+known(at(live, "status", "sync", "revision"))+", not "+f.Revision.ValueString())
	}
	if m := at(live, "status", "operationState", "message"); m != "" {
		out = append(out, "the last sync says: "+m)
	}
	all, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	for _, c := range all {
		if m, ok := c.(map[string]any); ok {
			out = append(out, fmt.Sprintf("%v: %v", m["type"], m["message"]))
		}
	}
	return strings.Join(out, "; ")
}
