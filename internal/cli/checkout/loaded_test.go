package checkout

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
)

const clusterSecret = "apiVersion: v1\nkind: Secret\nmetadata: {name: dev, labels: {argocd.argoproj.io/secret-type: cluster}}\nstringData: {name: dev, server: 'https://dev:6443'}\n"

// TestSecretsThatAreToChange are read before anything is compared: what has none would compare as no change at all.
func TestSecretsThatAreToChange(t *testing.T) {
	s := clitest.NewStranger(t)
	s.Write(s.Home, map[string]string{"dev.yaml": clusterSecret, "two.yaml": clusterSecret + "---\n" + strings.ReplaceAll(clusterSecret, "dev", "prod"), "none.yaml": "kind: ConfigMap\n"})
	s.Link(filepath.Join(s.Home, "dev.yaml"), filepath.Join(s.Dir, "dev.yaml"))
	cases := map[string]struct {
		reason  string
		changes []string
		count   int
		err     string
	}{
		"one":     {"as it will be", []string{s.Home + "/dev.yaml"}, 1, ""},
		"several": {"of one file or of more", []string{s.Home + "/two.yaml", s.Home + "/dev.yaml"}, 3, ""},
		"none":    {"it is told which label they have", []string{s.Home + "/dev.yaml", s.Home + "/none.yaml"}, 0, "none.yaml: it has no Secret with the label argocd.argoproj.io/secret-type: cluster"},
		"missing": {"or is not there", []string{s.Home + "/nowhere.yaml"}, 0, "cannot read --secret-change: "},
		"link":    {"a link of the checkout chooses nothing", []string{s.Dir + "/dev.yaml"}, 0, "cannot read --secret-change: "},
	}
	for name, c := range cases {
		o, opened := &Flags{Global: &command.Global{}, Repo: s.Dir, Changes: c.changes}, &Checkout{clusters: offline.Clusters{Facts: roster.Builtin("1.36.0")}}
		err := o.complete(t.Context(), opened)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) || err == nil && len(opened.changes) != c.count {
			t.Errorf("%s: %s: %d, %v", name, c.reason, len(opened.changes), err)
		}
		if err != nil && strings.Contains(err.Error(), "dev:6443") {
			t.Errorf("%s: the error tells what is there: %v", name, err)
		}
	}
}

// TestClustersThatAreNoFile are a context, and it is told that both were looked for.
func TestClustersThatAreNoFile(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	o := &Flags{Global: &command.Global{StateDir: t.TempDir()}, Repo: t.TempDir(), Clusters: "prdo"}
	err := o.complete(t.Context(), &Checkout{})
	if err == nil || !strings.HasPrefix(err.Error(), "cannot use --clusters prdo: there is no such file, and no context of the kubeconfig that works: ") {
		t.Error(err)
	}
	if o.Context != "" {
		t.Error("the context of all that follows is another one")
	}
}

// TestWhatAFleetFileSaysBesides its mirrors: the namespace, unless a flag does, and that it is to be written anew.
func TestWhatAFleetFileSaysBesides(t *testing.T) {
	s := clitest.NewStranger(t)
	fleet := strings.Replace(clitest.FleetOfOne, "spec:\n", "spec:\n  namespace: gitops\n", 1)
	s.Write(s.Dir, map[string]string{"causeway.yaml": fleet, "former.yaml": strings.Replace(fleet, local.APIVersion, local.FormerAPIVersion, 1), "secrets.yaml": clusterSecret})
	cases := map[string]struct{ reason, clusters, flag, namespace, says string }{
		"file":    {"that of the fleet", "causeway.yaml", "", "gitops", ""},
		"flag":    {"a word of the person counts", "causeway.yaml", "team", "", ""},
		"former":  {"it is read all the same", "former.yaml", "", "gitops", "warning: "},
		"secrets": {"another file says nothing of it", "secrets.yaml", "", "", ""},
		"folder":  {"nor does a folder", "charts", "", "", ""},
		"nowhere": {"what is not there may be a context", "nowhere.yaml", "", "", ""},
	}
	for name, c := range cases {
		var errs bytes.Buffer
		o := &Flags{Global: &command.Global{Namespace: c.flag, Streams: command.Streams{Err: &errs}}, Repo: s.Dir, Clusters: filepath.Join(s.Dir, c.clusters)}
		cfg := &offline.Config{RepoURLs: map[string]string{}}
		if err := o.fleetFile(cfg); err != nil || cfg.Namespace != c.namespace || (c.says == "") != (errs.Len() == 0) || !strings.HasPrefix(errs.String(), c.says) {
			t.Errorf("%s: %s: namespace %q, it says %q, %v", name, c.reason, cfg.Namespace, errs.String(), err)
		}
	}
}

