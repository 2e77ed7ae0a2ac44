package cli

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/source/sshtest"
	"github.com/causeway-gitops/causeway/test/planted"
)

// plantedPlace is a checkout with secrets that reads from private repositories, what opens them, and where commands write.
type plantedPlace struct {
	bed *planted.Bed
	// checkout has the secrets, application is a file beside it.
	checkout, application string
	// credentials and age are files of whoever looks at the checkout.
	credentials, age string
	cache, mirror    string
}

func newPlantedPlace(t *testing.T) *plantedPlace {
	t.Helper()
	bed := &planted.Bed{}
	p := &plantedPlace{bed: bed, checkout: plantedCheckout(t, bed), age: plantedAgeKey(t, bed), cache: t.TempDir(), mirror: t.TempDir()}
	p.plantChart(t)
	p.plantRepositories(t)
	if err := bed.Err(); err != nil {
		t.Fatal(err)
	}
	return p
}

// plantedApplication is one at dev; a chart has a name, and no path.
func plantedApplication(name, source string) string {
	return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: " + name + ", namespace: argocd}\nspec:\n  project: default\n" +
		"  source: {" + source + "}\n  destination: {name: dev, namespace: web}\n---\n"
}

// plantChart has a value that only the Secret it ends up in tells to be one.
func (p *plantedPlace) plantChart(t *testing.T) {
	t.Helper()
	p.write(t, "chart/Chart.yaml", "{apiVersion: v2, name: chart, version: 1.0.0}")
	p.write(t, "chart/values.yaml", "entry: "+p.bed.Text("value of a chart"))
	p.write(t, "chart/templates/secret.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: of-a-chart}\nstringData: {entry: {{ .Values.entry }}}\n")
}

// plantRepositories has one for each way to sign in; the one that a token opens refuses it.
func (p *plantedPlace) plantRepositories(t *testing.T) {
	t.Helper()
	password, token := p.bed.Text("password of charts"), p.bed.Text("token of Git")
	charts := chartsFor(t, password)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.bed.Saw([]byte(strings.Join(r.Header["Authorization"], " ")))
		http.Error(w, "no: "+r.Header.Get("Authorization"), http.StatusForbidden)
	}))
	t.Cleanup(refusing.Close)
	key, public := sshtest.Key(t)
	p.bed.Keep("SSH key", key)
	remote := t.TempDir()
	commitAll(t, remote, map[string]string{"app/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: by-ssh}\n"})
	ssh := (&url.URL{Scheme: "ssh", User: url.User("git"), Host: sshtest.Start(t, public).Addr, Path: remote}).String()

	secret := func(name, data string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: " + name + ", labels: {argocd.argoproj.io/secret-type: repository}}\nstringData:\n" + data + "---\n"
	}
	p.credentials = file(t, "repositories.yaml", secret("charts", "  {type: helm, url: '"+charts+"', username: me, password: "+password+"}\n")+
		secret("token", "  {type: git, url: '"+refusing.URL+"/r', bearerToken: "+token+"}\n")+
		secret("ssh", "  type: git\n  url: '"+ssh+"'\n  insecure: 'true'\n  sshPrivateKey: |\n    "+strings.ReplaceAll(strings.TrimSpace(key), "\n", "\n    ")+"\n"))
	if err := os.Remove(filepath.Join(p.checkout, "db.yaml")); err != nil { // its host is not there
		t.Fatal(err)
	}
	outside := plantedApplication("charts", "repoURL: '"+charts+"', chart: web, targetRevision: 1.0.0") + plantedApplication("ssh", "repoURL: '"+ssh+"', path: app")
	p.write(t, "outside.yaml", plantedApplication("token", "repoURL: '"+refusing.URL+"/r', path: app")+outside+plantedApplication("shop", "repoURL: '"+offlineURL+"', path: chart"))
	p.application = file(t, "apps.yaml", outside+plantedApplication("web", "repoURL: '"+offlineURL+"', path: web")+plantedApplication("shop", "repoURL: '"+offlineURL+"', path: chart"))
	commitAll(t, p.checkout, nil) // a mirror is read at a commit
}

func (p *plantedPlace) write(t *testing.T, name, text string) {
	t.Helper()
	full := filepath.Join(p.checkout, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// commitAll makes a repository of a folder.
func commitAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "one"}} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
}

// look runs a command about the checkout.
func (p *plantedPlace) look(t *testing.T, args ...string) result {
	t.Helper()
	return invoke(t, append(args, "--repo", p.checkout, "--clusters", filepath.Join(p.checkout, "clusters"), "--cache-dir", p.cache,
		"--credentials", p.credentials, "--sops-age-key-file", p.age)...)
}

