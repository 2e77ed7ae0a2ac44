package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

const chartPassword = "hunter2-of-charts"

// privateCharts is a repository of charts that lets in whoever has the password.
func privateCharts(t *testing.T) string {
	t.Helper()
	return chartsFor(t, chartPassword)
}

func chartsFor(t *testing.T, password string) string {
	t.Helper()
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	for name, text := range map[string]string{"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "web/templates/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of-the-chart}\n"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, given, _ := r.BasicAuth(); given != password {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		if strings.HasSuffix(r.URL.Path, "index.yaml") {
			fmt.Fprint(w, "entries:\n  web:\n  - version: 1.0.0\n    urls: [web-1.0.0.tgz]\n")
			return
		}
		_, _ = w.Write(archive.Bytes())
	}))
	t.Cleanup(s.Close)
	return s.URL + "/charts"
}

// repositorySecret describes the charts.
func repositorySecret(url, more string) string {
	return "apiVersion: v1\nkind: Secret\nmetadata: {name: charts, labels: {argocd.argoproj.io/secret-type: repository}}\n" + more +
		"stringData: {type: helm, url: '" + url + "', username: me, password: " + chartPassword + "}\n"
}

// TestCredentialsWithoutAHub renders a chart that not everybody may read.
func TestCredentialsWithoutAHub(t *testing.T) {
	url := privateCharts(t)
	application := file(t, "app.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec:\n  project: default\n"+
		"  source: {repoURL: '"+url+"', chart: web, targetRevision: 1.0.0}\n  destination: {name: dev, namespace: web}\n")
	helm := file(t, "repositories.yaml", "repositories:\n- {name: ours, url: '"+url+"', username: me, password: "+chartPassword+"}\n")
	encoded := base64.StdEncoding.EncodeToString([]byte(repositorySecret(url, "")))
	tests := map[string]struct {
		reason      string
		credentials string
		ci          string
		code        int
		says        string
	}{
		"Default":   {"a person is signed in already", "", "", command.ExitFine, "of-the-chart"},
		"User":      {"so is a job that says so", "user", "true", command.ExitFine, "of-the-chart"},
		"NoJob":     {"a variable that says that it is none", "", "false", command.ExitFine, "of-the-chart"},
		"Zero":      {"in another way", "", "0", command.ExitFine, "of-the-chart"},
		"Job":       {"a job looks at what others propose", "", "true", command.ExitFailed, "--credentials: user"},
		"None":      {"nothing may sign in", "none", "", command.ExitFailed, "--credentials: user"},
		"File":      {"a file of Secrets", file(t, "s.yaml", "kind: Other\n---\n"+repositorySecret(url, "")), "true", command.ExitFine, "of-the-chart"},
		"List":      {"as kubectl prints several", file(t, "s.json", `{"kind": "List", "items": [{"kind": "Secret", "metadata": {"name": "s", "labels": {"argocd.argoproj.io/secret-type": "repo-creds"}}, "stringData": {"url": "`+url+`", "password": "`+chartPassword+`"}}]}`), "true", command.ExitFine, "of-the-chart"},
		"Elsewhere": {"Secrets of other repositories", file(t, "s.yaml", repositorySecret("https://charts.example.com", "")), "", command.ExitFailed, "add its repository Secret"},
		"Missing":   {"a name that is none of them", "usr", "", command.ExitUsage, "context:NAME"},
		"Empty":     {"a file without any", file(t, "s.yaml", "kind: Other\n"), "", command.ExitFailed, "label the Secrets, or name the file or folder that has them"},
		"Null":      {"a file that is none", os.DevNull, "", command.ExitFailed, "label the Secrets"},
		"Encrypted": {"what SOPS wrote", file(t, "s.yaml", repositorySecret(url, "sops: {version: 3}\n")), "", command.ExitFailed, "encrypted by SOPS"},
		"Broken":    {"data that is not encoded", file(t, "s.yaml", repositorySecret(url, "data: {password: "+chartPassword+"}\n")), "", command.ExitFailed, "Secret charts"},
		"Shape":     {"data that is no text", file(t, "s.yaml", repositorySecret(url, "data: {password: ["+chartPassword+"]}\n")), "", command.ExitFailed, "Secret charts"},
		"Hosts":     {"hosts to believe that are no text", file(t, "s.yaml", repositorySecret(url, "")+"---\n{kind: ConfigMap, metadata: {name: argocd-tls-certs-cm}, data: {a: [b]}}\n"), "", command.ExitFailed, "argocd-tls-certs-cm"},
		"NoYAML":    {"a file that is no YAML", file(t, "s.yaml", "a: ["+encoded), "", command.ExitFailed, "correct the YAML"},
		"Wrong":     {"a Secret that says nothing", file(t, "s.yaml", repositorySecret("--x", "")), "", command.ExitFailed, "s.yaml:1); correct the key"},
		"Context":   {"a context that is not there", "context:nowhere", "", command.ExitUsage, "--credentials context:nowhere"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CI", tc.ci)
			t.Setenv("HELM_REPOSITORY_CONFIG", helm)
			args := []string{"render", "--file", application}
			if tc.credentials != "" {
				args = append(args, "--credentials="+tc.credentials)
			}
			got := invoke(t, args...)
			if got.code != tc.code || !strings.Contains(got.out+got.errors, tc.says) {
				t.Errorf("%s: code %d, want %d and %q\n%s%s", tc.reason, got.code, tc.code, tc.says, got.out, got.errors)
			}
			if strings.Contains(got.out+got.errors, chartPassword) || strings.Contains(got.errors, encoded) {
				t.Errorf("%s: the password is printed: %s%s", tc.reason, got.out, got.errors)
			}
		})
	}
}

