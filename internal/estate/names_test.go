package estate

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestNamesOfSecrets has addresses that 32 bits of FNV do not tell apart.
func TestNamesOfSecrets(t *testing.T) {
	seen, a, b := map[uint32]string{}, "", ""
	for i := 0; a == ""; i++ {
		url := fmt.Sprintf("https://git.example.com/%d", i)
		h := fnv.New32a()
		_, _ = h.Write([]byte(url)) // a hash never fails
		if other, known := seen[h.Sum32()]; known {
			a, b = other, url
		}
		seen[h.Sum32()] = url
	}
	repository := func(url, project string) string {
		return secretName(&api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: url, Project: project}})
	}
	if one, other := repository(a, ""), repository(b, ""); one == other || !strings.HasPrefix(one, "repo-") {
		t.Errorf("%s and %s are both called %s", a, b, one)
	}
	if repository("https://host/ab", "c") == repository("https://host/a", "bc") {
		t.Error("an address and a project are read as another address and project")
	}
	if one, other := clusterSecretName(a), clusterSecretName(b); one == other || len(clusterSecretName("https://"+strings.Repeat("a", 300))) > 253 {
		t.Errorf("clusters at %s and %s are both called %s", a, b, one)
	}
}
