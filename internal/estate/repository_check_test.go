package estate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestWishesOfRepositoriesThatDoNotFit name the field, and what to write there.
func TestWishesOfRepositoriesThatDoNotFit(t *testing.T) {
	const https = "https://git.example.com/x"
	proxy, token := "proxy.example.com:3128", "a\nb"
	cases := map[string]struct {
		reason string
		want   api.RepositoryWish
		fields string
	}{
		"Fine":     {"one that fits", api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: https}}, ""},
		"Password": {"a password has a field of its own", api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: "https://me:pass@git.example.com/x"}}, "url: the address has a password in it: write it into the field for it"},
		"Scheme":   {"a host alone may be a registry", api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: "registry.example.com/charts"}}, "url: begin it with https://, or with oci:// for a registry"},
		"Registry": {"which says so", api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: "registry.example.com/charts", Type: "helm", EnableOCI: true}}, ""},
		"Charts":   {"charts come by no ssh", api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: "ssh://git@git.example.com/x", Type: "helm"}}, "url: charts come from https:// or oci:// addresses"},
		"OCI":      {"images come from registries", api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: https, Type: "oci"}}, "url: begin it with oci://"},
		"Lines":    {"a line break would begin another header", api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: https, Username: "a\r\nb", NoProxy: "a\nb"}}, "noProxy: leave out the line break; username: leave out the line break"},
		"Base":     {"an address of GitHub is one of the web", api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: https, AppBaseURL: "https://me@github.example.com"}}, "githubAppBaseURL: begin it with https://, and leave out a user"},
		"Proxy":    {"a proxy has a scheme", api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: https}, Secrets: api.RepositorySecrets{Proxy: &proxy}}, "secrets.proxy: begin it with http://, https:// or socks5://"},
		"Token":    {"a token is one line", api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: https}, Secrets: api.RepositorySecrets{BearerToken: &token}}, "secrets.bearerToken: leave out the line break"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			unfit := &api.Unfit{}
			checkRepository(&tc.want, unfit)
			if _ = unfit.Err(); unfit.Error() != tc.fields {
				t.Errorf("%s: got %q; want %q", tc.reason, unfit.Error(), tc.fields)
			}
		})
	}
}

