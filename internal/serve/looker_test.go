package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/fleet/reply"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/server/api"
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

// A page that is too large is read in smaller ones, of lists that have no end some
// 10,000 events, and never many more are kept than are shown.
func TestManyEvents(t *testing.T) {
	from := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	read, asked := 0, []int64{}
	out, err := latestEvents(t.Context(), &corev1.ObjectReference{Kind: "Pod", Name: "web"}, "involvedObject.name=web", func(_ context.Context, o metav1.ListOptions) (*corev1.EventList, error) {
		if asked = append(asked, o.Limit); o.Limit > 100 {
			return nil, &reply.TooLarge{}
		}
		if o.FieldSelector != "involvedObject.name=web" {
			t.Errorf("events are asked for by %q", o.FieldSelector)
		}
		list := &corev1.EventList{ListMeta: metav1.ListMeta{Continue: "more"}}
		for range o.Limit {
			list.Items = append(list.Items, corev1.Event{LastTimestamp: metav1.NewTime(from.Add(time.Duration(read) * time.Second))})
			read++
		}
		return list, nil
	})
	if err != nil || len(out) != 1+mostEvents || !out[1].Last.Equal(from.Add(time.Duration(read-1)*time.Second)) {
		t.Fatalf("%d events of %d, %v", len(out), read, err)
	}
	if says := fmt.Sprintf("only the first %d events of the list are read: no more than some 10000", read); out[0].Reason != "NotAllRead" || !strings.Contains(out[0].Message, says) {
		t.Errorf("that these are not all is told as %+v", out[0])
	}
	if most := mostEvents * mostEventPages; read < most || read > most+100 {
		t.Errorf("%d events are read, want %d", read, most)
	}
	if len(asked) < 2 || asked[0] != mostEvents || asked[1] >= mostEvents {
		t.Errorf("pages of %d are asked for", asked)
	}
	kept := latest{}
	for range 10 * mostEvents {
		if kept.take(api.Event{}); len(kept.events) > 2*mostEvents {
			t.Fatalf("%d events are kept", len(kept.events))
		}
	}
	pages := 0
	if _, err := latestEvents(t.Context(), &corev1.ObjectReference{}, "", func(context.Context, metav1.ListOptions) (*corev1.EventList, error) {
		pages++
		return &corev1.EventList{ListMeta: metav1.ListMeta{Continue: "more"}}, nil
	}); err != nil || pages > mostEvents*mostEventPages {
		t.Errorf("a list of empty pages has %d, %v", pages, err)
	}
}

// Pages add up in what one look may read: what was read before there was no room is
// shown, and that it is not all.
func TestEventsWithoutRoom(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		err    error
		page   int // which has no room
		shown  bool
	}{
		"Look":    {"the look has read as much as it may", fmt.Errorf("list: %w", &reply.TooLarge{Cluster: "prod", All: true, Memory: true}), 1, true},
		"Looks":   {"all looks have", &reply.Crowded{Cluster: "prod"}, 1, true},
		"Nothing": {"nothing is read", &reply.Crowded{Cluster: "prod"}, 0, false},
		"Away":    {"the cluster is away", errors.New("connection refused"), 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			page, from := 0, time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
			out, err := latestEvents(t.Context(), &corev1.ObjectReference{Kind: "Pod", Name: "web"}, "", func(context.Context, metav1.ListOptions) (*corev1.EventList, error) {
				if page++; page > tc.page {
					return nil, tc.err
				}
				return &corev1.EventList{
					ListMeta: metav1.ListMeta{Continue: "more"},
					Items:    []corev1.Event{{Reason: "Pulled", LastTimestamp: metav1.NewTime(from)}, {Reason: "Started", LastTimestamp: metav1.NewTime(from.Add(time.Second))}},
				}, nil
			})
			if !tc.shown {
				if err == nil {
					t.Errorf("%s: it is told as %+v", tc.reason, out)
				}
				return
			}
			if err != nil || len(out) != 3 || out[1].Reason != "Started" {
				t.Fatalf("%s: %+v, %v", tc.reason, out, err)
			}
			note := out[0]
			if note.Type != corev1.EventTypeWarning || note.Reason != "NotAllRead" || note.On != "Pod web" || !note.Last.Equal(out[1].Last) ||
				!strings.Contains(note.Message, "only the first 2 events of the list are read") || !strings.Contains(note.Message, "cluster prod") {
				t.Errorf("%s: told as %+v", tc.reason, note)
			}
		})
	}
}

