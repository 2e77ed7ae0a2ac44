package secrets

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// storeName is how a store is named in texts.
func storeName(ref esv1.SecretStoreRef) string {
	return cmp.Or(ref.Kind, esv1.SecretStoreKind) + "/" + ref.Name
}

// describe tells of a store what is no credential: its provider, and where that is.
func describe(provider map[string]apiextensionsv1.JSON) (name, address string) {
	names := slices.Sorted(maps.Keys(provider))
	if len(names) != 1 {
		return strings.Join(names, ", "), ""
	}
	var fields map[string]any
	if err := json.Unmarshal(provider[names[0]].Raw, &fields); err != nil {
		return names[0], "" // its own condition says so
	}
	for _, at := range []any{fields["server"], fields["url"], fields["vaultUrl"]} {
		if m, ok := at.(map[string]any); ok {
			at = m["url"]
		}
		if text, ok := at.(string); ok && host(text) != "" {
			return names[0], host(text)
		}
	}
	region, _ := fields["region"].(string)
	return names[0], region
}

// host is the server of an address. Paths and queries of webhooks hold tokens, and templates of them.
func host(text string) string {
	at, err := url.Parse(text)
	if err != nil || at.Host == "" {
		return ""
	}
	return at.Scheme + "://" + at.Host
}

// keysOf are what an ExternalSecret reads.
func keysOf(spec *esv1.ExternalSecretSpec) []Key {
	all := make([]Key, 0, len(spec.Data)+len(spec.DataFrom))
	for _, d := range spec.Data {
		k := entryKey(&d.RemoteRef)
		k.Key = d.SecretKey
		if s := d.SourceRef; s != nil {
			k.from(&s.SecretStoreRef, s.GeneratorRef)
		}
		all = append(all, k)
	}
	for _, d := range spec.DataFrom {
		var k Key
		switch {
		case d.Extract != nil:
			k = entryKey(d.Extract)
		case d.Find != nil:
			k.Find = findText(d.Find)
		}
		if s := d.SourceRef; s != nil {
			k.from(s.SecretStoreRef, s.GeneratorRef)
		}
		all = append(all, k)
	}
	return all
}

func entryKey(ref *esv1.RemoteRef) Key {
	return Key{Entry: ref.Key, Property: ref.Property, Pinned: ref.Version, Metadata: ref.MetadataPolicy == "Fetch"}
}

// from is a store or generator of its own.
func (k *Key) from(store *esv1.SecretStoreRef, generator *esv1.GeneratorRef) {
	if store != nil && store.Name != "" {
		k.Store = storeName(*store)
	}
	if generator != nil {
		k.Generator = generator.Kind + "/" + generator.Name
	}
}

func findText(f *esv1.Find) string {
	var parts []string
	if f.Name != nil && f.Name.RegExp != "" {
		parts = append(parts, "name "+f.Name.RegExp)
	}
	if f.Path != nil && *f.Path != "" {
		parts = append(parts, "path "+*f.Path)
	}
	for _, tag := range slices.Sorted(maps.Keys(f.Tags)) {
		parts = append(parts, fmt.Sprintf("tag %s=%s", tag, f.Tags[tag]))
	}
	return cmp.Or(strings.Join(parts, ", "), "everything")
}

// Source says in words where a key comes from.
func (k *Key) Source() string {
	var parts []string
	switch {
	case k.Generator != "":
		parts = append(parts, "generator "+k.Generator)
	case k.Find != "":
		parts = append(parts, "entries found by "+k.Find)
	default:
		parts = append(parts, "entry "+k.Entry)
	}
	if k.Metadata {
		parts = append(parts, "its labels or tags")
	}
	if k.Property != "" {
		parts = append(parts, "property "+k.Property)
	}
	switch {
	case k.Pinned != "":
		parts = append(parts, "version "+k.Pinned+", which the spec pins")
	case k.Version != "":
		parts = append(parts, "version "+k.Version)
	}
	if k.Store != "" {
		parts = append(parts, "of "+k.Store)
	}
	return strings.Join(parts, ", ")
}

// Short names the entry, or what stands for it.
func (k *Key) Short() string {
	switch {
	case k.Generator != "":
		return k.Generator
	case k.Find != "":
		return "find " + k.Find
	}
	return k.Entry
}
