package embeddedtest

import (
	"context"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// namePart is how much of the test's name goes into the namespace's: 63 characters less the generated end.
const namePart = 50

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// Namespace makes a namespace for a test, named after it, and returns its name. It stays, for the cluster goes away with
// the package: to look for what is in a namespace costs the control plane a request for each kind, several times.
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
	// Until its service account is there, pods are turned away.
	Eventually(t, func(ctx context.Context) error {
		_, err := client.CoreV1().ServiceAccounts(made.Name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	return made.Name
}

func prefix(test string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(test), "-"), "-")
	if len(name) > namePart {
		name = strings.TrimRight(name[:namePart], "-")
	}
	return name + "-"
}
