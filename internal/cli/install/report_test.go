package install

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// printed is what is printed of a look.
func printed(t *testing.T, look *argoLook, output string) string {
	t.Helper()
	var out bytes.Buffer
	i := &importFlags{Global: clitest.Global(t, &out), output: output}
	if err := i.print(&target.Hub{From: "context eu"}, look); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestALookIsPrintedByItsParts: those that are not there have no heading, and the sum comes last.
func TestALookIsPrintedByItsParts(t *testing.T) {
	versioned := []takeover.Workload{{Component: takeover.ApplicationController, Version: "v3.1.0"}}
	for name, c := range map[string]struct {
		reason string
		look   argoLook
		want   []string
	}{
		"Empty":   {"there is no application", argoLook{installation: &takeover.Installation{Namespace: "argocd"}}, []string{"Argo CD in namespace argocd (context eu)", "PART"}},
		"Version": {"an image by its digest has none", argoLook{installation: &takeover.Installation{Namespace: "team", Workloads: versioned}}, []string{"Argo CD v3.1.0 in namespace team (context eu)", "PART"}},
		"Sets": {
			"sets come before what they make", argoLook{installation: &takeover.Installation{Namespace: "argocd"}, sets: []takeover.SetComparison{sameSet}, comparisons: []takeover.Comparison{movedApp}},
			[]string{"Argo CD in", "PART", "APPLICATIONSET", "APPLICATION ", "1 application: "},
		},
		"SetsAlone": {"a set may make none", argoLook{installation: &takeover.Installation{Namespace: "argocd"}, sets: []takeover.SetComparison{sameSet}}, []string{"Argo CD in", "PART", "APPLICATIONSET"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.look.findings = []takeover.Finding{{What: "argocd-cm: url", Verdict: "same"}}
			var heads []string
			for line := range strings.Lines(printed(t, &c.look, table.AsTable)) {
				if slices.ContainsFunc([]string{"Argo", "PART", "APPLICATION", "1 application"}, func(head string) bool { return strings.HasPrefix(line, head) }) {
					heads = append(heads, line)
				}
			}
			for i, want := range c.want {
				if len(heads) != len(c.want) || !strings.HasPrefix(heads[i], want) {
					t.Fatalf("%s: got %q, want %q", c.reason, heads, c.want)
				}
			}
		})
	}
}

// TestOneReportIsReadByPeopleAndPrograms: what would stop a takeover is in both forms, and nothing is printed beside it.
func TestOneReportIsReadByPeopleAndPrograms(t *testing.T) {
	look := &argoLook{
		installation: &takeover.Installation{Namespace: "argocd"}, findings: []takeover.Finding{{What: "argocd-cm: url", Verdict: "same"}},
		comparisons: []takeover.Comparison{sameApp, brokenApp}, sets: []takeover.SetComparison{sameSet},
	}
	var got ArgoReport
	if err := json.Unmarshal([]byte(printed(t, look, table.AsJSON)), &got); err != nil {
		t.Fatal(err)
	}
	want := ArgoReport{
		Namespace: "argocd", Findings: look.findings, Sets: []argoSet{{Name: "same"}}, Blockers: []string{"application broken cannot be compared"},
		Applications: []argoApplication{{Name: "same", Same: true}, {Name: "broken", Problem: "no chart\nis there"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := printed(t, look, table.AsYAML); !strings.Contains(text, "blockers:\n- application broken cannot be compared\n") || strings.Contains(text, "PART") {
		t.Errorf("as YAML it is\n%s", text)
	}
}
