package deletion

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestWayOut(t *testing.T) {
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	refused := func(fix string) *gitops.Problem { return gitops.Problemf(gitops.Refused, "cannot delete it").Do(fix) }
	tests := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"Rights":   {"a fix may name the engine's account, and is no way out", refused("give service account argocd/causeway the right to delete pods"), "right to delete pods; to delete the Application and leave what is left of its objects: causeway delete shop --no-cascade"},
		"Optional": {"what may be left out says how", optional{refused("without its hooks: causeway delete shop --no-hooks")}, "cannot delete it; without its hooks: causeway delete shop --no-hooks"},
		"Pending":  {"so does what is waited for", &expected{refused("confirm it")}, "cannot delete it; confirm it"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := wayOut(app, tc.err).Error(); !strings.HasSuffix(got, tc.want) {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestUnfinalize: a command to copy has no name in it that a shell would run.
func TestUnfinalize(t *testing.T) {
	const without = "take it off metadata.finalizers"
	patch := func(what string) string {
		return "kubectl patch " + what + ` --type=merge -p '{"metadata":{"finalizers":null}}'`
	}
	for name, tc := range map[string]struct {
		key  gitops.Key
		want string
	}{
		"Object":  {gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a.b"}, patch("configmap a.b -n shop")},
		"Role":    {gitops.Key{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "system:shop"}, patch("clusterrole.rbac.authorization.k8s.io system:shop")},
		"Command": {gitops.Key{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "x;reboot"}, without},
		"Flag":    {gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "--all"}, without},
		"Space":   {gitops.Key{Kind: "ConfigMap", Namespace: "shop -A", Name: "a"}, without},
		"Lines":   {gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a\nreboot"}, without},
	} {
		t.Run(name, func(t *testing.T) {
			if got := unfinalize(tc.key); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