// TestCredentialsStayWithTheirAddress: who may change where a repository is may not read what opens it, so that has to
// be given again for another place, another way to it, or one that is checked less.
func TestCredentialsStayWithTheirAddress(t *testing.T) {
	const url = "https://git.example.com/x"
	stored := func() *corev1.Secret {
		s := written(v1alpha1.SecretTypeRepository, map[string]string{"url": url, "username": "u", "password": "p", "tlsClientCertData": "c", "tlsClientCertKey": "k", "insecureOCIForceHttp": "", "proxy": "http://a.example.com"})
		return s
	}
	other, none, proxy, same := "new", "", "http://b.example.com", "http://a.example.com"
	both := []string{"secrets.password", "secrets.proxy", "secrets.tlsClientCertKey"}
	cases := map[string]struct {
		reason string
		change func(*api.RepositoryWish)
		want   []string
	}{
		"Nothing":  {"nothing is changed", func(*api.RepositoryWish) {}, nil},
		"Name":     {"what leads nowhere else is", func(w *api.RepositoryWish) { w.Name, w.Project, w.NoProxy = "n", "team", "x" }, nil},
		"Address":  {"another address", func(w *api.RepositoryWish) { w.URL += "2" }, both},
		"Scheme":   {"the same one in the clear", func(w *api.RepositoryWish) { w.URL = "http://git.example.com/x" }, both},
		"Insecure": {"one whose certificate is not checked", func(w *api.RepositoryWish) { w.Insecure = true }, both},
		"Plain":    {"a registry in the clear", func(w *api.RepositoryWish) { w.PlainHTTP = true }, both},
		"GitHub":   {"a token comes from another GitHub", func(w *api.RepositoryWish) { w.AppBaseURL = "https://github.example.com" }, both},
		"Proxy":    {"another proxy sees what passes", func(w *api.RepositoryWish) { w.Secrets.Proxy = &proxy }, []string{"secrets.password", "secrets.tlsClientCertKey"}},
		"NoProxy":  {"without one nobody else does", func(w *api.RepositoryWish) { w.Secrets.Proxy = &none }, nil},
		"Same":     {"the same one is sent back", func(w *api.RepositoryWish) { w.Secrets.Proxy = &same }, nil},
		"Given":    {"what is given again may go there", func(w *api.RepositoryWish) { w.URL += "2"; w.Secrets.Password, w.Secrets.Proxy = &other, &none }, []string{"secrets.tlsClientCertKey"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := stored()
			want := api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: url, Username: "u"}}
			tc.change(&want)
			unfit := &api.Unfit{}
			checkMoved(before, (&Repositories{Writer: &Writer{}}).wished(before, &want), &want, unfit)
			if diff := cmp.Diff(tc.want, unfitFields(unfit)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// written is a Secret of a repository with some data.
func written(kind string, data map[string]string) *corev1.Secret {
	s := &corev1.Secret{Data: map[string][]byte{}}
	s.Name, s.ResourceVersion, s.Labels = "stored", "7", map[string]string{v1alpha1.LabelSecretType: kind}
	for key, value := range data {
		if value != "" {
			s.Data[key] = []byte(value)
		}
	}
	return s
}

// pemOf is a block of PEM.
func pemOf(kind string, der []byte, err error) string {
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// TestKeysThatAreNone are told before they are stored: what is kept of a Secret has to fit what is new of it.
func TestKeysThatAreNone(t *testing.T) {
	own, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	locked, err := ssh.MarshalPrivateKeyWithPassphrase(own, "", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	pkcs1 := pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(own), nil)
	der, err := x509.MarshalPKCS8PrivateKey(own)
	pkcs8 := pemOf("PRIVATE KEY", der, err)
	der, err = x509.MarshalPKCS8PrivateKey(curve)
	ec := pemOf("PRIVATE KEY", der, err)
	app := api.RepositoryFields{AppID: 1, AppInstall: 2}
	cases := map[string]struct {
		reason string
		data   map[string]string
		fields api.RepositoryFields
		want   string
	}{
		"SSH":       {"a key that is none", map[string]string{"sshPrivateKey": "ssh-ed25519 AAAA"}, app, "secrets.sshPrivateKey: it is no private key in PEM or OpenSSH form"},
		"Locked":    {"one that nobody can open", map[string]string{"sshPrivateKey": string(pem.EncodeToMemory(locked))}, app, "secrets.sshPrivateKey: it has a passphrase: use a key without one"},
		"NoKey":     {"a certificate alone", map[string]string{"tlsClientCertData": "c"}, app, "secrets.tlsClientCertKey: a client certificate needs its key"},
		"NoCert":    {"a key alone", map[string]string{"tlsClientCertKey": "k"}, app, "secrets.tlsClientCertData: a key needs its client certificate"},
		"Pair":      {"both, which are none", map[string]string{"tlsClientCertData": "c", "tlsClientCertKey": "k"}, app, "secrets.tlsClientCertData: the certificate and its key are not in PEM form, or do not belong together"},
		"App":       {"an App says which it is", map[string]string{"githubAppPrivateKey": pkcs1}, api.RepositoryFields{}, "githubAppID: a GitHub App needs its id; githubAppInstallationID: a GitHub App needs the id of its installation"},
		"AppKey":    {"its key is of another kind", map[string]string{"githubAppPrivateKey": ec}, app, "secrets.githubAppPrivateKey: it is no RSA key in PEM form"},
		"AppText":   {"or none at all", map[string]string{"githubAppPrivateKey": "x"}, app, "secrets.githubAppPrivateKey: it is no RSA key in PEM form"},
		"AppPKCS1":  {"GitHub gives it in this form", map[string]string{"githubAppPrivateKey": pkcs1, "githubAppID": "1", "githubAppInstallationID": "2"}, app, ""},
		"AppPKCS8":  {"and tools in that one", map[string]string{"githubAppPrivateKey": pkcs8, "githubAppID": "1", "githubAppInstallationID": "2"}, app, ""},
		"SSHFine":   {"a key that is one", map[string]string{"sshPrivateKey": pkcs1, "url": "git@git.example.com:x"}, app, ""},
		"NoAddress": {"what cannot be read as a whole", map[string]string{"url": ""}, app, "cannot read Secret stored: key url: the repository's address is empty"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := written(v1alpha1.SecretTypeRepository, map[string]string{"url": "https://git.example.com/x"})
			for key, value := range tc.data {
				s.Data[key] = []byte(value)
			}
			unfit := &api.Unfit{}
			checkSecrets(s, &api.RepositoryWish{RepositoryFields: tc.fields}, unfit)
			_ = unfit.Err()
			if got := unfit.Error(); got != tc.want {
				t.Errorf("%s: got %q; want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestWhatIsReadOfARepository is no secret, whatever is stored.
func TestWhatIsReadOfARepository(t *testing.T) {
	got := repositoryOf(written(v1alpha1.SecretTypeRepoCreds, map[string]string{
		"url": " https://me:hunter2@git.example.com/x ", "password": "hunter2", "sshPrivateKey": "hunter2", "depth": "-3", "githubAppID": "many",
		"insecureIgnoreHostKey": "TRUE", "enableOCI": "yes", "username": "me\n",
	}))
	if got.URL != "https://git.example.com/x" || got.Depth != 0 || got.AppID != 0 || !got.Insecure || got.EnableOCI || got.Username != "me" || !got.Template {
		t.Errorf("got %+v", got.RepositoryFields)
	}
	if diff := cmp.Diff([]string{"password", "sshPrivateKey"}, got.Credentials); diff != "" || got.ID != "stored" || got.Version != "7" {
		t.Errorf("%s of %s: -want +got:\n%s", got.Version, got.ID, diff)
	}
}

// TestWhatIsWishedOfARepository: keys that the API does not know stay, and what is empty goes.
func TestWhatIsWishedOfARepository(t *testing.T) {
	none, token := "", "t"
	before := written(v1alpha1.SecretTypeRepository, map[string]string{"url": "https://me:hunter2@git.example.com/x", "password": "p", "ociTokenHost": "x", "insecureIgnoreHostKey": "true", "depth": "3", "proxy": "http://p"})
	want := api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: "https://git.example.com/x", Type: "git", AppID: 7}, Secrets: api.RepositorySecrets{Password: &none, BearerToken: &token}}
	got := (&Repositories{Writer: &Writer{}}).wished(before, &want)
	texts := map[string]string{}
	for key, value := range got.Data {
		texts[key] = string(value)
	}
	if diff := cmp.Diff(map[string]string{
		"url":  "https://me:hunter2@git.example.com/x", // as it was shown, so as it was
		"type": "git", "githubAppID": "7", "bearerToken": "t", "ociTokenHost": "x", "proxy": "http://p",
	}, texts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(before.Data["password"]) == 0 {
		t.Error("what the cache has is written over")
	}
}
