package generate

import (
	"fmt"
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// check sorts drafts into Applications and rejected ones: what is wrong with
// one of them does not hold up the others.
func (r *run) check(drafts []draft) (*Expansion, error) {
	// A list by name, and a copy of each that there is to be.
	if err := r.held.take(len(drafts) * (perApplication + 2*perDraft + perKey)); err != nil {
		return nil, err
	}
	r.applied += int64(len(drafts) * perApplication)
	slices.SortStableFunc(drafts, func(a, b draft) int { return strings.Compare(a.app.Name, b.app.Name) })
	byName := make(map[string][]draft, len(drafts))
	for _, d := range drafts {
		byName[d.app.Name] = append(byName[d.app.Name], d)
	}
	out := &Expansion{Applications: make([]v1alpha1.Application, 0, len(drafts)), Of: make([]*Origin, 0, len(drafts))}
	twice := map[string]bool{}
	for i := range drafts {
		d := &drafts[i]
		if sets := byName[d.app.Name]; len(sets) > 1 && d.app.Name != "" {
			if !twice[d.app.Name] {
				twice[d.app.Name] = true
				out.Rejected = append(out.Rejected, r.equalNames(d.app.Name, sets))
			}
			continue
		}
		rejected, err := r.checkOne(d)
		if err != nil {
			return nil, err
		}
		if rejected != nil {
			out.Rejected = append(out.Rejected, *rejected)
			if err := r.held.take(perRejected + 2*len(rejected.Err.Error()) + len(rejected.Bare)); err != nil {
				return nil, err
			}
			continue
		}
		out.Applications = append(out.Applications, *d.app)
		out.Of = append(out.Of, d.set.of)
		if r.parameters {
			out.Params = append(out.Params, d.set.Params)
		}
	}
	return out, nil
}

// equalNames rejects all Applications of a name: none of them is more right. Which
// parameter sets give it the error says where none of them is of a cluster.
func (r *run) equalNames(name string, drafts []draft) Rejected {
	const most = 3
	var texts []string
	var sets []Params
	var of []*Origin
	for _, d := range drafts {
		sets, of = append(sets, d.set.Params), append(of, d.set.of)
		if len(texts) < most {
			texts = append(texts, fmt.Sprintf("{%s} of generator %d", d.set, d.generator))
		}
	}
	what := fmt.Sprintf("%d parameter sets give an Application named %q: %s", len(sets), name, strings.Join(texts, " and ")+gitops.AndMore(len(drafts)-most))
	const fix = "make the name in the template differ"
	out := Rejected{Name: name, By: ByValidation, Params: sets, Of: of}
	if slices.ContainsFunc(drafts, func(d draft) bool { return d.veiled }) {
		const bare = "several parameter sets give Applications of one name"
		r.warn(gitops.Warning{Reason: "EqualApplicationNames", Message: r.ofSet(what), Fleet: true, Applications: []string{name}, Bare: r.ofSet(bare)})
		what = fmt.Sprintf("several parameter sets give an Application named %q", name)
		out.Bare = bare + "; " + fix
	}
	out.Err = problemf(gitops.Invalid, "%s", what).Do(fix)
	return out
}

func (r *run) checkOne(d *draft) (*Rejected, error) {
	project := d.app.Spec.Project // an empty one is no project: only later it becomes the default
	normalizeSpec(&d.app.Spec)
	reject := func(by Refuser, err error) *Rejected {
		out := &Rejected{Name: d.app.Name, By: by, Err: err, Application: d.app, Params: []Params{d.set.Params}, Of: []*Origin{d.set.of}}
		if d.veiled {
			out.Bare = fmt.Sprintf("generator %d: %s", d.generator, r.literals.bare(err))
		}
		return out
	}
	if d.app.Name == "" {
		return reject(ByValidation, problemf(gitops.Invalid, "the template gives an Application without a name").
			Do("set metadata.name in the template")), nil
	}
	if d.refused != nil {
		return reject(ByValidation, d.refused), nil //nolint:nilerr // of this Application alone
	}
	ok, err := r.hasProject(project)
	if err != nil {
		return nil, err
	}
	if !ok {
		return reject(ByValidation, problemf(gitops.NotFound, "project %q of Application %s does not exist", project, d.app.Name).
			Do("create the AppProject, or name one that exists")), nil
	}
	problem, err := r.trust.mistrusted(r.ctx, project)
	if problem == nil && err == nil {
		problem, err = r.misled(d.app)
	}
	if err != nil {
		return nil, err
	}
	if problem != nil {
		return reject(ByValidation, problem), nil
	}
	if problem := metadata(d.app); problem != nil {
		return reject(ByAPIServer, problem), nil
	}
	return nil, nil
}

// misled tells what is wrong with where an Application goes. Of what its project
// does not permit nothing is: who may choose destinations would learn by the set
// which clusters others have.
func (r *run) misled(app *v1alpha1.Application) (problem, err error) {
	places, err := r.destinations()
	if err != nil {
		return nil, err
	}
	problem = places.check(app.Spec.Destination)
	if problem == nil || r.rules == nil || unresolved(app.Spec.Destination) {
		return problem, nil
	}
	permitted, err := r.rules.Permits(r.ctx, app.Spec.Project, app.Spec.Destination)
	if err != nil {
		return nil, unreachable(errorf("cannot look up what project %q permits: %w", app.Spec.Project, err))
	}
	if !permitted {
		problem = nil // the Application says so itself
	}
	return problem, nil
}

// unresolved tells of what a template leaves where a parameter is missing. No
// cluster is called so.
func unresolved(d v1alpha1.ApplicationDestination) bool {
	where := d.Name + d.Server
	return strings.Contains(where, "{{") || strings.Contains(where, noValue)
}

// metadata checks what every API server checks.
func metadata(app *v1alpha1.Application) error {
	wrong := apivalidation.ValidateObjectMeta(&app.ObjectMeta, true, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	if len(wrong) == 0 {
		return nil
	}
	return problemf(gitops.Invalid, "Application %q is not valid: %w", app.Name, invalid(wrong)).
		Do("correct the template, or the parameters that it uses")
}

// invalid are the fields of an Application that are not valid.
type invalid field.ErrorList

func (i invalid) Error() string { return field.ErrorList(i).ToAggregate().Error() }

// bare tells which, and not what is in them.
func (i invalid) bare() string {
	texts := make([]string, 0, len(i))
	for _, one := range i {
		texts = append(texts, one.Field+": "+one.Type.String())
	}
	return strings.Join(slices.Compact(texts), ", ")
}