// What an event says is cut where it is long, and a message tells that it is.
func TestEventsAreShort(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	got := eventOf(&corev1.Event{Type: long, Reason: long, Message: long, Source: corev1.EventSource{Component: long}, InvolvedObject: corev1.ObjectReference{Kind: long, Name: long}})
	for what, text := range map[string]string{"type": got.Type, "reason": got.Reason, "source": got.From, "object": got.On} {
		if len(text) > mostEventWord+len("…") {
			t.Errorf("the %s has %d bytes", what, len(text))
		}
	}
	if len(got.Message) > mostEventMessage+100 || !strings.Contains(got.Message, "cut: the message has 1048576 bytes") {
		t.Errorf("the message has %d bytes: %s", len(got.Message), got.Message[len(got.Message)-100:])
	}
	if short := eventOf(&corev1.Event{Message: "Back-off", Reason: "BackOff"}); short.Message != "Back-off" || short.Reason != "BackOff" {
		t.Errorf("what is short is %q, %q", short.Message, short.Reason)
	}
}

// inLook notes whether an object is read as part of a look.
type inLook struct {
	decrypting
	read *[]bool
}

func (l inLook) Object(ctx context.Context, _ *v1alpha1.Application, _ schema.GroupVersionKind, _ gitops.Key) (*unstructured.Unstructured, error) {
	*l.read = append(*l.read, ofLook(ctx))
	return l.live, nil
}

// ofLook reports whether what is read in a context is part of a look already.
func ofLook(ctx context.Context) bool {
	again, end := (&fleet.Cluster{}).OneLook(ctx, "")
	end()
	return again == ctx
}

// asks notes whether what is asked of a cluster is part of a look.
type asks struct {
	http.RoundTripper
	events chan bool
}

func (a asks) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/events") {
		a.events <- ofLook(r.Context())
	}
	return a.RoundTripper.RoundTrip(r)
}

// One object and its events are read as part of a look, which has its share of the
// memory of all.
func TestEventsAndObjectsAreOfALook(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"EventList","apiVersion":"v1"}`)
	}))
	t.Cleanup(s.Close)
	events, read := make(chan bool, 10), []bool{}
	config := &rest.Config{Host: s.URL}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return asks{next, events} })
	f, err := fleet.New(fleet.Options{Hub: config, Namespace: "argocd", Convert: observe.New().Live})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	live := inLook{decrypting{settings("web", "x"), settings("web", "x"), nil}, &read}
	admits := func(context.Context, *v1alpha1.Application) (*Admitted, error) {
		return &Admitted{Cluster: f.Hub()}, nil
	}
	l := looker{on: &Options{Admit: admits, Stages: live, Live: live, Fleet: f, Checks: observe.New(), Hidden: func() []string { return nil }}}
	app, ref := &v1alpha1.Application{}, api.Ref{Version: "v1", Kind: "ConfigMap", Namespace: "web", Name: "web"}
	if _, err := l.Object(t.Context(), app, ref); err != nil {
		t.Error(err)
	}
	for _, about := range []api.Ref{ref, {}} {
		if _, err := l.Events(t.Context(), app, about); err != nil {
			t.Error(err)
		}
		select {
		case part := <-events:
			if !part {
				t.Errorf("events of %+v are read outside of a look", about)
			}
		default:
			t.Errorf("events of %+v are not asked for", about)
		}
	}
	if !slices.Equal(read, []bool{true, true}) {
		t.Errorf("objects are read as part of a look: %v", read)
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
