package telemetry

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/history"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Name of the engine's tracer.
const Name = "github.com/causeway-gitops/causeway"

// mostObjects bounds the spans of one wave.
const mostObjects = 200

// ids makes ids of spans: random ones, but for the span of a sync, whose ids
// are told by the sync's own.
type ids struct{}

type fixed struct{}

// NewIDs implements the generator of the SDK.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if c, ok := ctx.Value(fixed{}).(trace.SpanContext); ok {
		return c.TraceID(), c.SpanID()
	}
	var t trace.TraceID
	_, _ = rand.Read(t[:]) // never fails
	return t, ids{}.NewSpanID(ctx, t)
}

// NewSpanID implements the generator of the SDK.
func (ids) NewSpanID(context.Context, trace.TraceID) trace.SpanID {
	var s trace.SpanID
	_, _ = rand.Read(s[:])
	return s
}

// contextOf is the place of a sync's own span.
func contextOf(id string) (trace.SpanContext, bool) {
	t, err := trace.TraceIDFromHex(id)
	if err != nil {
		return trace.SpanContext{}, false
	}
	sum := sha256.Sum256([]byte(id))
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: t, SpanID: trace.SpanID(sum[:8]), TraceFlags: trace.FlagsSampled}), true
}

// Join makes what is traced with the context it returns part of a sync.
func Join(ctx context.Context, sync string) context.Context {
	c, ok := contextOf(sync)
	if !ok {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, c)
}

// Sync sends the spans of a sync that is over: itself, its waves, and what
// became of their objects.
func Sync(ctx context.Context, s *history.Sync) {
	place, ok := contextOf(s.ID)
	if !ok {
		return
	}
	tracer := otel.Tracer(Name)
	ctx = context.WithValue(ctx, fixed{}, place)
	ctx, root := tracer.Start(ctx, "sync", trace.WithNewRoot(), trace.WithTimestamp(s.Started), trace.WithAttributes(
		attribute.String("app", s.App.Name), attribute.String("app.namespace", s.App.Namespace), attribute.String("cluster", s.Cluster),
		attribute.String("project", s.Project), attribute.String("cause", string(s.Cause)), attribute.String("phase", s.Phase),
		attribute.Int("objects", s.Changed.Total),
	))
	defer root.End(trace.WithTimestamp(s.Finished))
	if !root.IsRecording() {
		return
	}
	if revisions := revisionsOf(s); revisions != "" {
		root.SetAttributes(attribute.String("revision", revisions))
	}
	if !s.Succeeded() {
		root.SetStatus(codes.Error, s.Message)
	}
	for i := range s.Waves {
		wave(ctx, tracer, &s.Waves[i], s.Finished)
	}
}

// revisionsOf are those of all sources: of several attributes of a name only the last one
// would stay.
func revisionsOf(s *history.Sync) string {
	var all []string
	for i := range s.Commits {
		all = append(all, s.Commits[i].Revision)
	}
	return strings.Join(all, ", ")
}

func wave(ctx context.Context, tracer trace.Tracer, w *history.Wave, finished time.Time) {
	ctx, span := tracer.Start(ctx, "wave", trace.WithTimestamp(w.Started), trace.WithAttributes(
		attribute.String("phase", string(w.Phase)), attribute.Int("wave", w.Number), attribute.Int64("try", w.Try), attribute.Int("objects", len(w.Objects)+w.Unchanged+w.Repeated),
	))
	end := w.Ended
	if end.IsZero() {
		end = finished
	}
	defer span.End(trace.WithTimestamp(end))
	for i := range min(len(w.Objects), mostObjects) {
		object(ctx, tracer, &w.Objects[i])
	}
}

func object(ctx context.Context, tracer trace.Tracer, o *history.Object) {
	if o.Started.IsZero() {
		return
	}
	_, span := tracer.Start(ctx, string(o.Verb), trace.WithTimestamp(o.Started), trace.WithAttributes(
		attribute.String("kind", o.Kind), attribute.String("namespace", o.Namespace), attribute.String("name", o.Name), attribute.String("status", o.Status),
	))
	if o.Status == "SyncFailed" {
		span.SetStatus(codes.Error, "the API server refused it")
	}
	span.End(trace.WithTimestamp(o.Started.Add(o.Took)))
}
