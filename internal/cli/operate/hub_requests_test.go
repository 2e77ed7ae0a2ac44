package operate

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestHubsAreAskedForWhatFlagsSay: what the application says itself counts where no flag does.
func TestHubsAreAskedForWhatFlagsSay(t *testing.T) {
	retried := func(a *v1alpha1.Application) {
		a.Spec.SyncPolicy = &v1alpha1.SyncPolicy{SyncOptions: v1alpha1.SyncOptions{"Own=true"}, Retry: &v1alpha1.RetryStrategy{Limit: 7}}
	}
	hooks, own := &v1alpha1.SyncStrategy{Hook: &v1alpha1.SyncStrategyHook{}}, v1alpha1.SyncOptions{"Own=true"}
	cases := map[string]struct {
		reason  string
		args    string
		want    v1alpha1.SyncOperation
		retries int64
	}{
		"nothing":  {"as the application says", "shop", v1alpha1.SyncOperation{SyncOptions: own, SyncStrategy: hooks}, 7},
		"all":      {"each flag is told, after the application's own options", "shop --prune --dry-run --revision v2 --replace --retries 2", v1alpha1.SyncOperation{Revision: "v2", Prune: true, DryRun: true, SyncOptions: append(own[:1:1], "Replace=true"), SyncStrategy: hooks}, 2},
		"once":     {"none is a number, too", "shop --retries 0", v1alpha1.SyncOperation{SyncOptions: own, SyncStrategy: hooks}, 0},
		"for ever": {"so is without end", "shop --retries -1", v1alpha1.SyncOperation{SyncOptions: own, SyncStrategy: hooks}, -1},
		"forced":   {"by what deletes and creates again, with hooks or without", "shop --force --no-hooks", v1alpha1.SyncOperation{SyncOptions: own, SyncStrategy: &v1alpha1.SyncStrategy{Apply: &v1alpha1.SyncStrategyApply{Force: true}}}, 7},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			kubeconfig, d := hub(t, nil, named("shop", retried))
			clitest.Run(t, NewSync, append(strings.Fields(c.args), "--async", "--kubeconfig", kubeconfig)...).Says(t, c.reason, command.ExitFine)
			var sent struct {
				Metadata struct {
					ResourceVersion string `json:"resourceVersion"`
				} `json:"metadata"`
				Operation v1alpha1.Operation `json:"operation"`
			}
			got := patches(d)
			if len(got) != 1 {
				t.Fatalf("%s: asked %q", c.reason, got)
			}
			_, body, _ := strings.Cut(got[0], " ")
			if err := json.Unmarshal([]byte(body), &sent); err != nil || sent.Metadata.ResourceVersion != "1" || sent.Operation.Retry.Limit != c.retries {
				t.Errorf("%s: %v: %s", c.reason, err, body)
			}
			if diff := cmp.Diff(&c.want, sent.Operation.Sync, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

// TestDeletionsAtAHub write how its objects go before the application does, and delete the one that was shown alone.
func TestDeletionsAtAHub(t *testing.T) {
	of := func(a *v1alpha1.Application) { a.UID = "u" }
	with := func(a *v1alpha1.Application) { a.Finalizers = []string{v1alpha1.FinalizerResources} }
	cases := map[string]struct {
		reason string
		args   string
		app    *v1alpha1.Application
		status int // of the deletion
		code   int
		says   string
		patch  string // part of it; none when empty
	}{
		"as it is": {"nothing is to be written", "--yes", named("shop", of, with), http.StatusOK, command.ExitFine, "shop: is being deleted\n", ""},
		"kept":     {"its objects stay", "--yes --no-cascade", named("shop", of, with), http.StatusOK, command.ExitFine, "shop: is being deleted\n", `"finalizers":null`},
		"along":    {"its objects go", "--yes --cascade", named("shop", of), http.StatusOK, command.ExitFine, "with its objects", `"finalizers":["` + v1alpha1.FinalizerResources + `"]`},
		"gone":     {"somebody was faster", "--yes", named("shop", of), http.StatusNotFound, command.ExitFine, "shop: is being deleted\n", ""},
		"denied":   {"it is told that nothing went", "--yes", named("shop", of), http.StatusForbidden, command.ExitFailed, "cannot delete: ", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			kubeconfig, d := hub(t, map[string]any{"DELETE ONE": func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(`{"apiVersion":"v1","kind":"Status"}`))
			}}, c.app)
			clitest.Run(t, NewDelete, append(strings.Fields("shop "+c.args), "--kubeconfig", kubeconfig)...).Says(t, c.reason, c.code, c.says)
			asked := d.Asked()
			if last := asked[len(asked)-1]; !strings.HasPrefix(last, "DELETE ") || !strings.Contains(last, `"uid":"u"`) {
				t.Errorf("%s: asked %q", c.reason, asked)
			}
			if got := strings.Join(patches(d), "; "); (got == "") != (c.patch == "") || !strings.Contains(got, c.patch) {
				t.Errorf("%s: wrote %s, want %s", c.reason, got, c.patch)
			}
		})
	}
}

// TestApplicationsThatAreMadeAgainStay: somebody agreed to the deletion of another one.
func TestApplicationsThatAreMadeAgainStay(t *testing.T) {
	app, reads := named("shop"), 0
	kubeconfig, d := hub(t, map[string]any{"DELETE ONE": nil, "GET ONE": func(w http.ResponseWriter, _ *http.Request) {
		reads++
		now := app.DeepCopy()
		if now.UID = "shown"; reads > 1 {
			now.UID = "made anew"
		}
		answer(w, now)
	}}, app)
	clitest.Run(t, NewDelete, "shop", "--yes", "--kubeconfig", kubeconfig).Says(t, "it is another one", command.ExitFailed, "application shop was made again since it was shown: look at it, and delete it again")
	if asked := d.Asked(); len(asked) > 0 {
		t.Errorf("asked %q", asked)
	}
}
