package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// signsIn makes an account with the rights of a policy, before the site starts;
// what comes back signs in.
func (s *site) signsIn(name, policy string) func(*testing.T) *visitor {
	hash, err := password.New(name + "'s password")
	if err != nil {
		s.T.Fatal(err)
	}
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: s.Namespace, Name: name} }
	s.Make(&corev1.ConfigMap{ObjectMeta: meta(v1alpha1.SettingsName), Data: map[string]string{"accounts." + name: "login"}})
	s.Make(&corev1.Secret{ObjectMeta: meta(account.Secret), StringData: map[string]string{"accounts." + name + ".password": hash.Text()}})
	s.Make(&corev1.ConfigMap{ObjectMeta: meta(rbac.ConfigMap), Data: map[string]string{"policy.csv": policy}})
	return func(t *testing.T) *visitor {
		t.Helper()
		v := s.visitor("")
		v.wants(t, http.StatusOK, http.MethodPost, "/session", api.Credentials{Username: name, Password: name + "'s password"}, nil)
		return v
	}
}

// TestClusterOfAnotherProjectIsNotTold has somebody with rights in one project name
// the cluster of another one as a destination.
func TestClusterOfAnotherProjectIsNotTold(t *testing.T) {
	s := prepareSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	far, server := s.ID("vault"), newWire(t, s.Hub).url
	s.Make(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "far", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "environment": "acquisition"}},
		StringData: map[string]string{"name": far, "server": server, "config": connection(t, s.Hub), "project": "theirs"},
	})
	ours := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "ours"}}
	ours.Spec.SourceRepos, ours.Spec.Destinations = []string{"*"}, []v1alpha1.ApplicationDestination{{Server: "https://kubernetes.default.svc", Namespace: "*"}}
	s.Make(ours)
	signIn := s.signsIn("mallory", "p, mallory, applications, *, ours/*, allow\np, mallory, clusters, *, ours/*, allow\n")
	s.start()
	m := signIn(t)
	for name, dest := range map[string]v1alpha1.ApplicationDestination{"by-server": {Server: server}, "by-name": {Name: far}} {
		s.App(name, "app", func(a *v1alpha1.Application) {
			a.Spec.Project, a.Spec.Destination = "ours", dest
			a.Spec.Destination.Namespace = s.Namespace
		})
		var whole api.Application
		embeddedtest.Eventually(t, func(ctx context.Context) error {
			_, err := m.do(ctx, http.MethodGet, "/applications/"+s.Namespace+"/"+s.ID(name), nil, &whole)
			if err == nil && len(whole.Conditions) == 0 {
				err = errors.New("it has no condition yet")
			}
			return err
		})
		asked := dest.Name + dest.Server
		if whole.Row.Cluster != asked || !strings.Contains(whole.Conditions[0].Message, "of cluster "+asked+`: project "ours" does not permit it`) {
			t.Errorf("%s: the cluster is %q: %+v", name, whole.Row.Cluster, whole.Conditions)
		}
		if text := fmt.Sprintf("%+v", whole); dest.Name == "" && strings.Contains(text, far) {
			t.Errorf("%s: its name is told: %s", name, text)
		}
	}
	var environments json.RawMessage
	m.wants(t, http.StatusOK, http.MethodGet, "/environments", nil, &environments)
	if strings.Contains(string(environments), "acquisition") {
		t.Errorf("the label of their cluster is told: %s", environments)
	}
	guess := func(name, server string) string {
		wish := api.MemberWish{MemberFields: api.MemberFields{Name: name, Server: server, Project: "ours"}}
		m.wants(t, http.StatusUnprocessableEntity, http.MethodPost, "/clusters", wish, nil)
		return m.refusal
	}
	if byName, byServer := guess(far, "https://unused.example.com"), guess("unused", server); byName != byServer || strings.Contains(byName, "another cluster has") {
		t.Errorf("a guess of its name is told %q, and one of its address %q", byName, byServer)
	}
	ours.Spec.Destinations = append(ours.Spec.Destinations, v1alpha1.ApplicationDestination{Server: server, Namespace: "*"})
	if err := s.Update(t.Context(), ours); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		var whole api.Application
		_, err := m.do(ctx, http.MethodGet, "/applications/"+s.Namespace+"/"+s.ID("by-server"), nil, &whole)
		if err == nil && whole.Row.Cluster != far {
			err = fmt.Errorf("what the project permits is told: %q", whole.Row.Cluster)
		}
		return err
	})
}
