package comment

import (
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func TestThreadOfJob(t *testing.T) {
	event := func(text string) map[string]string {
		path := filepath.Join(t.TempDir(), "event.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return map[string]string{"GITHUB_EVENT_PATH": path}
	}
	github := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/fleet", "GITHUB_REF": "refs/heads/main"}
	gitlab := map[string]string{"GITLAB_CI": "true", "CI_PROJECT_PATH": "somebody/fleet", "CI_PROJECT_ID": "9", "CI_MERGE_REQUEST_IID": "7"}
	tests := map[string]struct {
		reason string
		env    []map[string]string
		want   string
	}{
		"Target":    {reason: "the event knows what the ref does not", env: []map[string]string{github, event(`{"pull_request":{"number":7,"head":{"repo":{"full_name":"acme/fleet"}}}}`)}, want: "github acme/fleet 7 false"},
		"Fork":      {reason: "a branch of somebody else", env: []map[string]string{github, event(`{"pull_request":{"number":7,"head":{"repo":{"full_name":"b/fleet"}}}}`)}, want: "github acme/fleet 7 true"},
		"Gone":      {reason: "the fork was deleted meanwhile", env: []map[string]string{github, event(`{"pull_request":{"number":7,"head":{"repo":null}}}`)}, want: "github acme/fleet 7 false"},
		"Comment":   {reason: "a comment on a pull request", env: []map[string]string{github, event(`{"issue":{"number":7,"pull_request":{"url":"x"}}}`)}, want: "github acme/fleet 7 false"},
		"Issue":     {reason: "a comment on an issue", env: []map[string]string{github, event(`{"issue":{"number":7}}`)}, want: "github acme/fleet 0 false"},
		"NoEvent":   {reason: "a file that cannot be read", env: []map[string]string{github, event(`{`)}, want: "github acme/fleet 0 false"},
		"Forgejo":   {reason: "Forgejo sets all three", env: []map[string]string{github, {"GITEA_ACTIONS": "true", "FORGEJO_ACTIONS": "true", "GITHUB_REF": "refs/pull/7/head"}}, want: "gitea acme/fleet 7 false"},
		"Pipeline":  {reason: "a pipeline in the fork, a merge request in the target", env: []map[string]string{gitlab, {"CI_MERGE_REQUEST_PROJECT_PATH": "acme/fleet", "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "somebody/fleet"}}, want: "gitlab acme/fleet 7 true"},
		"Number":    {reason: "old versions have no path", env: []map[string]string{gitlab, {"CI_PROJECT_PATH": ""}}, want: "gitlab 9 7 false"},
		"Branch":    {reason: "a pipeline for a branch", env: []map[string]string{gitlab, {"CI_MERGE_REQUEST_IID": ""}}, want: "gitlab somebody/fleet 0 false"},
		"Elsewhere": {reason: "no CI, or another", want: "  0 false"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{}
			for _, set := range tc.env {
				maps.Copy(env, set)
			}
			got := threadOfJob(func(name string) string { return env[name] })
			text := got.host + " " + got.repo + " " + strconv.Itoa(got.number) + " " + strconv.FormatBool(got.fork)
			if text != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, text, tc.want)
			}
		})
	}
}
