package gcp

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/api/secretmanager/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// perList is how many secrets a page has.
const perList = 500

// Find takes the latest versions of the secrets of a project whose name begins with a path,
// matches, and which have these labels.
func (p *Provider) Find(ctx context.Context, find esv1.Find) (map[string][]byte, error) {
	s, err := provider.NewSearch(find)
	if err != nil {
		return nil, err
	}
	names, err := p.list(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := s.Read(ctx, names, p.Read); err != nil {
		return nil, err
	}
	return s.Out, nil
}

func (p *Provider) list(ctx context.Context, s *provider.Search) (names []string, err error) {
	for token := ""; ; {
		call := p.service.Projects.Secrets.List(parent(p.config.ProjectID, p.config.Location)).PageSize(perList).PageToken(token).Filter(filter(s))
		out, err := ask(ctx, p, "list the secrets of project "+p.config.ProjectID, func(ctx context.Context) (*secretmanager.ListSecretsResponse, error) {
			return call.Context(ctx).Do()
		})
		if err != nil {
			return nil, err
		}
		for _, one := range out.Secrets {
			if one == nil || !parts.MatchString(path.Base(one.Name)) {
				return nil, fmt.Errorf("cannot list the secrets of project %s: the answer has a secret without a name", p.config.ProjectID)
			}
			name := path.Base(one.Name)
			matches, err := s.Matches(name)
			if err != nil {
				return nil, err
			}
			if matches && strings.HasPrefix(name, s.Path) && labelled(one.Labels, s.Tags) {
				names = append(names, name)
			}
		}
		if token = out.NextPageToken; token == "" {
			return names, nil
		}
		if err := s.Next(token); err != nil {
			return nil, err
		}
	}
}

func labelled(has, want map[string]string) bool {
	for key, value := range want {
		if got, ok := has[key]; !ok || got != value {
			return false
		}
	}
	return true
}

// filterable is what a filter may hold as it is.
var filterable = regexp.MustCompile(`^[a-z0-9_\-]+$`)

// filter has Google leave out most of what does not match: it cannot ask for the beginning
// of names.
// https://cloud.google.com/secret-manager/docs/filtering.
func filter(s *provider.Search) string {
	var all []string
	if filterable.MatchString(s.Path) {
		all = append(all, "name:"+s.Path)
	}
	for _, key := range slices.Sorted(maps.Keys(s.Tags)) {
		if filterable.MatchString(key) && filterable.MatchString(s.Tags[key]) {
			all = append(all, "labels."+key+"="+s.Tags[key])
		}
	}
	return strings.Join(all, " AND ")
}
