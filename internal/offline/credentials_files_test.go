package offline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// access is a Secret that opens a repository.
func access(name, url, kind string) string {
	return "apiVersion: v1\nkind: Secret\nmetadata: {name: " + name + ", labels: {argocd.argoproj.io/secret-type: " + kind + "}}\nstringData: {url: '" + url + "', username: u, password: hunter2}\n"
}

// TestCredentialsAreFound in the files of a folder, whatever else is there.
func TestCredentialsAreFound(t *testing.T) {
	const a, b = "https://git.example.com/a", "https://git.example.com/b"
	one, other := access("a", a, "repository"), access("b", b, "repo-creds")
	cases := map[string]struct {
		reason string
		files  map[string]string
		want   []string
	}{
		"Documents": {"several documents of a file", map[string]string{"x.yaml": one + "---\n" + other}, []string{a, b}},
		"Folders":   {"folders below, and each ending of YAML and JSON", map[string]string{"x/a.yml": one, "b.json": `{"kind": "Secret", "metadata": {"name": "b", "labels": {"argocd.argoproj.io/secret-type": "repo-creds"}}, "stringData": {"url": "` + b + `"}}`}, []string{a, b}},
		"List":      {"a list, as kubectl prints it", map[string]string{"x.yaml": "kind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(one), "\n", "\n  ") + "\n"}, []string{a}},
		"Others":    {"files of other things", map[string]string{"x.yaml": one, "notes.txt": "x: [", "y.yaml": "just text", "z.yaml": "kind: Secret\nmetadata: {name: z}\n", "l.yaml": "kind: Secret\nmetadata: {labels: [a]}"}, []string{a}},
		"Cluster":   {"Secrets of clusters open no repository", map[string]string{"x.yaml": one, "c.yaml": secretOf("dev", "https://dev.example.com")}, []string{a}},
		"Encoded":   {"data that is encoded", map[string]string{"x.yaml": strings.NewReplacer("stringData", "data", a, "aHR0cHM6Ly9naXQuZXhhbXBsZS5jb20vYQ==", "hunter2", "aHVudGVyMg==", "username: u,", "").Replace(one)}, []string{a}},
		"Links":     {"a link leads to files that nobody named", map[string]string{"x.yaml": one, "link.yaml": "->../elsewhere.yaml"}, []string{a}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "secrets")
			lay(t, dir, tc.files)
			lay(t, filepath.Dir(dir), map[string]string{"elsewhere.yaml": access("e", "https://elsewhere.example.com/x", "repository")})
			known, err := CredentialsIn(dir)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			var got []string
			for _, r := range known.Repositories() {
				got = append(got, r.URL)
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCredentialsThatCannotBeRead name the file and the line, and no value: what cannot be read may be a password.
func TestCredentialsThatCannotBeRead(t *testing.T) {
	many := map[string]string{}
	for i := range maxSecretFiles + 1 {
		many[fmt.Sprintf("%04d.yaml", i)] = "kind: X\n"
	}
	fine := access("a", "https://git.example.com/a", "repository")
	cases := map[string]struct {
		reason string
		files  map[string]string
		want   []string
	}{
		"None":   {"nothing that opens a repository", map[string]string{"x.yaml": secretOf("dev", "https://dev.example.com")}, []string{"has no Secret with the label argocd.argoproj.io/secret-type: repository or repo-creds", "`none` opens public repositories alone"}},
		"Empty":  {"an empty folder", map[string]string{"notes.txt": ""}, []string{"has no Secret with the label"}},
		"YAML":   {"a file that is no YAML", map[string]string{"x.yaml": fine, "y.yaml": "a: b\nhunter2: [\n"}, []string{"the file is no YAML", "y.yaml"}},
		"SOPS":   {"a Secret that is encrypted", map[string]string{"x.yaml": "# first\n---\n" + fine + "sops: {mac: x}\n"}, []string{"Secret a is encrypted by SOPS", "x.yaml:3", "decrypt it into a folder that is not committed"}},
		"Base64": {"a value that is not encoded", map[string]string{"x.yaml": strings.Replace(fine, "stringData", "data", 1)}, []string{"cannot read Secret a: a value of data is not encoded in base64", "x.yaml:1", "stringData"}},
		"Hosts":  {"hosts that are no text", map[string]string{"x.yaml": fine, "hosts.yaml": "kind: ConfigMap\nmetadata: {name: argocd-ssh-known-hosts-cm}\ndata: {ssh_known_hosts: [a]}\n"}, []string{"cannot read ConfigMap argocd-ssh-known-hosts-cm: a value of data is no text", "hosts.yaml"}},
		"Keys":   {"a Secret that says nothing of a repository", map[string]string{"x.yaml": fine + "---\n" + strings.Replace(fine, "url:", "address:", 1)}, []string{"correct the key, or take the Secret out"}},
		"Many":   {"a folder of something else", many, []string{"there are more than 1000 files", "name a folder that has repository Secrets alone"}},
		"Large":  {"a file of something else", map[string]string{"x.yaml": strings.Repeat("#", maxSecretFile+1)}, []string{"x.yaml"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lay(t, dir, tc.files)
			_, err := CredentialsIn(dir)
			for _, want := range tc.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: got %v; want %q", tc.reason, err, want)
				}
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: a value is told: %v", tc.reason, err)
			}
		})
	}
	if _, err := CredentialsIn(filepath.Join(t.TempDir(), "nope")); err == nil || !strings.Contains(err.Error(), "nope") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestCredentialsOfAFileAlone: a file that is named is read whatever it is called, also by a link.
func TestCredentialsOfAFileAlone(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{"access": access("a", "https://git.example.com/a", "repository"), "link": "->access"})
	for _, name := range []string{"access", "link"} {
		if known, err := CredentialsIn(filepath.Join(dir, name)); err != nil || len(known.Repositories()) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "access")); err != nil {
		t.Fatal(err)
	}
	if _, err := CredentialsIn(filepath.Join(dir, "link")); err == nil {
		t.Error("a link to nothing is read")
	}
}
