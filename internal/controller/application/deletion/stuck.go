package deletion

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

// StuckAfter is how long a deletion may wait for one thing until the
// Application shows that as an error: finalizers take their time.
const StuckAfter = time.Minute

// Pause is how soon a deletion that waits is usually looked at again.
const Pause = 10 * time.Second

// Blocked is a deletion that waits for an object to go.
type Blocked struct {
	cluster state.Reader
	object  *gitops.Live
	left    int
}

// expected is what a deletion waits for without anything being wrong. By what it is for
// it is known again: what is said of it changes.
type expected struct {
	problem *gitops.Problem
	what    string
}

func (p *expected) Error() string { return p.problem.Error() }
func (p *expected) Unwrap() error { return p.problem }

// optional is what stands in the way of a deletion and may be left out: its fix
// tells how.
type optional struct{ error }

func (o optional) Unwrap() error { return o.error }

// Error implements error.
func (b *Blocked) Error() string {
	return fmt.Sprintf("waiting for the deletion of %s (%s left)", b.object.Key, gitops.Count(b.left, "object"))
}

// Stuck keeps what each deletion waits for, and since when. It is safe for
// concurrent use; an engine that starts anew begins to count anew.
type Stuck struct {
	mu    sync.Mutex
	byApp map[types.NamespacedName]stuckObject
}

type stuckObject struct {
	what  string
	since time.Time
	// hooks is the try of the hooks that run, if any.
	hooks *hookTry
}

// NewStuck returns an empty one.
func NewStuck() *Stuck {
	return &Stuck{byApp: map[types.NamespacedName]stuckObject{}}
}

// Note tells since when a deletion waits for the same, and whether that is news.
func (s *Stuck) Note(name types.NamespacedName, what string, now time.Time) (since time.Time, news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.byApp[name]
	if old.what == what {
		return old.since, false
	}
	s.byApp[name] = stuckObject{what: what, since: now, hooks: old.hooks}
	return now, true
}

func (s *Stuck) try(name types.NamespacedName) *hookTry {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry := s.byApp[name]
	if entry.hooks == nil {
		entry.hooks = &hookTry{started: map[types.UID]bool{}}
		s.byApp[name] = entry
	}
	return entry.hooks
}

// Forget drops an Application that is gone.
func (s *Stuck) Forget(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byApp, name)
}

// reportStuck tells what keeps a deletion from going on: with an event at once, and
// with the condition DeletionError when it is a failure, or lasts.
func (r *Remover) reportStuck(out *report.Outcome, app *v1alpha1.Application, err error) error {
	out.Again(r.Pause)
	stuck, isStuck := errors.AsType[*Blocked](err)
	wanted, isExpected := errors.AsType[*expected](err)
	var what string
	switch {
	case isStuck:
		what = stuck.object.Key.String()
	case isExpected:
		what = wanted.what
	default:
		return r.wayOut(app, err)
	}
	since, news := r.Stuck.Note(client.ObjectKeyFromObject(app), what, r.Now())
	if news {
		out.Event(corev1.EventTypeNormal, "Deleting", err.Error())
	}
	if left := r.StuckAfter - r.Now().Sub(since); left > 0 {
		out.Again(left)
		return nil
	}
	if isStuck {
		err = stuck.explain(out.Context())
	}
	return r.wayOut(app, err)
}

// wayOut adds how to let the Application go all the same.
func (r *Remover) wayOut(app *v1alpha1.Application, err error) error {
	_, isExpected := errors.AsType[*expected](err)
	_, isOptional := errors.AsType[optional](err)
	if isExpected || isOptional {
		return err // they say it
	}
	leave := "to delete the Application and leave what is left of its objects: causeway delete " + opstate.Called(app, r.Namespace) + " --no-cascade"
	p, ok := errors.AsType[*gitops.Problem](err)
	if !ok {
		return fmt.Errorf("%w; %s", err, leave)
	}
	told := *p
	told.What, told.Where, told.Err = err.Error(), gitops.Origin{}, err
	if fix := p.Advice(); fix != "" {
		told.What = strings.TrimSuffix(told.What, "; "+fix)
		leave = fix + "; " + leave
	}
	return told.Do(leave)
}

// explain says what holds an object, since when, and what lets it go.
func (b *Blocked) explain(ctx context.Context) error {
	p := gitops.Problemf(gitops.NotReady, "%s", b.Error())
	o, err := b.cluster.Get(ctx, b.object.Version, b.object.Key.Namespace, b.object.Key.Name)
	if err != nil || o.GetDeletionTimestamp() == nil {
		return p
	}
	p.What = fmt.Sprintf("%s: it is being deleted since %s", p.What, o.GetDeletionTimestamp().UTC().Format(time.RFC3339))
	if text := inside(o); text != "" {
		p.What += ", and " + text
		return p
	}
	stuck := foreign(o.GetFinalizers())
	if len(stuck) == 0 {
		if slices.Contains(o.GetFinalizers(), metav1.FinalizerDeleteDependents) {
			p.What += ", and waits for the objects that it owns"
		}
		return p
	}
	p.What += ", and finalizer " + strings.Join(stuck, ", ") + " holds it"
	return p.Do("see that the controller of this finalizer runs; to let the object go without it: " + unfinalize(b.object.Key))
}

// foreign are the finalizers that somebody else has to take off.
func foreign(finalizers []string) []string {
	return slices.DeleteFunc(slices.Clone(finalizers), func(f string) bool { return f == metav1.FinalizerDeleteDependents })
}

// plain is a name that a shell takes for nothing but a name: names of roles may
// have any sign, and somebody copies the command.
var plain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.:_-]*$`)

// unfinalize tells how to take all finalizers off an object, with the command where it
// can be told.
func unfinalize(k gitops.Key) string {
	kind := strings.ToLower(k.Kind)
	if k.Group != "" {
		kind += "." + k.Group
	}
	namespace := ""
	if k.Namespace != "" {
		namespace = " -n " + k.Namespace
	}
	if !plain.MatchString(kind) || !plain.MatchString(k.Name) || k.Namespace != "" && !plain.MatchString(k.Namespace) {
		return "take it off metadata.finalizers"
	}
	return fmt.Sprintf(`kubectl patch %s %s%s --type=merge -p '{"metadata":{"finalizers":null}}'`, kind, k.Name, namespace)
}

// inside is what an object that is being deleted says of what it waits for: a
// Namespace of its contents, an Application of its own deletion.
func inside(o *unstructured.Unstructured) string {
	switch o.GetKind() {
	case "Namespace":
		return messages(o, "NamespaceContentRemaining", "NamespaceFinalizersRemaining", "NamespaceDeletionContentFailure", "NamespaceDeletionDiscoveryFailure")
	case v1alpha1.ApplicationKind:
		return messages(o, v1alpha1.ApplicationConditionDeletionError)
	}
	return ""
}

// messages joins the messages of conditions that say that something is so.
func messages(o *unstructured.Unstructured, kinds ...string) string {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	var out []string
	for _, item := range conditions {
		c, ok := item.(map[string]any)
		if !ok {
			continue
		}
		kind, _ := c["type"].(string)
		status, _ := c["status"].(string)
		message, _ := c["message"].(string)
		if slices.Contains(kinds, kind) && (status == "" || status == "True") && message != "" {
			out = append(out, message)
		}
	}
	return strings.Join(out, "; ")
}
