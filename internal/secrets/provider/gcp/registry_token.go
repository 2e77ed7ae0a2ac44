package gcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// registryUser is what registries call who has a token.
// https://cloud.google.com/artifact-registry/docs/docker/authentication#token.
const registryUser = "oauth2accesstoken"

// RegistryToken is a generator.Maker: what logs in to a registry of images.
func (f Factory) RegistryToken(ctx context.Context, said json.RawMessage, around store.Around) (map[string][]byte, error) {
	var spec struct {
		ProjectID string `json:"projectID"`
		Auth      Auth   `json:"auth"`
	}
	if err := json.Unmarshal(said, &spec); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	config := Config{ProjectID: spec.ProjectID, Auth: spec.Auth}
	if err := config.check(); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	transport, err := connect(around)
	if err != nil {
		return nil, err
	}
	who, err := f.identify(ctx, config, &provider.Known{}, transport, around)
	if err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	token, err := who.token(ctx)
	if err != nil {
		return nil, err
	}
	ends := token.Expiry
	if ends.IsZero() { // what Google says of no other end
		ends = time.Now().Add(time.Hour)
	}
	return map[string][]byte{
		"username": []byte(registryUser), "password": []byte(token.AccessToken), "expiry": strconv.AppendInt(nil, ends.Unix(), 10), //nolint:mnd // decimal
	}, nil
}
