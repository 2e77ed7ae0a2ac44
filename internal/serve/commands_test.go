package serve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// terminal runs commands against one site: by its hub's kubeconfig, or by its server.
type terminal struct {
	site             *site
	kubeconfig, past string
}

// said is what a command printed, and how it ended.
type said struct {
	Out, Errors string
	Code        int
}

func run(ctx context.Context, in string, args ...string) said {
	var out, errs bytes.Buffer
	code := cli.Run(ctx, "test", args, command.Streams{In: strings.NewReader(in), Out: &out, Err: &errs})
	return said{out.String(), errs.String(), code}
}

func (c *terminal) byHub(ctx context.Context, args ...string) said {
	return run(ctx, "", append(args, "--kubeconfig", c.kubeconfig, "-n", c.site.Namespace)...)
}

func (c *terminal) byServer(ctx context.Context, args ...string) said {
	return run(ctx, "", append(args, "--server", c.site.url, "-n", c.site.Namespace)...)
}

// newTerminal starts a site that has something of everything, and signs in.
func newTerminal(t *testing.T) *terminal {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{
		"KUBECONFIG": "", "HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"), "CAUSEWAY_STATE_DIR": home, "CAUSEWAY_TOKEN": "", "CAUSEWAY_SERVER": "",
	} {
		t.Setenv(name, value)
	}
	cache := t.TempDir()
	c := &terminal{
		site: serveSite(t, map[string]string{
			"app/a.yaml": fmt.Sprintf(pageObjects, "red"), "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "chart/values.yaml": "replicas: 2\npassword: hunter2\n",
			"chart/templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: chart}\ndata: {replicas: '{{ .Values.replicas }}'}\n",
		}, func(cfg *app.Config) { cfg.CacheDir = cache }),
		kubeconfig: filepath.Join(home, "hub.kubeconfig"), past: filepath.Join(cache, chronicle.File),
	}
	c.writeKubeconfig(t)
	c.fill(t)
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if got := run(ctx, adminPassword+"\n", "login", c.site.url); got.Code != 0 {
			return errors.New(got.Errors)
		}
		return nil
	})
	return c
}

func (c *terminal) writeKubeconfig(t *testing.T) {
	t.Helper()
	hub := c.site.Hub
	config := clientcmdapi.NewConfig()
	config.Clusters["hub"] = &clientcmdapi.Cluster{Server: hub.Host, CertificateAuthorityData: hub.CAData, CertificateAuthority: hub.CAFile, InsecureSkipTLSVerify: hub.Insecure}
	config.AuthInfos["hub"] = &clientcmdapi.AuthInfo{
		Token: hub.BearerToken, ClientCertificateData: hub.CertData, ClientKeyData: hub.KeyData, ClientCertificate: hub.CertFile, ClientKey: hub.KeyFile,
	}
	config.Contexts["hub"] = &clientcmdapi.Context{Cluster: "hub", AuthInfo: "hub"}
	config.CurrentContext = "hub"
	if err := clientcmd.WriteToFile(*config, c.kubeconfig); err != nil {
		t.Fatal(err)
	}
}

