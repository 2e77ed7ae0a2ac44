package app

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	clientset "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/install"
)

// guarded puts a password before a repository.
func (r *remote) guarded(user, password string) string {
	r.t.Helper()
	backend, err := url.Parse(r.url)
	if err != nil {
		r.t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: backend.Scheme, Host: backend.Host})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if u, p, ok := req.BasicAuth(); !ok || u != user || p != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, req)
	}))
	r.t.Cleanup(server.Close)
	return server.URL + backend.Path
}

// TestRefusedCredentials goes from no credentials to wrong ones and right
// ones, which come as a repository Secret: nothing else has to be done.
func TestRefusedCredentials(t *testing.T) {
	r := newRemote(t)
	r.commit("app/a.yaml", configMapV1)
	address := r.guarded("robot", "open sesame")
	e := start(t, nil)
	e.app("app", "app", func(app *v1alpha1.Application) {
		app.Spec.Source.RepoURL, app.Spec.Source.TargetRevision = address, "main"
	})
	refused := func(app *v1alpha1.Application) bool {
		return condition(app, v1alpha1.ApplicationConditionComparisonError) != ""
	}
	text := condition(e.until("app", "refused", refused), v1alpha1.ApplicationConditionComparisonError)
	if !strings.Contains(text, address) || !strings.Contains(text, "Secret") {
		t.Errorf("the condition does not name the repository and what to do: %s", text)
	}
	wrong := "wrong password 4711"
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "repo", Namespace: e.namespace, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepository}},
		StringData: map[string]string{"type": "git", "url": address, "username": "robot", "password": wrong},
	}
	if err := e.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	if text := condition(e.until("app", "refused", refused), v1alpha1.ApplicationConditionComparisonError); strings.Contains(text, wrong) {
		t.Errorf("the condition tells the password: %s", text)
	}
	secret.StringData = map[string]string{"password": "open sesame"}
	if err := e.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	e.until("app", "good with the right password", good)
}

// TestDefinitionsThatAreThereAreKept: a cluster that runs Argo CD keeps its own.
func TestDefinitionsThatAreThereAreKept(t *testing.T) {
	if err := install.Definitions(t.Context(), hubConfig); err != nil {
		t.Fatal(err)
	}
	client, err := clientset.NewForConfig(hubConfig)
	if err != nil {
		t.Fatal(err)
	}
	name := "applications." + v1alpha1.Group
	edit := func(change func(*apiextensionsv1.CustomResourceDefinition)) *apiextensionsv1.CustomResourceDefinition {
		var crd *apiextensionsv1.CustomResourceDefinition
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() (err error) { // the API server writes its status
			if crd, err = client.CustomResourceDefinitions().Get(t.Context(), name, metav1.GetOptions{}); err != nil {
				return err
			}
			change(crd)
			crd, err = client.CustomResourceDefinitions().Update(t.Context(), crd, metav1.UpdateOptions{})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return crd
	}
	theirs := edit(func(crd *apiextensionsv1.CustomResourceDefinition) {
		metav1.SetMetaDataLabel(&crd.ObjectMeta, "app.kubernetes.io/part-of", "somebody-else")
	})
	if err := install.Definitions(t.Context(), hubConfig); err != nil {
		t.Fatal(err)
	}
	now, err := client.CustomResourceDefinitions().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if now.Labels["app.kubernetes.io/part-of"] != "somebody-else" || now.Generation != theirs.Generation {
		t.Error("a definition that was there has been changed")
	}
}

// TestHostsToBelieve reads the ConfigMaps as Argo CD's users have them.
func TestHostsToBelieve(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	for name, data := range map[string]map[string]string{
		hub.KnownHostsMap: {hub.KnownHostsKey: "git.example.com ssh-ed25519 AAAA"},
		hub.TLSCertsMap:   {"git.example.com": "a certificate"},
	} {
		err := e.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.namespace}, Data: data})
		if err != nil {
			t.Fatal(err)
		}
	}
	stop := e.restart()
	e.write("app/a.yaml", configMapV1)
	e.app("app", "app")
	e.until("app", "good", good)
	stop()
	if e.trust.KnownHosts == "" || e.trust.CAs["git.example.com"] == "" {
		t.Errorf("the ConfigMaps were not read: %+v", e.trust)
	}
}
