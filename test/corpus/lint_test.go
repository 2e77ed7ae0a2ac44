package corpus

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

var update = flag.Bool("update", false, "write the golden files again")

// looked is what is held of a repository: everything is counted by its reason.
type looked struct {
	Sets         int            `json:"sets"`
	Applications int            `json:"applications"`
	Rendered     int            `json:"rendered"`
	Missing      int            `json:"missing,omitempty"`
	Failures     map[string]int `json:"failures,omitempty"`
	Warnings     map[string]int `json:"warnings,omitempty"`
	// Change is what a small change of the repository does: see edit.
	Change seen `json:"change"`
}

type seen struct {
	forecast.Summary

	Groups int `json:"groups"`
	// NewFailures are those that the change brings.
	NewFailures int `json:"newFailures,omitempty"`
	NewWarnings int `json:"newWarnings,omitempty"`
}

// TestLintAndPreview lints every repository of the corpus, without any
// network, and previews a small change of it. What they say is held by a
// file, of which each kind of finding was looked up in the repositories.
func TestLintAndPreview(t *testing.T) {
	root := sharedRoot(t)
	got := map[string]looked{}
	for _, name := range repositories(t, root) {
		t.Run(name, func(t *testing.T) {
			c := clone(t, root, name)
			got[name] = c.look(t)
		})
	}
	if t.Failed() {
		return
	}
	checkGolden(t, "testdata/lint.yaml", got)
}

func checkGolden(t *testing.T, name string, value any) {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, text) {
		t.Errorf("what is found differs; look at each, then run with -update (-want +got):\n%s", cmp.Diff(string(want), string(text)))
	}
}

// look lints the repository and previews a change of it, there and back.
func (c checkout) look(t *testing.T) looked {
	t.Helper()
	o := c.open(t.Context(), t)
	base, err := o.Side(t.Context(), "HEAD", c.roster, "main")
	if err != nil {
		t.Fatal(err)
	}
	report, err := preview.Lint(t.Context(), base, preview.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := looked{
		Sets: len(report.State.Sets), Applications: len(report.State.Apps), Rendered: report.Rendered, Missing: len(report.Missing),
		Failures: byReason(report.Failures), Warnings: byReason(report.Warnings),
	}
	c.show(t, report)
	c.edit(t, report.State)
	head, err := o.Side(t.Context(), "HEAD", c.roster, "main")
	if err != nil {
		t.Fatal(err)
	}
	there := c.preview(t, base, head)
	out.Change = seen{Summary: there.Summary, Groups: len(there.Groups), NewFailures: fresh(there.Failures), NewWarnings: fresh(there.Warnings)}
	out.Change.Reused += out.Change.Rendered // which of them were known depends on what ran at a time
	out.Change.Rendered = 0
	back := c.preview(t, head, base)
	if there.Summary.Added != back.Summary.Removed || there.Summary.Removed != back.Summary.Added || there.Summary.Changed != back.Summary.Changed {
		t.Errorf("there %+v, back %+v", there.Summary, back.Summary)
	}
	for _, side := range []preview.Side{base, head} {
		if same := c.preview(t, side, side); len(same.Groups) > 0 || fresh(same.Failures)+fresh(same.Warnings) > 0 || same.Summary.Rendered > 0 {
			t.Errorf("a revision differs from itself: %+v", same.Summary)
		}
	}
	return out
}

// show prints what is found, for those who look at a difference.
func (c checkout) show(t *testing.T, r *preview.Report) {
	t.Helper()
	for _, f := range r.Failures {
		t.Logf("failure %s %s:%d %s %v %s", f.Reason, f.File, f.Line, f.Subject, f.Clusters, f.Message)
	}
	for _, f := range r.Warnings {
		t.Logf("warning %s %s:%d %s %v %s", f.Reason, f.File, f.Line, f.Subject, f.Clusters, f.Message)
	}
}

func (c checkout) preview(t *testing.T, base, head preview.Side) *forecast.Forecast {
	t.Helper()
	out, err := preview.Make(t.Context(), base, head, preview.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func byReason(all []forecast.Finding) map[string]int {
	out := map[string]int{}
	for _, f := range all {
		out[f.Reason]++
	}
	return out
}

func fresh(all []forecast.Finding) int {
	n := 0
	for _, f := range all {
		if f.New {
			n++
		}
	}
	return n
}
