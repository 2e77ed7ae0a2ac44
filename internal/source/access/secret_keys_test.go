package access

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Texts of Secrets come from files and forms, which leave blanks and line ends at
// them; a password may have blanks of its own, and a key needs its lines.
func TestWhatKeysOfASecretSay(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		data   map[string]string
		want   Credential
	}{
		"Password": {"a password keeps its blanks, and not the line end of its file", map[string]string{"username": " me\n", "password": " pass word \r\n"}, Credential{Username: "me", Password: " pass word "}},
		"Token":    {"a token has none", map[string]string{"bearerToken": " t0k3n\n"}, Credential{BearerToken: "t0k3n"}},
		"SSH":      {"a key stays as it is", map[string]string{"sshPrivateKey": "-----BEGIN\nx\n"}, Credential{SSHKey: "-----BEGIN\nx\n"}},
		"Flags":    {"a flag is written in each way that Go reads", map[string]string{"insecure": "T", "enableOCI": " true\n", "forceHttpBasicAuth": "1", "passCredentials": "TRUE", "insecureOCIForceHttp": "0"}, Credential{Insecure: true, EnableOCI: true, ForceBasic: true, PassCredentials: true}},
		"HostKey":  {"either flag is enough, where the other one denies it", map[string]string{"insecure": "false", "insecureIgnoreHostKey": "true"}, Credential{Insecure: true}},
		"Proxy":    {"a proxy, and whom it is not for", map[string]string{"proxy": " http://p:1 ", "noProxy": "a, b "}, Credential{Proxy: "http://p:1", NoProxy: "a, b"}},
		"Depth":    {"as much history as is wanted", map[string]string{"depth": "007"}, Credential{Depth: 7}},
		"App":      {"an App, with or without its installation, and a server's address without a slash", map[string]string{"githubAppID": "1", "githubAppPrivateKey": "k", "githubAppEnterpriseBaseUrl": "https://h/api/v3// "}, Credential{App: &App{ID: 1, PrivateKey: "k", BaseURL: "https://h/api/v3"}}},
		"NoApp":    {"an App without a key is none", map[string]string{"githubAppID": "1"}, Credential{}},
		"Host":     {"where an OCI registry's tokens are got", map[string]string{"type": "oci", "ociTokenHost": "auth.example.com:8443"}, Credential{Type: "oci", TokenHost: "auth.example.com:8443"}},
		"Google":   {"what is not known is told by the key's name", map[string]string{"gcpServiceAccountKey": "hunter2"}, Credential{Unsupported: "a Google service account key (gcpServiceAccountKey)"}},
		"Azure":    {"as is an identity of the machine", map[string]string{"useAzureWorkloadIdentity": "true"}, Credential{Unsupported: "Azure workload identity (useAzureWorkloadIdentity)"}},
		"NotAzure": {"unless it is denied", map[string]string{"useAzureWorkloadIdentity": "false"}, Credential{}},
		"Unknown":  {"keys of other programs mean nothing", map[string]string{"githubToken": "x", "Password": "x"}, Credential{}},
	} {
		t.Run(name, func(t *testing.T) {
			data := maps.Clone(tc.data)
			data["url"] = " https://h/r\n"
			got, err := ParseRepository(stored(TypeRepository, data))
			if err != nil || got.URL != "https://h/r" {
				t.Fatalf("%s: %q, %v", tc.reason, got.URL, err)
			}
			if diff := cmp.Diff(tc.want, got.Credential); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Each key that cannot be used is named, and its value, which may be a secret, is not.
func TestKeysThatCannotBeUsed(t *testing.T) {
	const word = "hunter2"
	for key, tc := range map[string]struct {
		value, says string
	}{
		"enableOCI":               {word, "key enableOCI is neither true nor false"},
		"passCredentials":         {"yes", "key passCredentials is neither true nor false"},
		"depth":                   {"-1", "key depth is not a number"},
		"githubAppInstallationID": {word, "key githubAppInstallationID is not a number"},
		"githubAppID":             {"99999999999999999999", "key githubAppID is not a number"},
		"ociTokenHost":            {"https://" + word, "key ociTokenHost is no host, such as auth.example.com"},
		"type":                    {word, "key type is not one of git, helm and oci"},
		"tlsClientCertKey":        {word, "key tlsClientCertData and key tlsClientCertKey belong together"},
	} {
		_, err := ParseRepository(stored(TypeRepository, map[string]string{"url": "https://h/r", "githubAppPrivateKey": "k", key: tc.value}))
		if err == nil || !strings.HasPrefix(err.Error(), "cannot read Secret argocd/s-https://h/r: "+tc.says) || strings.Contains(err.Error(), word) {
			t.Errorf("%s: got %v", key, err)
		}
	}
}

// A Secret of a file has its texts in the clear, and need not say its namespace.
func TestSecretsOfFiles(t *testing.T) {
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "repo", Labels: map[string]string{LabelSecretType: TypeRepository}},
		Data:       map[string][]byte{"password": []byte("kept")}, StringData: map[string]string{"url": "https://h/r", "password": "written", "username": "me"},
	}
	got, err := ParseRepository(s)
	if err != nil || got.Secret != "repo" || got.Credential.Username != "me" || got.Credential.Password != "kept" {
		t.Errorf("got %+v as %s: %v", got.Secret, got.Credential.Username, err)
	}
}

// Addresses of one repository are one place, and what is below it is in it where
// its type says so.
func TestPlaces(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, at, other string
		kind              string
		holds, covers     bool
	}{
		"Same":     {"one repository", "https://h/org/x", "https://H:443/org/x.git/", "git", true, true},
		"Below":    {"a Git repository holds none below it", "https://h/org", "https://h/org/x", "git", false, true},
		"Charts":   {"an index has charts below it", "https://h/org", "https://h/org/x", "helm", true, true},
		"Registry": {"as has a registry, written with its scheme or without", "h/org", "oci://h/org/x", "oci", true, true},
		"Beside":   {"a longer name is beside it, and begins as a template does", "https://h/org", "https://h/organisation", "helm", false, true},
		"Slash":    {"one with a slash is for a folder, which ends there", "https://h/org/", "https://h/organisation", "helm", false, false},
		"Folder":   {"and for what is below it", "https://h/org/", "https://h/ORG/x", "git", false, true},
		"Scheme":   {"what is for https is not for http", "https://h/org", "http://h/org", "helm", false, false},
		"SSH":      {"nor for ssh", "https://h/org/x", "git@h:org/x", "git", false, false},
	} {
		at, ok := PlaceOf(tc.at)
		other, okOther := PlaceOf(tc.other)
		if !ok || !okOther || at.Holds(tc.kind, other) != tc.holds || at.Covers(other) != tc.covers {
			t.Errorf("%s: %s: holds %t, covers %t", name, tc.reason, at.Holds(tc.kind, other), at.Covers(other))
		}
	}
	if _, ok := PlaceOf("--x"); ok {
		t.Error("what is no address has a place")
	}
}

// In which order Secrets are listed never matters: of two for one repository the
// first by name counts, each time.
func TestOrderOfSecretsDoesNotMatter(t *testing.T) {
	one := Repository{Secret: "a", URL: "https://h/r", Credential: Credential{Password: "a"}}
	other := Repository{Secret: "b", URL: "https://h/r.git", Credential: Credential{Password: "b"}}
	broken := Repository{Secret: "c", URL: "--x", Credential: Credential{Password: "c"}}
	for _, all := range [][]Repository{{one, other, broken}, {broken, other, one}} {
		var store Credentials
		store.Replace(all)
		if got, _ := store.For("https://h/r", ""); got.Password != "a" {
			t.Errorf("%v: got %s", all, got.Password.Reveal())
		}
		if got := store.Repositories(); len(got) != 2 || got[0].Secret != "a" {
			t.Errorf("known are %d", len(got))
		}
	}
	var none Credentials
	if _, ok := none.For("https://h/r", ""); ok || none.Repositories() != nil {
		t.Error("nobody said anything, and something is known")
	}
}
