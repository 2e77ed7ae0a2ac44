package cli

import (
	"cmp"
	"context"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// servedRepositories are the repositories that a server tells of, by their
// address. It tells no labels of their Secrets.
func (h *hub) servedRepositories(ctx context.Context, selector labels.Selector) (map[string]*repositoryView, error) {
	if selector != nil && !selector.Empty() {
		return nil, errServed("which labels the Secrets of repositories have (--selector)")
	}
	all, err := h.server.Repositories(ctx)
	if err != nil {
		return nil, err
	}
	views := map[string]*repositoryView{}
	for _, templates := range []bool{false, true} { // where both have an address, the template is shown
		for i := range all {
			if r := &all[i]; r.Template == templates {
				url := gitops.PublicAddress(r.URL)
				views[url] = &repositoryView{
					written: url, URL: url, Type: cmp.Or(r.Type, "git"), Name: r.Name, Project: r.Project, Secret: r.ID,
					Credentials: len(r.Credentials) > 0 || r.Username != "",
				}
			}
		}
	}
	return views, nil
}
