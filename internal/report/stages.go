package report

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

const tracerName = "github.com/causeway-gitops/causeway"

// passage is a stage and when it began.
type passage struct {
	stage Stage
	at    time.Time
}

// Enter notes that the reconcile goes into a stage, and out of the one before.
func (o *Outcome) Enter(stage Stage) {
	o.passages = append(o.passages, passage{stage, o.reporter.now()})
}

// Passed tells when the reconcile left a stage; zero where it has not.
func (o *Outcome) Passed(stage Stage) time.Time {
	for i := range o.passages {
		if o.passages[i].stage == stage && i+1 < len(o.passages) {
			return o.passages[i+1].at
		}
	}
	return time.Time{}
}

// Failure is what stopped the reconcile; nil when nothing has.
func (o *Outcome) Failure() *Failure { return o.failure }

// Join makes the spans of this reconcile part of another trace.
func (o *Outcome) Join(join func(context.Context) context.Context) { o.join = join }

// measure tells how long each stage took, and how the last one ended.
func (o *Outcome) measure(end time.Time) {
	o.each(end, func(s Stage, from, to time.Time, outcome string) {
		o.reporter.metrics.stages.WithLabelValues(o.reporter.kind, string(s), outcome).Observe(to.Sub(from).Seconds())
	})
	o.trace(end)
}

// each goes through the stages with their times and outcomes: "ok", or the
// class of the error.
func (o *Outcome) each(end time.Time, visit func(s Stage, from, to time.Time, outcome string)) {
	for i, p := range o.passages {
		to, outcome := end, "ok"
		if i+1 < len(o.passages) {
			to = o.passages[i+1].at
		} else if o.failure != nil {
			outcome = string(o.failure.Class)
		}
		visit(p.stage, p.at, to, outcome)
	}
}

// trace sends the reconcile as a span with its stages; to nobody, unless
// somebody wants them.
func (o *Outcome) trace(end time.Time) {
	ctx := o.ctx
	if o.join != nil {
		ctx = o.join(ctx)
	}
	tracer := otel.Tracer(tracerName)
	ctx, span := tracer.Start(ctx, "reconcile "+o.reporter.kind, trace.WithTimestamp(o.started))
	defer span.End(trace.WithTimestamp(end))
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.String("namespace", o.object.GetNamespace()), attribute.String("name", o.object.GetName()))
	o.each(end, func(s Stage, from, to time.Time, outcome string) {
		_, stage := tracer.Start(ctx, string(s), trace.WithTimestamp(from))
		if outcome != "ok" {
			stage.SetStatus(codes.Error, outcome)
		}
		stage.End(trace.WithTimestamp(to))
	})
}
