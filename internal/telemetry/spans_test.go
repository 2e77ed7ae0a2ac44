package telemetry

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

var at = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func aSync() *history.Sync {
	return &history.Sync{
		ID: history.ID("uid", at), App: history.App{Namespace: "argocd", Name: "web"}, Started: at, Finished: at.Add(3 * time.Second), Phase: "Failed", Message: "no",
		Waves: []history.Wave{{Phase: gitops.Sync, Started: at, Objects: []history.Object{{Kind: "Pod", Name: "a", Verb: gitops.Create, Started: at, Took: time.Second}}}},
	}
}

// kept is where the spans of a test go.
func kept(t *testing.T, options ...sdktrace.TracerProviderOption) *tracetest.InMemoryExporter {
	t.Helper()
	out := tracetest.NewInMemoryExporter()
	before := otel.GetTracerProvider()
	t.Cleanup(func() { otel.SetTracerProvider(before) })
	otel.SetTracerProvider(sdktrace.NewTracerProvider(append(options, sdktrace.WithSyncer(out), sdktrace.WithIDGenerator(ids{}))...))
	return out
}

// named are the spans of a name.
func named(all tracetest.SpanStubs, name string) (out tracetest.SpanStubs) {
	for _, span := range all {
		if span.Name == name {
			out = append(out, span)
		}
	}
	return out
}

// told is what a span has under a key.
func told(span *tracetest.SpanStub, key string) string {
	for _, a := range span.Attributes {
		if a.Key == attribute.Key(key) {
			return a.Value.String()
		}
	}
	return ""
}

func TestSpansOfASync(t *testing.T) {
	kept, s := kept(t), aSync()
	Sync(t.Context(), s)
	_, reconcile := otel.Tracer(Name).Start(Join(t.Context(), s.ID), "reconcile")
	reconcile.End()

	names, parents := map[trace.SpanID]string{}, map[string]string{}
	for _, span := range kept.GetSpans() {
		names[span.SpanContext.SpanID()] = span.Name
		if span.SpanContext.TraceID().String() != s.ID {
			t.Errorf("span %s is in another trace than the sync", span.Name)
		}
	}
	for _, span := range kept.GetSpans() {
		parents[span.Name] = names[span.Parent.SpanID()]
	}
	if diff := cmp.Diff(map[string]string{"sync": "", "wave": "sync", "create": "wave", "reconcile": "sync"}, parents); diff != "" {
		t.Errorf("spans and their parents (-want +got):\n%s", diff)
	}
}

// TestSpansTellWhatFailed: of a sync with its message, and of the object that did.
func TestSpansTellWhatFailed(t *testing.T) {
	for name, tc := range map[string]struct {
		reason        string
		phase, status string
		sync, object  codes.Code
	}{
		"Done":   {"nothing did", history.PhaseSucceeded, "Synced", codes.Unset, codes.Unset},
		"Object": {"an object was refused", "Failed", "SyncFailed", codes.Error, codes.Error},
		"Later":  {"the object came, and was never healthy", "Failed", "Synced", codes.Error, codes.Unset},
		"Error":  {"there were none", "Error", "", codes.Error, codes.Unset},
	} {
		t.Run(name, func(t *testing.T) {
			kept, s := kept(t), aSync()
			s.Phase, s.Waves[0].Objects[0].Status = tc.phase, tc.status
			Sync(t.Context(), s)
			all := kept.GetSpans()
			of, object := named(all, "sync")[0], named(all, "create")[0]
			if of.Status.Code != tc.sync || (of.Status.Description == "no") != (tc.sync == codes.Error) || object.Status.Code != tc.object {
				t.Errorf("%s: the sync is %+v, the object %+v", tc.reason, of.Status, object.Status)
			}
		})
	}
}

// TestSpansTellWhatWasSynced: each source has its revision.
func TestSpansTellWhatWasSynced(t *testing.T) {
	for want, commits := range map[string][]history.Commit{
		"":           nil,
		"abc":        {{Revision: "abc"}},
		"abc, 1.2.3": {{Revision: "abc"}, {Revision: "1.2.3"}},
	} {
		kept, s := kept(t), aSync()
		s.Commits, s.Project, s.Cluster, s.Changed.Total = commits, "team", "east", 7
		Sync(t.Context(), s)
		root := named(kept.GetSpans(), "sync")[0]
		got := map[string]string{}
		for _, key := range []string{"revision", "app", "app.namespace", "project", "cluster", "objects", "phase"} {
			got[key] = told(&root, key)
		}
		if diff := cmp.Diff(map[string]string{"revision": want, "app": "web", "app.namespace": "argocd", "project": "team", "cluster": "east", "objects": "7", "phase": "Failed"}, got); diff != "" {
			t.Errorf("of %v (-want +got):\n%s", commits, diff)
		}
	}
}

// TestSpansTakeAsLongAsWhatTheyTellOf, although they are sent when all is over; a wave that
// nobody ended lasted until the sync did.
func TestSpansTakeAsLongAsWhatTheyTellOf(t *testing.T) {
	kept, s := kept(t), aSync()
	s.Waves = append(s.Waves, history.Wave{Phase: gitops.PostSync, Started: at.Add(time.Second), Ended: at.Add(2 * time.Second)})
	Sync(t.Context(), s)
	got := map[string]time.Duration{}
	for _, span := range kept.GetSpans() {
		got[span.Name+" "+told(&span, "phase")] = span.EndTime.Sub(span.StartTime)
	}
	if diff := cmp.Diff(map[string]time.Duration{"sync Failed": 3 * time.Second, "wave Sync": 3 * time.Second, "wave PostSync": time.Second, "create ": time.Second}, got); diff != "" {
		t.Errorf("spans and how long they take (-want +got):\n%s", diff)
	}
}

// TestSpansAreBounded: a wave of very many objects tells how many they are, and of the
// first; one that was not begun has no span.
func TestSpansAreBounded(t *testing.T) {
	kept, s := kept(t), aSync()
	w := &s.Waves[0]
	for range mostObjects {
		w.Objects = append(w.Objects, w.Objects[0])
	}
	w.Objects[1].Started, w.Unchanged, w.Repeated = time.Time{}, 10, 5
	Sync(t.Context(), s)
	all := kept.GetSpans()
	of := named(all, "wave")[0]
	if got, count := len(named(all, "create")), told(&of, "objects"); got != mostObjects-1 || count != "216" {
		t.Errorf("%d objects have spans, and the wave says it has %s", got, count)
	}
}

// TestSpansOfASyncThatIsNotSampled, or whose id is none, are not sent, and what is traced
// besides is a trace of its own.
func TestSpansOfASyncThatIsNotSampled(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, id string
		options    []sdktrace.TracerProviderOption
	}{
		"Sampler": {"the sampler leaves it out", history.ID("uid", at), []sdktrace.TracerProviderOption{sdktrace.WithSampler(sdktrace.NeverSample())}},
		"Short":   {"the store may have ids of others", "abc", nil},
		"Zero":    {"an id of nothing is none", strings.Repeat("0", 32), nil},
		"Empty":   {"nor is no id", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			kept, s := kept(t, tc.options...), aSync()
			s.ID = tc.id
			Sync(t.Context(), s)
			if all := kept.GetSpans(); len(all) > 0 {
				t.Errorf("%s: %d spans are sent", tc.reason, len(all))
			}
			if place := trace.SpanContextFromContext(Join(t.Context(), tc.id)); place.IsValid() != (name == "Sampler") {
				t.Errorf("%s: what joins it is at %+v", tc.reason, place)
			}
		})
	}
}
