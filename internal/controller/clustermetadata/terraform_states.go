package clustermetadata

import (
	"context"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
)

// states are the Terraform states that the values of one object are taken
// from, each read once.
type states struct {
	read      func(ctx context.Context, namespace, name string) (map[string][]byte, error)
	namespace string
	known     map[string]state // by the name of the first Secret
}

type state struct {
	*bridge.State

	err error
}

func (s *states) output(ctx context.Context, ref causeway.TerraformOutput) (string, error) {
	name := bridge.StateSecret(ref.Workspace, ref.SecretSuffix, 0)
	found, ok := s.known[name]
	if !ok {
		found.State, found.err = bridge.ReadState(func(number int) ([]byte, error) {
			data, err := s.read(ctx, s.namespace, bridge.StateSecret(ref.Workspace, ref.SecretSuffix, number))
			return data[bridge.StateKey], err
		})
		if s.known == nil {
			s.known = map[string]state{}
		}
		s.known[name] = found
	}
	if found.err != nil {
		return "", found.err
	}
	return found.Output(ref.Output)
}
