package secretfleet

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// slow is an API server that lists no StatefulSets for as long as it is busy, but for the first one.
type slow struct {
	http.RoundTripper

	busy *atomic.Bool
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if !s.busy.Load() || r.URL.Path != "/apis/apps/v1/statefulsets" || r.URL.Query().Get("limit") == "1" {
		return s.RoundTripper.RoundTrip(r)
	}
	w := httptest.NewRecorder()
	http.Error(w, "busy", http.StatusGatewayTimeout)
	return w.Result(), nil
}

// TestCachesThatFillLate: restarts begin when caches are filled, however long that takes, and what they wait for is said once.
// Secrets are made meanwhile.
func TestCachesThatFillLate(t *testing.T) {
	c, namespace := newClient(t), embeddedtest.Namespace(t, config)
	f, log := newFleet(t)
	f.Member.filled, f.Member.pause, f.Member.Quiet = 3*time.Second, 10*time.Millisecond, time.Second
	busy := &atomic.Bool{}
	busy.Store(true)
	to := rest.CopyConfig(config)
	to.Wrap(func(next http.RoundTripper) http.RoundTripper { return slow{next, busy} })
	f.Set(t.Context(), "one", "one", 1, to)
	embeddedtest.Eventually(t, served(c))
	name := wants(t, c, namespace, "made")
	embeddedtest.Eventually(t, made(c, name))
	const told = "level=WARN msg=\"workloads are not restarted when Secrets change"
	embeddedtest.Eventually(t, log.says(told))
	busy.Store(false)

	tags := map[string]string{"app": "uses"}
	uses := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "uses", Annotations: map[string]string{esv1.AnnotationRestart: "true"}},
		Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: tags}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: tags},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i", EnvFrom: []corev1.EnvFromSource{{
				SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name.Name}},
			}}}}},
		}},
	}
	if err := c.Create(t.Context(), uses); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(uses), uses); err != nil || uses.Status.AvailableReplicas != 1 {
			return errors.Join(err, errors.New("it does not run"))
		}
		return nil
	})
	store := &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "s"}}
	other := `{"spec":{"provider":{"fake":{"data":[{"key":"k","value":"w"}]}}}}`
	again := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name.Name}}
	for object, patch := range map[client.Object]string{store: other, again: `{"spec":{"refreshInterval":"1s"}}`} {
		if err := c.Patch(t.Context(), object, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
			t.Fatal(err)
		}
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(uses), uses); err != nil || uses.Spec.Template.Annotations["secrets.causeway.io/restarted-for"] == "" {
			return errors.Join(err, errors.New("it is not restarted"))
		}
		return nil
	})
	log.mu.Lock()
	defer log.mu.Unlock()
	if n := strings.Count(log.text.String(), told); n != 1 {
		t.Errorf("it was said %d times:\n%s", n, log.text.String())
	}
}
