package application

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// unanswered is said of an Application that was not looked at.
const unanswered = "no answer came in time"

const (
	awaitPoll = 500 * time.Millisecond
	// maxComplaints are told in full; of the others the names are.
	maxComplaints = 5
)

// reader reads single objects; none and no error is one that is not there.
type reader interface {
	Read(ctx context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error)
}

// watch looks at Applications of a namespace until all of them are synced and
// healthy, or Terraform turns out to plan.
type watch struct {
	hub       reader
	namespace string
	names     []string
	// revision that is to be the synced one; any where it is empty.
	revision string
	// within bounds the wait.
	within time.Duration
	// planning tells that nobody waits: what is planned may be what mends the
	// Applications, or takes them away.
	planning func() bool
	now      func() time.Time
}

// seen are Applications at the last look.
type seen struct {
	live map[string]*unstructured.Unstructured // nil for one that is not there
	// complaints are those of Applications that are not as they should be.
	complaints map[string]string
}

// errLate says that Applications are not as they should be in time.
var errLate = errors.New("the time to wait is over")

// await returns once all are as they should be, or a plan goes on without. It
// is errLate where the last look found others, and the error of that look where
// it found nothing.
func (w watch) await(ctx context.Context) (seen, error) {
	out := seen{live: map[string]*unstructured.Unstructured{}, complaints: map[string]string{}}
	pending, refusals := w.names, object.NewRefusals(w.now)
	var last error
	err := wait.PollUntilContextTimeout(ctx, awaitPoll, w.within, true, func(ctx context.Context) (bool, error) {
		err := w.look(ctx, pending, out)
		if err != nil && over(ctx) {
			return false, nil // the time is over, which the caller says better
		}
		last = err
		if final := refusals.Final(err); err != nil {
			return false, cmp.Or(final, w.final(out, err))
		}
		// One may have changed while others were waited for: the last look is at all of them.
		whole := len(pending) == len(w.names)
		if pending = out.unfinished(w.names); len(pending) == 0 {
			pending = w.names
		}
		return whole && len(out.complaints) == 0 || w.planning(), nil
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = cmp.Or(last, errLate)
	}
	return out, err
}

// final is an error that is not waited for: those of a plan, and what a wrong
// address or certificate may be, as no server has answered yet. What else there
// is may pass.
func (w watch) final(so seen, err error) error {
	var status apierrors.APIStatus
	answered := len(so.live) > 0 || errors.As(err, &status) || errors.Is(err, object.ErrCredentials)
	if answered && !w.planning() {
		return nil
	}
	return err
}

// look asks for each of the names once.
func (w watch) look(ctx context.Context, names []string, into seen) error {
	for _, name := range names {
		live, err := w.hub.Read(ctx, named(w.namespace, name))
		if err != nil {
			return err
		}
		into.live[name] = live
		delete(into.complaints, name)
		if complaint := w.complaint(live); complaint != "" {
			into.complaints[name] = complaint
		}
	}
	return nil
}

// unfinished are the names of those that are not as they should be.
func (s seen) unfinished(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, looked := s.live[name]
		return looked && s.complaints[name] == ""
	})
}

// complaint tells of the first in full, and of the others by name.
func (s seen) complaint(names []string) string {
	var lines, others []string
	for _, name := range s.unfinished(names) {
		if len(lines) < maxComplaints {
			lines = append(lines, name+": "+cmp.Or(s.complaints[name], unanswered))
			continue
		}
		others = append(others, name)
	}
	if len(others) > 0 {
		lines = append(lines, "and "+strings.Join(others, ", "))
	}
	return strings.Join(lines, "\n")
}

// over reports whether the time to wait is over. The context may say so a moment
// later than those who compare its deadline with the clock.
func over(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && !time.Now().Before(deadline)
}

// complaint is what is wrong with an Application; nothing where it is synced
// and healthy, at the wanted revision. While an operation runs, the status is
// of before.
func (w watch) complaint(live *unstructured.Unstructured) string {
	if live == nil {
		return "it is not there"
	}
	_, asked := live.Object["operation"]
	phase := at(live, "status", "operationState", "phase")
	sync, health := at(live, "status", "sync", "status"), at(live, "status", "health", "status")
	if !asked && phase != "Running" && phase != "Terminating" && sync == "Synced" && health == "Healthy" && w.revised(live) {
		return ""
	}
	out := []string{"sync is " + known(sync), "health is " + known(health)}
	if !w.revised(live) {
		out = append(out, "its revision is "+known(at(live, "status", "sync", "revision"))+", not "+w.revision)
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

func (w watch) revised(live *unstructured.Unstructured) bool {
	several, _, _ := unstructured.NestedStringSlice(live.Object, "status", "sync", "revisions")
	return w.revision == "" || at(live, "status", "sync", "revision") == w.revision || slices.Contains(several, w.revision)
}

func known(text string) string {
	if text == "" {
		return "not known: no engine has looked at it yet"
	}
	return text
}

func named(namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(APIVersion)
	o.SetKind("Application")
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// patience reads a timeout.
func patience(text string) (time.Duration, error) {
	if text == "" {
		return defaultWait, nil
	}
	within, err := time.ParseDuration(text)
	if err != nil || within <= 0 {
		return 0, fmt.Errorf("timeout = %q: write a duration, as in \"15m\"", text)
	}
	return within, nil
}
