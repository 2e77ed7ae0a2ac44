package chronicle

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/object"
	"github.com/causeway-gitops/causeway/internal/store"
)

// Difference is what differs between the manifests of two syncs.
type Difference struct {
	Objects []forecast.Object `json:"objects"`
	Images  []forecast.Image  `json:"images,omitempty"`
}

// Compare tells what differs between what two syncs applied, with secrets masked, and
// annotations of Secrets that are named.
func Compare(ctx context.Context, s *store.Store, a, b string, annotations []string) (*Difference, error) {
	before, err := s.Kept(ctx, a)
	if err != nil {
		return nil, err
	}
	after, err := s.Kept(ctx, b)
	if err != nil {
		return nil, err
	}
	hidden := append(append([]string(nil), before.Rendering.Hidden...), after.Rendering.Hidden...)
	c := object.Compare(before.Rendering.Manifests, after.Rendering.Manifests, object.Options{Hidden: hidden, Annotations: annotations})
	return &Difference{Objects: c.Objects, Images: c.Images}, nil
}
