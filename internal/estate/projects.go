package estate

import (
	"context"
	"errors"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Projects are the AppProjects.
type Projects struct{ *Writer }

// Put implements api.ProjectWriter.
func (p *Projects) Put(ctx context.Context, u *auth.User, old *v1alpha1.AppProject, want api.ProjectWish) (*v1alpha1.AppProject, error) {
	next := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: want.Name}}
	before := map[string]any{}
	if old != nil {
		next, before = old.DeepCopy(), plain(old.Spec)
	}
	want.Spec.DeepCopyInto(&next.Spec)
	keepTokens(old, next)
	next.ManagedFields = nil // the cache has none: they stay as they are
	if err := checkProject(next); err != nil {
		return nil, err
	}
	e := &audit.Entry{Resource: "projects", Project: want.Name, Name: want.Name, Changes: changesOf(before, plain(next.Spec))}
	return next, p.put(ctx, u, e, "project "+want.Name, next)
}

// Remove implements api.ProjectWriter.
func (p *Projects) Remove(ctx context.Context, u *auth.User, old *v1alpha1.AppProject) error {
	e := &audit.Entry{Resource: "projects", Project: old.Name, Name: old.Name, Changes: changesOf(plain(old.Spec), map[string]any{})}
	return p.remove(ctx, u, e, "project "+old.Name, old.DeepCopy())
}

// keepTokens leaves the tokens of roles as they are: they are given out, and
// taken back, elsewhere.
func keepTokens(old, next *v1alpha1.AppProject) {
	tokens := map[string][]v1alpha1.JWTToken{}
	if old != nil {
		for i := range old.Spec.Roles {
			tokens[old.Spec.Roles[i].Name] = old.Spec.Roles[i].JWTTokens
		}
	}
	for i := range next.Spec.Roles {
		next.Spec.Roles[i].JWTTokens = tokens[next.Spec.Roles[i].Name]
	}
}

// place is where a project is wrong, as errors name it.
var place = regexp.MustCompile(`spec\.[A-Za-z]+(\[\d+\])?(\.[A-Za-z]+)?`)

// checkProject tells what would not be used, by its field.
func checkProject(p *v1alpha1.AppProject) error {
	unfit := &api.Unfit{}
	if errs := validation.IsDNS1123Subdomain(p.Name); len(errs) > 0 {
		unfit.Add("name", "use small letters, digits and dashes")
	}
	if err := policy.Validate(p); err != nil {
		text := err.Error()
		var known *gitops.Problem
		if errors.As(err, &known) && known.Err != nil {
			text = known.Err.Error()
		}
		text = strings.TrimPrefix(text, `project "`+p.Name+`" is not valid: `)
		field := place.FindString(text)
		if field == "" && strings.Contains(text, "role") {
			field = "spec.roles"
		}
		unfit.Add(field, text)
	} else if err := rbac.CheckRoles(p); err != nil {
		unfit.Add("spec.roles", err.Error())
	}
	return unfit.Err()
}