// fill makes Applications, a set, a project, repositories, a cluster that does
// not answer, an object of nobody, and an account of another project.
func (c *terminal) fill(t *testing.T) {
	t.Helper()
	s := c.site
	hash, err := password.New("ann's password")
	if err != nil {
		t.Fatal(err)
	}
	meta := func(name string, labels map[string]string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: s.Namespace, Name: name, Labels: labels}
	}
	project := &v1alpha1.AppProject{ObjectMeta: meta("team", nil), Spec: v1alpha1.AppProjectSpec{
		Description: "those who make it", SourceRepos: []string{"*"}, Destinations: []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}},
		OrphanedResources: &v1alpha1.OrphanedResourcesMonitorSettings{}, SyncWindows: v1alpha1.SyncWindows{{Kind: "deny", Schedule: "0 0 1 1 *", Duration: "1h", Applications: []string{"*"}}},
	}}
	cluster := &corev1.Secret{ObjectMeta: meta("dev", map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "environment": "dev"}), StringData: map[string]string{
		"name": "dev", "server": "https://127.0.0.1:1/dev", "config": "{}",
	}}
	cluster.Annotations = map[string]string{"region": "eu"}
	set := &v1alpha1.ApplicationSet{}
	text := fmt.Sprintf(`
metadata: {name: webs, namespace: %[1]s}
spec:
  generators: [{clusters: {selector: {matchLabels: {environment: dev}}}}]
  template:
    metadata: {name: '%[1]s-{{name}}'}
    spec:
      project: team
      source: {repoURL: '%[2]s', path: app, kustomize: {namePrefix: '{{metadata.annotations.region}}-'}}
      destination: {name: '{{name}}', namespace: default}
`, s.Namespace, apptest.RepoURL)
	if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
		t.Fatal(err)
	}
	for _, o := range []client.Object{
		project, cluster, set,
		&corev1.ConfigMap{ObjectMeta: meta("left", nil)},
		&corev1.Event{
			ObjectMeta: meta("settings", nil), Type: corev1.EventTypeWarning, Reason: "Touched", Message: "somebody wrote here", Count: 2, LastTimestamp: metav1.Now(),
			InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: s.Namespace, Name: "settings"},
		},
		&corev1.Secret{ObjectMeta: meta("repo", map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepository}), StringData: map[string]string{
			"url": "https://git.example.com/team/web.git", "project": "team", "username": "robot", "password": "hunter2",
		}},
		&corev1.ConfigMap{ObjectMeta: meta(v1alpha1.SettingsName, nil), Data: map[string]string{"accounts.ann": "login"}},
		&corev1.Secret{ObjectMeta: meta(account.Secret, nil), StringData: map[string]string{"accounts.ann.password": hash.Text()}},
		&corev1.ConfigMap{ObjectMeta: meta(rbac.ConfigMap, nil), Data: map[string]string{"policy.csv": "p, ann, applications, get, elsewhere/*, allow\n"}},
	} {
		if err := s.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	ofTeam := func(a *v1alpha1.Application) { a.Spec.Project = "team"; a.Spec.SyncPolicy = nil }
	s.App("app", "app", ofTeam)
	s.App("chart", "chart", ofTeam)
}

// Commands by a server, at one installation.
func TestCommandsByServer(t *testing.T) {
	c := newTerminal(t)
	t.Run("print the same", func(t *testing.T) { printTheSame(t, c) })
	t.Run("wait for a look", func(t *testing.T) { waitsForALook(t, c) })
	t.Run("show what one may read", func(t *testing.T) { showWhatOneMayRead(t, c) })
}

// silentSince is when somebody saw a cluster not answer: a command by the hub asks it anew.
var silentSince = regexp.MustCompile(`since [0-9-]+T[0-9:]+Z`)

