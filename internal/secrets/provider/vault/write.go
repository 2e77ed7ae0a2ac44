package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"

	"github.com/hashicorp/vault/api"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

var _ provider.Writer = (*Provider)(nil)

// customMetadata is where an entry says who made it: of version 2 in its metadata, of
// version 1, which has none, in a field, as External Secrets' operator has it.
const customMetadata = "custom_metadata"

// stored is what is there.
type stored struct {
	// data are the fields, nil without an entry or a version that has some.
	data map[string]any
	// there is that there is an entry, also one without data.
	there, managed bool
	// version is that of the newest data, deleted or not; 0 when there is none.
	version json.Number
}

// Metadata is what a PushSecret may say to the provider: nothing, until now.
type Metadata struct{}

// Put writes an entry of a KV engine, or a field of it. Of version 2, it is written only
// onto the version that was read: what somebody else writes meanwhile is not lost.
func (p *Provider) Put(ctx context.Context, push provider.Push) error {
	if err := provider.ReadMetadata(push.Metadata, &Metadata{}); err != nil {
		return err
	}
	now, err := p.stored(ctx, push.Key)
	if err != nil {
		return err
	}
	if now.there && !now.managed {
		return fmt.Errorf("%w: %s has not the custom metadata %s: %s", provider.ErrNotManaged, push.Key, provider.ManagedBy, provider.Manager)
	}
	wanted := provider.With(now.data, push.Property, push.Value)
	if push.Property == "" {
		if wanted, err = provider.Object(push.Value); err != nil {
			return fmt.Errorf("an entry of Vault has fields: set match.remoteRef.property, or push a JSON object: %w", err)
		}
	}
	if now.data != nil && alike(now.data, wanted) {
		return nil
	}
	if !now.there && p.second() { // first, so that an entry without a mark is never ours
		at, err := p.path("metadata", push.Key)
		if err != nil {
			return err
		}
		if err := p.send(ctx, http.MethodPost, at, map[string]any{customMetadata: mark()}); err != nil {
			return err
		}
	}
	return p.write(ctx, push.Key, wanted, now.version)
}

// alike reports whether two entries say the same to Vault, which rounds large numbers: what
// it rounded would else be written again for ever.
func alike(a, b map[string]any) bool {
	first, second := rounded(a), rounded(b)
	return first != nil && reflect.DeepEqual(first, second)
}

func rounded(object map[string]any) (out map[string]any) {
	text, err := json.Marshal(object)
	if err != nil || json.Unmarshal(text, &out) != nil {
		return nil
	}
	return out
}

func mark() map[string]any { return map[string]any{provider.ManagedBy: provider.Manager} }

func (p *Provider) write(ctx context.Context, key string, data map[string]any, version json.Number) error {
	at, err := p.path("data", key)
	if err != nil {
		return err
	}
	if !p.second() {
		data = maps.Clone(data)
		data[customMetadata] = mark()
		return p.send(ctx, http.MethodPost, at, data)
	}
	if version == "" {
		version = "0"
	}
	return p.send(ctx, http.MethodPost, at, map[string]any{"data": data, "options": map[string]any{"cas": version}})
}

// Delete takes a field out of an entry, and deletes the entry with its last field, all
// its versions included.
func (p *Provider) Delete(ctx context.Context, target provider.Target) error {
	now, err := p.stored(ctx, target.Key)
	if err != nil || !now.there || !now.managed {
		return err
	}
	if target.Property != "" {
		if _, is := now.data[target.Property]; !is {
			return nil
		}
		left := maps.Clone(now.data)
		if delete(left, target.Property); len(left) > 0 {
			return p.write(ctx, target.Key, left, now.version)
		}
	}
	at, err := p.path("metadata", target.Key)
	if err != nil {
		return err
	}
	return p.send(ctx, http.MethodDelete, at, nil)
}

// Exists implements provider.Writer.
func (p *Provider) Exists(ctx context.Context, target provider.Target) (bool, error) {
	now, err := p.stored(ctx, target.Key)
	_, is := now.data[target.Property]
	return is || target.Property == "" && now.data != nil, err
}

// stored is what there is of an entry.
func (p *Provider) stored(ctx context.Context, key string) (now stored, err error) {
	if p.second() {
		at, err := p.path("metadata", key)
		if err != nil {
			return now, err
		}
		metadata, err := p.get(ctx, at, nil)
		if errors.Is(err, entry.ErrNotFound) {
			return now, nil
		}
		if err != nil {
			return now, err
		}
		now.there, now.managed = true, marked(metadata)
		now.version, _ = metadata["current_version"].(json.Number)
	}
	at, err := p.path("data", key)
	if err != nil {
		return now, err
	}
	one, err := p.entry(ctx, at, "")
	if errors.Is(err, entry.ErrNotFound) {
		return now, nil
	}
	if err != nil {
		return now, err
	}
	if now.data, err = provider.Object(one.Text); err != nil {
		return now, fmt.Errorf("cannot read %s: %w", at, err)
	}
	if !p.second() {
		now.there, now.managed = true, marked(now.data)
		delete(now.data, customMetadata)
	}
	return now, nil
}

func marked(of map[string]any) bool {
	custom, _ := of[customMetadata].(map[string]any)
	return custom[provider.ManagedBy] == provider.Manager
}

// send writes to a path, with a new token where the one that there is has ended.
func (p *Provider) send(ctx context.Context, method, path string, body map[string]any) error {
	if err := p.renew(ctx); err != nil {
		return err
	}
	used := p.client.Token()
	err := put(ctx, p.client, method, path, body)
	if denied(err) && p.config.Auth != nil {
		if failed := p.replace(ctx, used); failed != nil {
			return fmt.Errorf("cannot write %s: %w", path, failed)
		}
		if p.client.Token() != used {
			err = put(ctx, p.client, method, path, body)
		}
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, plain(err))
	}
	return nil
}

func put(ctx context.Context, client *api.Client, method, path string, body map[string]any) error {
	if method == http.MethodDelete {
		_, err := client.Logical().DeleteWithContext(ctx, path)
		return err
	}
	_, err := client.Logical().WriteWithContext(ctx, path, body)
	return err
}
