package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/argocd"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// details looks at applications for the answers in Argo CD's form.
type details struct{ looker }

// argoOptions are what those answers stand on, beside the API.
func argoOptions(o *Options, shown api.Options, look looker, issuers session.Issuers) argocd.Options {
	return argocd.Options{
		Options: shown, Details: details{look}, Repositories: o.shownRepositories, Settings: func(ctx context.Context) argocd.Settings { return o.shownSettings(ctx, issuers) },
		Versions: hubReader{reader: o.Client, namespace: o.Namespace}, MaskSpec: maskedSpec,
	}
}

// maskedSpec is what a set says, as its page shows it.
func maskedSpec(spec *v1alpha1.ApplicationSetSpec) (any, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	return redact.Masker{}.Value(nil, tree), nil
}

// shownRepositories are those that Secrets describe, without what opens them.
func (o *Options) shownRepositories() []argocd.Repository {
	var out []argocd.Repository
	for _, r := range o.Repositories() {
		if r.Template {
			continue
		}
		one := argocd.Repository{Repo: gitops.PublicAddress(r.URL), Written: r.URL, Name: r.Name, Project: r.Project, EnableOCI: r.Credential.EnableOCI, Type: cmp.Or(r.Credential.Type, "git")}
		out = append(out, one)
	}
	return out
}

// shownSettings are those of argocd-cm that everybody may read.
func (o *Options) shownSettings(ctx context.Context, issuers session.Issuers) argocd.Settings {
	data := o.Settings()
	return argocd.Settings{
		OIDC: shownIssuer(ctx, issuers),
		URL:  data["url"], AppLabelKey: cmp.Or(data["application.instanceLabelKey"], "app.kubernetes.io/instance"),
		TrackingMethod: cmp.Or(data["application.resourceTrackingMethod"], "annotation"), ControllerNamespace: o.Namespace,
		AnyNamespace: o.AnyNamespace, InstallationID: data["installationID"],
	}
}

// shownIssuer is what a program needs to sign somebody in; nil where nobody can.
func shownIssuer(ctx context.Context, all session.Issuers) *argocd.Issuer {
	i, err := all.Current(ctx)
	if err != nil || i == nil {
		return nil
	}
	c := i.Config
	return &argocd.Issuer{
		Name: c.Name, Issuer: c.Issuer, ClientID: c.ClientID, CLIClientID: c.CLIClientID, Scopes: c.Scopes, Claims: c.IDTokenClaims, PKCE: true, RootCA: c.RootCA,
	}
}

// Managed joins what Git has with what is live, and what a sync would make of it.
func (d details) Managed(ctx context.Context, app *v1alpha1.Application) ([]argocd.Managed, error) {
	at, err := d.on.Admit(ctx, app)
	if err != nil {
		return nil, err
	}
	if err := d.awake(ctx, app); err != nil {
		return nil, err
	}
	set, err := d.on.Stages.Desired(ctx, app)
	if err != nil {
		return nil, err
	}
	changed, err := d.differences(ctx, app)
	if err != nil {
		return nil, err
	}
	veil, err := d.veil(ctx, app, set, nil)
	if err != nil {
		return nil, err
	}
	j := pairing{mask: masker{d.on.Hidden(), veil}, of: map[gitops.Key]*sides{}}
	for i := range set.Objects {
		j.at(set.Objects[i].Key).target = set.Objects[i].Object
	}
	live, err := d.on.Live.Roots(ctx, app)
	if err != nil {
		return nil, err
	}
	shows := d.shows(ctx, at.Cluster, app)
	for _, o := range live {
		err := shows(gitops.KeyOf(o))
		if errors.As(err, &reach.Barred{}) {
			continue
		}
		if err != nil {
			return nil, err
		}
		j.at(gitops.KeyOf(o)).live = o
	}
	for i := range at.Resources {
		r := &at.Resources[i]
		j.at(gitops.Key{Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}).hook = r.Hook
	}
	for i := range changed {
		if changed[i].Kept == "" {
			changed[i].Diff = changed[i].Diff.Without(veil)
			j.at(changed[i].Key).diff = &changed[i]
		}
	}
	return j.managed()
}

// pairing has the objects of an application by their keys, in the order in
// which they were met.
type pairing struct {
	mask  masker
	order []gitops.Key
	of    map[gitops.Key]*sides
}

// sides are what is known of one object.
type sides struct {
	target, live *unstructured.Unstructured
	diff         *plan.ObjectDiff
	hook         bool
}

func (j *pairing) at(k gitops.Key) *sides {
	if j.of[k] == nil {
		j.of[k] = &sides{}
		j.order = append(j.order, k)
	}
	return j.of[k]
}

