package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// counted is work that counts how often it is done.
type counted struct {
	times  *int
	ends   outcome
	during *func()
}

// other is the same, of other tests.
type other struct{ counted }

func (c counted) do(context.Context, io.Writer) result {
	*c.times++
	(*c.during)()
	return result{cases: []outcome{c.ends}}
}

func (c counted) again(ctx context.Context, log io.Writer, _ []outcome) result { return c.do(ctx, log) }

func TestKept(t *testing.T) {
	well := outcome{Package: "web", Test: "draws", Status: passed}
	tests := map[string]struct {
		reason string
		ends   outcome
		// between is what happens between two runs, during what happens while the first one runs.
		between, during func(t *testing.T, k *kept)
		want            int
	}{
		"Same":    {reason: "nothing that decides is another", ends: well, between: func(t *testing.T, _ *kept) { put(t, "other/a", "2") }, want: 1},
		"Changed": {reason: "a file is another", ends: well, between: func(t *testing.T, _ *kept) { put(t, "web/a", "2") }, want: 2},
		"New":     {reason: "a file came, and nobody has added it", ends: well, between: func(t *testing.T, _ *kept) { put(t, "web/b", "1") }, want: 2},
		"Built":   {reason: "what is built is another, and no file of git tells it", ends: well, between: func(t *testing.T, _ *kept) { put(t, "bin/program", "2") }, want: 2},
		"Tool":    {reason: "another tool runs it", ends: well, between: func(_ *testing.T, k *kept) { k.tool = []string{"git", "--exec-path"} }, want: 2},
		"Chosen":  {reason: "a test that was left out has come back", ends: well, between: func(_ *testing.T, k *kept) { k.work = other{k.work.(counted)} }, want: 2},
		"Edited":  {reason: "what passed was not what is there at its end", ends: well, during: func(t *testing.T, _ *kept) { put(t, "web/a", "2") }, want: 2},
		"Back": {reason: "as above, and what was edited is as it was", ends: well, during: func(t *testing.T, _ *kept) { put(t, "web/a", "2") }, between: func(t *testing.T, _ *kept) {
			put(t, "web/a", "1")
		}, want: 2},
		"Gone": {reason: "what is missing cannot be known", ends: well, between: func(t *testing.T, _ *kept) {
			if err := os.Remove("web/a"); err != nil {
				t.Fatal(err)
			}
		}, want: 2},
		"Failed":  {reason: "only what passed is kept", ends: outcome{Package: "web", Test: "draws", Status: failed}, want: 2},
		"Skipped": {reason: "what did not run did not pass", ends: outcome{Package: "web", Test: "draws", Status: skipped}, want: 2},
		"Flaky":   {reason: "what passed at its second try may fail", ends: outcome{Package: "web", Test: "draws", Status: passed, Flaky: true}, want: 2},
		"Old":     {reason: "nobody believes it for ever", ends: well, between: func(t *testing.T, _ *kept) { age(t) }, want: 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			t.Chdir(t.TempDir())
			put(t, "web/a", "1")
			put(t, "bin/program", "1")
			git(t, "init", "-q")
			git(t, "add", "web/a")
			times := 0
			k := kept{name: "pages", files: []string{"web"}, built: func() []string { return []string{"bin/program"} }, tool: []string{"git", "--version"}}
			during := func() {
				if tc.during != nil && times == 1 {
					tc.during(t, &k)
				}
			}
			k.work = counted{times: &times, ends: tc.ends, during: &during}
			k.do(t.Context(), io.Discard)
			if tc.between != nil {
				tc.between(t, &k)
			}
			r := k.do(t.Context(), io.Discard)
			if times != tc.want || len(r.cases) != 1 || r.cases[0] != tc.ends {
				t.Errorf("%s: done %d times with %+v; want %d times", tc.reason, times, r.cases, tc.want)
			}
		})
	}
}

func git(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// age makes what is kept older than it is believed.
func age(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "causeway", "passed", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("kept are %v, %v; want one", files, err)
	}
	old := time.Now().Add(-keptFor - time.Hour)
	if err := os.Chtimes(files[0], old, old); err != nil {
		t.Fatal(err)
	}
}
