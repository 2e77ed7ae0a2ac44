package apply

import (
	"context"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// rehearse asks the API server what it would make of the updates of a wave
// before anything of the wave is written: a field that cannot be changed is
// known then while nothing is half done. It needs no other right than the
// apply. What turns out to be as desired becomes a Keep. The results are those
// of the refused objects; there are none when the wave may go on.
//
// Objects that are not there yet are not tried: that would double the requests
// of each first sync, and a refused create leaves nothing to repair.
func (a *Applier) rehearse(ctx context.Context, c Cluster, w *gitops.Wave) []gitops.Result {
	if writes(w) < 2 {
		return nil
	}
	refusals := make([]error, len(w.Actions))
	group := crew.Group{}
	group.SetLimit(maxParallel)
	coming := defines(w)
	for i := range w.Actions {
		action := &w.Actions[i]
		if !rehearsed(action) || coming[kindOf(action).GroupKind()] {
			continue
		}
		group.Go(func() error {
			refusals[i] = crew.Safely(func() error { return a.try(ctx, c, action) })
			return nil
		})
	}
	_ = group.Wait() // the refusals have what there is to say
	var out []gitops.Result
	for i, err := range refusals {
		if err != nil {
			out = append(out, refused(w, &w.Actions[i], err))
		}
	}
	return out
}

// writes counts the actions that write: the only write of a wave tells by
// itself whether it is refused.
func writes(w *gitops.Wave) int {
	count := 0
	for i := range w.Actions {
		if verb := w.Actions[i].Verb; verb != gitops.Keep && verb != gitops.Skip {
			count++
		}
	}
	return count
}

// rehearsed leaves out what is created anew when it cannot be changed.
func rehearsed(action *gitops.Action) bool {
	return action.Verb == gitops.Update && action.Live != nil && !action.Recreate && !action.Hook && !action.Options.Force
}

// defines are the kinds whose definition is in the wave: their objects may be
// refused by the definition of before.
func defines(w *gitops.Wave) map[schema.GroupKind]bool {
	var kinds map[schema.GroupKind]bool
	for i := range w.Actions {
		action := &w.Actions[i]
		if action.Desired == nil || !action.Key.IsDefinition() {
			continue
		}
		if kinds == nil {
			kinds = map[schema.GroupKind]bool{}
		}
		kinds[definedBy(action.Desired.Object)] = true
	}
	return kinds
}

// try is the dry run of one update. The error is a refusal for what the object
// is; all else is for the apply to find out, but for a panic: what it left is not
// written.
func (a *Applier) try(ctx context.Context, c Cluster, action *gitops.Action) error {
	var got answer
	err := a.mapped(ctx, c, kindOf(action), action.Key, func(p paths) (err error) {
		got, err = a.tryMapped(ctx, c, p, action)
		return err
	})
	switch {
	case err == nil:
		a.settle(c, action, got)
	case apierrors.IsInvalid(err), immutable(err):
		return problem("apply", action, c, err)
	}
	return nil
}

// settle makes a Keep of an update whose dry run changed nothing. An answer
// that cannot be read leaves it as it is.
func (a *Applier) settle(c Cluster, action *gitops.Action, got answer) {
	// What is frozen has to be told by each comparison.
	if action.Options.Replace || freezes(action) || ownedByOthers(action.Live, action.Options) {
		return
	}
	predicted, err := got.object()
	if err != nil {
		return
	}
	if fp := a.options.Convert(c.Server(), predicted).Fingerprint; fp != "" && fp == action.Live.Fingerprint {
		*action = a.keep(c, *action, action.Live)
	}
}

func (a *Applier) tryMapped(ctx context.Context, c Cluster, p paths, action *gitops.Action) (got answer, err error) {
	if action.Options.RespectIgnored && !action.Ignore.Empty() {
		if action, err = a.respect(ctx, c, p, action); err != nil {
			return answer{}, err
		}
	}
	if freezes(action) {
		rest, _, err := a.frozen(ctx, c, p, action)
		if err != nil {
			return answer{}, a.explained(ctx, c, p, action, err)
		}
		action = rest
	}
	if action.Options.Replace {
		err = a.put(ctx, c, p, action, dryRun)
	} else {
		got, err = a.apply(ctx, c, p, action, dryRun)
	}
	return got, a.explained(ctx, c, p, action, err)
}

// maxPuts bounds how often an object is replaced that its controller writes at
// the same time.
const maxPuts = 5

// put replaces the whole object.
func (a *Applier) put(ctx context.Context, c Cluster, p paths, action *gitops.Action, m mode) (err error) {
	for range maxPuts {
		if err = a.putOnce(ctx, c, p, action, m); !apierrors.IsConflict(err) {
			return err
		}
	}
	return err
}

func (a *Applier) putOnce(ctx context.Context, c Cluster, p paths, action *gitops.Action, m mode) error {
	live, err := a.get(ctx, c, p.object)
	if err != nil {
		return err
	}
	next := action.Desired.Object.DeepCopy()
	next.SetResourceVersion(live.GetResourceVersion())
	body, err := encode(next)
	if err != nil {
		return err
	}
	_, err = a.send(ctx, c, call{verb: http.MethodPut, path: p.object, query: params(action, m), body: body})
	return err
}

func refused(w *gitops.Wave, action *gitops.Action, err error) gitops.Result {
	return gitops.Result{
		Key: action.Key, Version: version(action), Verb: action.Verb, Phase: w.Phase, Wave: w.Number,
		Status: syncFailed, Message: err.Error(), Err: err,
	}
}
