package serve

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Bounds of one preview.
const (
	// supposedRendered is how many Applications are rendered, supposedAtOnce how many at a time.
	supposedRendered, supposedAtOnce = 50, 4
	// supposedText is what the objects may take, in bytes.
	supposedText = 4 << 20
)

// Suppose tells what follows from other metadata of a cluster. Nothing is
// written, nothing is fetched from where the fleet fetches nothing, and what is rendered
// is an Application's own, or what who asks may sync it to.
func (b *bridger) Suppose(ctx context.Context, wish *api.BridgeWish, may api.Supposable) (*api.Supposed, error) {
	fleet, end, err := b.trial(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	s := &supposing{stages: fleet.Stages, namespace: b.namespace, hidden: b.hidden()}
	found, err := bridge.Suppose(ctx, fleet, wish.Secret, editsOf(wish))
	if err != nil {
		return nil, err
	}
	schemas, err := b.in.Schemas(ctx)
	if err != nil {
		return nil, err
	}
	out := &api.Supposed{BridgePreview: api.BridgePreview{
		Cluster: wish.Cluster, Applications: []api.BridgeApplication{}, Violations: violationsOf(schemas, found.Cluster), Failures: []string{},
	}}
	if err := b.sets(ctx, found, out); err != nil {
		return nil, err
	}
	s.outcomes(ctx, found.Outcomes, may, &out.BridgePreview)
	return out, ctx.Err() // what could not be asked in time is left out
}

// trial is the fleet as it is, with stages that fetch from nowhere else than it does.
// It waits until no other trial is under way; end is called when nothing of it is
// used any more.
func (b *bridger) trial(ctx context.Context) (fleet bridge.Fleet, end func(), err error) {
	person, err := b.trials.Take(ctx, slots.Of(auth.Asker(ctx)))
	if err != nil {
		return fleet, nil, gitops.Problemf(gitops.Unreachable, "cannot try it while others do: %w", err).Do("try again later")
	}
	end = func() { b.trials.Give(person) }
	if fleet, err = b.in.Supposable(ctx); err == nil {
		fleet.Stages, err = b.in.Trial(ctx, fleet)
	}
	if err != nil {
		end()
	}
	return fleet, end, err
}

func editsOf(wish *api.BridgeWish) []bridge.Edit {
	out := make([]bridge.Edit, 0, len(wish.Edits))
	for _, e := range wish.Edits {
		out = append(out, bridge.Edit{Key: bridge.Key{In: bridge.Place(e.In), Name: e.Name}, Value: e.Value, Drop: e.Remove})
	}
	return out
}

func violationsOf(schemas []bridge.Schema, c gitops.Cluster) []api.BridgeViolation {
	out := []api.BridgeViolation{}
	for _, schema := range schemas {
		for _, v := range schema.Check(c) {
			out = append(out, api.BridgeViolation{In: string(v.Key.In), Name: v.Key.Name, Message: v.Message, Schema: v.Schema, Refused: v.Deny})
		}
	}
	return out
}

func bridgeSet(set *v1alpha1.ApplicationSet) api.BridgeSet {
	return api.BridgeSet{Namespace: set.Namespace, Name: set.Name, Project: set.Spec.Template.Spec.GetProject()}
}

// supposing is one preview.
type supposing struct {
	stages    bridge.Stages
	namespace string
	hidden    []string
	text      atomic.Int64
}

// outcomes tells what becomes of the Applications that may be told of.
func (s *supposing) outcomes(ctx context.Context, all []bridge.Outcome, may api.Supposable, out *api.BridgePreview) {
	reads := func(app *v1alpha1.Application, of *gitops.Cluster, may func(string, *api.GeneratedApp) bool) bool {
		if app == nil {
			return true
		}
		one := &api.GeneratedApp{Name: app.Name, Project: app.Spec.GetProject()}
		one.Whose(of)
		return may(s.namespace, one)
	}
	var shown []bridge.Outcome
	for _, o := range all {
		if reads(o.Before, o.Was, may.Now) && reads(o.After, o.Is, may.Then) {
			shown = append(shown, o)
		}
	}
	out.Applications = make([]api.BridgeApplication, len(shown))
	var g crew.Group
	g.SetLimit(supposedAtOnce)
	for i := range shown {
		o, app := &shown[i], &out.Applications[i]
		*app = applicationOf(o, s.namespace)
		switch app.Effect {
		case "added":
			out.Added++
		case "removed":
			out.Removed++
		case "kept":
			out.Kept++
		default:
			out.Changed++
		}
		if o.Kept != "" {
			continue // nothing of it changes
		}
		if i >= supposedRendered {
			app.Note = notes(app.Note, "its objects are not shown: there are too many applications")
			continue
		}
		if why := s.unrendered(o, may); why != "" {
			app.Note = notes(app.Note, why)
			continue
		}
		g.Go(func() error {
			if err := crew.Safely(func() error { s.objects(ctx, o, app); return nil }); err != nil {
				app.Note = notes(app.Note, "its objects are not shown: "+err.Error())
			}
			return nil
		})
	}
	_ = g.Wait() // what goes wrong is a note
}

func applicationOf(o *bridge.Outcome, namespace string) api.BridgeApplication {
	app := o.App()
	out := api.BridgeApplication{Namespace: namespace, Name: app.Name, Project: app.Spec.GetProject(), Effect: "changed", Objects: []api.Difference{}, Of: bridgeSet(o.Set)}
	for _, f := range o.Fields {
		out.Fields = append(out.Fields, api.Change{Path: f.Path, Old: f.Before, New: f.After})
	}
	sync := o.Set.Spec.GetApplicationsSync()
	switch {
	case o.Before == nil:
		out.Effect = "added"
	case o.Kept != "":
		out.Effect, out.Note = "kept", keeping(o)
	case o.After == nil:
		out.Effect, out.Note = "removed", removal(o)
	case !sync.AllowUpdate():
		out.Note = "the policy of the ApplicationSet does not change applications: it stays as it is"
	}
	return out
}

// removal tells what a deletion means for the objects.
func removal(o *bridge.Outcome) string {
	if slices.ContainsFunc(o.Before.Finalizers, func(f string) bool { return strings.HasPrefix(f, v1alpha1.FinalizerResources) }) {
		return "its objects are deleted with it"
	}
	return "its objects stay in the cluster"
}

// keeping tells why an Application stays that its set no longer yields.
func keeping(o *bridge.Outcome) string {
	if o.KeptByPolicy() {
		return "the policy of the ApplicationSet does not delete applications: it stays as it is"
	}
	return "the ApplicationSet yields applications that cannot be created: until that is mended it deletes none, and this one stays as it is"
}

func notes(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), "; ")
}

