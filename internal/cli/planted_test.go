package cli

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/test/planted"
)

// plantedCheckout is a checkout with a secret in each file that may have one.
func plantedCheckout(t *testing.T, bed *planted.Bed) (dir string) {
	t.Helper()
	dir = offlineRepository(t)
	of64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	sealed, err := os.ReadFile("../serve/testdata/sealed/first.yaml")
	if err != nil {
		t.Fatal(err)
	}
	bed.Keep("what SOPS encrypted", "marlin-of-sops")
	for name, text := range map[string]string{
		"web/secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: planted}\ndata: {a: " + of64(bed.Text("data")) + "}\nstringData: {b: " + bed.Text("stringData") + "}\n",
		"web/sealed.yaml": string(sealed),
		"clusters/dev.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: dev\n  labels: {argocd.argoproj.io/secret-type: cluster, web: 'on'}\n  annotations: {region: us}\n" +
			"stringData: {name: dev, server: 'https://me:" + bed.Text("address of a cluster") + "@dev.example.com', config: '{\"bearerToken\":\"" + bed.Text("token of a cluster") + "\"}'}\n",
		"repository.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: repository\n  labels: {argocd.argoproj.io/secret-type: repository}\nstringData: {url: 'https://git.example.com/x', password: " + bed.Text("password of a repository") + "}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// plantedAgeKey is the file with the key of what SOPS encrypted.
func plantedAgeKey(t *testing.T, bed *planted.Bed) (path string) {
	t.Helper()
	path, err := filepath.Abs("../serve/testdata/sealed/age.key")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, private, _ := strings.Cut(string(text), "AGE-SECRET-KEY-")
	bed.Keep("age key", strings.TrimSpace(private))
	return path
}

// What commands without a hub print and keep of somebody's checkout has none of its secrets.
func TestPlantedSecretsAreNotPrinted(t *testing.T) {
	bed := &planted.Bed{}
	dir, cache := plantedCheckout(t, bed), t.TempDir()
	key := plantedAgeKey(t, bed)
	if err := bed.Err(); err != nil {
		t.Fatal(err)
	}
	// What has the secrets is printed, and so was read.
	has := map[string][]string{"preview -o table": {"web-dev"}, "generate -o yaml": {"web-dev"}}
	for _, output := range []string{"tree", "json", "yaml", "markdown", "html"} {
		has["preview -o "+output] = []string{"planted", "settings"}
	}
	for _, args := range [][]string{
		{"preview", "-o", "table"}, {"preview", "-o", "tree"}, {"preview", "-o", "json"}, {"preview", "-o", "yaml"}, {"preview", "-o", "markdown"}, {"preview", "-o", "html"},
		{"lint", "-o", "table"}, {"lint", "-o", "json"}, {"generate", "-o", "yaml"}, {"generate", "-o", "json"},
	} {
		name := strings.Join(args, " ")
		t.Run(name, func(t *testing.T) {
			all := append(slices.Clone(args[1:]), "--sops-age-key-file", key, "--cache-dir", cache)
			if args[0] == "preview" {
				all = append(all, "--base", "HEAD")
			}
			got := runOffline(t, dir, args[0], all...)
			for _, part := range has[name] {
				if !strings.Contains(got.out, part) {
					t.Errorf("%s is not in what it prints: %d %s%s", part, got.code, got.out, got.errors)
				}
			}
			for _, found := range bed.Find([]byte(got.out + got.errors)) {
				t.Errorf("it prints %v", found)
			}
		})
	}
	looksBelow(t, bed, cache)
}
