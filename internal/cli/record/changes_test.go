package record

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/history"
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
		got := clitest.Run(t, NewChanges, append([]string{"--history-file", file}, c.args...)...)
		if got.Code != c.code {
			t.Errorf("%s: %s: code %d, want %d: %s", label, c.reason, got.Code, c.code, got.Errors)
		}
		rest := got.Out + got.Errors
		for _, part := range c.want {
			at := strings.Index(rest, part)
			if at < 0 {
				t.Errorf("%s: %s: no %q in\n%s%s", label, c.reason, part, got.Out, got.Errors)
				continue
			}
			rest = rest[at:]
		}
		if c.not != "" && strings.Contains(got.Out, c.not) {
			t.Errorf("%s: %s: %q in\n%s", label, c.reason, c.not, got.Out)
		}
	}
}

// TestChangesOfAServer are asked for by the same filters, page after page.
func TestChangesOfAServer(t *testing.T) {
	var asked []string
	d := clitest.NewDesk(t, map[string]any{"GET /api/v1/changes": func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery)
		next := "there"
		if r.URL.Query().Get("before") == "there" {
			next = ""
		}
		_, _ = fmt.Fprintf(w, `{"next": %q, "items": [{"revision": "v%d", "state": "healthy", "applications": 3}]}`, next, len(asked))
	}})
	got := clitest.Run(t, NewChanges, "--search", "a b", "--state", "healthy", "--limit", "60", "--server", d.URL)
	got.Says(t, "both pages", command.ExitFine, "v1", "v2")
	want := "limit=50&q=a+b&state=healthy; before=there&limit=50&q=a+b&state=healthy"
	if got := strings.Join(asked, "; "); got != want {
		t.Errorf("it was asked\n%s\nwant\n%s", got, want)
	}
}
