package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Provider asks one server.
type Provider struct {
	config Config
	client *api.Client
	around store.Around
	// sign is who the store is at AWS.
	sign SignCaller

	// entering is held by who logs in.
	entering sync.Mutex

	mu sync.Mutex
	// until is when its token is replaced; zero for one that lasts.
	until time.Time
}

var _ provider.Reader = (*Provider)(nil)

// Read is the data of an entry of a KV engine. Of version 2, the latest version
// counts, or the one that is asked for.
func (p *Provider) Read(ctx context.Context, ref provider.Ref) (entry.Entry, error) {
	if ref.Metadata {
		return p.metadata(ctx, ref)
	}
	at, err := p.path("data", ref.Key)
	if err != nil {
		return entry.Entry{}, err
	}
	return p.entry(ctx, at, ref.Version)
}

// entry is what is at a path of the engine.
func (p *Provider) entry(ctx context.Context, at, version string) (entry.Entry, error) {
	query := url.Values{}
	if version != "" && p.second() {
		query.Set("version", version)
	}
	data, err := p.get(ctx, at, query)
	if err != nil {
		return entry.Entry{}, err
	}
	if !p.second() {
		return objectOf(data)
	}
	inner, ok := data["data"].(map[string]any)
	switch {
	case ok:
		one, err := objectOf(inner)
		return one.At(versionOf(data)), err
	case deleted(data):
		return entry.Entry{}, fmt.Errorf("%w: this version of %s is deleted", entry.ErrNotFound, at)
	default:
		return entry.Entry{}, fmt.Errorf("cannot read %s: the answer is none of a KV engine of version 2", at)
	}
}

// deleted reports whether the engine says that a version has no data any more.
func deleted(data map[string]any) bool {
	metadata, _ := data["metadata"].(map[string]any)
	destroyed, _ := metadata["destroyed"].(bool)
	at, _ := metadata["deletion_time"].(string)
	return destroyed || at != ""
}

// versionOf is the version that the engine says an entry has.
func versionOf(data map[string]any) string {
	metadata, _ := data["metadata"].(map[string]any)
	version, _ := metadata["version"].(json.Number)
	return version.String()
}

// metadata are the custom metadata of an entry of version 2.
func (p *Provider) metadata(ctx context.Context, ref provider.Ref) (entry.Entry, error) {
	if !p.second() {
		return entry.Entry{}, errors.New("metadataPolicy Fetch: a KV engine of version 1 has no metadata")
	}
	at, err := p.path("metadata", ref.Key)
	if err != nil {
		return entry.Entry{}, err
	}
	data, err := p.get(ctx, at, nil)
	if err != nil {
		return entry.Entry{}, err
	}
	custom, _ := data["custom_metadata"].(map[string]any)
	if custom == nil {
		custom = map[string]any{}
	}
	return objectOf(custom)
}

func objectOf(data map[string]any) (entry.Entry, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return entry.Entry{}, errors.New("the data are no JSON")
	}
	return entry.Object(text), nil
}

func (p *Provider) second() bool { return p.config.Version != version1 }

// path is where an entry is: the engine's path, for version 2 what is asked of it,
// and the key, which may begin with the engine's path, and with data.
func (p *Provider) path(what, key string) (string, error) {
	key = strings.Trim(key, "/")
	for part := range strings.SplitSeq(key, "/") {
		if part == "." || part == ".." { // the client would go there, out of the engine
			return "", fmt.Errorf("the key %q has a part %q, which no entry has", key, part)
		}
	}
	mount := strings.Trim(p.config.Path, "/")
	if mount == "" {
		mount, key, _ = strings.Cut(key, "/")
	} else if rest, ok := strings.CutPrefix(key, mount+"/"); ok {
		key = rest
	}
	if p.second() {
		key = strings.TrimPrefix(key, "data/")
	}
	return p.at(mount, what, key), nil
}

// at is where an entry is whose key is exactly this one.
func (p *Provider) at(mount, what, key string) string {
	mount = strings.Trim(mount, "/")
	if !p.second() {
		return strings.TrimSuffix(mount+"/"+key, "/")
	}
	return strings.TrimSuffix(mount+"/"+what+"/"+key, "/")
}
