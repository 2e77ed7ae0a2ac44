package webhook

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Event says that something happened to a repository, or to one of its pull
// requests, that generators which ask the host want to know.
type Event struct {
	// Host is github, gitlab, gitea, bitbucket, bitbucketserver or azuredevops.
	Host string
	// Address is the repository's web address; empty when the host does not tell.
	Address string
	// Path is the repository's full name: owner/name, group/subgroup/name,
	// or project/name.
	Path string
	// ID is the number that GitLab gives the repository; empty elsewhere.
	ID string
	// PullRequest tells that it is about a pull request.
	PullRequest bool
}

// has reports whether a list of words holds a word.
func has(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// known drops an event that names no repository.
func known(e Event) (Event, error) {
	switch {
	case e.Path == "" && e.ID == "":
		return Event{}, errIgnored
	case len(e.Path) > maxText || len(e.Address) > maxText:
		return Event{}, errLong
	}
	return e, nil
}

// Actions after which the list of open pull requests, or what filters ask of
// them, is another one.
const (
	githubPulls  = "opened closed reopened synchronize synchronized edited labeled unlabeled label_updated label_cleared"
	githubRepos  = "push create delete repository"
	giteaPulls   = "pull_request pull_request_sync pull_request_label"
	gitlabPulls  = "open close reopen update merge"
	gitlabRepos  = "project_create project_destroy project_rename project_transfer project_update"
	bitbucketPRs = "pullrequest:created pullrequest:updated pullrequest:fulfilled pullrequest:rejected"
	bitbucketRep = "repo:push repo:updated repo:created repo:deleted repo:transfer"
	serverPulls  = "pr:opened pr:from_ref_updated pr:modified pr:merged pr:declined pr:deleted"
	serverRepos  = "repo:refs_changed repo:modified repo:forked"
	azurePulls   = "git.pullrequest.created git.pullrequest.updated git.pullrequest.merged"
	azureRepos   = "git.push git.repo.created git.repo.deleted git.repo.renamed git.repo.statuschanged"
)

// githubLike is what GitHub and Gitea tell in each event.
type githubLike struct {
	Action     string `json:"action"`
	Repository struct {
		FullName string `json:"full_name"`
		HTML     string `json:"html_url"`
	} `json:"repository"`
}

func readGitHubLike(host string, pull bool, body []byte) (Event, error) {
	var e githubLike
	if err := json.Unmarshal(decoded(body), &e); err != nil {
		return Event{}, err
	}
	if pull && !has(githubPulls, e.Action) {
		return Event{}, errIgnored
	}
	return known(Event{Host: host, Address: e.Repository.HTML, Path: e.Repository.FullName, PullRequest: pull})
}

func aboutGitHub(_ http.Header, event string, body []byte) (Event, error) {
	pull := event == "pull_request"
	if !pull && !has(githubRepos, event) {
		return Event{}, errIgnored
	}
	return readGitHubLike("github", pull, body)
}

func aboutGitea(_ http.Header, event string, body []byte) (Event, error) {
	pull := has(giteaPulls, event)
	if !pull && !has(githubRepos, event) {
		return Event{}, errIgnored
	}
	return readGitHubLike("gitea", pull, body)
}

func aboutGitLab(header http.Header, event string, body []byte) (Event, error) {
	if !slices.Contains([]string{"Merge Request Hook", "Push Hook", "Tag Push Hook", "System Hook"}, event) {
		return Event{}, errIgnored
	}
	var e struct {
		Kind    string `json:"object_kind"`
		Name    string `json:"event_name"`
		Project struct {
			ID   int64  `json:"id"`
			Web  string `json:"web_url"`
			Path string `json:"path_with_namespace"`
		} `json:"project"`
		// System hooks about projects tell these at the top.
		ID         int64  `json:"project_id"`
		Path       string `json:"path_with_namespace"`
		Attributes struct {
			Action  string `json:"action"`
			Project int64  `json:"target_project_id"`
		} `json:"object_attributes"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return Event{}, err
	}
	out := Event{Host: "gitlab", Address: e.Project.Web, Path: e.Project.Path, ID: number(e.Project.ID, e.ID)}
	switch {
	case e.Kind == "merge_request":
		if !has(gitlabPulls, e.Attributes.Action) {
			return Event{}, errIgnored
		}
		out.PullRequest, out.ID = true, number(e.Attributes.Project, e.Project.ID)
	case e.Kind == "push" || e.Kind == "tag_push":
	case has(gitlabRepos, e.Name):
		out.Address, out.Path = header.Get("X-Gitlab-Instance"), e.Path
	default:
		return Event{}, errIgnored
	}
	return known(out)
}

// number is the first of the two that is there.
func number(a, b int64) string {
	if a == 0 {
		a = b
	}
	if a == 0 {
		return ""
	}
	return strconv.FormatInt(a, 10)
}

func aboutBitbucket(_ http.Header, event string, body []byte) (Event, error) {
	pull := has(bitbucketPRs, event)
	if !pull && !has(bitbucketRep, event) {
		return Event{}, errIgnored
	}
	var e struct {
		Repository struct {
			FullName string `json:"full_name"`
			Links    struct {
				HTML struct{ Href string } `json:"html"`
			} `json:"links"`
		} `json:"repository"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return Event{}, err
	}
	return known(Event{Host: "bitbucket", Address: e.Repository.Links.HTML.Href, Path: e.Repository.FullName, PullRequest: pull})
}

func aboutBitbucketServer(_ http.Header, event string, body []byte) (Event, error) {
	pull := has(serverPulls, event)
	if !pull && !has(serverRepos, event) {
		return Event{}, errIgnored
	}
	type links struct{ Self list[struct{ Href string }] }
	type repository struct {
		Slug    string               `json:"slug"`
		Project struct{ Key string } `json:"project"`
		Links   links                `json:"links"`
	}
	var e struct {
		Repository repository `json:"repository"`
		New        repository `json:"new"`
		Pull       struct {
			To struct {
				Repository repository `json:"repository"`
			} `json:"toRef"`
			Links links `json:"links"`
		} `json:"pullRequest"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return Event{}, err
	}
	r, self := e.Repository, e.Repository.Links.Self.items
	if pull {
		r, self = e.Pull.To.Repository, slices.Concat(e.Pull.Links.Self.items, e.Pull.To.Repository.Links.Self.items)
	}
	if r.Slug == "" {
		r, self = e.New, e.New.Links.Self.items
	}
	if r.Slug == "" || r.Project.Key == "" {
		return Event{}, errIgnored
	}
	out := Event{Host: "bitbucketserver", Path: r.Project.Key + "/" + r.Slug, PullRequest: pull}
	if len(self) > 0 {
		out.Address = self[0].Href
	}
	return known(out)
}

// azure is an event of Azure DevOps, which tells its kind inside.
type azure struct {
	Type     string `json:"eventType"`
	Resource struct {
		Repository struct {
			Name    string                `json:"name"`
			Remote  string                `json:"remoteUrl"`
			Project struct{ Name string } `json:"project"`
		} `json:"repository"`
		Updates list[struct {
			Name string `json:"name"`
			New  string `json:"newObjectId"`
		}] `json:"refUpdates"`
	} `json:"resource"`
}

func aboutAzure(_ http.Header, _ string, body []byte) (Event, error) {
	var e azure
	if err := json.Unmarshal(body, &e); err != nil {
		return Event{}, err
	}
	pull := has(azurePulls, e.Type)
	r := e.Resource.Repository
	if (!pull && !has(azureRepos, e.Type)) || r.Name == "" || r.Project.Name == "" {
		return Event{}, errIgnored
	}
	return known(Event{Host: "azuredevops", Address: withoutUser(r.Remote), Path: r.Project.Name + "/" + r.Name, PullRequest: pull})
}

// parseAzure reads pushes of Azure DevOps, which does not tell what they touched.
func parseAzure(_ string, body []byte) (Push, error) {
	var e azure
	if err := json.Unmarshal(body, &e); err != nil {
		return Push{}, err
	}
	if e.Type != "git.push" {
		return Push{}, errIgnored
	}
	urls, err := addresses(e.Resource.Repository.Remote, withoutUser(e.Resource.Repository.Remote))
	if err != nil {
		return Push{}, err
	}
	updates := e.Resource.Updates
	all := make([]Moved, 0, len(updates.items))
	for _, u := range updates.items {
		all = append(all, Moved{u.Name, commitOf(u.New)})
	}
	return Push{RepoURLs: urls, Moved: moved(all, !updates.cut)}, nil
}

// withoutUser takes the user out of an address: Azure DevOps writes the
// organisation there.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}
