package ci

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/host/hosttest"
	"github.com/causeway-gitops/causeway/test/faults/remote"
)

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// runner does what GitHub's runner does with the steps that have a shell, as
// far as the workflow uses it. Actions are not run: the program is there, as
// after a hit of the cache.
type runner struct {
	workflow

	checkout string
	files    string
	host     map[string]string
	values   map[string]string
}

func newRunner(t *testing.T, api, checkout string) *runner {
	t.Helper()
	r := &runner{workflow: parse[workflow](t, "github/preview.yaml"), checkout: checkout, files: t.TempDir()}
	r.host = map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/fleet", "GITHUB_REF": "refs/pull/7/merge", "GITHUB_BASE_REF": "main",
		"GITHUB_API_URL": api + "/api/v3", "GITHUB_SERVER_URL": "https://git.example.com", "GITHUB_RUN_ID": "42", "GITHUB_WORKSPACE": checkout, "HOME": t.TempDir(),
		"GITHUB_OUTPUT": filepath.Join(r.files, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(r.files, "summary"),
	}
	program(t, r.host["HOME"])
	r.values = map[string]string{
		"github.workspace": checkout, "github.token": hosttest.Token, "github.repository": "acme/fleet",
		"github.event.pull_request.head.repo.full_name": "acme/fleet", "steps.program.outputs.cache-hit": "true",
	}
	return r
}

// run does all steps until one fails, and returns what they printed.
func (r *runner) run(t *testing.T) (string, error) {
	t.Helper()
	var log strings.Builder
	for _, s := range r.Jobs["preview"].Steps {
		if s.Run == "" || !r.wanted(t, s.If) {
			continue
		}
		env := maps.Clone(r.host)
		for _, set := range []map[string]string{r.Env, r.Jobs["preview"].Env, s.Env} {
			for name, value := range set {
				env[name] = r.fill(t, value)
			}
		}
		out, err := shell(t, r.checkout, s.Run, env)
		log.WriteString(out)
		r.obey(out)
		if err != nil {
			return log.String(), err
		}
		for line := range strings.Lines(r.read("output")) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			r.values["steps."+s.ID+".outputs."+name] = value
		}
		_ = os.Remove(r.host["GITHUB_OUTPUT"])
	}
	return log.String(), nil
}

// setting is a line that sets a variable of the steps that follow. GitHub's own
// runner obeys it no more; those of others with its workflows do.
var setting = regexp.MustCompile(`(?m)^\s*::set-env name=([^:]+)::(.*)$`)

// obey does what lines of a step's output tell a runner to do.
func (r *runner) obey(out string) {
	for _, m := range setting.FindAllStringSubmatch(out, -1) {
		r.host[m[1]] = m[2]
	}
}

func (r *runner) fill(t *testing.T, text string) string {
	t.Helper()
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		value, ok := r.values[expression.FindStringSubmatch(e)[1]]
		if !ok {
			t.Fatalf("the test does not know %s", e)
		}
		return value
	})
}

// wanted knows comparisons of one value with another.
func (r *runner) wanted(t *testing.T, condition string) bool {
	t.Helper()
	if condition == "" {
		return true
	}
	if condition == "hashFiles('.causeway/mirror/mirror.lock.yaml') != ''" {
		_, err := os.Stat(filepath.Join(r.checkout, ".causeway/mirror/mirror.lock.yaml"))
		return err == nil
	}
	parts := strings.Fields(condition)
	if len(parts) != 3 {
		t.Fatalf("the test does not know the condition %q", condition)
	}
	value := func(operand string) string {
		if text, ok := strings.CutPrefix(operand, "'"); ok {
			return strings.TrimSuffix(text, "'")
		}
		return r.fill(t, "${{ "+operand+" }}")
	}
	return (value(parts[0]) == value(parts[2])) == (parts[1] == "==")
}

func (r *runner) read(name string) string {
	content, _ := os.ReadFile(filepath.Join(r.files, name))
	return string(content)
}

func newGitHub(t *testing.T) *talk {
	k := serve(t, "/api/v3/repos/acme/fleet/issues/7/comments", "PATCH /api/v3/repos/acme/fleet/issues/comments/{id}")
	k.Require("Authorization", "Bearer "+hosttest.Token)
	// As GitHub answers a workflow's token.
	k.Handle("GET /api/v3/user", hosttest.Answer(http.StatusForbidden, `{"message":"Resource not accessible by integration"}`))
	return k
}

var louder = map[string]string{"web/prod/settings.yaml": settings("warn")}

func TestGitHubWorkflow(t *testing.T) {
	k := newGitHub(t)
	r := newRunner(t, k.URL, checkout(t, louder))
	log, err := r.run(t)
	if err != nil {
		t.Fatalf("a change is no failure: %v\n%s", err, log)
	}
	if got := k.all(); len(got) != 1 || !strings.Contains(got[0], "level") || !strings.Contains(got[0], "web-prod") || strings.Contains(got[0], "web-dev") {
		t.Errorf("one comment tells of web-prod alone: %q\n%s", got, log)
	}
	if summary := r.read("summary"); !strings.Contains(summary, "web-prod") {
		t.Errorf("the summary tells it too: %q", summary)
	}
	if page, err := os.ReadFile(filepath.Join(r.checkout, "preview.html")); err != nil || !strings.Contains(string(page), "<html") {
		t.Errorf("there is a page: %v", err)
	}
	write(t, r.checkout, map[string]string{"web/dev/settings.yaml": settings("trace")})
	git(t, r.checkout, "commit", "--all", "--quiet", "--message=More")
	if log, err := r.run(t); err != nil || len(k.all()) != 1 || !strings.Contains(k.all()[0], "web-dev") {
		t.Errorf("the next push changes the comment: %v %q\n%s", err, k.all(), log)
	}
	if strings.Contains(log, hosttest.Token) {
		t.Error("the token is in the log")
	}
}

