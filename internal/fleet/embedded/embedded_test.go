package embedded_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/test/await"
)

var config *rest.Config

func TestMain(m *testing.M) { os.Exit(embeddedtest.Main(m, &config)) }

func TestConfigHasNoRateLimit(t *testing.T) {
	if config.QPS >= 0 {
		t.Errorf("QPS is %v; a client-side limit would hide what the engine does by itself", config.QPS)
	}
}

func TestNamespaceCanBeUsed(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	if !strings.HasPrefix(namespace, "testnamespacecanbeused-") {
		t.Errorf("namespace %s is not named after the test", namespace)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "one"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "none"}}},
	}
	pods := kubernetes.NewForConfigOrDie(config).CoreV1().Pods(namespace)
	if _, err := pods.Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		got, err := pods.Get(ctx, "one", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if got.Status.Phase != corev1.PodRunning {
			return errors.New("the pod is " + string(got.Status.Phase))
		}
		return nil
	})
}

func TestRestartKeepsTheCluster(t *testing.T) {
	first := embeddedtest.Start(t, embedded.Options{Name: "kept", DataDir: t.TempDir()})
	before := embeddedtest.Config(t, first)
	settings := kubernetes.NewForConfigOrDie(before).CoreV1().ConfigMaps("default")
	want := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}, Data: map[string]string{"a": "b"}}
	if _, err := settings.Create(t.Context(), want, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}

	second := embeddedtest.Restart(t, first)

	if after := embeddedtest.Config(t, second); after.Host != before.Host {
		t.Errorf("the API server moved from %s to %s: kubeconfigs handed out before are void", before.Host, after.Host)
	}
	// The old client, with the old certificate, has to work still.
	got, err := settings.Get(t.Context(), "kept", metav1.GetOptions{})
	if err != nil || got.Data["a"] != "b" {
		t.Errorf("the object is not as it was: %v, %v", got, err)
	}
}

func TestStopLeavesNothing(t *testing.T) {
	c := embeddedtest.Start(t, embedded.Options{})
	kubeconfig := c.Kubeconfig()
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(c.PID(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", c.PID(), err)
	}
	if _, err := os.Stat(filepath.Dir(kubeconfig)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of the kubeconfig is still there: %v", err)
	}
}

func TestDoneTellsOfACrash(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	c, err := embedded.Start(ctx, embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(c.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.Done():
	case <-ctx.Done():
		t.Fatal("nobody noticed that the child was killed")
	}
	if c.Err() == nil || c.Stop() == nil {
		t.Error("a crash counts as an orderly stop")
	}
}
