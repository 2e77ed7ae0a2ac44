package source

import (
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// A job that a worker asks for is held against what can be run at all: the worker reads what others wrote.
func TestJobs(t *testing.T) {
	env := func(size int) []string { return []string{strings.Repeat("x", size)} }
	for name, tc := range map[string]struct {
		reason string
		job    Job
		says   string // empty where it can be run
	}{
		"Root":           {"the root is a folder", Job{Plugin: "p", Path: "."}, ""},
		"Folder":         {"with what is copied", Job{Plugin: "p", Path: "apps/web", Roots: []string{"apps/web", "."}}, ""},
		"Unicode":        {"folders are called as people call them", Job{Path: "äpps/wéb", Roots: []string{"ελ"}}, ""},
		"No path":        {"no folder is none", Job{Plugin: "p"}, "a path is none inside a repository"},
		"Up":             {"the machine is no part of a repository", Job{Path: "../x"}, "a path is none inside a repository"},
		"Up within":      {"also by a detour", Job{Path: "a/../../x"}, "a path is none inside a repository"},
		"Absolute":       {"nor by its whole path", Job{Path: "/etc"}, "a path is none inside a repository"},
		"Root up":        {"the same of what is copied", Job{Path: ".", Roots: []string{"a", ".."}}, "a path is none inside a repository"},
		"Root absolute":  {"of any of it", Job{Path: ".", Roots: []string{"/", "a"}}, "a path is none inside a repository"},
		"Empty root":     {"a root has a name", Job{Path: ".", Roots: []string{""}}, "a path is none inside a repository"},
		"No text":        {"a name is a text", Job{Path: "a\xff"}, "a path is none inside a repository"},
		"Up to":          {"texts up to the bound, with what ends each", Job{Plugin: "pp", Path: ".", Env: env(maxJob - 4)}, ""},
		"Beyond":         {"and not beyond it", Job{Plugin: "pp", Path: ".", Env: env(maxJob - 3)}, "more than 1024 KiB"},
		"Many":           {"many small ones are a large one", Job{Path: ".", Env: make([]string, maxJob)}, "more than 1024 KiB"},
		"Roots count":    {"paths count as variables do", Job{Path: ".", Roots: []string{strings.Repeat("a", maxJob)}}, "more than 1024 KiB"},
		"Path counts":    {"and the folder itself", Job{Path: strings.Repeat("a", maxJob+1)}, "more than 1024 KiB"},
		"Name counts":    {"and what the plugin is called", Job{Plugin: strings.Repeat("p", maxJob), Path: "."}, "more than 1024 KiB"},
		"Large and none": {"of two mistakes the size is told", Job{Path: "..", Env: env(maxJob)}, "more than 1024 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.job.Check()
			var p *gitops.Problem
			if tc.says == "" && err != nil || tc.says != "" && (!errors.As(err, &p) || p.Kind != gitops.Invalid || p.Fix == "" || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("%s: %.200v", tc.reason, err)
			}
		})
	}
}
