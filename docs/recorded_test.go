package docs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write into the pages what their commands print now")

// recorded are the blocks whose commands a test runs, with the exit code that
// is not 0, and what they print where the page shows it: between tildes where
// that has fences of its own.
var recorded = regexp.MustCompile("(?ms)^<!-- run(?:: exit ([0-9]+))? -->\n```sh\n(.*?)^```\n(?:\n<!-- prints -->\n(?:```\n(.*?)^```\n|~~~[a-z]*\n(.*?)^~~~\n))?")

// commits differ with the time of the recording, and columns are as wide as
// what the page does not show.
var (
	commits = regexp.MustCompile(`\([0-9a-f]{7,}\)`)
	columns = regexp.MustCompile(` {3,}`)
)

func steady(text string) string {
	return columns.ReplaceAllString(commits.ReplaceAllString(text, "(commit)"), "  ")
}

// TestRecorded runs the commands of pages that show what they print, as one
// person would, and compares. It needs no cluster.
func TestRecorded(t *testing.T) {
	pages, err := filepath.Glob("*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range pages {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !recorded.Match(content) {
			continue
		}
		found++
		t.Run(filepath.Base(page), func(t *testing.T) { playPage(t, page, string(content)) })
	}
	if found == 0 {
		t.Error("no page shows what a command prints")
	}
}

func playPage(t *testing.T, page, text string) {
	s := session{dir: workplace(t), home: t.TempDir()}
	s.at = s.dir
	var out strings.Builder
	last := 0
	for _, m := range recorded.FindAllStringSubmatchIndex(text, -1) {
		code := 0
		if m[2] >= 0 {
			code, _ = strconv.Atoi(text[m[2]:m[3]])
		}
		got := s.run(t, text[m[4]:m[5]], code)
		from, to := max(m[6], m[8]), max(m[7], m[9])
		if from < 0 {
			continue
		}
		diff := cmp.Diff(steady(text[from:to]), steady(got))
		if diff != "" && !*update {
			t.Errorf("%s:%d: it prints something else now; look at it, and run `go test ./docs -run Recorded -update` (-page +now):\n%s", page, 1+strings.Count(text[:from], "\n"), diff)
		}
		if diff != "" {
			out.WriteString(text[last:from] + got)
			last = to
		}
	}
	if *update && last > 0 {
		if err := os.WriteFile(page, []byte(out.String()+text[last:]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// session is a shell that goes on where the block before ended.
type session struct{ dir, home, at string }

func (s *session) run(t *testing.T, text string, code int) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepTime)
	defer cancel()
	place := filepath.Join(s.home, "place")
	cmd := exec.CommandContext(ctx, "bash", "-c", fmt.Sprintf("set -eu; trap 'pwd > %q' EXIT\n%s", place, text))
	cmd.Dir, cmd.WaitDelay = s.at, outputDelay
	cmd.Env = []string{
		"PATH=" + filepath.Join(s.dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + s.home, "TMPDIR=" + s.home, "KUBECONFIG=",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if got != code {
		t.Fatalf("exit code %d, not %d:\n%s\n%s\n%s", got, code, text, out, errs.String())
	}
	at, err := os.ReadFile(place)
	if err != nil {
		t.Fatal(err)
	}
	s.at = strings.TrimSpace(string(at))
	return strings.TrimSpace(string(out)) + "\n"
}