// unrendered is why an Application is not rendered; empty for one that is. Who makes up
// metadata may choose what is rendered with the engine's keys.
func (s *supposing) unrendered(o *bridge.Outcome, may api.Supposable) string {
	if o.Before != nil && o.After != nil && !bridge.Renders(o.Fields) {
		return "no object follows: the fields are about the application itself"
	}
	for _, app := range []*v1alpha1.Application{o.Before, o.After} {
		if app != nil && !may.Objects(s.namespace, app) {
			return "its objects are not shown: they would be rendered from other sources, values or another destination than the application has, which needs the right to override it"
		}
	}
	return ""
}

// objects renders an Application as it is and as it would be, and compares.
func (s *supposing) objects(ctx context.Context, o *bridge.Outcome, into *api.BridgeApplication) {
	before, err := s.rendered(ctx, o.Before)
	if err != nil {
		into.Note = notes(into.Note, "it cannot be rendered as it is now: "+reasonOf(err))
		return
	}
	after, err := s.rendered(ctx, o.After)
	if err != nil {
		into.Note = notes(into.Note, "it cannot be rendered: "+reasonOf(err))
		return
	}
	if into.Objects, err = s.compared(before, after); err != nil {
		into.Note = notes(into.Note, reasonOf(err))
	}
	if len(into.Objects) == 0 && err == nil {
		into.Note = notes(into.Note, "no object follows: the charts and manifests make nothing of it")
	}
}

// rendered is an Application's rendering; an empty one where there is none.
func (s *supposing) rendered(ctx context.Context, app *v1alpha1.Application) (*gitops.Rendering, error) {
	if app == nil {
		return &gitops.Rendering{}, nil
	}
	return s.stages.Render(ctx, app)
}

// reasonOf is why something could not be rendered, for people.
func reasonOf(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "it took too long"
	}
	return err.Error()
}

// compared are the objects that differ, with what is secret masked.
func (s *supposing) compared(before, after *gitops.Rendering) ([]api.Difference, error) {
	veil := redact.NewKnown(slices.Concat(before.Hidden, after.Hidden))
	is := map[gitops.Key]gitops.Manifest{}
	for _, m := range after.Manifests {
		is[m.Key()] = m
	}
	out := []api.Difference{}
	add := func(verb string, key gitops.Key, was, is *unstructured.Unstructured, origin gitops.Origin) error {
		is, was = veil.Sides(is, was)
		d, err := plan.NewDiff(was, is, s.hidden...)
		if err != nil || d.Empty() {
			return err
		}
		one, err := s.difference(&d)
		one.Ref, one.Verb, one.Origin = refOf(key, ""), verb, origin.String()
		out = append(out, one)
		return err
	}
	for _, m := range before.Manifests {
		next, stays := is[m.Key()]
		delete(is, m.Key())
		verb := "update"
		if !stays {
			verb, next.Origin = "prune", m.Origin
		}
		if err := add(verb, m.Key(), m.Object, next.Object, next.Origin); err != nil {
			return out, err
		}
	}
	for _, m := range after.Manifests {
		if _, comes := is[m.Key()]; !comes {
			continue
		}
		delete(is, m.Key())
		if err := add("create", m.Key(), nil, m.Object, m.Origin); err != nil {
			return out, err
		}
	}
	return out, nil
}

// difference is a diff for people; without its text where there is too much of it.
func (s *supposing) difference(d *plan.Diff) (out api.Difference, err error) {
	if s.text.Load() > supposedText {
		return out, nil
	}
	for _, c := range d.Changes {
		out.Changes = append(out.Changes, api.Change{Path: c.Path, Old: c.Old, New: c.New})
	}
	if out.Live, out.Desired, err = d.Sides(); err != nil {
		return out, err
	}
	s.text.Add(int64(len(out.Live) + len(out.Desired) + d.Paths()))
	return out, nil
}
