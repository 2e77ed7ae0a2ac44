package cli

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/test/await"
)

// committed writes a history of two commits, the later of which failed on one of
// two applications.
func committed(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), chronicle.File)
	s, err := chronicle.OpenFile(file, filepath.Join(filepath.Dir(file), chronicle.KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	written := make(chan error, 1)
	go func() { written <- s.Run(ctx) }()
	at := time.Now().Add(-time.Hour)
	step := func(name, cluster, revision, subject string, state history.State) history.Step {
		return history.Step{
			App: history.App{Namespace: "argocd", Name: name, UID: name}, Project: "shop", Cluster: cluster, State: state, At: at,
			Commits: []history.Commit{{RepoURL: "https://git.example.com/shop", Revision: revision, Author: "Mina", Subject: subject, Date: at}},
			Passes:  history.Passes{Began: at, Fetched: at, Rendered: at, Planned: at},
		}
	}
	s.Step(step("web-dev", "dev", strings.Repeat("a", 40), "Raise memory", history.StepRunning))
	at = at.Add(time.Minute)
	s.Step(step("web-dev", "dev", strings.Repeat("b", 40), "Add a page", history.StepRunning))
	failed := step("web-prod", "prod", strings.Repeat("b", 40), "Add a page", history.StepFailed)
	failed.Stage, failed.Message = history.Applied, "field is immutable"
	s.Step(failed)
	steps := 0
	for end := time.Now().Add(await.Limit); steps < 3 && time.Now().Before(end); <-time.After(time.Millisecond) {
		steps = 0
		all, err := s.Commits(ctx, history.CommitQuery{Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			steps += len(all[i].Steps)
		}
	}
	stop()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestChangesOfAHistory(t *testing.T) {
	file := committed(t)
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		want   []string
		not    string
	}{
		"list":    {"a line a commit, the newest first", nil, command.ExitFine, []string{"COMMIT", "bbbbbbb", "failed", "(web-prod: field is immutable)", "aaaaaaa", "Raise memory"}, ""},
		"failed":  {"only those", []string{"--state", "failed"}, command.ExitFine, []string{"bbbbbbb"}, "aaaaaaa"},
		"cluster": {"only those there", []string{"--cluster", "prod"}, command.ExitFine, []string{"bbbbbbb"}, "aaaaaaa"},
		"search":  {"all words", []string{"--search", "memory mina", "-o", "json"}, command.ExitFine, []string{`"subject": "Raise memory"`, `"applications": 1`}, "Add a page"},
		"limit":   {"the newest ones", []string{"--limit", "1", "-o", "yaml"}, command.ExitFine, []string{"subject: Add a page"}, "Raise memory"},
		"nothing": {"that there is none is said", []string{"--project", "other"}, command.ExitFine, []string{"no such commit"}, "aaaaaaa"},
		"unknown": {"a state that there is not", []string{"--state", "broken"}, command.ExitUsage, []string{"choose one of failed, waiting"}, ""},
	}
	for label, c := range cases {
		got := invoke(t, append([]string{"changes", "--history-file", file}, c.args...)...)
		if got.code != c.code {
			t.Errorf("%s: %s: code %d, want %d: %s", label, c.reason, got.code, c.code, got.errors)
		}
		rest := got.out + got.errors
		for _, part := range c.want {
			at := strings.Index(rest, part)
			if at < 0 {
				t.Errorf("%s: %s: no %q in\n%s%s", label, c.reason, part, got.out, got.errors)
				continue
			}
			rest = rest[at:]
		}
		if c.not != "" && strings.Contains(got.out, c.not) {
			t.Errorf("%s: %s: %q in\n%s", label, c.reason, c.not, got.out)
		}
	}
}

// changes answers two pages of what is asked for.
func (d *desk) changes(w http.ResponseWriter, r *http.Request) {
	d.asked = append(d.asked, r.URL.RawQuery)
	page := api.CommitPage{Next: "there"}
	if r.URL.Query().Get("before") == "there" {
		page.Next = ""
	}
	page.Items = []api.Commit{{Revision: fmt.Sprintf("v%d", len(d.asked)), State: "healthy", At: time.Now(), Applications: 3}}
	d.say(w, page)
}

// A server is asked by the same filters, page after page.
func TestChangesOfAServer(t *testing.T) {
	d, url := newDesk(t)
	got := asks(t, "changes", "--search", "a b", "--state", "healthy", "--limit", "60", "--server", url)
	if got.code != command.ExitFine || !strings.Contains(got.out, "v1") || !strings.Contains(got.out, "v2") {
		t.Errorf("%d\n%s%s", got.code, got.out, got.errors)
	}
	want := "limit=50&q=a+b&state=healthy; before=there&limit=50&q=a+b&state=healthy"
	if asked := strings.Join(d.asked, "; "); asked != want {
		t.Errorf("it was asked\n%s\nwant\n%s", asked, want)
	}
}
