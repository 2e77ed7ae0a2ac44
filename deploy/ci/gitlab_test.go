package ci

import (
	"maps"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

// gitlab does what GitLab's runner does with the job.
func gitlab(t *testing.T, k *talk, dir string, more map[string]string) (string, error) {
	t.Helper()
	job := parse[pipeline](t, "gitlab/preview.yml").Preview
	env := map[string]string{
		"GITLAB_CI": "true", "CI_PROJECT_DIR": dir, "CI_API_V4_URL": k.URL + "/api/v4", "CI_MERGE_REQUEST_IID": "7", "CI_JOB_URL": "https://git.example.com/jobs/42",
		"CI_MERGE_REQUEST_PROJECT_PATH": "acme/fleet", "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "acme/fleet",
		"CI_MERGE_REQUEST_PROJECT_URL": "https://git.example.com/acme/fleet", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "CAUSEWAY_COMMENT_TOKEN": hosttest.Token,
	}
	for name, value := range job.Variables {
		env[name] = strings.ReplaceAll(value, "$CI_PROJECT_DIR", dir)
	}
	maps.Copy(env, more)
	return shell(t, dir, strings.Join(append(job.BeforeScript, job.Script...), "\n"), env)
}

func newGitLab(t *testing.T) *talk {
	t.Helper()
	const request = "/api/v4/projects/acme%2Ffleet/merge_requests/7"
	k := serve(t, request+"/notes", "PUT "+request+"/notes/{id}")
	k.JSON("GET "+request, `{"iid":7,"web_url":"https://git.example.com/acme/fleet/-/merge_requests/7"}`)
	k.JSON("GET /api/v4/user", `{"id":1}`)
	k.Require("Private-Token", hosttest.Token)
	return k
}

func TestGitLabTemplate(t *testing.T) {
	tests := map[string]struct {
		reason  string
		change  map[string]string
		env     map[string]string
		fails   bool
		comment string
		log     string
	}{
		"Change":  {reason: "a change is no failure", comment: "web-prod"},
		"NoToken": {reason: "without a token there is no comment, and no failure", env: map[string]string{"CAUSEWAY_COMMENT_TOKEN": ""}, log: "CAUSEWAY_COMMENT_TOKEN is not set"},
		"Fork":    {reason: "the target's branch is fetched from the target", env: map[string]string{"CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "somebody/fleet"}, comment: "web-prod"},
		"FailOn":  {reason: "what must not happen is shown, and fails", change: map[string]string{"web/prod/settings.yaml": "# empty\n"}, env: map[string]string{"PREVIEW_FLAGS": "--fail-on deletions,crd-changes"}, fails: true, comment: "web-prod"},
		"Broken":  {reason: "the old comment must not stay as if it held", env: map[string]string{"PREVIEW_CLUSTERS": "nope.yaml"}, fails: true, comment: "failed"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			k := newGitLab(t)
			if tc.change == nil {
				tc.change = louder
			}
			dir := checkout(t, tc.change)
			program(t, dir)
			log, err := gitlab(t, k, dir, tc.env)
			if (err != nil) != tc.fails || !strings.Contains(log, tc.log) || strings.Contains(log, hosttest.Token) {
				t.Errorf("%s: %v\n%s", tc.reason, err, log)
			}
			if got := strings.Join(k.all(), ""); !strings.Contains(got, tc.comment) {
				t.Errorf("%s: comment %q, want %q\n%s", tc.reason, got, tc.comment, log)
			}
		})
	}
}

// TestGitLabTemplateRunsNoProgramOfTheChange: the folders that the host keeps
// between jobs are in the checkout, and none of them comes from a commit.
func TestGitLabTemplateRunsNoProgramOfTheChange(t *testing.T) {
	for name, change := range map[string]map[string]string{"Program": planted, "Cache": {".causeway/cache/renderings/ab/c.render": "x"}} {
		t.Run(name, func(t *testing.T) {
			k := newGitLab(t)
			log, err := gitlab(t, k, checkout(t, change), nil)
			if err == nil || !strings.Contains(log, "Take it out of the commit") || strings.Contains(log, "PLANTED") || len(k.all()) > 0 {
				t.Errorf("it says %v %q\n%s", err, k.all(), log)
			}
		})
	}
	for _, link := range []string{".causeway", ".causeway/bin", ".causeway/cache", ".causeway/mirror", "preview.md", "preview.html"} {
		t.Run(link, func(t *testing.T) {
			dir, precious := linked(t, link)
			if strings.HasPrefix(link, "preview") {
				program(t, dir)
			}
			log, err := gitlab(t, newGitLab(t), dir, nil)
			if (err != nil) != strings.HasPrefix(link, ".causeway") {
				t.Errorf("it says %v\n%s", err, log)
			}
			unharmed(t, precious)
		})
	}
}
