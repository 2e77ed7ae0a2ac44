package install

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestTakeoverTimeout(t *testing.T) {
	for text, want := range map[string]time.Duration{"": defaultTakeover, "90s": 90 * time.Second, "1h": time.Hour} {
		m := &takeoverModel{Timeout: types.StringValue(text)}
		if got, err := m.within(); err != nil || got != want {
			t.Errorf("%q: %s, %v; want %s", text, got, err, want)
		}
	}
	if got, err := (*takeoverModel)(nil).within(); err != nil || got != defaultTakeover {
		t.Errorf("without a block: %s, %v", got, err)
	}
	for _, bad := range []string{"10", "soon", "-1m", "0s"} {
		m := &takeoverModel{Timeout: types.StringValue(bad)}
		if _, err := m.within(); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v; want an error that names it", bad, err)
		}
	}
}

func TestTakeoverFlags(t *testing.T) {
	m := &takeoverModel{
		Mirrors:   types.MapValueMust(types.StringType, map[string]attr.Value{"https://b": types.StringValue("/b"), "https://a": types.StringValue("/a")}),
		PluginDir: types.StringValue("plugins"), KeyFile: types.StringValue("age.txt"),
	}
	want := []string{"--mirror", "https://a=/a", "--mirror", "https://b=/b", "--plugin-dir", "plugins", "--sops-age-key-file", "age.txt"}
	if diff := cmp.Diff(want, m.flags()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := (*takeoverModel)(nil).flags(); got != nil {
		t.Errorf("without a block: %q", got)
	}
	if m.allowed() || (*takeoverModel)(nil).allowed() {
		t.Error("changes are allowed by who did not say so")
	}
}

// A plan tells what is otherwise with the engine, and nothing of the rest.
func TestFindings(t *testing.T) {
	l := look{Findings: []finding{
		{What: "clusters", Verdict: asItIs, Detail: "2 Secrets"},
		{What: "argocd-cmd-params-cm: applicationsetcontroller.policy", Verdict: "not supported", Detail: "there is no policy for all sets", Do: "set it of each"},
		{What: "argocd-cm: ui.x", Verdict: "differs", Detail: "for the pages"},
	}}
	want := "\nargocd-cmd-params-cm: applicationsetcontroller.policy (not supported): there is no policy for all sets; set it of each\nargocd-cm: ui.x (differs): for the pages"
	if got := l.findings(); got != want {
		t.Errorf("told %q", got)
	}
	if got := (look{}).findings(); got != "" {
		t.Errorf("of nothing %q is told", got)
	}
}
