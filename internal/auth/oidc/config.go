package oidc

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops/secret"
)

// Keys of argocd-cm that say how people sign in.
const (
	keyURL      = v1alpha1.SettingURL
	keyMoreURLs = v1alpha1.SettingMoreURLs
	keyOIDC     = v1alpha1.SettingOIDC
	keyDex      = v1alpha1.SettingDex
	keyInsecure = v1alpha1.SettingOIDCInsecure
)

// Keys are those of argocd-cm that Parse reads.
var Keys = []string{keyURL, keyMoreURLs, keyOIDC, keyDex, keyInsecure}

// CallbackPath is where issuers send browsers back to, below the address of the
// installation. It is the one that Argo CD has registered with them.
const CallbackPath = "/auth/callback"

// maxConfig bounds what is read of a setting.
const maxConfig = 256 << 10

// ErrDex tells that Dex is configured, which is not run.
var ErrDex = errors.New("dex.config of argocd-cm is not used, as Dex is not run here: " +
	"name an issuer in oidc.config, which may be a Dex that you run by yourself")

// Config is an issuer, and how to talk to it.
type Config struct {
	Name         string `json:"name"`
	Issuer       string `json:"issuer"`
	ClientID     string `json:"clientID"`
	ClientSecret Secret `json:"clientSecret"`
	// CLIClientID is another audience that is taken.
	CLIClientID string   `json:"cliClientID"`
	Scopes      []string `json:"requestedScopes"`
	// IDTokenClaims are asked for as they are written.
	IDTokenClaims map[string]any `json:"requestedIDTokenClaims"`
	// AllowedAudiences of ID tokens that programs bring; those of the clients if there are none.
	AllowedAudiences []string `json:"allowedAudiences"`
	// NoAudience takes such tokens without an audience.
	NoAudience bool   `json:"skipAudienceCheckWhenTokenHasNoAudience"`
	RootCA     string `json:"rootCA"`
	LogoutURL  string `json:"logoutURL"`
	DomainHint string `json:"domainHint"`
	// UserInfo asks for the groups apart, at UserInfoURL or UserInfoPath of the
	// issuer, or where the issuer says.
	UserInfo     bool   `json:"enableUserInfoGroups"`
	UserInfoPath string `json:"userInfoPath"`
	UserInfoURL  string `json:"userInfoURL"`
	Azure        struct {
		WorkloadIdentity bool `json:"useWorkloadIdentity"`
	} `json:"azure"`

	// URLs are the addresses of the installation; the first is the main one.
	URLs []*url.URL `json:"-"`
	// Insecure does not check the issuer's certificate.
	Insecure bool `json:"-"`

	roots *x509.CertPool
}

// Secret is a text that is never printed.
type Secret = secret.Text

// Lookup finds the value of a reference: a key of argocd-secret, or of the
// Secret that is named.
type Lookup func(secret, key string) (string, error)

// Parse reads the data of argocd-cm: nil where no issuer is named. Texts of
// oidc.config that begin with $ are references: $key, or $secret:key. ErrDex
// tells that there is a Dex alone.
func Parse(data map[string]string, lookup Lookup) (*Config, error) {
	text := data[keyOIDC]
	if strings.TrimSpace(text) == "" {
		if strings.TrimSpace(data[keyDex]) != "" {
			return nil, ErrDex
		}
		return nil, nil //nolint:nilnil // no issuer is no error
	}
	c, err := read(text, lookup)
	if err == nil {
		c.URLs, err = addresses(data)
	}
	if err == nil {
		c.Insecure = data[keyInsecure] == "true"
		err = c.check()
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

func read(text string, lookup Lookup) (*Config, error) {
	if len(text) > maxConfig {
		return nil, fmt.Errorf("%s has more than %d bytes", keyOIDC, maxConfig)
	}
	var tree map[string]any
	// What is told of an error may repeat a part of the text, which may be a secret.
	if yaml.Unmarshal([]byte(text), &tree) != nil {
		return nil, errors.New(keyOIDC + " is no map in YAML")
	}
	if err := resolve(tree, lookup); err != nil {
		return nil, err
	}
	resolved, err := json.Marshal(tree)
	if err != nil {
		return nil, errors.New(keyOIDC + " is no map in YAML")
	}
	c := &Config{}
	var kind *json.UnmarshalTypeError
	switch err := json.Unmarshal(resolved, c); {
	case errors.As(err, &kind):
		return nil, fmt.Errorf("%s of %s is not of the type %s", kind.Field, keyOIDC, kind.Type)
	case err != nil:
		return nil, errors.New(keyOIDC + " cannot be read")
	}
	return c, nil
}

// resolve puts the values in the place of references.
func resolve(tree map[string]any, lookup Lookup) error {
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		var err error
		if tree[key], err = value(key, tree[key], lookup); err != nil {
			return err
		}
	}
	return nil
}

// value is one of a key, in which references may be at any depth.
func value(key string, v any, lookup Lookup) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		return v, resolve(v, lookup)
	case []any:
		for n := range v {
			var err error
			if v[n], err = value(key, v[n], lookup); err != nil {
				return nil, err
			}
		}
	case string:
		reference, is := strings.CutPrefix(v, "$")
		if !is {
			break
		}
		name, at, elsewhere := strings.Cut(reference, ":")
		if !elsewhere {
			name, at = "", reference
		}
		found, err := lookup(name, at)
		if err != nil {
			return nil, fmt.Errorf("cannot resolve %s of %s: %w", key, keyOIDC, err)
		}
		return strings.TrimSpace(found), nil
	}
	return v, nil
}