// Commands that read private repositories for somebody's checkout tell nothing of what opens them, of the key of what SOPS
// encrypted, nor of the checkout's secrets: not on the screen, nor in what they leave on the disk.
func TestPlantedSecretsOfRepositoriesAreNotTold(t *testing.T) {
	p := newPlantedPlace(t)
	// A mirror comes first: it fills the cache and the folder that the others read without a network.
	locked := []string{"--mirror-dir", p.mirror, "--no-fetch"}
	// render is there to print the objects as they are applied, their Secrets and what was decrypted for them included; of
	// what was needed to read them it prints nothing.
	manifests := []string{"data", "stringData", "value of a chart", "what SOPS encrypted"}
	for _, tc := range []struct {
		name string
		run  func(t *testing.T) result
		// has shows that the command had what it does not tell.
		has []string
		// may are the inputs whose secrets may be on standard output: those of the manifests that were asked for.
		may []string
	}{
		{"mirror", func(t *testing.T) result { return p.look(t, "mirror", "--to", p.mirror) }, []string{"chart web", "ssh://git@", "outside.yaml"}, nil},
		{"mirror --frozen", func(t *testing.T) result { return p.look(t, "mirror", "--to", p.mirror, "--frozen") }, []string{"all as locked"}, nil},
		{"mirror --verify", func(t *testing.T) result { return p.look(t, "mirror", "--to", p.mirror, "--verify") }, []string{"all as locked"}, nil},
		{"render", func(t *testing.T) result { return p.render(t, "yaml") }, []string{"of-the-chart", "by-ssh", "planted-stringData-", "marlin-of-sops"}, manifests},
		{"render -o table", func(t *testing.T) result { return p.render(t, "table") }, []string{"of-the-chart", "by-ssh"}, nil},
		{"render of a refused token", func(t *testing.T) result {
			return invoke(t, "render", "--file", filepath.Join(p.checkout, "outside.yaml"), "--mirror", offlineURL+"="+p.checkout, "--credentials", p.credentials)
		}, []string{"application token"}, nil},
		{"lint", func(t *testing.T) result { return p.look(t, append([]string{"lint"}, locked...)...) }, []string{"6 applications"}, nil},
		{"why of a key", func(t *testing.T) result {
			return p.look(t, append([]string{"why", "dev/annotations.region"}, locked...)...)
		}, []string{"region"}, nil},
		{"why of a field", func(t *testing.T) result {
			return p.look(t, append([]string{"why", "shop", "--value", "Secret/of-a-chart:stringData.entry"}, locked...)...)
		}, []string{"entry"}, nil},
		{"why of a field of a manifest", func(t *testing.T) result {
			return p.look(t, append([]string{"why", "web-dev", "--value", "Secret/planted:data.a", "-o", "json"}, locked...)...)
		}, []string{"data.a"}, nil},
		{"why of a decrypted field", func(t *testing.T) result {
			return p.look(t, append([]string{"why", "web-dev", "--value", "ConfigMap/settings:data.password"}, locked...)...)
		}, []string{"data.password is [masked]", "web/sealed.yaml"}, nil},
		{"why of a Helm value", func(t *testing.T) result {
			return p.look(t, append([]string{"why", "shop", "--value", "entry", "-o", "wide"}, locked...)...)
		}, []string{"entry"}, nil},
		{"why --values", func(t *testing.T) result {
			return p.look(t, append([]string{"why", "shop", "--values", "-o", "yaml"}, locked...)...)
		}, []string{"entry"}, nil},
		{"bridge", func(t *testing.T) result { return p.look(t, append([]string{"bridge"}, locked...)...) }, []string{"dev"}, nil},
		{"bridge of a cluster", func(t *testing.T) result {
			return p.look(t, append([]string{"bridge", "dev", "-o", "json"}, locked...)...)
		}, []string{"region"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.run(t)
			for _, part := range tc.has {
				if !strings.Contains(got.out+got.errors, part) {
					t.Errorf("%s is not in what it prints: %d %s%s", part, got.code, got.out, got.errors)
				}
			}
			for _, found := range p.bed.Find([]byte(got.out)) {
				if !slices.Contains(tc.may, found.Input) {
					t.Errorf("it prints %v", found)
				}
			}
			for _, found := range p.bed.Find([]byte(got.errors)) {
				t.Errorf("on standard error it prints %v", found)
			}
		})
	}
	if slices.Contains(p.bed.Unused(), "token of Git") {
		t.Error("the host that refuses a token was never sent it")
	}
	// The cache may have what a repository has in the clear, as Git's own objects there do.
	looksBelow(t, p.bed, p.cache, "data", "stringData", "value of a chart")
	looksBelow(t, p.bed, p.mirror)
}

func (p *plantedPlace) render(t *testing.T, output string) result {
	t.Helper()
	return invoke(t, "render", "--file", p.application, "--mirror", offlineURL+"="+p.checkout, "--credentials", p.credentials, "--sops-age-key-file", p.age, "-o", output)
}

// looksBelow looks for secrets in the names and texts of all files of a folder, which has some; those of a few inputs may be there.
func looksBelow(t *testing.T, bed *planted.Bed, dir string, may ...string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		var text []byte
		if d.Type().IsRegular() {
			text, err = os.ReadFile(path)
		}
		files++
		for _, found := range bed.Find(append([]byte(path+"\n"), text...)) {
			if !slices.Contains(may, found.Input) {
				t.Errorf("the file %s has %v", path, found)
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files were found in %s, error %v", files, dir, err)
	}
}

// plantedBootstrap has what opens the repository of a fleet, in the variables that a bootstrap reads.
func plantedBootstrap(t *testing.T) *planted.Bed {
	t.Helper()
	bed := &planted.Bed{}
	t.Setenv("CAUSEWAY_REPO_PASSWORD", bed.Text("password"))
	t.Setenv("CAUSEWAY_REPO_BEARER_TOKEN", bed.Text("token"))
	key, _ := sshtest.Key(t)
	bed.Keep("SSH key", key)
	t.Setenv("CAUSEWAY_REPO_SSH_KEY", key)
	if err := bed.Err(); err != nil {
		t.Fatal(err)
	}
	return bed
}

// The layout of a repository has nothing of what opens that; bootDryRun looks at the rest of a dry run.
func TestPlantedSecretsOfABootstrapAreNotTold(t *testing.T) {
	bed := plantedBootstrap(t)
	got := invoke(t, "bootstrap", "--scaffold", t.TempDir(), "--dry-run")
	if got.code != command.ExitChanges || !strings.Contains(got.out, "would write") {
		t.Errorf("exit %d: %s%s", got.code, got.out, got.errors)
	}
	for _, found := range bed.Find([]byte(got.out + got.errors)) {
		t.Errorf("it prints %v", found)
	}
}