func (j *pairing) managed() ([]argocd.Managed, error) {
	out := make([]argocd.Managed, 0, len(j.order))
	for _, k := range j.order {
		one, err := j.of[k].managed(k, &j.mask)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func (s *sides) managed(k gitops.Key, mask *masker) (m argocd.Managed, err error) {
	m = argocd.Managed{Group: k.Group, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name, Hook: s.hook, Modified: s.diff != nil}
	target, live, err := mask.over(k, s.target, s.live)
	if err != nil {
		return m, err
	}
	if live != nil {
		m.ResourceVersion = live.GetResourceVersion()
	}
	if m.Target, err = jsonOf(target); err != nil {
		return m, err
	}
	if m.Live, err = jsonOf(live); err != nil {
		return m, err
	}
	m.Normalized, m.Predicted = m.Live, m.Live
	if s.diff == nil {
		return m, nil
	}
	before, after, err := s.diff.Diff.Sides()
	if err != nil {
		return m, err
	}
	if m.Normalized, err = jsonOfYAML(before); err != nil {
		return m, err
	}
	m.Predicted, err = jsonOfYAML(after)
	return m, err
}

// masker keeps what is secret from people.
type masker struct {
	// annotations of Secrets whose values are not shown.
	annotations []string
	veil        redact.Known
}

// over are both sides of an object for people to read; nil where there is none.
func (m *masker) over(k gitops.Key, target, live *unstructured.Unstructured) (_, _ *unstructured.Unstructured, err error) {
	if live != nil {
		live = live.DeepCopy()
		live.SetManagedFields(nil)
	}
	target, live = m.veil.Sides(target, live)
	if k.Kind == "Secret" && k.Group == "" {
		return redact.Marks(target, live, m.annotations)
	}
	target, live = redact.HeldMarks(target, live)
	return target, live, nil
}

// jsonOf is an object as JSON; null where there is none.
func jsonOf(o *unstructured.Unstructured) (string, error) {
	if o == nil {
		return "null", nil
	}
	text, err := json.Marshal(o.Object)
	return string(text), err
}

func jsonOfYAML(text string) (string, error) {
	if text == "" {
		return "null", nil
	}
	out, err := yaml.YAMLToJSON([]byte(text))
	return string(out), err
}

// Manifests renders an application, at other revisions than the spec's where
// some are named.
func (d details) Manifests(ctx context.Context, app *v1alpha1.Application, revisions []string) (*argocd.Manifests, error) {
	cluster, err := d.cluster(ctx, app)
	if err != nil {
		return nil, err
	}
	rendering, err := d.on.Stages.Render(ctx, at(app, revisions))
	if err != nil {
		return nil, err
	}
	out := &argocd.Manifests{
		Manifests: make([]string, 0, len(rendering.Manifests)), Namespace: app.Spec.Destination.Namespace, Server: cluster.Desc().Server,
		Revisions: rendering.Revisions,
	}
	if len(rendering.Revisions) > 0 {
		out.Revision = rendering.Revisions[0]
	}
	if len(rendering.Types) > 0 {
		out.SourceType = string(rendering.Types[0])
	}
	mask := masker{d.on.Hidden(), redact.NewKnown(rendering.Hidden)}
	for _, m := range rendering.Manifests {
		shown, _, err := mask.over(m.Key(), m.Object, nil)
		if err != nil {
			return nil, err
		}
		text, err := jsonOf(shown)
		if err != nil {
			return nil, err
		}
		out.Manifests = append(out.Manifests, text)
	}
	return out, nil
}

// at is an application at other revisions; empty ones are the spec's.
func at(app *v1alpha1.Application, revisions []string) *v1alpha1.Application {
	if len(revisions) == 0 {
		return app
	}
	out := app.DeepCopy()
	sources := out.Spec.GetSources()
	for i := range min(len(sources), len(revisions)) {
		if revisions[i] != "" {
			sources[i].TargetRevision = revisions[i]
		}
	}
	if out.Spec.HasMultipleSources() {
		out.Spec.Sources = sources
	} else if len(sources) > 0 {
		out.Spec.Source = &sources[0]
	}
	return out
}

// Commit tells who made a revision of a source.
func (d details) Commit(ctx context.Context, app *v1alpha1.Application, source int, revision string) (*gitops.Commit, error) {
	if _, err := d.on.Admit(ctx, app); err != nil {
		return nil, err // its repository is not asked
	}
	snap, err := d.on.Sources.Snapshot(ctx, gitops.SourceOf(app, &app.Spec.GetSources()[source], revision))
	if err != nil {
		return nil, err
	}
	if snap.Commit == nil {
		return nil, gitops.Problemf(gitops.NotFound, "source %d is no Git repository: its revisions have no author", source)
	}
	return snap.Commit, nil
}

// Actions are those that a live object of an application has now.
func (d details) Actions(ctx context.Context, app *v1alpha1.Application, ref api.Ref) ([]argocd.Action, error) {
	found, err := d.discover(ctx, app, ref)
	if err != nil {
		return nil, err
	}
	out := make([]argocd.Action, 0, len(found))
	for _, a := range found {
		one := argocd.Action{Name: a.Name, DisplayName: a.DisplayName, Disabled: a.Disabled}
		for _, p := range a.Parameters {
			one.Params = append(one.Params, argocd.ActionParameter{Name: p.Name, Type: p.Type, Default: p.Default})
		}
		out = append(out, one)
	}
	return out, nil
}
