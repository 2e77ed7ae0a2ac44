package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Accounts set their passwords; their sessions end with them, when somebody
// ends them, and when the key of sessions is another one.
func TestAPIAccounts(t *testing.T) {
	s := serveSite(t, nil)
	hash, err := password.New("the first of ann")
	if err != nil {
		t.Fatal(err)
	}
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: s.Namespace, Name: name} }
	secret := &corev1.Secret{ObjectMeta: meta(account.Secret), StringData: map[string]string{"accounts.ann.password": hash.Text()}}
	for _, o := range []client.Object{&corev1.ConfigMap{ObjectMeta: meta(v1alpha1.SettingsName), Data: map[string]string{"accounts.ann": "login, apiKey", "accounts.ci": "apiKey"}}, secret} {
		if err := s.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	ann, other, admin := s.visitor(""), s.visitor(""), s.visitor("")
	heard := &overheard{}
	ann.client.Transport, admin.client.Transport = heard, heard
	first, second := api.Credentials{Username: "ann", Password: "the first of ann"}, api.Credentials{Username: "ann", Password: "the second of ann"}
	ann.wants(t, http.StatusOK, http.MethodPost, "/session", first, nil)
	other.wants(t, http.StatusOK, http.MethodPost, "/session", first, nil)
	admin.signIn(t)
	sees(t, ann, "/accounts", func(all *[]api.Account) error {
		if len(*all) != 1 || !(*all)[0].Own || !(*all)[0].Password || strings.Join((*all)[0].Capabilities, " ") != "login apiKey" {
			return fmt.Errorf("ann sees %+v", *all)
		}
		return nil
	})
	sees(t, admin, "/accounts", func(all *[]api.Account) error {
		if len(*all) != 3 || (*all)[2].Name != "ci" || len((*all)[2].May) != 1 {
			return fmt.Errorf("admin sees %+v", *all)
		}
		return nil
	})
	sees(t, admin, "/audit/place", func(p *api.AuditPlace) error {
		if !strings.HasSuffix(p.Where, "history.db") || p.Hours != 365*24 || p.Bytes != 1<<30 {
			return fmt.Errorf("the audit is at %+v", *p)
		}
		return nil
	})

	ann.wants(t, http.StatusUnprocessableEntity, http.MethodPut, "/accounts/ann/password", api.NewPassword{Current: first.Password, Password: "short"}, nil)
	ann.wants(t, http.StatusNotFound, http.MethodPut, "/accounts/admin/password", api.NewPassword{Current: first.Password, Password: second.Password}, nil)
	admin.wants(t, http.StatusUnprocessableEntity, http.MethodPut, "/accounts/ci/password", api.NewPassword{Current: adminPassword, Password: second.Password}, nil)
	ann.wants(t, http.StatusOK, http.MethodPut, "/accounts/ann/password", api.NewPassword{Current: first.Password, Password: second.Password}, nil)
	ann.wants(t, http.StatusOK, http.MethodGet, "/accounts", nil, nil) // the session is a new one
	other.wants(t, http.StatusUnauthorized, http.MethodPost, "/session", first, nil)
	other.wants(t, http.StatusOK, http.MethodPost, "/session", second, nil)
	audited(t, admin, "verb=set%20password&outcome=allowed", "the password of ann", func(e *audit.Entry) bool { return e.Who.Name == "ann" && e.Name == "ann" })

	admin.wants(t, http.StatusNoContent, http.MethodDelete, "/accounts/ann/sessions", nil, nil)
	other.wants(t, http.StatusUnauthorized, http.MethodGet, "/accounts", nil, nil)
	ann.wants(t, http.StatusUnauthorized, http.MethodGet, "/accounts", nil, nil)
	ann.wants(t, http.StatusOK, http.MethodPost, "/session", second, nil)
	ann.wants(t, http.StatusOK, http.MethodGet, "/accounts", nil, nil)

	if err := s.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
		t.Fatal(err)
	}
	secret.StringData = map[string]string{"server.secretkey": strings.Repeat("another key ", 4)}
	if err := s.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		code, err := ann.do(ctx, http.MethodGet, "/accounts", nil, nil)
		if err == nil && code != http.StatusUnauthorized {
			err = fmt.Errorf("a session of the key before is answered with %d", code)
		}
		return err
	})
	ann.wants(t, http.StatusOK, http.MethodPost, "/session", second, nil)
	if code, err := ann.do(t.Context(), http.MethodGet, "/accounts", nil, nil); err != nil || code != http.StatusOK {
		t.Errorf("one of the key of now: %d, %v", code, err)
	}
	if err := s.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
		t.Fatal(err)
	}
	heard.hears(t, string(secret.Data["accounts.ann.password"]), first.Password, second.Password)
}
