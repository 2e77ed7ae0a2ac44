package access

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/causeway-gitops/causeway/internal/redact"
)

// Credential is what a repository is opened with; the zero value opens
// public ones.
type Credential struct {
	// Project is whose own Secret signs in, or says how the server is reached;
	// empty where operators do.
	Project  string
	Username string
	Password Secret
	// BearerToken is sent as it is, without a user.
	BearerToken Secret
	// SSHKey is a private key in PEM or OpenSSH form.
	SSHKey Secret
	// OwnSSH has ssh read the configuration of the person who runs it.
	OwnSSH bool
	// KnownHosts are lines of an OpenSSH known_hosts file; empty leaves it
	// to the user's own file.
	KnownHosts string
	// CA are PEM certificates to trust besides the system's.
	CA string
	// TLSCert and TLSKey are a client certificate in PEM.
	TLSCert string
	TLSKey  Secret
	// App mints short-lived tokens of a GitHub App.
	App *App
	// OnlyPublic connects to no host of a private network, unless a proxy of the
	// environment does: package egress has the rule.
	OnlyPublic bool
	// Insecure skips checks of certificates and host keys.
	Insecure bool
	// PlainHTTP speaks to an OCI registry without TLS.
	PlainHTTP bool
	// TokenHost is where the OCI registry's tokens may be got besides at the
	// registry and in its domain: a host, with its port where it is not 443.
	TokenHost string
	// ForceBasic sends the password before the server asks for it.
	ForceBasic bool
	// PassCredentials permits that the password goes to other hosts, where the
	// index of a Helm repository names them and an Application asks for it.
	PassCredentials bool
	// Proxy is the URL of a proxy, which may hold a password.
	Proxy   Secret
	NoProxy string
	// Type is git, helm, oci or empty.
	Type string
	// EnableOCI says that a repository of type helm is an OCI registry.
	EnableOCI bool
	// Depth limits the fetched history; 0 leaves it to the engine.
	Depth int
	// Unsupported names a way to sign in that this engine does not know yet.
	Unsupported string
}

// App identifies an installation of a GitHub App.
type App struct {
	ID           int64
	Installation int64
	PrivateKey   Secret
	// BaseURL is the API of a GitHub Enterprise server; empty for github.com.
	BaseURL string
}

// Anonymous is what remains of a credential for whoever may not use it: how the
// server is spoken to, and nothing that signs in.
func (c Credential) Anonymous() Credential {
	return Credential{KnownHosts: c.KnownHosts, CA: c.CA, PlainHTTP: c.PlainHTTP, Type: c.Type, EnableOCI: c.EnableOCI, Depth: c.Depth}
}

// IsOCI reports whether the repository was declared to be an OCI registry.
func (c Credential) IsOCI() bool { return c.Type == "oci" || c.EnableOCI }

// Fingerprint changes when any part of the credential does. It tells
// nothing about the secrets to those who do not have them.
func (c Credential) Fingerprint() string {
	type plain Credential // without the methods, and with bare secrets
	p := plain(c)
	secrets := []string{string(c.Password), string(c.BearerToken), string(c.SSHKey), string(c.TLSKey), string(c.Proxy)}
	if c.App != nil {
		secrets = append(secrets, string(c.App.PrivateKey))
	}
	data, err := json.Marshal(struct {
		Plain   plain
		Secrets []string
	}{p, secrets})
	if err != nil {
		return "unknown" // cannot happen: only strings, numbers and booleans
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// Redact masks every secret of the credential in a text that a program or a
// server wrote.
func (c Credential) Redact(text string) string {
	secrets := append([]string{string(c.BearerToken), string(c.Proxy)}, written(c.Username, string(c.Password))...)
	if proxy, err := url.Parse(string(c.Proxy)); err == nil {
		password, _ := proxy.User.Password()
		secrets = append(secrets, written(proxy.User.Username(), password)...)
	}
	secrets = append(append(secrets, keyTexts(c.SSHKey)...), keyTexts(c.TLSKey)...)
	if c.App != nil {
		secrets = append(secrets, keyTexts(c.App.PrivateKey)...)
	}
	return redact.NewKnown(secrets).Text(text)
}

// minKeyLine is the length from which a line of a key is masked by itself: what
// is shorter is found in other words, too.
const minKeyLine = 8

// keyTexts are the ways in which a private key is written: whole, and each line,
// as programs write lines with other ends, or some of them. What stands around
// the lines and names the key's form stays.
func keyTexts(key Secret) []string {
	texts := []string{strings.TrimSpace(string(key))}
	for line := range strings.Lines(string(key)) {
		line = strings.TrimSpace(line)
		if len(line) >= minKeyLine && !strings.HasPrefix(line, "-----") && !strings.Contains(line, ":") {
			texts = append(texts, line)
		}
	}
	return texts
}

// written are the ways in which a password is written: with its user as HTTP
// sends both, by itself, and in addresses.
func written(username, password string) []string {
	if password == "" {
		return nil
	}
	basic := base64.StdEncoding.EncodeToString([]byte(username + ":" + password))
	return []string{basic, password, url.QueryEscape(password), url.PathEscape(password)}
}
