package provider_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/deploy"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
	"github.com/causeway-gitops/causeway/test/await"
	"github.com/causeway-gitops/causeway/test/leash"
)

// The tests run the real terraform, which finds the provider in a mirror of
// its own, against an embedded control plane.
var (
	hub        *rest.Config
	kubeconfig string
	cliConfig  string
)

// outputDelay is how long what a run that ended has started may hold on to its output.
const outputDelay = 10 * time.Second

func TestMain(m *testing.M) { os.Exit(leash.Held(func() int { return run(m) })) }

func run(m *testing.M) int {
	if _, err := exec.LookPath("terraform"); err != nil {
		fmt.Println("terraform is not in PATH: the provider is not tried by it")
		return 0
	}
	dir, err := os.MkdirTemp("", "causeway-terraform-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if cliConfig, err = mirror(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return embeddedtest.MainWith(m, embedded.Options{}, func(c *embedded.Cluster) error {
		kubeconfig = c.Kubeconfig()
		if hub, err = c.RESTConfig(); err != nil {
			return err
		}
		return define(hub)
	})
}

// define installs the kinds that the provider makes.
func define(config *rest.Config) error {
	client, err := object.Open(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), await.Limit)
	defer cancel()
	all, err := deploy.Definitions()
	if err != nil {
		return err
	}
	for _, definition := range all {
		if _, err := client.Apply(ctx, definition); err != nil {
			return err
		}
	}
	return nil
}

// workspace is a folder with a configuration.
type workspace struct {
	t         *testing.T
	dir       string
	namespace string
	env       []string
}

const block = `
terraform {
  required_providers {
    causeway = { source = "causeway-gitops/causeway" }
  }
}
`

// newWorkspace makes a folder with a provider's block for the control plane,
// and a namespace of its own.
func newWorkspace(t *testing.T, text string) *workspace {
	t.Helper()
	w := &workspace{t: t, dir: t.TempDir(), namespace: embeddedtest.Namespace(t, hub)}
	w.file("main.tf", block+fmt.Sprintf("provider \"causeway\" {\n  config_path = %q\n  namespace = %q\n}\n", kubeconfig, w.namespace))
	w.file("case.tf", text)
	w.must("init")
	return w
}

func (w *workspace) file(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

func (w *workspace) eventually(holds func() bool) {
	w.t.Helper()
	embeddedtest.Eventually(w.t, func(context.Context) error {
		if holds() {
			return nil
		}
		return errors.New("it does not hold")
	})
}

// terraform runs a command and returns what it printed and its exit code.
func (w *workspace) terraform(command string, args ...string) (string, int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), await.Limit)
	defer cancel()
	all := []string{command, "-no-color"}
	switch command {
	case "apply", "destroy":
		all = append(all, "-input=false", "-auto-approve")
	case "plan":
		all = append(all, "-input=false", "-detailed-exitcode")
	case "init", "import":
		all = append(all, "-input=false")
	case "state", "output":
		all = []string{command}
	case "fmt":
		all = []string{command, "-no-color"}
	}
	cmd := exec.CommandContext(ctx, "terraform", append(all, args...)...)
	cmd.Dir, cmd.WaitDelay = w.dir, outputDelay
	cmd.Env = append(append(os.Environ(), "TF_CLI_CONFIG_FILE="+cliConfig, "TF_IN_AUTOMATION=1"), w.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// must runs a command that is to succeed.
func (w *workspace) must(command string, args ...string) string {
	w.t.Helper()
	out, code := w.terraform(command, args...)
	if code != 0 {
		w.t.Fatalf("terraform %s: exit code %d\n%s", command, code, out)
	}
	return out
}

// quiet fails unless a plan has nothing to do.
func (w *workspace) quiet(reason string) {
	w.t.Helper()
	if out, code := w.terraform("plan"); code != 0 {
		w.t.Errorf("%s: the plan is not empty (exit code %d)\n%s", reason, code, out)
	}
}

// changes returns a plan that has something to do.
func (w *workspace) changes(reason string) string {
	w.t.Helper()
	out, code := w.terraform("plan")
	if code != 2 {
		w.t.Errorf("%s: got exit code %d of plan, want 2\n%s", reason, code, out)
	}
	return out
}

// fails returns what a command says that is to fail, on one line.
func (w *workspace) fails(reason, command string, args ...string) string {
	w.t.Helper()
	out, code := w.terraform(command, args...)
	if code != 1 {
		w.t.Errorf("%s: got exit code %d of %s, want 1\n%s", reason, code, command, out)
	}
	return oneLine(out)
}

// oneLine takes the frames and line breaks off an error.
func oneLine(out string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(out)), " ")
}

// state is the whole state as text.
func (w *workspace) state() string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "terraform.tfstate"))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// outputs reads the outputs of the last apply into a struct of their names.
func (w *workspace) outputs(into any) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(w.must("output", "-json")), into); err != nil {
		w.t.Fatal(err)
	}
}

func client(t *testing.T) kubernetes.Interface {
	t.Helper()
	c, err := kubernetes.NewForConfig(hub)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (w *workspace) secret(name string) *corev1.Secret {
	w.t.Helper()
	s, err := client(w.t).CoreV1().Secrets(w.namespace).Get(w.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// edit changes a Secret as a person would.
func (w *workspace) edit(name string, change func(*corev1.Secret)) {
	w.t.Helper()
	s := w.secret(name)
	change(s)
	if _, err := client(w.t).CoreV1().Secrets(w.namespace).Update(w.t.Context(), s, metav1.UpdateOptions{FieldManager: "kubectl-edit"}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) objects(resource string) dynamic.ResourceInterface {
	w.t.Helper()
	c, err := dynamic.NewForConfig(hub)
	if err != nil {
		w.t.Fatal(err)
	}
	return c.Resource(schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: resource}).Namespace(w.namespace)
}

// noSecret fails when a text has a secret, as it is or in base64.
func noSecret(t *testing.T, where, text, secret string) {
	t.Helper()
	for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))} {
		if strings.Contains(text, form) {
			t.Errorf("%s has the secret:\n%s", where, text)
		}
	}
}

// credential is what a program of credentials prints.
func credential(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
		"status": map[string]any{
			"token": hub.BearerToken, "clientCertificateData": string(hub.CertData), "clientKeyData": string(hub.KeyData),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