// TestSecretsOfRepositories are read from a file or folder of the person, and no link of a checkout leads to others.
func TestSecretsOfRepositories(t *testing.T) {
	s := clitest.NewStranger(t)
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: r, labels: {argocd.argoproj.io/secret-type: repository}}\nstringData: {url: 'https://git.example.com/a', password: " + clitest.MachineSecret + "}\n"
	s.Write(s.Home, map[string]string{"secrets/r.yaml": secret, "none/c.yaml": clusterSecret})
	s.Link(filepath.Join(s.Home, "secrets"), filepath.Join(s.Dir, "secrets"))
	cases := map[string]struct{ reason, said, advice, err string }{
		"folder": {reason: "the Secrets in it", said: s.Home + "/secrets", advice: "correct or add its repository Secret in " + s.Home + "/secrets"},
		"file":   {reason: "those of a file", said: s.Home + "/secrets/r.yaml", advice: "correct or add its repository Secret in "},
		"none":   {reason: "others open nothing", said: s.Home + "/none", err: "cannot use --credentials: "},
		"link":   {reason: "who wrote the checkout would choose them", said: s.Dir + "/secrets", err: "cannot use --credentials: "},
	}
	for name, c := range cases {
		got, err := Credentials(t.Context(), &command.Global{}, CredentialsFlag(c.said))
		if (err == nil) != (c.err == "") || err != nil && (!strings.HasPrefix(err.Error(), c.err) || strings.Contains(err.Error(), clitest.MachineSecret)) {
			t.Errorf("%s: %s: %v", name, c.reason, err)
		}
		if !strings.HasPrefix(got.Advice, c.advice) || got.Logins {
			t.Errorf("%s: %s: %q, logins %v", name, c.reason, got.Advice, got.Logins)
		}
	}
}

// TestPluginsAreOfThePerson: their commands run here, so no link of a checkout leads to one. Other files are none.
func TestPluginsAreOfThePerson(t *testing.T) {
	s := clitest.NewStranger(t)
	s.Write(s.Home, map[string]string{"plugin.yaml": "x"})
	for name, refused := range map[string]bool{"a.yaml": true, "a.yml": true, "README.md": false} {
		dir := filepath.Join(s.Dir, "plugins-"+name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s.Link(filepath.Join(s.Home, "plugin.yaml"), filepath.Join(dir, name))
		err := (&RenderingFlags{pluginDir: dir}).steady()
		if (err != nil) != refused || err != nil && !strings.HasPrefix(err.Error(), "cannot use --plugin-dir: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.Link(s.Home, filepath.Join(s.Dir, "plugins"))
	if err := (&RenderingFlags{pluginDir: filepath.Join(s.Dir, "plugins")}).steady(); err == nil {
		t.Error("a folder that a link leads to is taken")
	}
	if err := (&RenderingFlags{pluginDir: s.Home, keyFile: filepath.Join(s.Home, "token")}).steady(); err != nil {
		t.Errorf("the person's own: %v", err)
	}
}

// TestWhereThingsAreKept: where the person says, or in the user's cache, beside what else is there.
func TestWhereThingsAreKept(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/home/ann/.cache")
	t.Setenv("HOME", "/home/ann")
	for named, want := range map[string]string{"": filepath.Join("causeway", "preview"), "/tmp/x": "/tmp/x"} {
		if got := (&Flags{cacheDir: named}).cacheFolder(); !strings.HasSuffix(got, want) {
			t.Errorf("%q is %s", named, got)
		}
	}
	for cache, want := range map[string]string{"": "", "/tmp/x": filepath.Join("/tmp/x", "renderings")} {
		if got, err := (&RenderingFlags{}).Load(cache); err != nil || got.StoreDir != want {
			t.Errorf("renderings of %q are in %q, %v", cache, got.StoreDir, err)
		}
	}
}
