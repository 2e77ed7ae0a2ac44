package generate

import (
	"net/url"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// HostEvent is what a Git host tells of a repository, or of one of its pull
// requests.
type HostEvent struct {
	// Host is github, gitlab, gitea, bitbucket, bitbucketserver or azuredevops.
	Host string
	// Address is the repository's web address; empty when unknown.
	Address string
	// Path is the full name, such as owner/name; ID GitLab's number of it.
	Path, ID string
	// PullRequest tells that it is about a pull request.
	PullRequest bool
}

// Asking is what the generators of a set may ask, as they are written: all there
// is to go by until it is known what they asked.
func Asking(set *v1alpha1.ApplicationSet) Reads {
	var out Reads
	for i := range set.Spec.Generators {
		out.add(&set.Spec.Generators[i])
	}
	return out
}

func (r *Reads) add(g *v1alpha1.ApplicationSetGenerator) {
	r.Plugins = r.Plugins || g.Plugin != nil
	if g.PullRequest != nil {
		r.Reviews = append(r.Reviews, g.PullRequest)
	}
	if g.SCMProvider != nil {
		r.Forges = append(r.Forges, g.SCMProvider)
	}
	for _, child := range children(g) {
		full, err := unnest(child)
		if err != nil {
			continue // the expansion tells
		}
		r.add(full)
	}
}

// Concerns reports whether an event may change what an expansion gives. A
// plugin may depend on anything.
func (r Reads) Concerns(e HostEvent) bool {
	if r.Plugins {
		return true
	}
	if e.PullRequest {
		return slices.ContainsFunc(r.Reviews, e.ofReviews)
	}
	return slices.ContainsFunc(r.Forges, e.ofForge)
}

// ofReviews reports whether a pullRequest generator asks for the repository.
func (e HostEvent) ofReviews(g *v1alpha1.PullRequestGenerator) bool {
	switch e.Host {
	case "github":
		return g.Github != nil && e.isOf(g.Github.API, "github.com", g.Github.Owner, g.Github.Repo)
	case "gitlab":
		return g.GitLab != nil && e.at(g.GitLab.API, "gitlab.com") && (g.GitLab.Project == e.ID || e.named(g.GitLab.Project))
	case "gitea":
		return g.Gitea != nil && e.isOf(g.Gitea.API, "", g.Gitea.Owner, g.Gitea.Repo)
	case "bitbucket":
		return g.Bitbucket != nil && e.named(g.Bitbucket.Owner, g.Bitbucket.Repo)
	case "bitbucketserver":
		return g.BitbucketServer != nil && e.isOf(g.BitbucketServer.API, "", g.BitbucketServer.Project, g.BitbucketServer.Repo)
	case "azuredevops":
		return g.AzureDevOps != nil && e.named(g.AzureDevOps.Project, g.AzureDevOps.Repo)
	default:
		return false
	}
}

// ofForge reports whether a scmProvider generator lists the repository.
func (e HostEvent) ofForge(g *v1alpha1.SCMProviderGenerator) bool {
	switch e.Host {
	case "github":
		return g.Github != nil && e.isIn(g.Github.API, "github.com", g.Github.Organization)
	case "gitlab":
		return g.Gitlab != nil && e.at(g.Gitlab.API, "gitlab.com") && e.withinGroup(g.Gitlab)
	case "gitea":
		return g.Gitea != nil && e.isIn(g.Gitea.API, "", g.Gitea.Owner)
	case "bitbucket":
		return g.Bitbucket != nil && e.within(g.Bitbucket.Owner)
	case "bitbucketserver":
		return g.BitbucketServer != nil && e.isIn(g.BitbucketServer.API, "", g.BitbucketServer.Project)
	case "azuredevops":
		return g.AzureDevOps != nil && e.within(g.AzureDevOps.TeamProject)
	default:
		return false
	}
}

// withinGroup: a group that is written as a number may be any, and projects
// that are shared with a group are elsewhere.
func (e HostEvent) withinGroup(g *v1alpha1.SCMProviderGeneratorGitlab) bool {
	shared := g.IncludeSharedProjects == nil || *g.IncludeSharedProjects
	return shared || strings.Trim(g.Group, "0123456789") == "" || e.within(g.Group)
}

// isOf reports whether the event is about one repository of a host.
func (e HostEvent) isOf(api, otherwise, owner, repo string) bool {
	return e.at(api, otherwise) && e.named(owner, repo)
}

// isIn reports whether it is about any repository of an owner there.
func (e HostEvent) isIn(api, otherwise, owner string) bool {
	return e.at(api, otherwise) && e.within(owner)
}

// open reports whether a text has parameters, which may come to be any.
func open(text string) bool { return strings.Contains(text, "{{") }

// named reports whether the repository has a full name. Hosts do not tell upper
// from lower case.
func (e HostEvent) named(parts ...string) bool {
	return slices.ContainsFunc(parts, open) || strings.EqualFold(e.Path, strings.Join(parts, "/"))
}

// within reports whether the repository is in an organisation, group or project.
func (e HostEvent) within(owner string) bool {
	return open(owner) || len(e.Path) > len(owner) && e.Path[len(owner)] == '/' && strings.EqualFold(e.Path[:len(owner)], owner)
}

// at reports whether the event comes from the host of an API. The two may differ
// by the name that a host gives its API.
func (e HostEvent) at(api, otherwise string) bool {
	switch from := hostname(e.Address); {
	case from == "" || open(api):
		return true
	case api == "":
		return from == otherwise
	default:
		return from == hostname(api)
	}
}

func hostname(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "api.")
}
