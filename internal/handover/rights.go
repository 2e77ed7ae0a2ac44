package handover

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// permitted refuses what cannot come to its end for want of rights, while Argo
// CD still runs. What the look has read is not asked again.
func (t *Takeover) permitted(ctx context.Context, parts ...func(context.Context) ([]install.Right, error)) error {
	var all []install.Right
	for _, part := range parts {
		rights, err := part(ctx)
		if err != nil {
			return err
		}
		all = append(all, rights...)
	}
	return install.RefuseWithout(ctx, t.clients, all)
}

// moving is what it takes to stop the one engine and to start the other, in
// either direction.
func (t *Takeover) moving(ctx context.Context) ([]install.Right, error) {
	namespace := t.hub.Namespace
	out := []install.Right{
		{Verb: "create", Resource: "configmaps", Namespace: namespace},
		{Verb: "update", Resource: "configmaps", Namespace: namespace, Name: takeover.RecordName},
		{Verb: "list", Resource: "pods", Namespace: namespace},
		{Verb: "get", Group: coordinationv1.GroupName, Resource: "leases", Namespace: namespace, Name: hub.LeaseName},
	}
	workloads, err := t.engines(ctx)
	if err != nil {
		return nil, err
	}
	names, err := t.own(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		workloads = append(workloads, takeover.Workload{Kind: "Deployment", Name: name})
	}
	for _, w := range workloads {
		for _, verb := range []string{"get", "patch"} {
			out = append(out, install.Right{Verb: verb, Group: appsv1.GroupName, Resource: strings.ToLower(w.Kind) + "s", Namespace: namespace, Name: w.Name})
		}
	}
	return out, nil
}

// asking is what it takes to have the engine look at the applications, see askAll.
func (t *Takeover) asking(ctx context.Context, r *takeover.Record) ([]install.Right, error) {
	apps, err := t.judged(ctx, r)
	var out []install.Right
	for i := range apps {
		out = append(out, install.Right{Verb: "patch", Group: v1alpha1.Group, Resource: "applications", Namespace: apps[i].Namespace})
	}
	return out, err
}

// leaves adds to why nothing is begun in what state an earlier takeover has left
// Argo CD, and the way back.
func (t *Takeover) leaves(ctx context.Context, stage takeover.Stage, why error) error {
	before, ok := map[takeover.Stage]string{
		takeover.Adopting: "a takeover was cut off", takeover.Adopted: "the engine has taken over", takeover.Reverting: "a takeover is half taken back",
	}[stage]
	if !ok {
		return why
	}
	engines, err := t.engines(ctx)
	if err != nil {
		before += ", and it cannot be told what Argo CD's controllers are at"
	}
	var at []string
	for _, w := range engines {
		at = append(at, fmt.Sprintf("%s is at %s", w, gitops.Count(int(w.Replicas), "replica")))
	}
	return fmt.Errorf("%s; this time: %w; to hand back: causeway import argocd --revert", strings.Join(append([]string{before}, at...), ", "), why)
}
