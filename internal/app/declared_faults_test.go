package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// declaredAddon is the addon of one embedded cluster that Git declares.
const declaredAddon = "{apiVersion: v1, kind: ConfigMap, metadata: {name: addon}, data: {version: '1'}}\n"

// startDeclared declares the cluster dev in Git, and waits until the addon is on it.
func startDeclared(t *testing.T) (e *engine, data string, stop func(), addon *corev1.ConfigMap) {
	t.Helper()
	e, data = prepare(t, hubConfig, map[string]string{"addon/cm.yaml": declaredAddon, "clusters/note.yaml": configMapV1}), t.TempDir()
	e.write("clusters/clusters.yaml", e.declares("dev"))
	e.adjust = func(c *Config) { c.Embedded = EmbeddedClusters{Dir: data, Most: 1} }
	stop = e.restart()
	if err := e.Create(t.Context(), e.addonSet()); err != nil {
		t.Fatal(err)
	}
	e.app("clusters", "clusters")
	e.clusterUntil("dev", "ready", isReady)
	return e, data, stop, e.untilAddon("dev")
}

// controlPlane finds the process that runs from a folder of data; 0 while there is none.
func controlPlane(t *testing.T, data string) int {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		if slices.Contains(strings.Split(string(text), "\x00"), "--data-dir="+data) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	return 0
}

// TestDeclaredClusterIsKilled kills the control plane of a Cluster without a
// word: it comes back at the same address with the same data, its Application
// stays the same one, and follows Git again.
func TestDeclaredClusterIsKilled(t *testing.T) {
	e, data, _, addon := startDeclared(t)
	name := types.NamespacedName{Namespace: e.namespace, Name: e.namespace + "-dev"}
	before, server := &v1alpha1.Application{}, e.clusterUntil("dev", "ready", isReady).Status.Server
	if err := e.Get(t.Context(), name, before); err != nil {
		t.Fatal(err)
	}
	pid := controlPlane(t, filepath.Join(data, "dev"))
	if pid == 0 {
		t.Fatal("no process runs the cluster")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	e.write("addon/cm.yaml", strings.Replace(declaredAddon, "'1'", "'2'", 1))
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if now := controlPlane(t, filepath.Join(data, "dev")); now == 0 || now == pid {
			return errors.New("the control plane has not been started again")
		}
		cm, err := e.inCluster("dev").CoreV1().ConfigMaps("default").Get(ctx, "addon", metav1.GetOptions{})
		if err == nil && (cm.Data["version"] != "2" || cm.UID != addon.UID) {
			err = fmt.Errorf("the addon has version %s, and is the same object: %t", cm.Data["version"], cm.UID == addon.UID)
		}
		return err
	})
	if c := e.clusterUntil("dev", "ready again", isReady); c.Status.Server != server {
		t.Errorf("the cluster moved from %s to %s", server, c.Status.Server)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		app := &v1alpha1.Application{}
		err := e.Get(ctx, name, app)
		if err == nil && (app.UID != before.UID || !good(app) || len(app.Status.Conditions) > 0) {
			err = fmt.Errorf("the application is the same: %t; its status is %+v", app.UID == before.UID, app.Status)
		}
		return err
	})
	e.until("clusters", "good again", good)
}

// TestRestartWhileAClusterDrains takes a Cluster out of Git with an Application
// on it whose object is held, and starts the engine anew: the cluster is brought
// back for the object to leave it, and goes after it.
func TestRestartWhileAClusterDrains(t *testing.T) {
	e, data, stop, addon := startDeclared(t)
	hold := func(finalizers string) {
		t.Helper()
		patch := []byte(`{"metadata": {"finalizers": ` + finalizers + `}}`)
		if _, err := e.inCluster("dev").CoreV1().ConfigMaps("default").Patch(t.Context(), "addon", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	hold(`["example.com/hold"]`)
	e.remove("clusters/clusters.yaml")
	draining := func(c *causeway.Cluster) bool {
		return c.Status.Phase == causeway.ClusterDraining && clusterSays(causeway.ConditionDeletable, "ApplicationsLeft", e.namespace+"-dev")(c)
	}
	e.clusterUntil("dev", "draining", draining)
	leaving := func(ctx context.Context) error {
		cm, err := e.inCluster("dev").CoreV1().ConfigMaps("default").Get(ctx, "addon", metav1.GetOptions{})
		if err == nil && (cm.DeletionTimestamp == nil || cm.UID != addon.UID) {
			err = errors.New("the addon is not being deleted, or is another one")
		}
		return err
	}
	embeddedtest.Eventually(t, leaving)

	stop()
	if pid := controlPlane(t, filepath.Join(data, "dev")); pid != 0 {
		t.Fatalf("the control plane %d outlives its engine", pid)
	}
	e.restart()
	embeddedtest.Eventually(t, leaving) // the new engine has looked: it started the cluster
	e.clusterUntil("dev", "draining still", draining)
	secret := e.secret("dev")
	app := &v1alpha1.Application{}
	if err := e.Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: e.namespace + "-dev"}, app); err != nil || !secret.DeletionTimestamp.IsZero() {
		t.Errorf("the Application (%v) or the Secret did not wait for the object on the cluster", err)
	}
	hold("null")
	e.untilAway(app, app.Name)
	e.untilAway(&causeway.Cluster{}, "dev")
	e.untilAway(secret, "dev")
	if _, err := os.Stat(filepath.Join(data, "dev")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data of the cluster is still there: %v", err)
	}
	e.until("clusters", "good without it", good)
}
