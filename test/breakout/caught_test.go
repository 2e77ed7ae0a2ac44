package breakout

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// caught has touches on the victim that the judge must see: without it, silence proves nothing.
func (b *bed) caught(t *testing.T) {
	as := rest.CopyConfig(b.engine)
	as.Impersonate.UserName = blueAccount
	engine, asBlue, admin := kubernetes.NewForConfigOrDie(b.engine), kubernetes.NewForConfigOrDie(as), kubernetes.NewForConfigOrDie(b.hub)
	rehearsed := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	tests := map[string]struct {
		reason string
		touch  func() error
		want   string
	}{
		"Write": {"a write as the engine, though nothing comes of it", func() error {
			_, err := engine.CoreV1().ConfigMaps(blueNS).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, rehearsed)
			return err
		}, "create /api/v1/namespaces/blue/configmaps"},
		"ClusterScoped": {"a write of what has no namespace", func() error {
			_, err := engine.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, rehearsed)
			return err
		}, "create /api/v1/namespaces"},
		"Itself": {"a write in red's namespace that is not as red's account", func() error {
			_, err := engine.CoreV1().ConfigMaps(redNS).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, rehearsed)
			return err
		}, "create /api/v1/namespaces/red/configmaps"},
		"Read": {"one Secret of blue's is read", func() error {
			_, err := engine.CoreV1().Secrets(blueNS).Get(t.Context(), "private", metav1.GetOptions{})
			return err
		}, "get /api/v1/namespaces/blue/secrets/private"},
		"List": {"the Secrets of blue's namespace are read", func() error {
			_, err := engine.CoreV1().Secrets(blueNS).List(t.Context(), metav1.ListOptions{})
			return err
		}, "list /api/v1/namespaces/blue/secrets"},
		"Impersonated": {"the engine acts as blue's account, be it in red's namespace", func() error {
			_, err := asBlue.CoreV1().ConfigMaps(redNS).List(t.Context(), metav1.ListOptions{})
			return err
		}, "as " + blueAccount},
		"Changed": {"somebody else changes what blue has", func() error {
			_, err := admin.CoreV1().ConfigMaps(blueNS).Patch(t.Context(), "by-hand", "application/merge-patch+json", []byte(`{"data": {"version": "2"}}`), metav1.PatchOptions{})
			return err
		}, "what blue has is another"},
		"Asked": {"blue's repository is asked", func() error {
			resp, err := http.Get(b.blue.URL + "/blue.git/info/refs")
			if err == nil {
				err = resp.Body.Close()
			}
			return err
		}, "blue's repository was asked to GET /blue.git/info/refs"},
		"Program": {"a program that red names is run", func() error { return exec.Command(b.trap).Run() }, "a program ran"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			b.requests(t)
			had := b.has(t)
			if err := tc.touch(); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(b.judge(t, had, nil, func(string) bool { return true }), "\n"); !strings.Contains(got, tc.want) {
				t.Errorf("%s, and the judge says %q", tc.reason, got)
			}
		})
	}
}
