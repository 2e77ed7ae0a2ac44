package serve

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// The latest events are those of all pages, not of the first by name.
func TestLatestEvents(t *testing.T) {
	from := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	page := 0
	out, err := latestEvents(t.Context(), &corev1.ObjectReference{Kind: "Pod", Name: "web"}, "", func(_ context.Context, o metav1.ListOptions) (*corev1.EventList, error) {
		if want := strings.Repeat("x", page); o.Continue != want {
			t.Errorf("page %d is asked for with %q", page, o.Continue)
		}
		page++
		list := &corev1.EventList{ListMeta: metav1.ListMeta{Continue: strings.Repeat("x", page)}}
		if page == 3 {
			list.Continue = ""
		}
		for i := range mostEvents {
			list.Items = append(list.Items, corev1.Event{LastTimestamp: metav1.NewTime(from.Add(time.Duration(page*mostEvents+i) * time.Second))})
		}
		return list, nil
	})
	if err != nil || page != 3 || len(out) != mostEvents || !out[0].Last.Equal(from.Add((4*mostEvents-1)*time.Second)) {
		t.Errorf("%d events of %d pages, %v", len(out), page, err)
	}
}

// A cluster that does not tell its events is named: it need not be the hub.
func TestEventsThatCannotBeListed(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	_, err := EventsAbout(t.Context(), "prod", &rest.Config{Host: s.URL}, &corev1.ObjectReference{Kind: "Pod", Namespace: "shop", Name: "web"})
	if !away(err) || !strings.HasPrefix(err.Error(), "cannot list events in cluster prod: ") {
		t.Errorf("the error is %v", err)
	}
}

// Events of other groups' kinds, and of an object that had the name before,
// are not an object's.
func TestEventsAreOfTheObject(t *testing.T) {
	object := corev1.ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "1"}
	cases := map[string]struct {
		said corev1.ObjectReference
		want bool
	}{
		"its own":             {corev1.ObjectReference{APIVersion: "apps/v1", UID: "1"}, true},
		"at another version":  {corev1.ObjectReference{APIVersion: "apps/v1beta1", UID: "1"}, true},
		"of another group":    {corev1.ObjectReference{APIVersion: "example.com/v1", UID: "1"}, false},
		"of the core's group": {corev1.ObjectReference{APIVersion: "v1", UID: "1"}, false},
		"of the one before":   {corev1.ObjectReference{APIVersion: "apps/v1", UID: "0"}, false},
		"that says little":    {corev1.ObjectReference{}, true},
	}
	for name, tc := range cases {
		if got := isAbout(&tc.said, &object); got != tc.want {
			t.Errorf("an event %s is the object's: %v", name, got)
		}
	}
	object.UID = ""
	if !isAbout(&corev1.ObjectReference{APIVersion: "apps/v1", UID: "0"}, &object) {
		t.Error("events of an object that is gone are not shown")
	}
}

// A cluster that says nothing is told apart from one that says no, and from a
// reader who has gone.
func TestInTime(t *testing.T) {
	waits := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
	if _, err := inTime(t.Context(), time.Millisecond, "edge", waits); !away(err) || !strings.Contains(err.Error(), "cluster edge did not answer") {
		t.Errorf("a cluster that hangs: %v", err)
	}
	no := errors.New("no")
	if _, err := inTime(t.Context(), time.Hour, "edge", func(context.Context) (int, error) { return 0, no }); !errors.Is(err, no) || away(err) {
		t.Errorf("a cluster that says no: %v", err)
	}
	if out, err := inTime(t.Context(), time.Hour, "edge", func(context.Context) (int, error) { return 7, nil }); out != 7 || err != nil {
		t.Errorf("a cluster that answers: %d, %v", out, err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := inTime(gone, time.Hour, "edge", waits); !errors.Is(err, context.Canceled) || away(err) {
		t.Errorf("a reader who has gone: %v", err)
	}
}

// heap is a reader whose lists have no order, as those of caches.
type heap struct {
	client.Reader

	names []string
}

func (h heap) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	for _, name := range h.names {
		switch all := list.(type) {
		case *v1alpha1.AppProjectList:
			all.Items = append(all.Items, v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: name}})
		case *v1alpha1.ApplicationSetList:
			all.Items = append(all.Items, v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
	}
	return nil
}

func (h heap) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	if !slices.Contains(h.names, key.Name) {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	obj.SetName(key.Name)
	return nil
}

// One set is found where the list has it, in the control namespace.
func TestOneApplicationSet(t *testing.T) {
	h := hubReader{reader: heap{names: []string{"web"}}, namespace: "argocd"}
	if set, err := h.ApplicationSet(t.Context(), view.Key{Namespace: "argocd", Name: "web"}); err != nil || set.Name != "web" {
		t.Errorf("got %v, %v", set, err)
	}
	for _, k := range []view.Key{{Namespace: "argocd", Name: "api"}, {Namespace: "team", Name: "web"}} {
		set, err := h.ApplicationSet(t.Context(), k)
		if problem := new(gitops.Problem); set != nil || !errors.As(err, &problem) || problem.Kind != gitops.NotFound {
			t.Errorf("of %v: got %v, %v", k, set, err)
		}
	}
}

func TestListsHaveAnOrder(t *testing.T) {
	h := hubReader{reader: heap{names: []string{"web", "api", "shop"}}}
	projects, err := h.Projects(t.Context())
	sets, failed := h.ApplicationSets(t.Context())
	if err != nil || failed != nil || len(projects) != 3 || len(sets) != 3 {
		t.Fatal(projects, sets, err, failed)
	}
	for i, want := range []string{"api", "shop", "web"} {
		if projects[i].Name != want || sets[i].Name != want {
			t.Errorf("at %d: project %s and set %s, want %s", i, projects[i].Name, sets[i].Name, want)
		}
	}
}

// Work that a silent cluster keeps from its end is ended, and tells why; what
// does not need the cluster is not kept waiting for it.
func TestUnlessAway(t *testing.T) {
	silent := gitops.Problemf(gitops.Unreachable, "cluster edge did not answer")
	app := &v1alpha1.Application{}
	awake := func(err error) func(context.Context, *v1alpha1.Application) error {
		return func(context.Context, *v1alpha1.Application) error { return err }
	}
	never := func(ctx context.Context, _ *v1alpha1.Application) error { <-ctx.Done(); return nil }
	waits := func(ctx context.Context, _ *v1alpha1.Application) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
	half := func(ctx context.Context, _ *v1alpha1.Application) (int, error) { <-ctx.Done(); return 1, nil }
	no := errors.New("no")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	cases := map[string]struct {
		reason string
		ctx    context.Context //nolint:containedctx // of one call
		awake  func(context.Context, *v1alpha1.Application) error
		work   func(context.Context, *v1alpha1.Application) (int, error)
		want   error
	}{
		"Silent": {"the work ends when the cluster is known to be silent", t.Context(), awake(silent), waits, silent},
		"Half":   {"what was cut short is not taken for the whole", t.Context(), awake(silent), half, silent},
		"Done":   {"what is done without the cluster does not wait for it", t.Context(), never, func(context.Context, *v1alpha1.Application) (int, error) { return 7, nil }, nil},
		"Fails":  {"its own errors are its own", t.Context(), awake(nil), func(context.Context, *v1alpha1.Application) (int, error) { return 0, no }, no},
		"Gone":   {"who has gone is told nothing of clusters", gone, never, waits, context.Canceled},
	}
	for name, tc := range cases {
		if _, err := unlessAway(tc.ctx, app, tc.awake, tc.work); !errors.Is(err, tc.want) {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
		}
	}
}
