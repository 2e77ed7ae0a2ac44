package differences

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

func TestDifferenceIsPainted(t *testing.T) {
	text := "--- live x\n+++ desired x\n@@ -1,2 +1,2 @@\n spec:\n-  replicas: 5\n+  replicas: 1\n"
	want := "update Deployment shop/web\n@@ -1,2 +1,2 @@\n spec:\n-  replicas: 5\n+  replicas: 1\n\n"
	if diff := cmp.Diff(want, Painted(text, "update Deployment shop/web", live.Plain())); diff != "" {
		t.Error(diff)
	}
}

// TestEveryLineOfADifferenceIsShown: whoever defines a kind names its fields, and one that looks like the names of both
// sides would be changed unseen.
func TestEveryLineOfADifferenceIsShown(t *testing.T) {
	has := map[string]any{"--steps": "off", "++steps": "off", "spec": map[string]any{"text": "--- a\n+++ b\n@@ -1 +1 @@\n"}}
	wanted := map[string]any{"--steps": "on", "++steps": "on", "spec": map[string]any{"text": "--- c\n+++ d\n@@ -1 +1 @@\n"}}
	text, err := plan.ToldDiff(gitops.Key{Kind: "Job", Name: "a"}, []plan.Change{{Path: "spec"}}, has, wanted).Unified()
	if err != nil {
		t.Fatal(err)
	}
	printed := Painted(text, "update Job a", live.Plain())
	for line := range strings.Lines(text) {
		if names := strings.HasPrefix(line, "--- live ") || strings.HasPrefix(line, "+++ desired "); strings.Contains(printed, line) == names {
			t.Errorf("line %q is shown: %t", line, !names)
		}
	}
	if got, want := strings.Count(printed, "\n"), strings.Count(text, "\n")-2+len("\n\n"); got != want {
		t.Errorf("it has %d lines, want %d:\n%s", got, want, printed)
	}
}

// TestLinesAreColouredByWhatBecomesOfThem: what stays keeps the colour of the terminal, and each line of a heading is one.
func TestLinesAreColouredByWhatBecomesOfThem(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("CLICOLOR_FORCE", "1") // where it is written is no terminal
	style := live.NewStyle(&strings.Builder{}, true)
	text := "--- live x\n+++ desired x\n@@ -1,3 +1,3 @@\n spec:\n-  replicas: 5\n+  replicas: 1\n   paused: false"
	want := style.Title("update Deployment web") + "\n" + style.Title("it was scaled") + "\n" + style.Dim("@@ -1,3 +1,3 @@") + "\n spec:\n" +
		style.Removed("-  replicas: 5") + "\n" + style.Added("+  replicas: 1") + "\n   paused: false\n\n"
	if diff := cmp.Diff(want, Painted(text, "update Deployment web\nit was scaled", style)); diff != "" {
		t.Error(diff)
	}
	if style.Added("x") == style.Removed("x") || style.Added("x") == "x" {
		t.Error("what comes and what goes look the same")
	}
	if got := Painted("", "prune Namespace web", style); got != style.Title("prune Namespace web")+"\n\n" {
		t.Errorf("without a difference it says %q", got)
	}
}
