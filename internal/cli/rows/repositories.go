package rows

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// The headings of repositories, and those that wide adds before the last.
var (
	RepositoryHeader = []string{"URL", "TYPE", "APPS", "CREDENTIALS", "MIRROR"}
	RepositoryWide   = []string{"PROJECT", "SECRET"}
)

// Repository is a repository as it may be printed: no credentials.
type Repository struct {
	URL         string `json:"url"`
	Type        string `json:"type,omitempty"`
	Name        string `json:"name,omitempty"`
	Project     string `json:"project,omitempty"`
	Secret      string `json:"secret,omitempty"`
	Credentials bool   `json:"credentials"`
	Mirror      string `json:"mirror,omitempty"`
	Apps        int    `json:"applications"`
	// written is the whole address, of which a part may be a secret.
	written string
}

// KnownRepositories are those that Secrets describe and those that applications use, by their addresses.
func KnownRepositories(ctx context.Context, h *target.Hub, selector labels.Selector) ([]*Repository, error) {
	views, err := repositories(ctx, h, selector)
	if err != nil {
		return nil, err
	}
	list := &v1alpha1.ApplicationList{}
	if err := h.Client.List(ctx, list, client.InNamespace(h.Namespace)); err != nil {
		return nil, err
	}
	known := placedOf(views)
	for i := range list.Items {
		known.use(&list.Items[i])
	}
	all := make([]*Repository, 0, len(views))
	for _, url := range slices.Sorted(maps.Keys(views)) {
		views[url].Mirror = mirrorOf(h, views[url].written)
		all = append(all, views[url])
	}
	return all, nil
}

// Repositories lists them with how many applications read each.
func Repositories(ctx context.Context, h *target.Hub, q Query) ([]Row, error) {
	all, err := KnownRepositories(ctx, h, q.Selector)
	if err != nil {
		return nil, err
	}
	var items []Row
	for _, view := range all {
		if q.Of(view.Project) {
			items = append(items, view.Row())
		}
	}
	return items, nil
}

// repositories are those that Secrets describe, by their address.
func repositories(ctx context.Context, h *target.Hub, selector labels.Selector) (map[string]*Repository, error) {
	if h.Server != nil {
		return servedRepositories(ctx, h, selector)
	}
	secrets, err := h.Secrets(ctx, selector, v1alpha1.SecretTypeRepository, v1alpha1.SecretTypeRepoCreds)
	if err != nil {
		return nil, err
	}
	views := map[string]*Repository{}
	for i := range secrets {
		view := repositoryOf(&secrets[i])
		views[view.written] = view
	}
	return views, nil
}

func repositoryOf(s *corev1.Secret) *Repository {
	text := func(key string) string { return strings.TrimSpace(string(s.Data[key])) }
	view := &Repository{written: text("url"), URL: gitops.PublicAddress(text("url")), Type: text("type"), Name: text("name"), Project: text("project"), Secret: s.Name}
	if view.Type == "" {
		view.Type = "git"
	}
	view.Credentials = view.URL != view.written // a part of the address opens it
	for _, key := range []string{"password", "sshPrivateKey", "bearerToken", "githubAppPrivateKey", "gcpServiceAccountKey", "tlsClientCertKey", "username"} {
		view.Credentials = view.Credentials || len(s.Data[key]) > 0
	}
	return view
}

// placed finds repositories by addresses that applications have of them.
type placed struct {
	views map[string]*Repository
	exact map[string]*Repository
	// wide are those that charts of many addresses are in.
	wide []wideView
}

type wideView struct {
	access.Place

	view *Repository
}

func placedOf(views map[string]*Repository) *placed {
	p := &placed{views: views, exact: map[string]*Repository{}}
	for _, url := range slices.Sorted(maps.Keys(views)) {
		p.add(views[url])
	}
	return p
}

func (p *placed) add(v *Repository) {
	place, ok := access.PlaceOf(cmp.Or(v.written, v.URL))
	if !ok {
		return
	}
	p.exact[place.Key()] = v
	if v.Secret != "" && (v.Type == "helm" || v.Type == "oci") {
		p.wide = append(p.wide, wideView{place, v})
	}
}

// at is the repository with an address; of charts also the one that they are
// in, and of several the innermost, as with mirrors. Nil for none.
func (p *placed) at(url string) *Repository {
	place, ok := access.PlaceOf(url)
	if !ok {
		return nil
	}
	if v := p.exact[place.Key()]; v != nil {
		return v
	}
	var found *wideView
	for i := range p.wide {
		w := &p.wide[i]
		if w.Holds(w.view.Type, place) && (found == nil || len(w.Key()) > len(found.Key())) {
			found = w
		}
	}
	if found == nil {
		return nil
	}
	return found.view
}

// use counts an application at each of the repositories that it reads.
func (p *placed) use(app *v1alpha1.Application) {
	counted := map[*Repository]bool{}
	for _, s := range app.Spec.GetSources() {
		if s.RepoURL == "" {
			continue
		}
		view := p.at(s.RepoURL)
		if view == nil {
			view = &Repository{written: s.RepoURL, URL: gitops.PublicAddress(s.RepoURL), Type: typeOf(s)}
			p.views[view.written] = view
			p.add(view)
		}
		view.Credentials = view.Credentials || gitops.PublicAddress(s.RepoURL) != s.RepoURL
		if !counted[view] {
			view.Apps++
		}
		counted[view] = true
	}
}

func typeOf(s v1alpha1.ApplicationSource) string {
	switch {
	case strings.HasPrefix(s.RepoURL, "oci://"):
		return "oci"
	case s.Chart != "":
		return "helm"
	}
	return "git"
}

func mirrorOf(h *target.Hub, url string) string {
	if h.Fleet == nil {
		return ""
	}
	m, _, ok := source.NewFiles(h.Fleet.Mirrors).Find(address.Name(url))
	if !ok {
		return ""
	}
	return table.Short(m.Path)
}

// Row is the row of a repository.
func (v *Repository) Row() Row {
	credentials := "-"
	if v.Credentials {
		credentials = "yes"
	}
	return Row{
		Name:   v.URL,
		Cells:  []string{v.URL, v.Type, strconv.Itoa(v.Apps), credentials, table.Dash(v.Mirror)},
		Wide:   []string{table.Dash(v.Project), table.Dash(v.Secret)},
		Object: v,
	}
}
