package serve_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/sshtest"
)

// given is one way to describe a repository or a cluster: %s stands for a secret
// that is a text, and PEM is one by itself.
type given struct {
	reason string
	// url of a repository, or the server of a cluster.
	url  string
	data map[string]string
	// unread says why no host is sent it.
	unread string
}

// repositories are those that Secrets describe, and templates where they say so.
func (p *planting) repositories() map[string]given {
	at, talks := p.echo.plain.URL, p.echo.plain.URL+"/talks"
	secure := p.echo.secure.URL
	proxy := strings.Replace(at, "://", "://me:%s@", 1)
	key, cert := p.certificate("repository: TLS key")
	_, other := p.certificate("")
	git := func(more map[string]string) map[string]string {
		return with(map[string]string{"type": "git", "username": "me"}, more)
	}
	return map[string]given{
		"password":                         {reason: "the host refuses it by HTTP", url: at + "/r1", data: git(map[string]string{"password": "%s"})},
		"password that Git tells":          {reason: "and in Git's protocol", url: talks + "/r2", data: git(map[string]string{"password": "%s"})},
		"password sent at once":            {reason: "before it is asked for", url: talks + "/r3", data: git(map[string]string{"password": "%s", "forceHttpBasicAuth": "true"})},
		"bearer token":                     {reason: "a token", url: at + "/r4", data: git(map[string]string{"bearerToken": "%s"})},
		"bearer token that Git tells":      {reason: "a token in Git's protocol", url: talks + "/r5", data: git(map[string]string{"bearerToken": "%s"})},
		"password of charts":               {reason: "Helm's index", url: at + "/r6", data: map[string]string{"type": "helm", "username": "me", "password": "%s"}},
		"password of a registry":           {reason: "a registry", url: strings.TrimPrefix(at, "http://") + "/r7", data: map[string]string{"type": "helm", "enableOCI": "true", "insecureOCIForceHttp": "true", "username": "me", "password": "%s"}},
		"password of an artifact":          {reason: "a registry by its address", url: strings.Replace(at, "http:", "oci:", 1) + "/r8", data: map[string]string{"type": "oci", "insecureOCIForceHttp": "true", "username": "me", "password": "%s"}},
		"template":                         {reason: "what opens several", url: at + "/r9", data: map[string]string{access.LabelSecretType: access.TypeTemplate, "username": "me", "password": "%s"}},
		"proxy of Git":                     {reason: "a proxy on the way", url: "http://git.planted.test/r10", data: git(map[string]string{"proxy": proxy})},
		"proxy of charts":                  {reason: "one that Go speaks to", url: "http://charts.planted.test/r11", data: map[string]string{"type": "helm", "proxy": proxy}},
		"proxy by TLS":                     {reason: "and by CONNECT", url: "https://charts.planted.test/r12", data: map[string]string{"type": "helm", "proxy": proxy}},
		"proxy of Git by TLS":              {reason: "and Git", url: "https://git.planted.test/r13", data: git(map[string]string{"proxy": proxy})},
		"password by TLS":                  {reason: "a certificate that nobody vouches for", url: secure + "/r14", data: git(map[string]string{"password": "%s"}), unread: "the connection fails first"},
		"TLS key":                          {reason: "a client certificate", url: secure + "/r15", data: git(map[string]string{"insecure": "true", "tlsClientCertData": cert, "tlsClientCertKey": key})},
		"a TLS key that does not fit":      {reason: "another one's", url: secure + "/r16", data: map[string]string{"type": "helm", "insecure": "true", "tlsClientCertData": other, "tlsClientCertKey": p.broken("repository: a TLS key that does not fit", "PRIVATE KEY")}, unread: "no connection is made"},
		"SSH key":                          {reason: "it opens the repository", url: p.sshURL, data: map[string]string{"type": "git", "insecure": "true", "sshPrivateKey": p.sshKey}},
		"broken SSH key":                   {reason: "it is none", url: p.sshURL + "/broken", data: map[string]string{"type": "git", "insecure": "true", "sshPrivateKey": p.broken("repository: broken SSH key", "OPENSSH PRIVATE KEY")}, unread: "ssh cannot read it"},
		"GitHub App key":                   {reason: "the token that it gives is refused", url: talks + "/r19", data: map[string]string{"type": "git", "githubAppID": "1", "githubAppInstallationID": "2", "githubAppEnterpriseBaseUrl": at, "githubAppPrivateKey": p.githubApp()}},
		"broken GitHub App key":            {reason: "it is none", url: talks + "/r20", data: map[string]string{"type": "git", "githubAppID": "1", "githubAppInstallationID": "2", "githubAppEnterpriseBaseUrl": at, "githubAppPrivateKey": p.broken("repository: broken GitHub App key", "RSA PRIVATE KEY")}, unread: "it signs nothing"},
		"wrong flag":                       {reason: "a value in the wrong field", url: at + "/r21", data: git(map[string]string{"insecure": "%s"}), unread: "the Secret is refused"},
		"wrong number":                     {reason: "another one", url: at + "/r22", data: git(map[string]string{"githubAppID": "%s", "githubAppPrivateKey": "x"}), unread: "the Secret is refused"},
		"wrong proxy":                      {reason: "no address", url: at + "/r24", data: map[string]string{"type": "helm", "proxy": "http://me:%s@%%zz"}, unread: "it is no address"},
		"password in the Secret's address": {reason: "where people write it, too", url: strings.Replace(talks, "://", "://me:%s@", 1) + "/r25", data: map[string]string{"type": "git"}, unread: "an address of an Application has no part in it"},
		"password in no address":           {reason: "and where it is wrong", url: "http://me:%s@[bad/r26", data: map[string]string{"type": "git"}, unread: "it is no address"},
	}
}

