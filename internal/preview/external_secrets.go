package preview

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/secrets/lint"
)

// external are the objects of an application that count for External Secrets' kinds, each with its place. Of Secrets
// there are names alone.
type external struct {
	objects []lint.Object
	origins []gitops.Origin
	masked  redact.Known
}

// externalOf reads a rendering.
func externalOf(a *App, r *gitops.Rendering) *external {
	out := &external{masked: redact.NewKnown(r.Hidden)}
	for i := range r.Manifests {
		m := &r.Manifests[i]
		o, ok := lint.Read(m.Object, a.Spec.Destination.Namespace)
		if !ok {
			continue
		}
		hook := plan.ParseHook(m.Object.GetAnnotations())
		if hook.Skipped || len(hook.Phases) == 0 {
			continue
		}
		o.App, o.Stage, o.Wave = a.ID.String(), stageOf(o.Kind, hook.Phases), plan.WaveOf(m.Object.GetAnnotations())
		out.objects, out.origins = append(out.objects, o), append(out.origins, m.Origin)
	}
	if policy := a.Spec.SyncPolicy; policy != nil && policy.ManagedNamespaceMetadata != nil {
		out.objects = append(out.objects, lint.Namespace(a.Spec.Destination.Namespace, policy.ManagedNamespaceMetadata.Labels))
		out.origins = append(out.origins, gitops.Origin{})
	}
	return out
}

// stageOf is when a hook of several phases counts: a store is there with the first of them, and who uses one may well find
// it with the last.
func stageOf(kind string, phases []gitops.Phase) int {
	stages := make([]int, len(phases))
	for i, phase := range phases {
		stages[i] = slices.Index([]gitops.Phase{gitops.PreSync, gitops.Sync, gitops.PostSync, gitops.SyncFail}, phase)
	}
	if kind == esv1.SecretStoreKind || kind == esv1.ClusterSecretStoreKind {
		return slices.Min(stages)
	}
	return slices.Max(stages)
}

// member is an application of a cluster; external is nil of one that was not rendered.
type member struct {
	app *App
	*external
}

// externalFindings are those of all objects of each cluster together.
func (s *State) externalFindings(clusters map[string][]member, whole bool) []finding {
	var out []finding
	for _, server := range slices.Sorted(maps.Keys(clusters)) {
		members := clusters[server]
		var objects []lint.Object
		var of []member
		var origins []gitops.Origin
		all := whole
		for _, m := range members {
			if m.external == nil {
				all = false
				continue
			}
			objects, origins = append(objects, m.objects...), append(origins, m.origins...)
			of = append(of, slices.Repeat([]member{m}, len(m.objects))...)
		}
		for _, f := range lint.Find(objects, all) {
			m := of[f.At]
			message := m.masked.Text(f.Message)
			out = append(out, finding{
				subject: m.app.ID, clusters: []string{m.app.Cluster.Name}, reason: f.Reason, message: message, origin: origins[f.At],
				same: origins[f.At].File + "\n" + identityOf(message, members),
			})
		}
	}
	return out
}

// identityOf is what a message is about: without the names of applications, which differ from cluster to cluster, and
// without what there is instead, which differs from revision to revision.
func identityOf(message string, members []member) string {
	message, _, _ = strings.Cut(message, "; ")
	if !strings.Contains(message, v1alpha1.ApplicationKind+" ") {
		return message
	}
	for _, m := range members {
		message = strings.ReplaceAll(message, m.app.ID.String(), "")
	}
	return message
}

// allKnown reports whether a side's applications are all there are: none is left out, or could not be found out.
func (c *comparison) allKnown(s *State) bool {
	return len(c.options.Roots) == 0 && len(s.failed()) == 0
}

// externalOfBoth adds what is found of clusters where a change concerns External Secrets' kinds. There, what was not
// rendered, as nothing of it changes, is rendered: a store may be among it.
func (c *comparison) externalOfBoth(ctx context.Context) (warnings, old []finding, err error) {
	concerned := map[string]bool{}
	for _, p := range c.pairs {
		if p.concerned() {
			for _, a := range []*App{p.base, p.head} {
				if a != nil {
					concerned[a.Cluster.Server] = true
				}
			}
		}
	}
	if len(concerned) == 0 {
		return nil, nil, nil
	}
	err = inParallel(ctx, c.options.Workers, len(c.pairs), func(ctx context.Context, i int) { c.complete(ctx, c.pairs[i], concerned) })
	if err != nil {
		return nil, nil, err
	}
	var sides [2]map[string][]member
	for i := range sides {
		sides[i] = map[string][]member{}
		for _, p := range c.pairs {
			if a := []*App{p.base, p.head}[i]; a != nil && concerned[a.Cluster.Server] {
				sides[i][a.Cluster.Server] = append(sides[i][a.Cluster.Server], member{a, p.external[i]})
			}
		}
	}
	return c.after.externalFindings(sides[1], c.allKnown(c.after)), c.before.externalFindings(sides[0], c.allKnown(c.before)), nil
}

// concerned reports whether a change of the application is one of External Secrets' kinds, or of what stands beside
// them in it.
func (p *pair) concerned() bool {
	before, after := p.external[0].only(), p.external[1].only()
	return !reflect.DeepEqual(before, after) && slices.ContainsFunc(slices.Concat(before, after), lint.Object.External)
}

// only are the objects of an application, none of one that is not there.
func (e *external) only() []lint.Object {
	if e == nil {
		return nil
	}
	return e.objects
}

// complete renders an application that gives the same on both sides.
func (c *comparison) complete(ctx context.Context, p *pair, concerned map[string]bool) {
	if p.base == nil || p.head == nil || p.external[0] != nil || p.external[1] != nil || p.head.failed() != nil || !concerned[p.head.Cluster.Server] {
		return
	}
	r, err := c.after.Side.Renderer.Application(ctx, c.after.input(p.head, c.options.Namespace))
	if err != nil {
		return // of its cluster, nothing is told to be missing
	}
	both := externalOf(p.head, r)
	p.external = [2]*external{both, both}
}
