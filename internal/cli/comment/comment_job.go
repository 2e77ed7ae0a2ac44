package comment

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strconv"
)

// threadOfJob is the pull request that a CI job runs for, as the host's
// runner tells it in variables. Without a job its host is empty; a job for
// something else has no number.
func threadOfJob(getenv func(string) string) thread {
	switch {
	// The runners of Gitea and Forgejo set GitHub's variables, too.
	case getenv("GITEA_ACTIONS") != "" || getenv("FORGEJO_ACTIONS") != "":
		return threadOfWorkflow(hostGitea, getenv)
	case getenv("GITHUB_ACTIONS") != "":
		return threadOfWorkflow(hostGitHub, getenv)
	case getenv("GITLAB_CI") != "":
		return threadOfPipeline(getenv)
	}
	return thread{}
}

// pullRef is the ref that a workflow for a pull request runs at.
var pullRef = regexp.MustCompile(`^refs/pull/([0-9]+)/(?:head|merge)$`)

func threadOfWorkflow(host string, getenv func(string) string) thread {
	t := thread{host: host, api: getenv("GITHUB_API_URL"), repo: getenv("GITHUB_REPOSITORY")}
	if host == hostGitea {
		t.api = cmp.Or(t.api, getenv("GITHUB_SERVER_URL"))
	}
	e := readEvent(getenv("GITHUB_EVENT_PATH"))
	t.number = e.number()
	if m := pullRef.FindStringSubmatch(getenv("GITHUB_REF")); t.number == 0 && m != nil {
		t.number, _ = strconv.Atoi(m[1])
	}
	from := e.PullRequest.Head.Repo.FullName
	t.fork = from != "" && from != t.repo
	return t
}

// event is the part of a workflow's event that tells the pull request: of
// pull_request itself, and of a comment on one.
type event struct {
	PullRequest struct {
		Number int `json:"number"`
		Head   struct {
			Repo struct {
				FullName string `json:"full_name"`
			} `json:"repo"`
		} `json:"head"`
	} `json:"pull_request"`
	Issue struct {
		Number      int             `json:"number"`
		PullRequest json.RawMessage `json:"pull_request"`
	} `json:"issue"`
}

// longestEvent bounds an event's file, in bytes. GitHub's own limit is 25 MiB.
const longestEvent = 25 << 20

// readEvent reads the event's file; without one the variables have to do.
func readEvent(path string) event {
	var e event
	f, err := os.Open(path)
	if err != nil {
		return event{}
	}
	defer func() { _ = f.Close() }()
	// What is longer is cut, and no JSON any more.
	content, err := io.ReadAll(io.LimitReader(f, longestEvent))
	if err != nil || json.Unmarshal(content, &e) != nil {
		return event{}
	}
	return e
}

func (e event) number() int {
	if onPull := string(e.Issue.PullRequest); e.PullRequest.Number == 0 && onPull != "" && onPull != "null" {
		return e.Issue.Number
	}
	return e.PullRequest.Number
}

// threadOfPipeline reads GitLab's variables. The pipeline of a fork's merge
// request may run in the fork; the merge request is in the project it goes to.
func threadOfPipeline(getenv func(string) string) thread {
	target := getenv("CI_MERGE_REQUEST_PROJECT_PATH")
	t := thread{host: hostGitLab, api: getenv("CI_API_V4_URL"), repo: cmp.Or(target, getenv("CI_PROJECT_PATH"), getenv("CI_PROJECT_ID"))}
	t.number, _ = strconv.Atoi(getenv("CI_MERGE_REQUEST_IID"))
	from := getenv("CI_MERGE_REQUEST_SOURCE_PROJECT_PATH")
	t.fork = from != "" && target != "" && from != target
	return t
}