func with(a, b map[string]string) map[string]string {
	a = maps.Clone(a)
	maps.Copy(a, b)
	return a
}

// clusters are those that Secrets describe.
func (p *planting) clusters() map[string]given {
	at := p.echo.secure.URL
	key, cert := p.certificate("cluster: TLS key")
	broken := p.broken("cluster: broken TLS key", "PRIVATE KEY")
	lax := `"tlsClientConfig":{"insecure":true}`
	config := func(text string) map[string]string { return map[string]string{"config": "{" + text + "}"} }
	pair := func(cert, key string) string {
		text, err := json.Marshal(map[string]any{"insecure": true, "certData": []byte(cert), "keyData": []byte(key)})
		if err != nil {
			p.t.Fatal(err)
		}
		return `"tlsClientConfig":` + string(text)
	}
	return map[string]given{
		"bearer token":             {reason: "a token", url: at + "/c1", data: config(`"bearerToken":"%s",` + lax)},
		"password":                 {reason: "a password", url: at + "/c2", data: config(`"username":"me","password":"%s",` + lax)},
		"TLS key":                  {reason: "a client certificate", url: at + "/c3", data: config(pair(cert, key))},
		"broken TLS key":           {reason: "a key that is none", url: at + "/c4", data: config(pair(cert, broken)), unread: "no connection is made"},
		"proxy":                    {reason: "a proxy with a password", url: "https://cluster.planted.test/c5", data: config(`"bearerToken":"x","proxyUrl":"` + strings.Replace(p.echo.plain.URL, "://", "://me:%s@", 1) + `",` + lax)},
		"token of no TLS":          {reason: "nobody vouches for the server", url: at + "/c6", data: config(`"bearerToken":"%s"`), unread: "the connection fails first"},
		"no JSON":                  {reason: "a slip of the pen", url: at + "/c7", data: config(`"bearerToken":"%s`), unread: "the Secret is refused"},
		"wrong field":              {reason: "a token where a list is", url: at + "/c8", data: config(`"execProviderConfig":{"args":"%s"}`), unread: "the Secret is refused"},
		"environment of a program": {reason: "a program that fails, and says all", url: at + "/c9", data: config(`"execProviderConfig":{"command":"` + p.program + `","env":{"GIVEN":"%s"},"args":["fails"],"apiVersion":"client.authentication.k8s.io/v1"},` + lax), unread: "it is seen by the program alone"},
		"argument of a program":    {reason: "a program that prints no credential", url: at + "/c10", data: config(`"execProviderConfig":{"command":"` + p.program + `","args":["prints","%s"],"apiVersion":"client.authentication.k8s.io/v1"},` + lax), unread: "it is seen by the program alone"},
		"password in the address":  {reason: "where people write it, too", url: strings.Replace(at, "://", "://me:%s@", 1) + "/c11", data: config(lax), unread: "the Secret is refused"},
	}
}

