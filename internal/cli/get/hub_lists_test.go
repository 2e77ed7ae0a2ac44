package get

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/version"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
)

const (
	kubeApps    = "GET /apis/argoproj.io/v1alpha1/namespaces/argocd/applications"
	kubeSecrets = "GET /api/v1/namespaces/argocd/secrets"
)

// secretOf is one of the fleet's Secrets.
func secretOf(kind, name string, data map[string]string) corev1.Secret {
	s := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name, Labels: map[string]string{v1alpha1.LabelSecretType: kind, "name": name}}, Data: map[string][]byte{}}
	for key, value := range data {
		s.Data[key] = []byte(value)
	}
	return s
}

// appOf is an application on a server, with these sources.
func appOf(name, server string, sources ...v1alpha1.ApplicationSource) v1alpha1.Application {
	app := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name}}
	app.Spec.Project, app.Spec.Destination.Server, app.Spec.Sources = "web", server, sources
	return app
}

// listed is a hub of these applications and Secrets, and what else it is asked.
func listed(t *testing.T, apps []v1alpha1.Application, secrets []corev1.Secret, more map[string]any) string {
	t.Helper()
	routes := map[string]any{
		kubeApps: v1alpha1.ApplicationList{Items: apps}, "GET /version": version.Info{GitVersion: "v1.36.3"}, "GET /api/v1/namespaces/argocd/configmaps/{name}": corev1.ConfigMap{},
		"GET /api/v1/namespaces/argocd/services": corev1.ServiceList{},
		kubeSecrets: func(w http.ResponseWriter, r *http.Request) {
			var some corev1.SecretList
			selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
			for i := range secrets {
				if err == nil && selector.Matches(labels.Set(secrets[i].Labels)) {
					some.Items = append(some.Items, secrets[i])
				}
			}
			if err := json.NewEncoder(w).Encode(some); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		},
	}
	maps.Copy(routes, more)
	return clitest.NewDesk(t, routes).Kubeconfig(t)
}

// clusterSecrets are those of the hub, one that refuses, one that is not there, one that nobody can read, and two that have one server.
func clusterSecrets(t *testing.T) []corev1.Secret {
	t.Helper()
	closed := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(closed.Close)
	const insecure = `{"bearerToken":"x","tlsClientConfig":{"insecure":true}}`
	made := func(name, server, config string) corev1.Secret {
		return secretOf(v1alpha1.SecretTypeCluster, "s-"+name, map[string]string{"name": name, "server": server, "config": config, "project": map[string]string{"away": "data"}[name]})
	}
	return []corev1.Secret{
		made("here", gitops.HubServer, "{}"), made("closed", closed.URL, insecure), made("away", "https://127.0.0.1:1", insecure), made("broken", "https://broken:6443", "{"),
		made("twin-b", "https://127.0.0.1:2", insecure), made("twin-a", "https://127.0.0.1:2", insecure),
	}
}

// TestClustersOfAHub answer whoever asks, or tell why not; the engine's own view stands beside that where it can be asked.
func TestClustersOfAHub(t *testing.T) {
	secrets := clusterSecrets(t)
	apps := []v1alpha1.Application{appOf("a", gitops.HubServer), appOf("b", "https://127.0.0.1:1"), appOf("c", "https://127.0.0.1:2")}
	engine := map[string]any{
		"GET /api/v1/namespaces/argocd/services": corev1.ServiceList{Items: []corev1.Service{{ObjectMeta: metav1.ObjectMeta{Name: "causeway"}}}}, kubeSecrets + "/" + chronicle.Secret: corev1.Secret{},
		"GET /api/v1/namespaces/argocd/services/{name}/proxy/" + strings.Trim(clusters.Path, "/"): []clusters.Health{{Secret: "s-away", Reachable: true, Paused: true}},
	}
	cases := map[string]struct {
		reason, args string
		more         map[string]any
		want         []string
		not          string
	}{
		"hub":         {"it answers by the connection that it is asked by", "clusters here", nil, []string{"here  -            reachable  1     0       0        0       https://kubernetes.default.svc\n"}, "away"},
		"refused":     {"it is there, and lets nobody in", "clusters closed", nil, []string{"closed  -            refused"}, ""},
		"away":        {"it is not there", "clusters away -o wide", nil, []string{"away  -            unreachable  1 ", "s-away  data     0         -        -        -       https://127.0.0.1:1\n"}, ""},
		"invalid":     {"what is wrong stands where its address would", "clusters broken", nil, []string{"broken  -            invalid", "config"}, "https://broken"},
		"clash":       {"two of one server are told of both, and counted once", "clusters twin-a twin-b -o wide", nil, []string{`https://127.0.0.1:2; 2 cluster Secrets have the server "https://127.0.0.1:2": s-twin-a, s-twin-b; `, "twin-a  -            unreachable  1 ", "twin-b  -            unreachable  0 "}, ""},
		"one of two":  {"a clash is one, whichever of them is asked for", "clusters -l name=s-twin-b", nil, []string{"https://127.0.0.1:2; 2 cluster Sec"}, "here"},
		"project":     {"those of a project", "clusters --project data -o name", nil, []string{"cluster/away\n"}, "here"},
		"engine":      {"it sees what the asking person cannot, and knows who is left alone", "clusters away here -o wide", engine, []string{"unreachable, paused", "reachable  https://127.0.0.1:1\n", "-          https://kubernetes.default.svc\n"}, ""},
		"two in apps": {"an application is on the first of two that have its server", "apps c", nil, []string{"c     twin-a"}, "twin-b"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t, New, append(strings.Fields(c.args), "--kubeconfig", listed(t, apps, secrets, c.more))...)
			got.Says(t, c.reason, command.ExitFine, c.want...)
			if c.not != "" && strings.Contains(got.Out, c.not) {
				t.Errorf("%s: it prints\n%s", c.reason, got.Out)
			}
		})
	}
}