// printTheSame: what a command prints by a server is what it prints by the hub.
func printTheSame(t *testing.T, c *terminal) {
	s, name := c.site, c.site.ID("app")
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if got := c.byServer(ctx, "sync", name); got.Code != 0 {
			return errors.New(got.Errors)
		}
		return nil
	})
	s.Write("app/a.yaml", fmt.Sprintf(pageObjects, "blue"))
	s.Until("app", "seen with the new colour", func(a *v1alpha1.Application) bool {
		return a.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync && a.Status.OperationState != nil && a.Status.OperationState.Phase.Completed()
	})
	mirror := []string{"--mirror", apptest.RepoURL + "=" + s.Folder}
	past := []string{"--history-file", c.past}
	cases := map[string]struct {
		args    []string
		local   []string // what only the hub is told
		outputs []string
		has     string
	}{
		"applications": {[]string{"get", "apps"}, nil, []string{"table", "wide", "json", "yaml", "name"}, name},
		"one":          {[]string{"get", "app", name}, nil, []string{"table", "json"}, name},
		"sets":         {[]string{"get", "appsets"}, nil, []string{"table", "wide", "json", "yaml", "name"}, "webs"},
		"projects":     {[]string{"get", "projects"}, nil, []string{"table", "json", "yaml", "name"}, "team"},
		"repositories": {[]string{"get", "repos"}, nil, []string{"table", "wide", "json", "yaml", "name"}, "git.example.com"},
		// The hub is in a server's list alone, and how fast they answer each asks by itself.
		"clusters":      {[]string{"get", "clusters", "--selector", "environment=dev"}, nil, []string{"table", "name"}, "dev"},
		"tree":          {[]string{"tree", name}, nil, []string{"table", "json", "yaml"}, "settings"},
		"diff":          {[]string{"diff", name}, mirror, []string{"diff", "table", "json", "yaml", "name"}, "settings"},
		"windows":       {[]string{"windows", name}, nil, []string{"table", "json", "yaml"}, "0 0 1 1 *"},
		"orphans":       {[]string{"orphans", name}, nil, []string{"table", "json", "yaml"}, "left"},
		"history":       {[]string{"history", name}, past, []string{"table", "json", "yaml"}, "admin"},
		"trace":         {[]string{"trace", name}, past, []string{"table", "json", "yaml"}, "admin"},
		"why":           {[]string{"why", name}, nil, nil, "synced on demand only"},
		"why an object": {[]string{"why", name + "/ConfigMap/settings"}, append(mirror, past...), nil, `is red, should be blue`},
		"why no object": {[]string{"why", name + "/ConfigMap/setings"}, append(mirror, past...), nil, "Error: application " + name + " has no object"},
		"events":        {[]string{"events", name}, nil, []string{"table", "wide", "json", "yaml"}, "Normal"},
		"of an object":  {[]string{"events", name, "ConfigMap/settings"}, nil, []string{"table", "json", "yaml"}, "somebody wrote here"},
		"of no object":  {[]string{"events", name, "ConfigMap/setings"}, nil, nil, "did you mean"},
		"values":        {[]string{"why", "value", s.ID("chart")}, mirror, []string{"table", "json", "yaml"}, "replicas"},
		"no value":      {[]string{"why", "value", s.ID("chart"), "replica"}, mirror, nil, `did you mean "replicas"`},
		"a value":       {[]string{"why", s.ID("chart"), "--value", "replicas"}, mirror, []string{"table", "json", "yaml"}, "replicas"},
		"a field":       {[]string{"why", s.ID("chart"), "--value", "ConfigMap/chart:data.replicas"}, mirror, []string{"table", "json", "yaml"}, "templates/a.yaml"},
		"a key":         {[]string{"why", "dev/region"}, mirror, []string{"table", "json"}, "namePrefix"},
		"no key":        {[]string{"why", "dev/regoin"}, mirror, nil, "did you mean"},
		"bridge":        {[]string{"bridge"}, mirror, []string{"table", "json", "yaml"}, "dev"},
		"its cluster":   {[]string{"bridge", "dev"}, mirror, []string{"table", "json", "yaml"}, "region"},
		"no cluster":    {[]string{"bridge", "deb"}, mirror, nil, `did you mean "dev"`},
		"no rollout":    {[]string{"rollout", "pause", "webs"}, nil, nil, "there is no roll-out to hold"},
		"actions":       {[]string{"actions", "list", name}, nil, []string{"table", "json", "yaml"}, ""},
		"audit":         {[]string{"audit", "list", "--verb", "sync"}, past, []string{"table", "json", "yaml"}, "sync"},
		"wait":          {[]string{"wait", name, "--for", "operation"}, nil, []string{"table", "wide"}, "reached"},
		"wait, no app":  {[]string{"wait", s.ID("ap")}, nil, nil, "did you mean"},
		"chain":         {[]string{"audit", "verify"}, past, []string{"table", "json", "yaml"}, "entr"},
		"no app":        {[]string{"tree", s.ID("ap")}, nil, nil, "did you mean"},
	}
	for label, tc := range cases {
		outputs := tc.outputs
		if outputs == nil {
			outputs = []string{""}
		}
		for _, output := range outputs {
			t.Run(strings.TrimSuffix(label+" "+output, " "), func(t *testing.T) {
				args := tc.args
				if output != "" {
					args = append(append([]string{}, args...), "-o", output)
				}
				embeddedtest.Eventually(t, func(ctx context.Context) error { // ages go on between them
					server := c.byServer(ctx, args...) // which tells the audit that somebody verifies it
					hub := c.byHub(ctx, append(append([]string{}, args...), tc.local...)...)
					hub.Out, server.Out = silentSince.ReplaceAllString(hub.Out, "since"), silentSince.ReplaceAllString(server.Out, "since")
					if d := cmp.Diff(hub, server); d != "" {
						return fmt.Errorf("causeway %s (-hub +server):\n%s", strings.Join(args, " "), d)
					}
					if !strings.Contains(hub.Out+hub.Errors, tc.has) || strings.Contains(hub.Out, "hunter2") {
						return fmt.Errorf("causeway %s prints %s%s", strings.Join(args, " "), hub.Out, hub.Errors)
					}
					return nil
				})
			})
		}
	}
}

