package generate

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// draft is a rendered Application that has not been checked yet.
type draft struct {
	app    *v1alpha1.Application
	params Params
	// generator counts from 1.
	generator int
}

// drafts finds all parameter sets of a set and renders each.
func (r *run) drafts() ([]draft, error) {
	var out []draft
	for i := range r.set.Spec.Generators {
		leave := r.enter(fmt.Sprintf("generator %d", i+1))
		results, err := r.transform(&r.set.Spec.Generators[i], nil)
		leave()
		if err != nil {
			return nil, fmt.Errorf("generator %d: %w", i+1, err)
		}
		for _, f := range results {
			template := overridden(f.template, &r.set.Spec.Template)
			out = slices.Grow(out, len(f.params))
			for _, p := range f.params {
				app, err := r.render(template, p)
				if err != nil {
					return nil, fmt.Errorf("cannot render the template with %s: %w", p, err)
				}
				out = append(out, draft{app: app, params: p, generator: i + 1})
			}
		}
	}
	return out, r.ctx.Err()
}

// render makes the Application of one parameter set. An empty set leaves the
// template as it is, and without the default finalizer.
func (r *run) render(template *v1alpha1.ApplicationSetTemplate, p Params) (*v1alpha1.Application, error) {
	rendered := template.DeepCopy()
	r.lacks.begin()
	if len(p) > 0 {
		var err error
		if rendered, err = r.replaced.template(template, p); err != nil {
			return nil, err
		}
		if len(rendered.Finalizers) == 0 && !preserves(r.set) {
			rendered.Finalizers = []string{v1alpha1.FinalizerResources}
		}
	}
	app := newApplication(r.set.Namespace, rendered)
	if patch := r.set.Spec.TemplatePatch; patch != nil {
		text, err := r.texts.render(*patch, p)
		if err != nil {
			return nil, fmt.Errorf("templatePatch: %w", err)
		}
		read, err := r.patches.read(text)
		if err != nil {
			return nil, fmt.Errorf("templatePatch: %w", err)
		}
		if app, err = read.apply(app); err != nil {
			return nil, fmt.Errorf("templatePatch: %w", err)
		}
	}
	r.lacks.end(whereOf(app, p))
	return app, nil
}

// whereOf says where a parameter is to be added: the cluster, if a cluster gave
// the set, else the Application.
func whereOf(app *v1alpha1.Application, p Params) subject {
	if name := clusterOf(p); name != "" {
		return subject{name: name, cluster: true}
	}
	return subject{name: app.Name}
}

// clusterOf is the name of the cluster that gave a parameter set; empty when
// none did.
func clusterOf(p Params) string {
	name, _ := p["name"].(string)
	if _, ok := p["server"].(string); !ok {
		return ""
	}
	return name
}

// preserves tells whether objects outlive an Application that is deleted.
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
