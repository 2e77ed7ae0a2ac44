package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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

	mu sync.Mutex
	// until is when its token is replaced; zero for one that was given.
	until time.Time
}

var _ provider.Reader = (*Provider)(nil)

// Read is the data of an entry of a KV engine. Of version 2, the latest version
// counts, or the one that is asked for.
func (p *Provider) Read(ctx context.Context, ref provider.Ref) (entry.Entry, error) {
	if ref.Metadata {
		return p.metadata(ctx, ref)
	}
	query := url.Values{}
	if ref.Version != "" && p.second() {
		query.Set("version", ref.Version)
	}
	secret, err := p.get(ctx, p.path("data", ref.Key), query)
	if err != nil {
		return entry.Entry{}, err
	}
	data := secret.Data
	if p.second() {
		inner, ok := secret.Data["data"].(map[string]any)
		if !ok { // deleted, or destroyed
			return entry.Entry{}, fmt.Errorf("%w: this version of %s is deleted", entry.ErrNotFound, ref.Key)
		}
		data = inner
	}
	return objectOf(data)
}

// metadata are the custom metadata of an entry of version 2.
func (p *Provider) metadata(ctx context.Context, ref provider.Ref) (entry.Entry, error) {
	if !p.second() {
		return entry.Entry{}, errors.New("metadataPolicy Fetch: a KV engine of version 1 has no metadata")
	}
	secret, err := p.get(ctx, p.path("metadata", ref.Key), nil)
	if err != nil {
		return entry.Entry{}, err
	}
	custom, _ := secret.Data["custom_metadata"].(map[string]any)
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
func (p *Provider) path(what, key string) string {
	key = strings.Trim(key, "/")
	mount := strings.Trim(p.config.Path, "/")
	if mount == "" {
		mount, key, _ = strings.Cut(key, "/")
	} else if rest, ok := strings.CutPrefix(key, mount+"/"); ok {
		key = rest
	}
	if !p.second() {
		return strings.TrimSuffix(mount+"/"+key, "/")
	}
	key = strings.TrimPrefix(key, "data/")
	return strings.TrimSuffix(mount+"/"+what+"/"+key, "/")
}

// get reads a path, with a new token where the one that there is has ended.
func (p *Provider) get(ctx context.Context, path string, query url.Values) (*api.Secret, error) {
	if err := p.renew(ctx); err != nil {
		return nil, err
	}
	secret, err := p.client.Logical().ReadWithDataWithContext(ctx, path, query)
	if denied(err) && !p.given() {
		if err = p.logIn(ctx); err == nil {
			secret, err = p.client.Logical().ReadWithDataWithContext(ctx, path, query)
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", path, plain(err))
	case secret == nil || secret.Data == nil:
		return nil, fmt.Errorf("%w: %s", entry.ErrNotFound, path)
	}
	return secret, nil
}

func (p *Provider) given() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until.IsZero()
}

// renew logs in again where a token is near its end.
func (p *Provider) renew(ctx context.Context) error {
	p.mu.Lock()
	over := !p.until.IsZero() && time.Now().After(p.until)
	p.mu.Unlock()
	if !over {
		return nil
	}
	return p.logIn(ctx)
}

func denied(err error) bool {
	var answer *api.ResponseError
	return errors.As(err, &answer) && answer.StatusCode == http.StatusForbidden
}

// plain is an error in one line. What the server says of a request is kept.
func plain(err error) error {
	var answer *api.ResponseError
	if !errors.As(err, &answer) {
		var told *url.Error
		if errors.As(err, &told) {
			return told.Err
		}
		return err
	}
	status := fmt.Sprintf("the server answers %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	if len(answer.Errors) == 0 {
		return errors.New(status)
	}
	return fmt.Errorf("%s: %s", status, strings.Join(strings.Fields(strings.Join(answer.Errors, "; ")), " "))
}
