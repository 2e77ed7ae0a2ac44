package embeddedtest

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// namePart is how much of the test's name goes into the namespace's: 63 characters less the generated end.
const namePart = 50

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// Namespace makes a namespace for a test, named after it, and returns its name. It is deleted when the test ends, but
// not waited for: the cluster goes away with the package.
func Namespace(t testing.TB, config *rest.Config) string {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatalf("cannot make a client: %v", err)
	}
	wanted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: prefix(t.Name())}}
	made, err := client.CoreV1().Namespaces().Create(t.Context(), wanted, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("cannot make a namespace for the test: %v", err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		release(ctx, t, config, made.Name)
		if err := client.CoreV1().Namespaces().Delete(ctx, made.Name, metav1.DeleteOptions{}); err != nil {
			t.Logf("cannot delete namespace %s: %v", made.Name, err)
		}
	})
	// Until its service account is there, pods are turned away.
	Eventually(t, func(ctx context.Context) error {
		_, err := client.CoreV1().ServiceAccounts(made.Name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	return made.Name
}

var applications = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}

// release takes the finalizers off Applications, which no engine is left for: the control plane would try to delete
// their namespace for as long as it lives, and a hundred of those take all of a machine.
func release(ctx context.Context, t testing.TB, config *rest.Config, namespace string) {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Logf("cannot make a client: %v", err)
		return
	}
	left, err := client.Resource(applications).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return // a control plane without Applications, or none any more
	}
	for _, a := range left.Items {
		if len(a.GetFinalizers()) == 0 {
			continue
		}
		_, err := client.Resource(applications).Namespace(namespace).Patch(ctx, a.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		if err != nil {
			t.Logf("cannot release Application %s: %v", a.GetName(), err)
		}
	}
}

func prefix(test string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(test), "-"), "-")
	if len(name) > namePart {
		name = strings.TrimRight(name[:namePart], "-")
	}
	return name + "-"
}