// waitsForALook: what a server answers is from after the look that was asked for, though it answers from a cache.
func waitsForALook(t *testing.T, c *terminal) {
	s, name := c.site, c.site.ID("app")
	s.Write("app/a.yaml", fmt.Sprintf(pageObjects, "green"))
	got := c.byServer(t.Context(), "wait", name, "--refresh", "--for", "synced", "--timeout", "5s")
	if got.Code != 5 || !strings.Contains(got.Out, "OutOfSync") {
		t.Errorf("a wait that nothing fulfils: %+v", got)
	}
	if got := c.byServer(t.Context(), "sync", name, "--async"); got.Code != 0 {
		t.Fatalf("%+v", got)
	}
	got = c.byServer(t.Context(), "wait", name, "--for", "synced,operation")
	if got.Code != 0 || !strings.Contains(got.Out, "reached") {
		t.Errorf("the sync is waited for: %+v", got)
	}
	if got := c.byServer(t.Context(), "get", "app", name, "--refresh"); got.Code != 0 || !strings.Contains(got.Out, "Synced") {
		t.Errorf("after another look: %+v", got)
	}
}

// showWhatOneMayRead: who has another project sees none of this one, and a token of nobody is told so.
func showWhatOneMayRead(t *testing.T, c *terminal) {
	name := c.site.ID("app")
	var token api.Token
	c.site.visitor("").wants(t, http.StatusOK, http.MethodPost, "/session", api.Credentials{Username: "ann", Password: "ann's password"}, &token)
	t.Setenv("CAUSEWAY_TOKEN", token.Token)
	for _, args := range [][]string{{"get", "apps"}, {"get", "appsets"}, {"get", "projects"}, {"get", "repos"}, {"get", "clusters"}, {"bridge"}, {"audit", "list"}} {
		if got := c.byServer(t.Context(), args...); strings.Contains(got.Out, name) || strings.Contains(got.Out, "webs") || strings.Contains(got.Out, "team") || strings.Contains(got.Out, "dev ") {
			t.Errorf("causeway %v shows ann %s", args, got.Out)
		}
	}
	for _, args := range [][]string{
		{"get", "app", name}, {"tree", name}, {"diff", name}, {"windows", name}, {"orphans", name}, {"history", name}, {"trace", name}, {"why", name}, {"why", name + "/ConfigMap/settings"},
		{"why", "value", name}, {"actions", "list", name}, {"bridge", "dev"}, {"sync", name}, {"wait", name}, {"events", name}, {"logs", name},
	} {
		if got := c.byServer(t.Context(), args...); got.Code == 0 || !strings.Contains(got.Errors, "there is no ") || strings.Contains(got.Errors, "did you mean") {
			t.Errorf("causeway %v tells ann %+v", args, got)
		}
	}
	t.Setenv("CAUSEWAY_TOKEN", "wrong")
	for _, args := range [][]string{{"get", "apps"}, {"get", "repos"}, {"tree", name}, {"why", name}, {"windows", name}, {"bridge"}, {"audit", "list"}} {
		got := c.byServer(t.Context(), args...)
		if got.Code != 1 || !strings.HasPrefix(got.Errors, "Error: "+c.site.url+" does not take the token: ") || !strings.HasSuffix(got.Errors, "; run causeway login "+c.site.url+"\n") {
			t.Errorf("causeway %v with a token of nobody: %+v", args, got)
		}
	}
}
