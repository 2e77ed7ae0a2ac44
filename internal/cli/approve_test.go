package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// actingAs is a kubeconfig with which the hub takes an administrator for somebody else.
func actingAs(t *testing.T, kubeconfig, name string) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range config.AuthInfos {
		user.Impersonate, user.ImpersonateGroups = name, []string{"system:masters"}
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestApproveCluster approves what would go with a Cluster: the Applications
// on it that nobody else makes.
func TestApproveCluster(t *testing.T) {
	plane := sharedPlane(t)
	config := embeddedtest.Config(t, plane)
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), causeway.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	hub, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	namespace := embeddedtest.Namespace(t, config)
	create := func(o client.Object) {
		t.Helper()
		o.SetNamespace(namespace)
		embeddedtest.Eventually(t, func(ctx context.Context) error { return hub.Create(ctx, o) })
	}
	for name, destination := range map[string]string{"b": "dev", "a": "dev", "elsewhere": "prod", "child": "dev"} {
		a := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.ApplicationSpec{
			Project: "default", Destination: v1alpha1.ApplicationDestination{Name: destination, Namespace: "default"},
			Source: &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/shop", Path: "."},
		}}
		if name == "child" {
			a.Annotations = map[string]string{gitops.AnnotationTracking: "parent:argoproj.io/Application:" + namespace + "/child"}
		}
		create(a)
	}
	dev := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "dev"}, Spec: causeway.ClusterSpec{Kind: &causeway.KindCluster{}}}
	create(dev)
	t.Setenv("USER", "local")
	as := actingAs(t, plane.Kubeconfig(), "ann@example.com")
	approve := func(args ...string) result {
		return invoke(t, append([]string{"approve", "cluster/dev", "--yes", "--kubeconfig", as, "-n", namespace}, args...)...)
	}
	if got := approve(); got.code != command.ExitFailed || !strings.Contains(got.errors, "no deletion of cluster/dev is held") {
		t.Errorf("nothing is held: %+v", got)
	}
	holds := func(digest string) {
		t.Helper()
		before := dev.DeepCopy()
		dev.Status.Conditions = []metav1.Condition{{
			Type: causeway.ConditionDeletable, Status: metav1.ConditionFalse, Reason: inspect.ReasonHeld, Message: "approve " + digest, LastTransitionTime: metav1.Now(),
		}}
		if err := hub.Status().Patch(t.Context(), dev, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
	holds("ffff")
	if got := approve(); got.code != command.ExitFailed || !strings.Contains(got.errors, "not the list that the engine holds") {
		t.Errorf("the engine sees other applications: %+v", got)
	}
	list := []string{namespace + "/a", namespace + "/b"}
	holds(guard.Digest(list))
	if got := approve("--digest", "0123"); got.code != command.ExitFailed || !strings.Contains(got.errors, "the list has changed") {
		t.Errorf("another list is not approved: %+v", got)
	}
	if got := approve(); got.code != command.ExitFine || !strings.HasPrefix(got.out, strings.Join(list, "\n")+"\n2 deletions, digest ") {
		t.Errorf("got %+v", got)
	}
	if err := hub.Get(t.Context(), client.ObjectKeyFromObject(dev), dev); err != nil {
		t.Fatal(err)
	}
	ok, why := guard.Approves(dev.Annotations[gitops.AnnotationDeletionApproval], guard.Digest(list), time.Now())
	if !ok {
		t.Errorf("the annotation %q does not approve: %s", dev.Annotations[gitops.AnnotationDeletionApproval], why)
	}
	if given, err := guard.ParseApproval(dev.Annotations[gitops.AnnotationDeletionApproval]); err != nil || given.By != "ann@example.com" {
		t.Errorf("it says that %q approves (%v), want the name that the hub knows", given.By, err)
	}
	if got := invoke(t, "approve", "cluster/none", "--kubeconfig", plane.Kubeconfig(), "-n", namespace); got.code != command.ExitFailed || !strings.Contains(got.errors, `is called "none"`) {
		t.Errorf("got %+v", got)
	}
}
