package estate

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

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

// TestNamesOfClustersFromTheirHosts: a host may be spelled as no object is.
func TestNamesOfClustersFromTheirHosts(t *testing.T) {
	for name, tc := range map[string]struct{ reason, server, begins string }{
		"Host":       {"people find the Secret by it", "https://Prod.example.com:6443", "cluster-prod.example.com-"},
		"Address":    {"dots are as they are", "https://10.0.0.1", "cluster-10.0.0.1-"},
		"SixBytes":   {"colons are in no name", "https://[2001:db8::1]:6443", "cluster-2001-db8-1-"},
		"Underscore": {"it is in no name", "https://my_host", "cluster-my-host-"},
		"AtADot":     {"what it becomes stands at no dot", "https://k8s_.prod.example.com", "cluster-k8s-prod.example.com-"},
		"AfterADot":  {"on either side", "https://api._tcp.example.com", "cluster-api-tcp.example.com-"},
		"Dots":       {"one dot after another is none", "https://a..b", "cluster-a-b-"},
		"Dashes":     {"those inside stay", "https://xn--bcher-kva.example", "cluster-xn--bcher-kva.example-"},
		"NoLetters":  {"nothing is left of it", "https://_", "cluster-cluster-"},
		"CutAtADot":  {"a long one ends with a letter", "https://" + strings.Repeat("a", longestHost-1) + ".b", "cluster-" + strings.Repeat("a", longestHost-1) + "-"},
		"NoAddress":  {"the text may be any", "https://%zz", "cluster-cluster-"},
	} {
		t.Run(name, func(t *testing.T) {
			got := clusterSecretName(tc.server)
			if wrong := validation.IsDNS1123Subdomain(got); len(wrong) > 0 || !strings.HasPrefix(got, tc.begins) {
				t.Errorf("%s: %s, which no object can be called: %v", tc.reason, got, wrong)
			}
		})
	}
}
