package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Without tells what sets delete when the cluster of a Secret is forgotten.
// Nothing is rendered for that.
func (b *bridger) Without(ctx context.Context, secret string) (*api.Supposed, error) {
	fleet, end, err := b.trial(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	found, err := bridge.Without(ctx, fleet, secret)
	if err != nil {
		return nil, err
	}
	out := &api.Supposed{}
	return out, b.sets(ctx, found, out)
}

// sets tells what becomes of sets: of which it is not known, and what the
// guard would say to the deletions of the others.
func (b *bridger) sets(ctx context.Context, found *bridge.WhatIf, into *api.Supposed) error {
	for _, f := range found.Failures {
		into.SetFailures = append(into.SetFailures, api.BridgeFailure{Set: bridgeSet(f.Set), Reason: f.Reason, Keeps: f.Keeps})
	}
	all, err := b.going(ctx, found.Shrunk)
	if err != nil {
		return err
	}
	for i := range all {
		all[i].why, all[i].counts = b.would(ctx, &all[i], nil)
	}
	// The sets delete at the same time, and the fleet's limit counts what goes
	// of all of them: each is asked again, beside the others that would go.
	for i := range all {
		s := &all[i]
		why := s.why
		if others := besides(all, i); s.counts && len(others) > 0 {
			why, _ = b.would(ctx, s, others)
		}
		into.Turnovers = append(into.Turnovers, api.Turnover{Set: bridgeSet(s.set), Going: namesOf(s.going), Of: len(s.owned), Why: why})
	}
	return nil
}

// shrinking is a set with the Applications that it has and those that go.
type shrinking struct {
	set          *v1alpha1.ApplicationSet
	owned, going []v1alpha1.Application
	left         int
	// why it would be held by itself; else counts reports whether the fleet's limit
	// counts what goes.
	why    string
	counts bool
}

func (b *bridger) would(ctx context.Context, s *shrinking, beside map[string][]string) (why string, counts bool) {
	return b.guard.Would(ctx, s.set, s.going, s.owned, s.left, beside)
}

// besides are the names of what goes of the other sets and is counted, by their
// accounts.
func besides(all []shrinking, but int) map[string][]string {
	names := map[string][]string{}
	for i := range all {
		if i != but && all[i].counts {
			by := guard.OfSet(all[i].set)
			names[by] = append(names[by], namesOf(all[i].going)...)
		}
	}
	return names
}

func namesOf(apps []v1alpha1.Application) []string {
	out := make([]string, 0, len(apps))
	for i := range apps {
		out = append(out, apps[i].Name)
	}
	return out
}

// going finds what sets have in the hub that they do not yield any more, by
// their names; those that are being deleted anyway are left out.
func (b *bridger) going(ctx context.Context, sets []bridge.Shrunk) ([]shrinking, error) {
	if len(sets) == 0 {
		return nil, nil
	}
	var list v1alpha1.ApplicationList
	if err := b.hub.List(ctx, &list, client.InNamespace(b.namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("cannot list applications: %w", err)
	}
	owned := map[string][]v1alpha1.Application{}
	for i := range list.Items {
		app := &list.Items[i]
		if owner := metav1.GetControllerOf(app); owner != nil && owner.Kind == v1alpha1.ApplicationSetKind && app.DeletionTimestamp.IsZero() {
			owned[owner.Name] = append(owned[owner.Name], *app)
		}
	}
	out := make([]shrinking, 0, len(sets))
	for _, s := range sets {
		has := owned[s.Set.Name]
		goes := slices.DeleteFunc(slices.Clone(has), func(app v1alpha1.Application) bool { return s.Yields[app.Name] })
		if len(goes) > 0 {
			out = append(out, shrinking{set: s.Set, owned: has, going: goes, left: len(s.Yields)})
		}
	}
	slices.SortFunc(out, func(a, b shrinking) int { return strings.Compare(a.set.Name, b.set.Name) })
	return out, nil
}
