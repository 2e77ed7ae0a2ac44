package azure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Kinds of what a vault has, as keys begin.
const (
	ofSecret      = "secret"
	ofKey         = "key"
	ofCertificate = "cert"
)

// Names and versions of a vault: anything else would lead elsewhere.
// https://learn.microsoft.com/azure/key-vault/general/about-keys-secrets-certificates.
var (
	names    = regexp.MustCompile(`^[0-9A-Za-z\-]{1,127}$`)
	versions = regexp.MustCompile(`^[0-9A-Za-z]{1,64}$`)
)

// Read is a secret, a public key or a certificate: the latest version, or the one that is
// asked for.
func (v *Vault) Read(ctx context.Context, ref provider.Ref) (entry.Entry, error) {
	kind, name, found := strings.Cut(ref.Key, "/")
	if !found {
		kind, name = ofSecret, ref.Key
	}
	switch {
	case ref.Key == "":
		return entry.Entry{}, errors.New("the key is empty")
	case !names.MatchString(name):
		return entry.Entry{}, fmt.Errorf("the key %q is no name, nor one after secret/, key/ or cert/: letters, digits and hyphens", ref.Key)
	case ref.Version != "" && !versions.MatchString(ref.Version):
		return entry.Entry{}, fmt.Errorf("the version %q is none: letters and digits", ref.Version)
	}
	one, err := v.one(ctx, kind, name, ref.Version)
	if err != nil {
		return entry.Entry{}, err
	}
	if ref.Metadata {
		return entry.Tags(name, tagsOf(one.tags)), nil
	}
	if one.value == nil {
		return entry.Entry{}, fmt.Errorf("cannot read %s/%s: the answer has no value", kind, name)
	}
	return entry.Object(one.value).At(one.version), nil
}

// thing is what a vault has of a name.
type thing struct {
	value   []byte
	version string
	tags    map[string]*string
}

func (v *Vault) one(ctx context.Context, kind, name, version string) (thing, error) {
	var (
		out thing
		err error
	)
	switch kind {
	case ofSecret:
		got, failed := v.secrets.GetSecret(ctx, name, version, nil)
		if err = failed; err == nil && got.Value != nil {
			out.value = []byte(*got.Value)
		}
		out.version, out.tags = versionIn((*string)(got.ID)), got.Tags
	case ofKey:
		got, failed := v.keys.GetKey(ctx, name, version, nil)
		if err = failed; err == nil && got.Key != nil && got.Key.Kty != nil {
			if out.value, err = json.Marshal(got.Key); err != nil {
				err = &unsaid{errors.New("the key is no JSON")}
			}
			out.version = versionIn((*string)(got.Key.KID))
		}
		out.tags = got.Tags
	case ofCertificate:
		got, failed := v.certificates.GetCertificate(ctx, name, version, nil)
		if err = failed; err == nil && len(got.CER) > 0 {
			out.value = got.CER
		}
		out.version, out.tags = versionIn((*string)(got.ID)), got.Tags
	default:
		return thing{}, fmt.Errorf("the key %q begins with none of secret/, key/ and cert/", kind+"/"+name)
	}
	if err != nil {
		return thing{}, explain(ctx, &v.known, "read "+kind+"/"+name, err)
	}
	return out, nil
}

// versionIn is the one of an ID: https://shop.vault.azure.net/secrets/NAME/VERSION.
func versionIn(id *string) string {
	_, version := partsOf(id)
	return version
}

func partsOf(id *string) (name, version string) {
	if id == nil {
		return "", ""
	}
	_, path, _ := strings.Cut(*id, "://")
	parts := strings.Split(path, "/")
	const withName, withVersion = 3, 4
	if len(parts) >= withName {
		name = parts[withName-1]
	}
	if len(parts) >= withVersion {
		version = parts[withVersion-1]
	}
	return name, version
}

func tagsOf(tags map[string]*string) map[string][]byte {
	all := map[string][]byte{}
	for key, value := range tags {
		if value != nil {
			all[key] = []byte(*value)
		}
	}
	return all
}
