package corpus

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
)

// checkout is a repository of the corpus as its user has it: a clone with history.
type checkout struct {
	name, dir string
	roster    roster.Roster
}

// clone commits a folder of the corpus into a repository of its own, whose origin is where it came from.
func clone(t testing.TB, root, name string) checkout {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "corpus", name))); err != nil {
		t.Fatal(err)
	}
	c := checkout{name: name, dir: dir}
	c.git(t, "init", "-q", "-b", "main")
	c.git(t, "remote", "add", "origin", "https://github.com/"+strings.Replace(name, "__", "/", 1))
	c.commit(t, "as it was found")
	c.roster = clustersFor(t, root, name)
	return c
}

func (c checkout) commit(t testing.TB, message string) {
	t.Helper()
	c.git(t, "add", "-A", "-f")
	c.git(t, "commit", "-q", "--allow-empty", "-m", message)
}

func (c checkout) git(t testing.TB, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// clustersFor are the clusters that the conformance data has for a repository, else a hub and two others.
func clustersFor(t testing.TB, root, name string) roster.Roster {
	t.Helper()
	secrets, err := readSecrets(root, name, nil)
	if err != nil {
		secrets = []*corev1.Secret{madeUp("hub", gitops.HubServer), madeUp("dev", "https://dev.example.com"), madeUp("prod", "https://prod.example.com")}
	}
	out, err := roster.FromSecrets(secrets, roster.Builtin("1.36.3"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func madeUp(name, server string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: control,
			Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "environment": name, "cluster_name": name},
		},
		Data: map[string][]byte{"name": []byte(name), "server": []byte(server)},
	}
}

func (c checkout) open(ctx context.Context, t testing.TB) *offline.Stages {
	t.Helper()
	o, err := offline.Open(ctx, offline.Config{Repo: c.dir, NoFetch: true, CacheDir: t.TempDir(), Branches: []string{"main", "master"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

func repositories(t testing.TB, root string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, "corpus"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

// version is a version in a declaration or its parameters.
var version = regexp.MustCompile(`(?m)^(\s*(?:addonChartVersion|targetRevision):\s*)["']?([0-9][\w.-]*)["']?`)

// edit commits what people commit: another version in the first declaration
// that names one, another value in the first file of values, and the last
// declaration removed.
func (c checkout) edit(t testing.TB, s *preview.State) {
	t.Helper()
	var files []string
	for _, x := range s.Side.Found.Sets {
		files = append(files, x.File)
	}
	for _, x := range s.Side.Found.Applications {
		files = append(files, x.File)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	for _, name := range files {
		text := c.read(t, name)
		if at := version.FindStringSubmatchIndex(text); at != nil {
			c.writeFile(t, name, text[:at[4]]+"9"+text[at[4]:])
			break
		}
	}
	if values := c.firstValues(t); values != "" {
		c.writeFile(t, values, c.read(t, values)+"\nsomethingNew: true\n")
	}
	if n := len(files); n > 1 {
		if err := os.Remove(filepath.Join(c.dir, files[n-1])); err != nil {
			t.Fatal(err)
		}
	}
	c.writeFile(t, "CHANGES.md", "a small change\n")
	c.commit(t, "a small change")
}

func (c checkout) firstValues(t testing.TB) string {
	t.Helper()
	found := ""
	err := filepath.WalkDir(c.dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && found == "" && e.Name() == "values.yaml" {
			found, err = filepath.Rel(c.dir, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (c checkout) read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (c checkout) writeFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
