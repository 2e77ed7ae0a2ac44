package address

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/kms"
	"github.com/causeway-gitops/causeway/internal/kms/agefile"
	"github.com/causeway-gitops/causeway/internal/kms/aws"
	"github.com/causeway-gitops/causeway/internal/kms/azure"
	"github.com/causeway-gitops/causeway/internal/kms/gcp"
	"github.com/causeway-gitops/causeway/internal/kms/vault"
)

// Forms are the addresses that there are, each with a word on it.
const Forms = `  age:/etc/causeway/kms.key                                 a file of age's identities, the first of which encrypts
  vault://HOST:8200/transit/causeway?token-file=FILE        a key of the transit engine of Vault or OpenBao
    or ?approle=ID&secret-id-file=FILE, or ?kubernetes-role=ROLE[&jwt-file=FILE]
    and &auth-path=PATH, &namespace=NAME, &ca-file=FILE; vault+http:// without TLS
  aws:alias/causeway?region=eu-central-1                    a key of AWS KMS: an alias, an id or an ARN
  gcp:projects/P/locations/L/keyRings/R/cryptoKeys/KEY      a key of Google Cloud KMS
  azure://causeway.vault.azure.net/KEY                      an RSA key of Azure Key Vault`

// forms open keys, by the scheme.
var forms = map[string]struct {
	open       func(ctx context.Context, a *url.URL) (kms.Key, error)
	parameters []string
}{
	"age":        {ofFile, nil},
	"vault":      {ofVault, ofVaults},
	"vault+http": {ofVault, ofVaults},
	"aws":        {ofAWS, []string{"region"}},
	"gcp":        {ofGCP, nil},
	"azure":      {ofAzure, nil},
}

var ofVaults = []string{"token-file", "approle", "secret-id-file", "kubernetes-role", "jwt-file", "auth-path", "namespace", "ca-file"}

// Open opens a key. An address has no secrets: those are in files and in the environment.
func Open(ctx context.Context, text string) (kms.Key, error) {
	a, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("cannot read the address of the key: it is no URL such as age:/etc/causeway/kms.key") // the library's error repeats it, and a password in it
	}
	key, err := open(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("cannot use the key %s: %w", shown(a), err)
	}
	return key, nil
}

func open(ctx context.Context, a *url.URL) (kms.Key, error) {
	form, found := forms[a.Scheme]
	switch {
	case !found:
		return nil, errors.New("its address begins with none of age:, vault://, aws:, gcp: and azure://, which are the keys there are")
	case a.User != nil:
		return nil, errors.New("credentials do not belong into an address, which others can see: give their files")
	case a.Fragment != "":
		return nil, errors.New("nothing may follow a # in its address")
	}
	given, err := url.ParseQuery(a.RawQuery)
	if err != nil {
		return nil, errors.New("its parameters cannot be read: write name=value, with & between them")
	}
	for name, values := range given {
		if !slices.Contains(form.parameters, name) {
			return nil, fmt.Errorf("an address of %s has no parameter %q: it has %s", a.Scheme, name, orNone(form.parameters))
		}
		if len(values) != 1 || values[0] == "" {
			return nil, fmt.Errorf("parameter %s is empty, or there twice", name)
		}
	}
	return form.open(ctx, a)
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// shown is an address without what may be a secret that somebody put there.
func shown(a *url.URL) string {
	bare := *a
	bare.User, bare.RawQuery, bare.Fragment = nil, "", ""
	return bare.String()
}

func ofFile(_ context.Context, a *url.URL) (kms.Key, error) {
	path := a.Path
	if path == "" {
		path, _ = url.PathUnescape(a.Opaque)
	}
	if a.Host != "" || !filepath.IsAbs(path) {
		return nil, errors.New("name the file by its whole path, such as age:/etc/causeway/kms.key")
	}
	return agefile.Open(path)
}

func ofVault(_ context.Context, a *url.URL) (kms.Key, error) {
	scheme, query := "https", a.Query()
	if a.Scheme == "vault+http" {
		scheme = "http"
	}
	path := strings.Trim(a.Path, "/")
	cut := strings.LastIndex(path, "/")
	if cut < 0 {
		return nil, errors.New("name the server, the mount of the transit engine and a key in it, such as vault://vault.example.com:8200/transit/causeway")
	}
	return vault.Open(vault.Config{
		Server: scheme + "://" + a.Host, Mount: path[:cut], Key: path[cut+1:],
		Namespace: query.Get("namespace"), CAFile: query.Get("ca-file"),
		TokenFile: query.Get("token-file"), AppRole: query.Get("approle"), SecretIDFile: query.Get("secret-id-file"),
		Role: query.Get("kubernetes-role"), JWTFile: query.Get("jwt-file"), AuthPath: query.Get("auth-path"),
	})
}

func ofAWS(ctx context.Context, a *url.URL) (kms.Key, error) {
	if a.Opaque == "" {
		return nil, errors.New("name the key without slashes before it, such as aws:alias/causeway")
	}
	name, err := url.PathUnescape(a.Opaque)
	if err != nil {
		return nil, errors.New("the name of the key cannot be read")
	}
	return aws.Open(ctx, aws.Config{Key: name, Region: a.Query().Get("region")})
}

func ofGCP(_ context.Context, a *url.URL) (kms.Key, error) { return gcp.Open(a.Opaque) }

func ofAzure(_ context.Context, a *url.URL) (kms.Key, error) {
	return azure.Open(azure.Config{Vault: a.Host, Key: strings.Trim(a.Path, "/")})
}
