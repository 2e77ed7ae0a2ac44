package why

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// vaulted is a shop with two values that follow a key: one whose name tells that it is secret, and one that only the Secret
// tells in which it ends up.
func vaulted(t *testing.T) (dir string) {
	t.Helper()
	dir = clitest.NewShop(t)
	set, err := os.ReadFile(filepath.Join(dir, "chart.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const tag = "tag: {{metadata.annotations.shop_tag}}\n"
	secrets := strings.Replace(string(set), tag, tag+"            password: pass-{{metadata.annotations.shop_tag}}-word\n            entry: hidden-{{metadata.annotations.shop_tag}}-entry\n", 1)
	clitest.Write(t, dir, map[string]string{
		"chart.yaml":                  secrets,
		"chart/templates/secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: vault}\nstringData: {entry: {{ .Values.entry }}, password: {{ .Values.password }}}\n",
	})
	return dir
}

// TestSecretsFollowKeysUnseen: that a value is hidden hides neither which key it follows, nor does the way to it show the value.
func TestSecretsFollowKeysUnseen(t *testing.T) {
	dir := vaulted(t)
	cases := map[string]struct {
		reason string
		args   []string
		want   []string
	}{
		"by name":   {"two that are masked look the same, and are not", []string{"shop-prod", "--value", "password"}, []string{"[masked]", "follows annotation shop_tag", "→ password = [masked]"}},
		"by Secret": {"what a Secret holds is one wherever it stands", []string{"shop-prod", "--value", "entry"}, []string{"[masked]", "follows annotation shop_tag", "→ entry = [masked]"}},
		"field":     {"a field of the Secret", []string{"shop-prod", "--value", "Secret/vault:stringData.password"}, []string{"stringData.password is [masked]", "→ password = [masked]", "→ entry = [masked]"}},
		"beside":    {"of another value those are told that go the same way", []string{"shop-prod", "--value", "image.tag"}, []string{"follows annotation shop_tag", "→ image.tag = 1.2.3", "→ password = [masked]"}},
		"all":       {"all values", []string{"shop-prod", "--values"}, []string{"password", "[masked]", "1.2.3"}},
		"key":       {"what follows from the key", []string{"prod/shop_tag"}, []string{"→ password = [masked]", "stringData.password = [masked]"}},
		"programs":  {"they read no more than people", []string{"shop-prod", "--value", "password", "-o", "json"}, []string{`"key": "shop_tag"`, `"before": "[masked]"`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Look(t, New, dir, c.args...)
			got.Says(t, c.reason, command.ExitFine, c.want...)
			if strings.Contains(got.Out+got.Errors, "pass-1.2.3") || name != "key" && strings.Contains(got.Out, "hidden-1.2.3") {
				t.Errorf("%s: it shows\n%s", c.reason, got.Out)
			}
		})
	}
}
