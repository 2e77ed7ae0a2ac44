package app

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/test/await"
)

// The test binary itself is an engine when these are set: one that can be
// killed without a word.
const (
	asEngine    = "CAUSEWAY_TEST_ENGINE" // kubeconfig of the hub
	asNamespace = "CAUSEWAY_TEST_NAMESPACE"
	asMirror    = "CAUSEWAY_TEST_MIRROR"
	asCacheDir  = "CAUSEWAY_TEST_CACHE"
)

func runAsEngine() error {
	hubConfig, err := clientcmd.BuildConfigFromFlags("", os.Getenv(asEngine))
	if err != nil {
		return err
	}
	return Run(context.Background(), Config{
		Hub: hubConfig, Namespace: os.Getenv(asNamespace), CacheDir: os.Getenv(asCacheDir), LocalInterval: 50 * time.Millisecond, StopWithin: await.Limit,
		Mirrors: []source.Mirror{{URL: repoURL, Path: os.Getenv(asMirror)}},
		Log:     slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

// child starts the engine of a test as a process of its own.
func (e *engine) child(kubeconfig string) *exec.Cmd {
	e.t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(e.t.Context()), os.Args[0])
	cmd.Env = append(os.Environ(), asEngine+"="+kubeconfig, asNamespace+"="+e.namespace, asMirror+"="+e.folder, asCacheDir+"="+e.t.TempDir())
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { kill(cmd) })
	return cmd
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

func TestKilledBetweenTwoWaves(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{"app/first.yaml": deployment("first", "0", neverReady), "app/second.yaml": waved("second", "1")})
	first := e.child(kubeconfigOfHub)
	e.app("app", "app")
	e.until("app", "waiting for the first wave", waitsFor("first"))
	uid := e.uid("first")
	kill(first)

	e.child(kubeconfigOfHub)
	e.write("app/first.yaml", deployment("first", "0", ""))
	e.until("app", "good after the engine came back", good)
	if e.uid("first") != uid {
		t.Error("the object of the first wave was made again")
	}
	if _, err := e.configMap("second"); err != nil {
		t.Errorf("the second wave did not run: %v", err)
	}
}

func TestAPIServerRestartsDuringASync(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{Name: "restarts", DataDir: t.TempDir()})
	e := prepare(t, embeddedtest.Config(t, cluster), map[string]string{"app/first.yaml": deployment("first", "0", neverReady), "app/second.yaml": waved("second", "1")})
	e.restart()
	e.app("app", "app")
	e.until("app", "waiting for the first wave", waitsFor("first"))
	embeddedtest.Restart(t, cluster)
	e.write("app/first.yaml", deployment("first", "0", ""))
	e.until("app", "good after the API server came back", good)
}

func TestSpokeThatIsDown(t *testing.T) {
	spoke := embeddedtest.Start(t, embedded.Options{Name: "spoke", DataDir: t.TempDir()})
	e := start(t, map[string]string{"far/a.yaml": configMapV1, "near/a.yaml": strings.ReplaceAll(configMapV1, "settings", "near")}, hasty)
	e.describe("spoke", embeddedtest.Config(t, spoke))
	e.app("far", "far", func(app *v1alpha1.Application) {
		app.Spec.Destination = v1alpha1.ApplicationDestination{Name: "spoke", Namespace: "default"}
	})
	e.app("near", "near")
	e.until("far", "good", good)
	e.until("near", "good", good)

	if err := spoke.Stop(); err != nil {
		t.Fatal(err)
	}
	e.write("far/a.yaml", strings.ReplaceAll(configMapV1, `"1"`, `"2"`))
	e.write("near/a.yaml", strings.ReplaceAll(strings.ReplaceAll(configMapV1, "settings", "near"), `"1"`, `"2"`))
	e.untilVersion("near", "2")
	e.until("far", "telling that its cluster is down", func(app *v1alpha1.Application) bool {
		return strings.Contains(fmt.Sprint(app.Status.Conditions, app.Status.OperationState), "spoke")
	})

	again := embeddedtest.Start(t, spoke.Options())
	e.until("far", "good after its cluster came back", good)
	client, err := kubernetes.NewForConfig(embeddedtest.Config(t, again))
	if err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		cm, err := client.CoreV1().ConfigMaps("default").Get(ctx, "settings", metav1.GetOptions{})
		if err == nil && cm.Data["version"] != "2" {
			err = errors.New("the change has not arrived")
		}
		return err
	})
}

// describe writes the cluster Secret of a spoke.
func (e *engine) describe(name string, cfg *rest.Config) {
	e.t.Helper()
	err := e.Create(e.t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.namespace, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
		StringData: map[string]string{"name": name, "server": cfg.Host, "config": e.connection(cfg)},
	})
	if err != nil {
		e.t.Fatal(err)
	}
}

// connection is data.config of a cluster Secret.
func (e *engine) connection(cfg *rest.Config) string {
	e.t.Helper()
	encode := base64.StdEncoding.EncodeToString
	tls := map[string]any{"caData": encode(cfg.CAData)}
	if len(cfg.CertData) > 0 {
		tls["certData"], tls["keyData"] = encode(cfg.CertData), encode(cfg.KeyData)
	}
	settings := map[string]any{"tlsClientConfig": tls}
	if p := cfg.ExecProvider; p != nil {
		settings["execProviderConfig"] = map[string]any{"command": p.Command, "args": p.Args, "apiVersion": p.APIVersion}
	} else {
		settings["bearerToken"] = cfg.BearerToken
	}
	config, err := json.Marshal(settings)
	if err != nil {
		e.t.Fatal(err)
	}
	return string(config)
}
