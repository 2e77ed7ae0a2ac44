package install

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// served is what a hub says of a group's version: the kinds, by their names in addresses.
func served(groupVersion string, kinds map[string]string) metav1.APIResourceList {
	out := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: groupVersion}
	for name, kind := range kinds {
		out.APIResources = append(out.APIResources, metav1.APIResource{Name: name, Kind: kind, Namespaced: true, Verbs: metav1.Verbs{"get", "list"}})
	}
	return out
}

// vacant is the kubeconfig of a hub that has the API types, some Secrets, and nothing else.
func vacant(t *testing.T, secrets string) string {
	t.Helper()
	var groups metav1.APIGroupList
	groups.Kind, groups.APIVersion = "APIGroupList", "v1"
	for _, name := range []string{"apps/v1", "argoproj.io/v1alpha1"} {
		group, version, _ := strings.Cut(name, "/")
		at := metav1.GroupVersionForDiscovery{GroupVersion: name, Version: version}
		groups.Groups = append(groups.Groups, metav1.APIGroup{Name: group, Versions: []metav1.GroupVersionForDiscovery{at}, PreferredVersion: at})
	}
	list := func(items string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(w, `{"items": [%s]}`, items) }
	}
	d := clitest.NewDesk(t, map[string]any{
		"GET /api": metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions", APIVersion: "v1"}, Versions: []string{"v1"}}, "GET /apis": groups,
		"GET /api/v1": served("v1", map[string]string{"secrets": "Secret", "configmaps": "ConfigMap"}), "GET /apis/apps/v1": served("apps/v1", map[string]string{"deployments": "Deployment", "statefulsets": "StatefulSet"}),
		"GET /apis/argoproj.io/v1alpha1": served("argoproj.io/v1alpha1", map[string]string{"applications": "Application", "applicationsets": "ApplicationSet", "appprojects": "AppProject"}),
		"GET /version":                   map[string]string{"major": "1", "minor": "34", "gitVersion": "v1.34.1"},
		"GET /":                          list(""), "GET /api/v1/namespaces/team/secrets": list(secrets),
		"GET /api/v1/namespaces/team/configmaps/": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprintf(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "details": {"name": %q}}`, path.Base(r.URL.Path))
		},
	})
	return d.Kubeconfig(t)
}

// TestWhereNoArgoCDIs nothing can be taken over: whoever looks in the wrong namespace is told, and not that all is the same.
func TestWhereNoArgoCDIs(t *testing.T) {
	for _, args := range []string{"argocd", "argocd -o json", "argocd --apply", "argocd --apply --allow-changes"} {
		got := clitest.Run(t, NewImport, append(strings.Fields(args), "--kubeconfig", vacant(t, ""), "-n", "team")...)
		got.Says(t, args, command.ExitFailed, "there is no Argo CD in namespace team; name its namespace with --namespace")
		if got.Out != "" {
			t.Errorf("%s: nothing is there, and %q is printed", args, got.Out)
		}
	}
}

// TestAFleetIsExportedWithoutWhoIsSilent: the file is complete but for its API versions, it has no credentials, and the
// warning is beside it.
func TestAFleetIsExportedWithoutWhoIsSilent(t *testing.T) {
	const silent = `{"metadata": {"name": "eu", "namespace": "team", "labels": {"argocd.argoproj.io/secret-type": "cluster", "environment": "prod"}},
"data": {"name": "ZXU=", "server": "aHR0cHM6Ly8xMjcuMC4wLjE6MQ==", "config": "eyJiZWFyZXJUb2tlbiI6Imh1bnRlcjIifQ=="}}`
	got := clitest.Run(t, NewExport, "fleet", "--kubeconfig", vacant(t, silent), "-n", "team")
	got.Says(t, "a cluster that is down holds nobody up", command.ExitFine, "warning: ", "; its API versions are left out\n")
	for _, want := range []string{"eu", "https://127.0.0.1:1", "environment: prod"} {
		if !strings.Contains(got.Out, want) {
			t.Errorf("%q is not in\n%s", want, got.Out)
		}
	}
	if strings.Contains(got.Out+got.Errors, "hunter2") || strings.Contains(got.Out, "warning") {
		t.Errorf("it is to be committed:\n%s%s", got.Out, got.Errors)
	}
}