// plantRepositories makes the Secrets, and an Application for each.
func (p *planting) plantRepositories() {
	p.repos = p.repositories()
	for name, g := range p.repos {
		secret := p.mark("repository: "+name, g)
		data := with(g.data, map[string]string{"url": g.url})
		kind := access.TypeRepository
		if data[access.LabelSecretType] != "" {
			kind = data[access.LabelSecretType]
		}
		delete(data, access.LabelSecretType)
		address := filled(g.url, secret)
		p.secret("repository-"+slug(name), kind, data, secret)
		if strings.Contains(g.url, "%s") {
			address = strings.ReplaceAll(g.url, "me:%s@", "")
		}
		p.app("repository-"+slug(name), func(a *v1alpha1.Application) {
			a.Spec.Source.RepoURL = address
			if data["type"] == "helm" {
				a.Spec.Source.Path, a.Spec.Source.Chart, a.Spec.Source.TargetRevision = "", "chart", "1.0.0"
			}
			if data["type"] == "oci" {
				a.Spec.Source.Path, a.Spec.Source.TargetRevision = ".", "1.0.0"
			}
		})
	}
}

func (p *planting) plantClusters() {
	p.spokes = p.clusters()
	for name, g := range p.spokes {
		secret := p.mark("cluster: "+name, g)
		data := with(g.data, map[string]string{"server": g.url, "name": slug(name)})
		p.secret("cluster-"+slug(name), v1alpha1.SecretTypeCluster, data, secret)
		p.app("cluster-"+slug(name), func(a *v1alpha1.Application) { a.Spec.Destination.Name = slug(name) })
	}
}

// mark makes the secret of an input, unless it is made already.
func (p *planting) mark(input string, g given) (secret string) {
	if strings.Contains(fmt.Sprint(g.url, g.data), "%s") {
		secret = p.bed.Text(input)
	}
	if g.unread != "" {
		p.bed.Used(input)
	}
	return secret
}

func filled(text, secret string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "%s", secret), "%%", "%")
}

func slug(name string) string {
	return strings.NewReplacer(" ", "-", "'", "").Replace(strings.ToLower(name))
}

// secret makes a Secret of a kind.
func (p *planting) secret(name, kind string, data map[string]string, secret string) {
	p.t.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}, Data: map[string][]byte{}}
	if kind != "" {
		s.Labels[access.LabelSecretType] = kind
	}
	for key, value := range data {
		s.Data[key] = []byte(filled(value, secret))
	}
	p.site.Make(s)
}

// certificate makes a client certificate whose key is the secret of an input.
func (p *planting) certificate(input string) (key, cert string) {
	p.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "me"}, NotAfter: time.Now().Add(time.Hour)}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		p.t.Fatal(err)
	}
	p.echo.certificates[hex.EncodeToString(raw)] = input
	key = p.pem("PRIVATE KEY", private)
	if input != "" {
		p.bed.Keep(input, key)
	}
	return key, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
}

func (p *planting) pem(kind string, key any) string {
	p.t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// broken is PEM of which no program makes a key.
func (p *planting) broken(input, kind string) string {
	noise := make([]byte, 200)
	_, _ = rand.Read(noise)
	text := string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: noise}))
	p.bed.Keep(input, text)
	return text
}

// githubApp makes the key of a GitHub App.
func (p *planting) githubApp() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		p.t.Fatal(err)
	}
	text := p.pem("PRIVATE KEY", key)
	p.bed.Keep("repository: GitHub App key", text)
	return text
}

// behindSSH is a repository that an SSH key opens.
func behindSSH(t *testing.T) (address, key string) {
	t.Helper()
	key, of := sshtest.Key(t)
	r := &remote{dir: t.TempDir()}
	r.git(t, "init", "--quiet", "--initial-branch=main", r.dir)
	r.commit(t, "app/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: by-ssh}\n")
	u := url.URL{Scheme: "ssh", User: url.User("git"), Host: sshtest.Start(t, of).Addr, Path: r.dir}
	return u.String(), key
}
