package render

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// guarded turns a panic of a library, in what surrounds the sources, into an
// error.
func (r *Renderer) guarded(ctx context.Context, in Input) (e *entry) {
	defer func() {
		if p := recover(); p != nil {
			e = &entry{err: r.broken(in, "it", p)}
		}
	}()
	return r.render(ctx, in)
}

// whole renders one source into the run. A panic of a library is an error of
// what the source has: it is kept until that changes.
func (r *Renderer) whole(ctx context.Context, run *run, i int, spec v1alpha1.ApplicationSource) (kind gitops.SourceType, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = at(r.broken(run.in, fmt.Sprintf("source %d", i+1), p), run.trees[i], spec.Path)
		}
	}()
	return r.source(ctx, run, i, spec)
}

// broken logs what a library did, and tells that it did. Stacks and values,
// which may have what users wrote in them, are not for status and comments.
func (r *Renderer) broken(in Input, what string, p any) error {
	why := fmt.Sprintf("%T", p)
	if told, ok := p.(runtime.Error); ok {
		why = told.Error()
	}
	r.log.Error("a library broke while rendering", "app", in.id(), "input", what, "panic", why, "stack", string(debug.Stack()))
	return gitops.Problemf(gitops.Invalid, "cannot render application %s: a library broke on %s", in.App.Name, what).
		Do("report it with the stack in the engine's log; a change of what is rendered may avoid it")
}
