package target

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

func TestNamesOfApplications(t *testing.T) {
	cases := map[string]struct {
		reason, name   string
		namespace, key string
	}{
		"alone":       {"it is in the control namespace", "shop", "argocd", "shop"},
		"spaced":      {"a namespace can be said", "team-a/shop", "team-a", "shop"},
		"dots":        {"names of objects may have dots", "shop.v2", "argocd", "shop.v2"},
		"empty":       {"a variable without a value is no name", "", "", ""},
		"no name":     {"nor is a namespace alone", "team-a/", "", ""},
		"no space":    {"nor a name after nothing", "/shop", "", ""},
		"three parts": {"nor a path", "a/b/c", "", ""},
		"upwards":     {"nor one that leads elsewhere in an API", "..", "", ""},
		"capitals":    {"an API server has none", "Shop", "", ""},
		"query":       {"nor what would be another request", "shop?x=y", "", ""},
		"unicode":     {"nor letters that look like others", "shоp", "", ""},
		"too long":    {"nor more than an API server stores", strings.Repeat("a", 254), "", ""},
	}
	for name, c := range cases {
		err := CheckNames([]string{"first", c.name})
		if c.key == "" {
			if err == nil || command.ExitCode(err) != command.ExitUsage || !strings.HasSuffix(err.Error(), "is no name of an application: write NAME, or NAMESPACE/NAME") {
				t.Errorf("%s: %s: %v", name, c.reason, err)
			}
			continue
		}
		h := &Hub{Namespace: "argocd"}
		key := h.Key(c.name)
		if err != nil || key.Namespace != c.namespace || key.Name != c.key {
			t.Errorf("%s: %s: %v, %v", name, c.reason, key, err)
		}
		app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
		if got := h.NameOf(app); got != c.name {
			t.Errorf("%s: %s: what was named %q is told as %q", name, c.reason, c.name, got)
		}
	}
}

// TestWhatIsNotThereSuggestsWhatIs: the nearest name, else the command that lists all.
func TestWhatIsNotThereSuggestsWhatIs(t *testing.T) {
	set := v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "addons"}}
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(clitest.Shop()),
		clitest.SetsRoute: v1alpha1.ApplicationSetList{Items: []v1alpha1.ApplicationSet{set}},
	})
	h := reached(t, d)
	cases := map[string]struct {
		reason string
		read   func() error
		want   string
	}{
		"near":       {"a letter is off", func() error { _, err := h.Application(t.Context(), "shopp"); return err }, `there is no application "shopp" in namespace argocd of the hub; did you mean "shop"?`},
		"far":        {"nothing is like it", func() error { _, err := h.Application(t.Context(), "platform"); return err }, "; name one of those that `causeway get apps` lists"},
		"elsewhere":  {"another namespace has it not, and its names are no help", func() error { _, err := h.Application(t.Context(), "team/shop"); return err }, `there is no application "shop" in namespace team of the hub; name one`},
		"set, near":  {"a set is looked for as an application is", func() error { _, err := h.ApplicationSet(t.Context(), "addon"); return err }, `there is no application set "addon" in namespace argocd of the hub; did you mean "addons"?`},
		"set, far":   {"and so are those that nothing is like", func() error { _, err := h.ApplicationSet(t.Context(), "platform"); return err }, "; name one of those that `causeway get appsets` lists"},
		"set, there": {"what is there is no error", func() error { _, err := h.ApplicationSet(t.Context(), "addons"); return err }, ""},
	}
	for name, c := range cases {
		if err := c.read(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s: got %v, want %q", name, c.reason, err, c.want)
		}
	}
}
