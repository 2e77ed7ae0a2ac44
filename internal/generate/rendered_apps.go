package generate

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// draft is a rendered Application that has not been checked yet.
type draft struct {
	app *v1alpha1.Application
	set paramSet
	// generator counts from 1.
	generator int
	// veiled tells that the parameters may be of clusters that who reads the set may not.
	veiled bool
	// refused tells why it must not be one.
	refused *gitops.Problem
}

// drafts finds all parameter sets of a set and renders each.
func (r *run) drafts() ([]draft, error) {
	var out []draft
	for i := range r.set.Spec.Generators {
		g := &r.set.Spec.Generators[i]
		r.direct, r.ofClusters = g.Selector == nil, false
		leave := r.enter(partOfSet(i))
		results, err := r.transform(g, paramSet{})
		leave()
		if err != nil {
			return nil, errorf("generator %d: %w", i+1, err)
		}
		for _, f := range results {
			drafts, err := r.draft(overridden(f.template, &r.set.Spec.Template), f.params, i+1)
			if err != nil {
				return nil, err
			}
			out = append(out, drafts...)
		}
	}
	return out, r.ctx.Err()
}

// draft renders the Applications of one generator.
func (r *run) draft(template *v1alpha1.ApplicationSetTemplate, sets []paramSet, generator int) ([]draft, error) {
	if err := r.room(len(sets)); err != nil {
		return nil, errorf("generator %d: %w", generator, err)
	}
	r.applications += len(sets)
	before := r.held.held
	out := make([]draft, 0, len(sets))
	for _, p := range sets {
		app, refused, err := r.render(template, p)
		if err == nil {
			err = r.held.take(perApplication + perDraft)
		}
		if err == nil {
			err = r.ctx.Err()
		}
		if err != nil {
			return nil, errorf("cannot render the template with %s: %w", p, err)
		}
		out = append(out, draft{app: app, set: p, generator: generator, veiled: !r.tells(), refused: refused})
	}
	r.applied += r.held.held - before
	return out, nil
}

// render makes the Application of one parameter set. An empty set leaves the
// template as it is, and without the default finalizer.
func (r *run) render(template *v1alpha1.ApplicationSetTemplate, p paramSet) (app *v1alpha1.Application, refused *gitops.Problem, err error) {
	r.lacks.begin()
	rendered, err := r.fill(template, p.Params)
	if err != nil {
		return nil, nil, err
	}
	app = newApplication(r.set.Namespace, rendered)
	if patch := r.set.Spec.TemplatePatch; patch != nil {
		if app, refused, err = r.patched(app, *patch, p.Params); err != nil {
			return nil, nil, errorf("templatePatch: %w", err)
		}
	}
	r.lacks.end(whereOf(app, p.of))
	return app, refused, nil
}

func (r *run) fill(template *v1alpha1.ApplicationSetTemplate, p Params) (*v1alpha1.ApplicationSetTemplate, error) {
	if len(p) == 0 {
		out := template.DeepCopy()
		return out, r.held.take(weightOf(out))
	}
	out, err := r.replaced.template(template, p)
	if err != nil {
		return nil, err
	}
	if len(out.Finalizers) == 0 && !preserves(r.set) {
		out.Finalizers = []string{v1alpha1.FinalizerResources}
	}
	return out, nil
}

func (r *run) patched(app *v1alpha1.Application, patch string, p Params) (out *v1alpha1.Application, refused *gitops.Problem, err error) {
	text, own, err := r.patchOf(patch, p)
	if err != nil {
		return nil, nil, err
	}
	read, err := r.patches.read(text)
	if err != nil {
		return nil, nil, err
	}
	before := app.Annotations
	if out, err = r.patches.apply(read, app); err != nil {
		return nil, nil, err
	}
	if own.refused == nil {
		r.keepOwn(own.values, before, out)
	}
	return out, own.refused, nil
}

// patchOf renders a patch, and finds what it says of the engine's own annotations.
func (r *run) patchOf(patch string, p Params) (string, ownWords, error) {
	if r.fenced == nil {
		text, err := r.texts.render(patch, p)
		return text, ownWords{}, err
	}
	fenced, err := r.fenced.render(patch, p)
	if err != nil {
		return "", ownWords{}, err
	}
	f := cutFences(fenced, r.patches.mark)
	own, err := r.patches.ownOf(fenced, f)
	return f.plain(), own, err
}

// whereOf says where a parameter is to be added: the cluster, if one gave the set, else
// the Application.
func whereOf(app *v1alpha1.Application, of *Origin) subject {
	if c := of.One(); c != nil {
		return subject{name: c.Name, cluster: true}
	}
	return subject{name: app.Name}
}

// preserves reports whether objects outlive an Application that is deleted.
func preserves(set *v1alpha1.ApplicationSet) bool {
	return set.Spec.SyncPolicy != nil && set.Spec.SyncPolicy.PreserveResourcesOnDeletion
}

// newApplication makes an Application of a template. Its namespace is the
// set's, whatever the template says.
func newApplication(namespace string, t *v1alpha1.ApplicationSetTemplate) *v1alpha1.Application {
	return &v1alpha1.Application{
		TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Application"},
		ObjectMeta: metav1.ObjectMeta{
			Name: t.Name, Namespace: namespace,
			Labels: t.Labels, Annotations: t.Annotations, Finalizers: t.Finalizers,
		},
		Spec: t.Spec,
	}
}
