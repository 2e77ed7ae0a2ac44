package inspect

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/takeover"
	"github.com/causeway-gitops/causeway/internal/treediff"
)

// comparing is how many applications are compared at a time.
const comparing = 8

// Foretell tells of each application what the engine would change. It writes
// nothing, and needs no right to write: without it objects are compared on
// this side.
func (i *Inspector) Foretell(ctx context.Context, apps []v1alpha1.Application) ([]takeover.Comparison, error) {
	out := make([]takeover.Comparison, len(apps))
	group, ctx := crew.WithContext(ctx)
	group.SetLimit(comparing)
	for j := range apps {
		group.Go(func() error {
			out[j] = takeover.Begin(&apps[j], i.cfg.Namespace)
			found, err := i.differences(ctx, &apps[j], i.foretell)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				out[j].Problem = err.Error()
				return nil //nolint:nilerr // one that cannot be compared does not end the look at the others
			}
			out[j].Changes = changesOf(found)
			return nil
		})
	}
	return out, group.Wait()
}

func changesOf(found []plan.ObjectDiff) []takeover.Change {
	var out []takeover.Change
	for _, d := range found {
		if d.Kept != "" {
			continue
		}
		c := takeover.Change{Key: d.Key, Verb: d.Verb}
		c.Fields = fieldsIn(d.Diff.Changes)
		out = append(out, c)
	}
	return out
}

// mostFields bounds the fields that are told of one object, and mostTold their
// paths, in bytes: all applications are compared before anything is told.
const (
	mostFields = 1000
	mostTold   = 64 << 10
)

// fieldsIn are the paths of changes, and how many more there are.
func fieldsIn(changes []plan.Change) []string {
	var out []string
	told, more := 0, 0
	for _, c := range changes {
		for _, path := range fieldsOf(c) {
			if told += len(path); len(out) == mostFields || told > mostTold {
				more++
				continue
			}
			out = append(out, path)
		}
	}
	if more > 0 {
		out = append(out, gitops.More(more))
	}
	return out
}

// fieldsOf are the paths of a change: those below, for a map that comes or
// goes as a whole. None for an object that does.
func fieldsOf(c plan.Change) []string {
	whole, isMap := c.New.(map[string]any)
	if c.New == nil {
		whole, isMap = c.Old.(map[string]any)
	}
	if c.Path == "" {
		return nil
	}
	if !isMap || c.Old != nil && c.New != nil || !strings.HasPrefix(c.Path, "metadata.") {
		return []string{c.Path}
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(whole)) {
		step := "." + treediff.Step(key)
		if strings.Contains(key, ".") {
			step = fmt.Sprintf("[%q]", treediff.Step(key))
		}
		out = append(out, treediff.Join(c.Path, step))
	}
	return out
}

// foretell is diff for an object that others wrote: fields of theirs that are
// no longer in the sources go, which no dry run tells.
func (i *Inspector) foretell(ctx context.Context, cluster apply.Cluster, a gitops.Action) (*plan.ObjectDiff, error) {
	d, err := i.diff(ctx, cluster, a)
	foreign := a.Live != nil && a.Live.Foreign && a.Desired != nil && !a.Hook && a.Verb == gitops.Update
	if err != nil && !apply.NoDryRun(err) || err == nil && (d != nil || !foreign) {
		return d, err
	}
	live, predicted, err := i.apply.PredictHere(ctx, cluster, a)
	if err != nil || live == nil && predicted == nil {
		return nil, err
	}
	return i.shown(a, live, predicted)
}
