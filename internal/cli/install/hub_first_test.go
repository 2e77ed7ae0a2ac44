package install

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// refusing is the kubeconfig of a hub that refuses all, and how often it was asked.
func refusing(t *testing.T, status int) (kubeconfig string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	d := clitest.NewDesk(t, map[string]any{"/": func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); w.WriteHeader(status) }})
	return d.Kubeconfig(t), asked
}

// TestFilesAreReadBeforeAHubIsAsked: who mistypes a name waits for no cluster, and changes none.
func TestFilesAreReadBeforeAHubIsAsked(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nope")
	for args, want := range map[string]string{
		"--values " + nowhere: "cannot read --values: ", "--metadata " + nowhere: "cannot read --metadata: ", "--repo-ssh-key-file " + nowhere: "cannot read --repo-ssh-key-file: ",
		"--mirror " + fleetURL: "URL=PATH", "--mirror " + fleetURL + "=" + nowhere: nowhere, "--label prod": "--label: ", "--repo-github-app-id 7": "without its private key",
		"--scaffold " + nowhere: "cannot use the work tree ", "--repo https://me:hunter2@git.example.com/fleet": "leave it out, and give it with --repo-username and --repo-password-file",
	} {
		kubeconfig, asked := refusing(t, http.StatusForbidden)
		got := clitest.Run(t, NewBootstrap, append([]string{"--repo", fleetURL, "--kubeconfig", kubeconfig}, strings.Fields(args)...)...)
		if got.Code == command.ExitFine || !strings.Contains(got.Errors, want) || asked.Load() > 0 || strings.Contains(got.Errors, "hunter2") {
			t.Errorf("%s: exit %d after %d questions:\n%s", args, got.Code, asked.Load(), got.Errors)
		}
	}
}

// TestAHubThatRefusesHasNoLayout: the repository is left alone until nothing stands in the way of the hub.
func TestAHubThatRefusesHasNoLayout(t *testing.T) {
	work := workTree(t)
	kubeconfig, asked := refusing(t, http.StatusUnauthorized)
	clitest.Run(t, NewBootstrap, "--repo", fleetURL, "--kubeconfig", kubeconfig, "--scaffold", work, "--commit", "--no-fetch").
		Says(t, "old credentials", command.ExitFailed, "refuses the credentials of kubeconfig ")
	left, err := os.ReadDir(work)
	if err != nil || len(left) != 1 || asked.Load() == 0 {
		t.Errorf("after %d questions, %v is in the work tree: %v", asked.Load(), left, err)
	}
}

// TestAHubThatRefusesIsExplained by whose credentials they were, whatever was to be looked at.
func TestAHubThatRefusesIsExplained(t *testing.T) {
	for args, made := range map[string]func(*command.Global) *cobra.Command{"fleet": NewExport, "argocd": NewImport, "argocd --apply": NewImport, "argocd --revert": NewImport} {
		kubeconfig, _ := refusing(t, http.StatusUnauthorized)
		got := clitest.Run(t, made, append(strings.Fields(args), "--kubeconfig", kubeconfig)...)
		got.Says(t, args, command.ExitFailed, "refuses the credentials of kubeconfig ")
		if got.Out != "" {
			t.Errorf("%s: nothing is known, and %q is printed", args, got.Out)
		}
	}
}

// TestADryRunTellsWhetherItWouldWrite: to the work tree or to the hub.
func TestADryRunTellsWhetherItWouldWrite(t *testing.T) {
	for name, c := range map[string]struct {
		reason   string
		scaffold string
		code     int
		want     string
	}{
		"Hub":    {"all is as it should be", "", command.ExitFine, "nothing to change: 0 objects are as they should be\n"},
		"Layout": {"the layout would be written", t.TempDir(), command.ExitChanges, "would write "},
	} {
		t.Run(name, func(t *testing.T) {
			b := &bootstrapFlags{scaffold: c.scaffold, output: asBrief}
			out := bootstrapOf(b)
			l, err := b.layout(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			err = b.foretell(&install.Plan{}, l)
			if got := out.String(); command.ExitCode(err) != c.code || !strings.Contains(got, c.want) || !strings.Contains(got, "nothing to change: ") {
				t.Errorf("%s: %v, %q", c.reason, err, got)
			}
		})
	}
}

// TestNewDefinitionsAreALine, as nobody reads them; a change of one is read.
func TestNewDefinitionsAreALine(t *testing.T) {
	of := func(kind, name string, verb gitops.Verb) plan.ObjectDiff {
		return plan.ObjectDiff{Key: gitops.Key{Kind: kind, Name: name}, Verb: verb}
	}
	all := []plan.ObjectDiff{of("CustomResourceDefinition", "new", gitops.Create), of("CustomResourceDefinition", "old", gitops.Update), of("Secret", "hub", gitops.Create)}
	for output, want := range map[string]string{asBrief: "old hub", asDiff: "new old hub"} {
		var names []string
		for _, o := range (&bootstrapFlags{output: output}).shown(all) {
			names = append(names, o.Key.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: shown is %q, want %q", output, got, want)
		}
	}
	if all[0].Key.Name != "new" {
		t.Errorf("what is counted afterwards has lost its first: %+v", all)
	}
}

// TestWhoDoesNotWaitIsToldWhereToLook, in the cluster that was meant.
func TestWhoDoesNotWaitIsToldWhereToLook(t *testing.T) {
	for context, want := range map[string]string{"": "--context CONTEXT\n", "eu": "--context eu\n"} {
		b := &bootstrapFlags{}
		out := bootstrapOf(b)
		b.Context = context
		if err := b.finish(t.Context(), nil, nil, nil); err != nil || out.String() != "see how far it is: causeway get apps "+want {
			t.Errorf("%q: %q, %v", context, out.String(), err)
		}
	}
}

// TestOneObjectIs as it should be, and several are.
func TestOneObjectIs(t *testing.T) {
	for n, want := range map[int]string{0: "0 objects are", 1: "1 object is", 2: "2 objects are"} {
		if got := are(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
