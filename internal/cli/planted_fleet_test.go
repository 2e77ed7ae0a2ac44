package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
)

const kubeconfigWithProgram = `
apiVersion: v1
kind: Config
current-context: hub
contexts: [{name: hub, context: {cluster: hub, user: hub}}]
clusters: [{name: hub, cluster: {server: "https://127.0.0.1:1"}}]
users:
- name: hub
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: [RAN], interactiveMode: Never}
`

// TestPlantedFleetRunsNothing: the files by which a fleet that runs is found
// may be those of a branch that was checked out over them. In the checkout
// nobody looks for them, and where a flag names the folder, nothing runs.
func TestPlantedFleetRunsNothing(t *testing.T) {
	for name, state := range map[string]string{"Found": "", "Named": ".causeway"} {
		t.Run(name, func(t *testing.T) {
			s := clitest.NewStranger(t)
			ran := filepath.Join(s.Home, "ran")
			t.Setenv("HOME", s.Home)
			t.Setenv("XDG_STATE_HOME", "")
			t.Setenv("KUBECONFIG", "")
			t.Setenv("CAUSEWAY_STATE_DIR", state)
			t.Chdir(s.Dir)
			home, err := local.HomeOf(filepath.Join(s.Dir, ".causeway"), "f")
			if err != nil {
				t.Fatal(err)
			}
			lock, err := home.Lock()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = lock.Release() }()
			s.Write(home.Dir(), map[string]string{
				"kubeconfig": strings.ReplaceAll(kubeconfigWithProgram, "RAN", ran), "fleet.json": `{"Name": "f", "Namespace": "argocd", "Clusters": [{"Name": "hub", "Hub": true}]}`,
			})
			for _, args := range [][]string{
				{"get", "apps"}, {"get", "apps", "--context", "hub"}, {"preview", "--base", "main", "--clusters", "hub", "--no-fetch"},
				{"preview", "--base", "main", "--credentials", "context:hub", "--no-fetch"}, {"doctor"},
				{"kubeconfig"}, {"get", "apps", "--kubeconfig", home.Kubeconfig()}, {"import", "argocd", "--kubeconfig", home.Kubeconfig()},
			} {
				var out, errs bytes.Buffer
				code := Run(t.Context(), "1.2.3", args, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
				if _, err := os.Stat(ran); err == nil {
					t.Fatalf("causeway %s ran the program of the checkout", strings.Join(args, " "))
				}
				if said := out.String() + errs.String(); state != "" && !strings.Contains(said, "its user hub signs in otherwise than with a certificate") {
					t.Errorf("causeway %s: code %d, %s", strings.Join(args, " "), code, said)
				}
			}
		})
	}
}