// TestCredentialsThatCannotBeMeant: what says nothing, or is not used, is
// refused before anything is looked at.
func TestCredentialsThatCannotBeMeant(t *testing.T) {
	tests := map[string]struct {
		reason, says string
		args         []string
	}{
		"Empty":   {"a variable that is not set", "write user, none, context:NAME", []string{"lint", "--credentials", ""}},
		"Context": {"a context without a name", "it names no context", []string{"preview", "--credentials", "context:"}},
		"Render":  {"the hub has its own", "add --file", []string{"render", "shop", "--credentials", "bogus"}},
		"APIs":    {"a cluster tells its own", "add --file", []string{"render", "shop", "--api-versions", "x/v1"}},
		"Bridge":  {"the hub has its own", "add --repo", []string{"bridge", "dev", "--credentials", "none"}},
		"Value":   {"the hub has its own", "add --repo", []string{"why", "value", "shop", "--credentials", "none"}},
		"Values":  {"the hub has its own", "add --repo", []string{"why", "shop", "--values", "--no-fetch"}},
		"Both":    {"one value or all", "leave one of them out", []string{"why", "shop", "--values", "--value", "image.tag"}},
		"Why":     {"the hub has its own", "add --repo", []string{"why", "shop", "--credentials", "none"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := invoke(t, tc.args...); got.code != command.ExitUsage || !strings.Contains(got.errors, tc.says) {
				t.Errorf("%s: exit %d: %s", tc.reason, got.code, got.errors)
			}
		})
	}
}

// TestCredentialsOfAHub takes the repository Secrets of a context.
func TestCredentialsOfAHub(t *testing.T) {
	url := privateCharts(t)
	plane := sharedPlane(t)
	config := embeddedtest.Config(t, plane)
	namespace := embeddedtest.Namespace(t, config)
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]map[string]string{"charts": {"type": "helm", "url": url, "password": chartPassword}, "broken": {"url": "--x"}} {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepository}}, StringData: data}
		embeddedtest.Eventually(t, func(ctx context.Context) error {
			_, err := clients.CoreV1().Secrets(namespace).Create(ctx, s, metav1.CreateOptions{})
			return err
		})
	}
	kubeconfig, err := clientcmd.LoadFromFile(plane.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	repo := offlineRepository(t)
	got := invoke(t, "mirror", "--repo", repo, "--clusters", repo+"/clusters", "--cache-dir", t.TempDir(), "--to", t.TempDir(), "--kubeconfig", plane.Kubeconfig(), "-n", namespace,
		"--credentials", "context:"+kubeconfig.CurrentContext, "--mirror", "https://charts.example.com="+t.TempDir())
	if !strings.Contains(got.errors, namespace+"/broken") || strings.Contains(got.errors, chartPassword) {
		t.Errorf("a Secret that says nothing is not told of: %s", got.errors)
	}
	application := file(t, "app.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec:\n  project: default\n"+
		"  source: {repoURL: '"+url+"', chart: web, targetRevision: 1.0.0}\n  destination: {name: dev, namespace: web}\n")
	got = invoke(t, "render", "--file", application, "--kubeconfig", plane.Kubeconfig(), "-n", namespace, "--credentials", "context:"+kubeconfig.CurrentContext)
	if got.code != command.ExitFine || !strings.Contains(got.out, "of-the-chart") {
		t.Errorf("code %d: %s", got.code, got.errors)
	}
}
