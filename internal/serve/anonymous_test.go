package serve_test

import (
	"fmt"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Pages open for who has not signed in where the settings let them read
// something, and for nobody where they let them in to nothing.
func TestPagesOpenWithoutSigningIn(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	s.App("app", "app", manual)
	at, nobody := "/applications/"+s.Namespace+"/"+s.ID("app"), s.visitor("")
	opens := func(want bool) {
		t.Helper()
		sees(t, nobody, "/session", func(is *api.Session) error {
			if is.Open != want || is.User != nil || !is.SignIns.Password {
				return fmt.Errorf("open is %t, want %t: %+v", is.Open, want, is)
			}
			return nil
		})
	}
	opens(false)
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: s.Namespace, Name: name} }
	s.Make(&corev1.ConfigMap{ObjectMeta: meta(v1alpha1.SettingsName), Data: map[string]string{v1alpha1.SettingAnonymous: "true"}})
	nobody.wants(t, http.StatusOK, http.MethodGet, "/applications", nil, nil)
	opens(false)
	s.Make(&corev1.ConfigMap{ObjectMeta: meta(rbac.ConfigMap), Data: map[string]string{"policy.default": "role:readonly"}})
	opens(true)
	nobody.wants(t, http.StatusOK, http.MethodGet, at, nil, nil)
	nobody.wants(t, http.StatusForbidden, http.MethodPost, at+"/sync", api.Sync{}, nil)
	admin := s.visitor("")
	admin.signIn(t)
	sees(t, admin, "/session", func(is *api.Session) error {
		if is.Open || is.User == nil {
			return fmt.Errorf("who has signed in is told %+v", is)
		}
		return nil
	})
}