// TestRepositoriesOfAHub: those of Secrets and templates, and those that applications use besides.
func TestRepositoriesOfAHub(t *testing.T) {
	secrets := []corev1.Secret{
		secretOf(v1alpha1.SecretTypeRepository, "s-shop", map[string]string{"url": " https://git.example.com/shop\n", "sshPrivateKey": "hunter2", "project": "web"}),
		secretOf(v1alpha1.SecretTypeRepoCreds, "s-all", map[string]string{"url": "https://git.example.com", "bearerToken": "hunter2"}),
		secretOf(v1alpha1.SecretTypeRepository, "s-charts", map[string]string{"url": "https://charts.example.com", "type": "helm"}), secretOf("other", "s-other", map[string]string{"url": "https://other"}),
	}
	shop := v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/shop", Path: "a"}
	apps := []v1alpha1.Application{
		appOf("two-sources", gitops.HubServer, shop, v1alpha1.ApplicationSource{RepoURL: shop.RepoURL, Path: "b"}, v1alpha1.ApplicationSource{}), appOf("other", gitops.HubServer, shop),
		appOf("untold", gitops.HubServer, v1alpha1.ApplicationSource{RepoURL: "https://more.example.com", Chart: "web"}, v1alpha1.ApplicationSource{RepoURL: "oci://registry.example.com/web", Chart: "web"}, v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/untold"}),
	}
	cases := map[string]struct{ reason, args, want string }{
		"all": {"by address, once, and an application counts once for each", "repos -o wide", `URL                             TYPE  APPS  CREDENTIALS  PROJECT  SECRET    MIRROR
https://charts.example.com      helm  0     -            -        s-charts  -
https://git.example.com         git   0     yes          -        s-all     -
https://git.example.com/shop    git   2     yes          web      s-shop    -
https://git.example.com/untold  git   1     -            -        -         -
https://more.example.com        helm  1     -            -        -         -
oci://registry.example.com/web  oci   1     -            -        -         -
`},
		"project": {"those of a project alone", "repos --project web -o name", "repository/https://git.example.com/shop\n"},
		"labels":  {"of Secrets; what is used has none", "repos -l name=s-all -o name", "repository/https://git.example.com\nrepository/https://git.example.com/shop\nrepository/https://git.example.com/untold\nrepository/https://more.example.com\nrepository/oci://registry.example.com/web\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t, New, append(strings.Fields(c.args), "--kubeconfig", listed(t, apps, secrets, nil))...)
			if got.Code != command.ExitFine || got.Out != c.want {
				t.Errorf("%s: exit %d %s\n%s", c.reason, got.Code, got.Errors, got.Out)
			}
		})
	}
}

// TestWindowsOfAHub are those of the application's project, in the words of the engine.
func TestWindowsOfAHub(t *testing.T) {
	app := appOf("shop", gitops.HubServer)
	window := func(kind string) *v1alpha1.SyncWindow {
		return &v1alpha1.SyncWindow{Kind: kind, Schedule: "* * * * *", Duration: "1h", Applications: []string{"sh*"}, TimeZone: map[string]string{"allow": "Europe/Berlin"}[kind]}
	}
	cases := map[string]struct {
		reason  string
		windows v1alpha1.SyncWindows
		want    []string
	}{
		"none":    {"nothing keeps it", nil, []string{"automated sync: now\nmanual sync:    now\nno sync window of project web concerns shop\n"}},
		"denied":  {"and when it is over is not known", v1alpha1.SyncWindows{window("deny")}, []string{"deny  ", "UTC ", " yes "}},
		"allowed": {"times are those of a place", v1alpha1.SyncWindows{window("allow")}, []string{"automated sync: now\n", "Europe/Berlin  yes "}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			project := v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "web"}, Spec: v1alpha1.AppProjectSpec{SyncWindows: c.windows}}
			at := listed(t, nil, nil, map[string]any{kubeApps + "/shop": app, "GET /apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects/web": project, "GET /apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects": v1alpha1.AppProjectList{Items: []v1alpha1.AppProject{project}}})
			clitest.Run(t, NewWindows, "shop", "--kubeconfig", at).Says(t, c.reason, command.ExitFine, c.want...)
		})
	}
}
