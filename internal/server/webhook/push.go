package webhook

import (
	"encoding/json"
	"slices"
	"strings"
)

// commit is how GitHub, Gitea and GitLab list what a commit touched.
type commit struct {
	Added    list[string] `json:"added"`
	Modified list[string] `json:"modified"`
	Removed  list[string] `json:"removed"`
}

// paths joins what commits touched; nil when the list may not be whole.
func paths(commits []commit, whole bool) []string {
	if !whole {
		return nil
	}
	var all []string
	for _, c := range commits {
		all = append(append(append(all, c.Added.items...), c.Modified.items...), c.Removed.items...)
		if len(all) > maxPaths || c.Added.cut || c.Modified.cut || c.Removed.cut {
			return nil
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// commitOf is a commit; empty for that of what was deleted, which has zeros alone.
func commitOf(hash string) string {
	if strings.Trim(hash, "0") == "" {
		return ""
	}
	return hash
}

func parseGitHub(event string, body []byte) (Push, error) {
	if event != "push" {
		return Push{}, errIgnored
	}
	return githubPush(body)
}

// parseGitea: its events have GitHub's form.
func parseGitea(event string, body []byte) (Push, error) {
	if event != "push" && event != "create" && event != "delete" {
		return Push{}, errIgnored
	}
	return githubPush(body)
}

func githubPush(body []byte) (Push, error) {
	var e struct {
		Ref        string       `json:"ref"`
		After      string       `json:"after"`
		Forced     bool         `json:"forced"`
		Commits    list[commit] `json:"commits"`
		Repository struct {
			HTML  string `json:"html_url"`
			Clone string `json:"clone_url"`
			SSH   string `json:"ssh_url"`
			Git   string `json:"git_url"`
		} `json:"repository"`
	}
	if err := json.Unmarshal(decoded(body), &e); err != nil {
		return Push{}, err
	}
	r, commits := e.Repository, e.Commits.items
	urls, err := addresses(r.HTML, r.Clone, r.SSH, r.Git)
	if err != nil {
		return Push{}, err
	}
	// GitHub lists at most 2,048 commits, and none that a force push took away.
	whole := !e.Forced && len(commits) > 0 && len(commits) < 2048
	return Push{RepoURLs: urls, Moved: one(e.Ref, e.After), Changed: paths(commits, whole)}, nil
}

func parseGitLab(event string, body []byte) (Push, error) {
	if event != "Push Hook" && event != "Tag Push Hook" && event != "System Hook" {
		return Push{}, errIgnored
	}
	var e struct {
		Ref     string       `json:"ref"`
		After   string       `json:"after"`
		Total   int          `json:"total_commits_count"`
		Commits list[commit] `json:"commits"`
		Project struct {
			Web  string `json:"web_url"`
			HTTP string `json:"git_http_url"`
			SSH  string `json:"git_ssh_url"`
		} `json:"project"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return Push{}, err
	}
	p, commits := e.Project, e.Commits.items
	urls, err := addresses(p.Web, p.HTTP, p.SSH)
	if err != nil {
		return Push{}, err
	}
	whole := len(commits) > 0 && e.Total == len(commits) && !e.Commits.cut // at most 20 are listed
	return Push{RepoURLs: urls, Moved: one(e.Ref, e.After), Changed: paths(commits, whole)}, nil
}

// one is the only reference that an event tells of.
func one(ref, commit string) []Moved { return moved([]Moved{{ref, commitOf(commit)}}, true) }
