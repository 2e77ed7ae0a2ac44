package fake

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Config is what a SecretStore says of it.
type Config struct {
	Data []Datum `json:"data"`
}

// Datum is one entry. Of two with the same key and version the later counts.
type Datum struct {
	Key     string `json:"key"`
	Value   string `json:"value,omitempty"`
	Version string `json:"version,omitempty"`
}

// Provider gives the values of its configuration, and those that were written since it
// was opened.
type Provider struct {
	config Config
	// written is nil of one that cannot be written to.
	written *written
}

var _ provider.Reader = Provider{}

// New is a provider with these values.
func New(config Config) Provider {
	return Provider{config, &written{values: map[string][]byte{}, deleted: map[string]bool{}}}
}

// Read wants the version to be the very one: no version is an entry without one.
func (p Provider) Read(_ context.Context, ref provider.Ref) (entry.Entry, error) {
	if value, is, known := p.written.at(ref.Key); known && ref.Version == "" {
		if !is {
			return entry.Entry{}, fmt.Errorf("%w: key %q", entry.ErrNotFound, ref.Key)
		}
		return entry.Text(value), nil
	}
	for i := len(p.config.Data) - 1; i >= 0; i-- {
		if one := p.config.Data[i]; one.Key == ref.Key && one.Version == ref.Version {
			return entry.Text([]byte(one.Value)).At(one.Version), nil
		}
	}
	return entry.Entry{}, fmt.Errorf("%w: key %q, version %q", entry.ErrNotFound, ref.Key, ref.Version)
}

// Find takes the greatest version of each entry, compared as texts.
func (p Provider) Find(_ context.Context, find esv1.Find) (map[string][]byte, error) {
	if find.Name == nil {
		return nil, errors.New("unsupported find operator: the provider fake finds by name.regexp alone")
	}
	name, err := regexp.Compile(find.Name.RegExp)
	if err != nil {
		return nil, fmt.Errorf("name.regexp: %w", err)
	}
	found := map[string]Datum{}
	for _, one := range p.config.Data {
		if !name.MatchString(one.Key) {
			continue
		}
		if other, there := found[one.Key]; !there || one.Version >= other.Version {
			found[one.Key] = one
		}
	}
	out := make(map[string][]byte, len(found))
	for key, one := range found {
		out[key] = []byte(one.Value)
	}
	return out, nil
}