// addresses are those under which browsers know the installation.
func addresses(data map[string]string) ([]*url.URL, error) {
	var more []string
	if yaml.Unmarshal([]byte(data[keyMoreURLs]), &more) != nil {
		return nil, errors.New(keyMoreURLs + " is no list of addresses")
	}
	var all []*url.URL
	for n, text := range append([]string{data[keyURL]}, more...) {
		u, err := url.Parse(strings.TrimSuffix(strings.TrimSpace(text), "/"))
		if err != nil || !web(u) {
			key := keyURL
			if n > 0 {
				key = fmt.Sprintf("entry %d of %s", n, keyMoreURLs)
			}
			return nil, fmt.Errorf("%s is no address such as https://causeway.example.com: the issuer sends browsers back to %s below it", key, CallbackPath)
		}
		all = append(all, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path})
	}
	return all, nil
}

func web(u *url.URL) bool { return (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" }

// check tells what is missing, and fills in what may be.
func (c *Config) check() error {
	issuer, err := url.Parse(c.Issuer)
	switch {
	case err != nil || !web(issuer):
		return errors.New("issuer of " + keyOIDC + " is no address such as https://issuer.example.com")
	case c.ClientID == "":
		return errors.New("clientID of " + keyOIDC + " is missing")
	case c.Azure.WorkloadIdentity:
		return errors.New("azure.useWorkloadIdentity of " + keyOIDC + " is not supported: give a clientSecret")
	}
	if c.LogoutURL != "" {
		if u, err := url.Parse(markless.Replace(c.LogoutURL)); err != nil || !web(u) {
			return errors.New("logoutURL of " + keyOIDC + " is no address such as https://issuer.example.com/logout")
		}
	}
	if c.RootCA != "" {
		c.roots = x509.NewCertPool()
		if !c.roots.AppendCertsFromPEM([]byte(c.RootCA)) {
			return errors.New("rootCA of " + keyOIDC + " has no certificate in PEM")
		}
	}
	if c.Name == "" {
		c.Name = issuer.Host
	}
	if len(c.Scopes) == 0 {
		c.Scopes = []string{"openid", "profile", "email", "groups"}
	}
	if !slices.Contains(c.Scopes, "openid") {
		c.Scopes = append([]string{"openid"}, c.Scopes...)
	}
	return nil
}

// InTheClear reports whether the issuer is asked without TLS, across a network.
func (c *Config) InTheClear() bool {
	u, err := url.Parse(c.Issuer)
	if err != nil || u.Scheme == "https" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}

// Base is the address of the installation that a browser came by: the main
// one unless its host is one of the others.
func (c *Config) Base(host string) *url.URL {
	for _, u := range c.URLs {
		if strings.EqualFold(u.Host, host) {
			return u
		}
	}
	return c.URLs[0]
}

// audiences of ID tokens that programs bring.
func (c *Config) audiences() []string {
	if len(c.AllowedAudiences) > 0 {
		return c.AllowedAudiences
	}
	if c.CLIClientID != "" {
		return []string{c.ClientID, c.CLIClientID}
	}
	return []string{c.ClientID}
}

// Marks of a logoutURL.
const (
	markToken  = "{{token}}"
	markReturn = "{{logoutRedirectURL}}"
)

var markless = strings.NewReplacer(markToken, "x", markReturn, "x")

// NeedsToken reports whether the issuer wants the ID token back when somebody signs out.
func (c *Config) NeedsToken() bool { return strings.Contains(c.LogoutURL, markToken) }

// Leave is where a browser goes after signing out; empty where the issuer is not told.
func (c *Config) Leave(base *url.URL, idToken string) string {
	return strings.NewReplacer(markToken, url.QueryEscape(idToken), markReturn, url.QueryEscape(base.String())).Replace(c.LogoutURL)
}