func TestGitHubWorkflowEnds(t *testing.T) {
	tests := map[string]struct {
		reason  string
		change  map[string]string
		values  map[string]string
		env     map[string]string
		fails   bool
		comment string
		summary string
	}{
		"Nothing": {reason: "a change of nothing is told", change: map[string]string{"README.md": "hello"}, comment: "othing", summary: "othing"},
		"Fork":    {reason: "a token that can only read is not used", change: louder, values: map[string]string{"github.event.pull_request.head.repo.full_name": "somebody/fleet"}, summary: "web-prod"},
		"FailOn":  {reason: "what must not happen is shown, and fails", change: map[string]string{"web/prod/settings.yaml": "# empty\n"}, env: map[string]string{"PREVIEW_FLAGS": "--fail-on deletions"}, fails: true, comment: "web-prod", summary: "web-prod"},
		"Broken":  {reason: "the old comment must not stay as if it held", change: louder, env: map[string]string{"PREVIEW_CLUSTERS": "nope.yaml"}, fails: true, comment: "failed", summary: "runs/42"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			k := newGitHub(t)
			r := newRunner(t, k.URL, checkout(t, tc.change))
			maps.Copy(r.values, tc.values)
			maps.Copy(r.Env, tc.env)
			log, err := r.run(t)
			if (err != nil) != tc.fails {
				t.Errorf("%s: %v\n%s", tc.reason, err, log)
			}
			if got := strings.Join(k.all(), ""); !strings.Contains(got, tc.comment) || (got == "") != (tc.comment == "") {
				t.Errorf("%s: comment %q, want %q\n%s", tc.reason, got, tc.comment, log)
			}
			if got := r.read("summary"); !strings.Contains(got, tc.summary) {
				t.Errorf("%s: summary %q, want %q", tc.reason, got, tc.summary)
			}
		})
	}
}

func TestGitHubWorkflowWithLock(t *testing.T) {
	elsewhere, err := remote.NewGit(t.Context(), t.TempDir(), map[string]string{"base/settings.yaml": settings("info")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(elsewhere.Close)
	app := `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shared, namespace: argocd}
spec:
  project: default
  source: {repoURL: "` + elsewhere.RepoURL() + `", targetRevision: main, path: base}
  destination: {name: prod, namespace: web}
`
	k := newGitHub(t)
	r := newRunner(t, k.URL, checkout(t, map[string]string{"bootstrap/shared.yaml": app}))
	if out, err := shell(t, r.checkout, "~/.causeway/bin/causeway mirror --clusters fleet.yaml", r.host); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// What a clone has of the folder is the lock alone.
	lock := filepath.Join(r.checkout, ".causeway/mirror/mirror.lock.yaml")
	text, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(lock)); err != nil {
		t.Fatal(err)
	}
	write(t, r.checkout, map[string]string{".causeway/mirror/mirror.lock.yaml": string(text)})
	r.Env["PREVIEW_FLAGS"] = "--no-fetch"
	log, err := r.run(t)
	if got := strings.Join(k.all(), ""); err != nil || !strings.Contains(got, "shared") || !strings.Contains(got, "1 added") || strings.Contains(got, "issing") {
		t.Errorf("what is locked is fetched, and read without the network: %v %q\n%s", err, got, log)
	}
}

// TestGitHubWorkflowObeysNothingOfTheChange: what an error quotes of the change is
// no command to the runner, which would have the next step run a file of it.
func TestGitHubWorkflowObeysNothingOfTheChange(t *testing.T) {
	k := newGitHub(t)
	dir := checkout(t, map[string]string{"next.sh": "echo PLANTED\n"})
	write(t, dir, map[string]string{"fleet.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: \"x\\n::set-env name=BASH_ENV::" + dir + "/next.sh\\n\"\n" +
		"  labels: {argocd.argoproj.io/secret-type: cluster}\n"})
	git(t, dir, "commit", "--all", "--quiet", "--message=Clusters")
	r := newRunner(t, k.URL, dir)
	log, err := r.run(t)
	if err == nil || !strings.Contains(log, "\n  :�set-env") {
		t.Fatalf("the error quotes the change: %v\n%s", err, log)
	}
	if strings.Contains(log, "PLANTED") || r.host["BASH_ENV"] != "" {
		t.Errorf("the runner obeys the change:\n%s", log)
	}
}

// TestGitHubWorkflowRunsNoProgramOfTheChange: what a change brings in the
// folders of jobs is neither run nor written through.
func TestGitHubWorkflowRunsNoProgramOfTheChange(t *testing.T) {
	k := newGitHub(t)
	dir := checkout(t, planted)
	r := newRunner(t, k.URL, dir)
	log, err := r.run(t)
	if got := strings.Join(k.all(), ""); err != nil || !strings.Contains(got, "web-prod") || strings.Contains(log, "PLANTED") {
		t.Errorf("the program of the change is left aside: %v %q\n%s", err, got, log)
	}
	for _, link := range []string{".causeway", "preview.md"} {
		k := newGitHub(t)
		dir, precious := linked(t, link)
		log, err := newRunner(t, k.URL, dir).run(t)
		if (err != nil) != (link == ".causeway") {
			t.Errorf("a link named %s: %v\n%s", link, err, log)
		}
		unharmed(t, precious)
	}
}
