package compare

import (
	"cmp"
	"context"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// Strayer lists the objects of a namespace that nothing owns.
type Strayer interface {
	Strays(ctx context.Context, tracking, namespace string) ([]gitops.Stray, error)
}

// Orphans lists the objects in an application's namespace that no application
// has, sorted. had tells which the application itself has or wants, gone that
// no application has a tracking name.
func Orphans(ctx context.Context, project *v1alpha1.AppProject, cluster Strayer, tracking, namespace string, had, gone func(gitops.Stray) bool) ([]gitops.Key, error) {
	if project.Spec.OrphanedResources == nil || namespace == "" {
		return nil, nil
	}
	strays, err := cluster.Strays(ctx, tracking, namespace)
	if err != nil {
		return nil, err
	}
	var out []gitops.Key
	for _, s := range strays {
		if had(s) || !policy.Orphan(project, s.Key) || s.App != "" && !gone(s) {
			continue
		}
		out = append(out, s.Key)
	}
	slices.SortFunc(out, func(a, b gitops.Key) int { return cmp.Compare(a.String(), b.String()) })
	return out, nil
}
