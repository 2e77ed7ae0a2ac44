package webhook

import (
	"encoding/json"
	"slices"
	"strings"
)

// commit is how GitHub, Gitea and GitLab list what a commit touched.
type commit struct {
	Added    []string `json:"added"`
	Modified []string `json:"modified"`
	Removed  []string `json:"removed"`
}

// paths joins what commits touched; nil when the list may not be whole.
func paths(commits []commit, whole bool) []string {
	if !whole {
		return nil
	}
	var all []string
	for _, c := range commits {
		all = append(append(append(all, c.Added...), c.Modified...), c.Removed...)
		if len(all) > maxPaths {
			return nil
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// addresses drops empty and repeated ones.
func addresses(urls ...string) []string {
	var out []string
	for _, u := range urls {
		if u = strings.TrimSpace(u); u != "" && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

// commitOf is a commit; empty for that of what was deleted, which has zeros alone.
func commitOf(hash string) string {
	if strings.Trim(hash, "0") == "" {
		return ""
	}
	return hash
}

// named makes one Push; an event that names no repository is ignored.
func named(p Push) ([]Push, error) {
	if len(p.RepoURLs) == 0 {
		return nil, errIgnored
	}
	return []Push{p}, nil
}

func parseGitHub(event string, body []byte) ([]Push, error) {
	if event != "push" {
		return nil, errIgnored
	}
	return githubPush(body)
}

// parseGitea: its events have GitHub's form.
func parseGitea(event string, body []byte) ([]Push, error) {
	if event != "push" && event != "create" && event != "delete" {
		return nil, errIgnored
	}
	return githubPush(body)
}

func githubPush(body []byte) ([]Push, error) {
	var e struct {
		Ref        string   `json:"ref"`
		After      string   `json:"after"`
		Forced     bool     `json:"forced"`
		Commits    []commit `json:"commits"`
		Repository struct {
			HTML  string `json:"html_url"`
			Clone string `json:"clone_url"`
			SSH   string `json:"ssh_url"`
			Git   string `json:"git_url"`
		} `json:"repository"`
	}
	if err := json.Unmarshal(decoded(body), &e); err != nil {
		return nil, err
	}
	r := e.Repository
	// GitHub lists at most 2,048 commits, and none that a force push took away.
	whole := !e.Forced && len(e.Commits) > 0 && len(e.Commits) < 2048
	return named(Push{RepoURLs: addresses(r.HTML, r.Clone, r.SSH, r.Git), Ref: e.Ref, Revision: commitOf(e.After), Changed: paths(e.Commits, whole)})
}

func parseGitLab(event string, body []byte) ([]Push, error) {
	if event != "Push Hook" && event != "Tag Push Hook" && event != "System Hook" {
		return nil, errIgnored
	}
	var e struct {
		Ref     string   `json:"ref"`
		After   string   `json:"after"`
		Total   int      `json:"total_commits_count"`
		Commits []commit `json:"commits"`
		Project struct {
			Web  string `json:"web_url"`
			HTTP string `json:"git_http_url"`
			SSH  string `json:"git_ssh_url"`
		} `json:"project"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, err
	}
	p := e.Project
	whole := len(e.Commits) > 0 && e.Total == len(e.Commits) // at most 20 are listed
	return named(Push{RepoURLs: addresses(p.Web, p.HTTP, p.SSH), Ref: e.Ref, Revision: commitOf(e.After), Changed: paths(e.Commits, whole)})
}
