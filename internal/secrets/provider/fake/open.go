package fake

import (
	"context"
	"encoding/json"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Name of the provider in a SecretStore.
const Name = "fake"

// Open is a store.Factory.
func Open(_ context.Context, text json.RawMessage, _ store.Around) (provider.Reader, error) {
	var config Config
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, err
	}
	return New(config), nil
}
