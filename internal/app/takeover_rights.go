package app

import (
	"context"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// permitted refuses what cannot come to its end for want of rights, while Argo
// CD still runs. What the look has read is not asked again.
func (t *Takeover) permitted(ctx context.Context, parts ...func(context.Context) ([]right, error)) error {
	var all []right
	for _, part := range parts {
		rights, err := part(ctx)
		if err != nil {
			return err
		}
		all = append(all, rights...)
	}
	return refuseWithout(ctx, t.clients, all)
}

// moving is what it takes to stop the one engine and to start the other, in
// either direction.
func (t *Takeover) moving(ctx context.Context) ([]right, error) {
	namespace := t.inspector.cfg.Namespace
	out := []right{
		{verb: "create", resource: "configmaps", namespace: namespace},
		{verb: "update", resource: "configmaps", namespace: namespace, name: takeover.RecordName},
		{verb: "list", resource: "pods", namespace: namespace},
		{verb: "get", group: coordinationv1.GroupName, resource: "leases", namespace: namespace, name: leaseName},
	}
	workloads, err := t.engines(ctx)
	if err != nil {
		return nil, err
	}
	if !t.External {
		names, err := t.own(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			workloads = append(workloads, takeover.Workload{Kind: "Deployment", Name: name})
		}
	}
	for _, w := range workloads {
		for _, verb := range []string{"get", "patch"} {
			out = append(out, right{verb: verb, group: appsv1.GroupName, resource: strings.ToLower(w.Kind) + "s", namespace: namespace, name: w.Name})
		}
	}
	return out, nil
}

// asking is what it takes to have the engine look at all applications.
func (t *Takeover) asking(ctx context.Context) ([]right, error) {
	apps, err := t.applications(ctx)
	var out []right
	for i := range apps {
		out = append(out, right{verb: "patch", group: v1alpha1.Group, resource: "applications", namespace: apps[i].Namespace})
	}
	return out, err
}
