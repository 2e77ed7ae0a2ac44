package preview

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/test/await"
)

// TestAnswersOfTheProgram: what a program prints without end is neither kept nor
// becomes an error as long as it.
func TestAnswersOfTheProgram(t *testing.T) {
	for name, tc := range map[string]struct{ reason, script, want string }{
		"Answer": {"it is ended", "exec yes", "which is more than fits in a plan"},
		"Words":  {"the end is told", "yes | head -c 1000000 >&2; echo the repository is missing >&2; exit 1", "the repository is missing"},
		"Reads":  {"the answer counts", `echo '{"summary":{"added":1}}'; exit 3`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "causeway")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+tc.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			got, err := run(t.Context(), program, nil, await.Limit)
			switch {
			case tc.want == "" && (err != nil || got.Summary.Added != 1):
				t.Errorf("%s: got %+v, %v", tc.reason, got.Summary, err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > maxTold+100):
				t.Errorf("%s: got %.200v", tc.reason, err)
			}
		})
	}
}

// TestWarnings: a plan is silent where nothing comes of a change, and not where a
// set fails by it, of which the Applications stay as they are.
func TestWarnings(t *testing.T) {
	for name, tc := range map[string]struct{ reason, answer, title, text string }{
		"Nothing": {"there is nothing to tell", `{}`, "", ""},
		"Known":   {"it failed before", `{"failures":[{"message":"no key","new":false}]}`, "", ""},
		"Broken":  {"the set makes nothing any more", `{"failures":[{"message":"no key","new":true},{"message":"old"}]}`, "Applications: 0 to add, 0 to change, 0 to delete; new failures: 1", "broken: no key"},
		"Changes": {"nothing fails", `{"summary":{"removed":2}}`, "Applications: 0 to add, 0 to change, 2 to delete", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var f forecast
			if err := json.Unmarshal([]byte(tc.answer), &f); err != nil {
				t.Fatal(err)
			}
			if title, text := f.title(), f.text(); title != tc.title || text != tc.text {
				t.Errorf("%s: got %q and %q, want %q and %q", tc.reason, title, text, tc.title, tc.text)
			}
		})
	}
}
