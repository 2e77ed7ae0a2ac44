package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	clientset "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/install"
)

// TestImportArgoWithItsOwnDefinitions takes over a cluster whose kinds are
// defined by Argo CD's own release: they are another API server's word on what
// an Application may have, and stay as they are.
func TestImportArgoWithItsOwnDefinitions(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{})
	config := embeddedtest.Config(t, cluster)
	theirs := installArgoDefinitions(t, config)
	embeddedtest.Eventually(t, func(ctx context.Context) error { return install.Definitions(ctx, config) })
	for name, part := range map[string]func(*testing.T, *argoFleet){
		"LookWritesNothing": lookWritesNothing, "LookTellsWhatDiffers": lookTellsWhatDiffers,
		"TakesOverAndHandsBack": takesOverAndHandsBack, "InstallsTheEngine": installsTheEngine,
	} {
		t.Run(name, func(t *testing.T) { part(t, newArgoFleet(t, config, cluster.Kubeconfig())) })
	}
	for name, before := range theirs {
		after := definition(t, config, name)
		if diff := cmp.Diff(before.Spec, after.Spec); diff != "" {
			t.Errorf("the definition %s has changed (-want +got):\n%s", name, diff)
		}
	}
}

// installArgoDefinitions creates the definitions of Argo CD's release, and
// returns them as the API server has them, by name.
func installArgoDefinitions(t *testing.T, config *rest.Config) map[string]*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	out := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, file := range argoDefinitions(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(text, crd); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if _, err := definitionsOf(t, config).Create(t.Context(), crd, metav1.CreateOptions{}); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out[crd.Name] = definition(t, config, crd.Name)
	}
	return out
}

// argoDefinitions are the files of the release whose module the engine reads
// health checks from.
func argoDefinitions(t *testing.T) []string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/argoproj/argo-cd/v3").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "manifests", "crds", "*-crd.yaml"))
	if err != nil || len(files) != 3 {
		t.Fatalf("got the files %v, error %v, want the definitions of Application, ApplicationSet and AppProject", files, err)
	}
	return files
}

func definitionsOf(t *testing.T, config *rest.Config) clientset.CustomResourceDefinitionInterface {
	t.Helper()
	c, err := clientset.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c.CustomResourceDefinitions()
}

func definition(t *testing.T, config *rest.Config, name string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd, err := definitionsOf(t, config).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return crd
}
