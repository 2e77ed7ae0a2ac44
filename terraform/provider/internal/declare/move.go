package declare

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// kubernetesProvider ends the address of the provider whose state can be moved.
const kubernetesProvider = "/hashicorp/kubernetes"

// MoveState takes the place of an object in the state of the provider for
// Kubernetes. The rest is read from the cluster, as in an import: nothing is
// deleted and made again.
func (r *declared) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
		if !strings.HasSuffix(req.SourceProviderAddress, kubernetesProvider) || !slices.Contains(r.kind.MovedFrom, req.SourceTypeName) {
			return
		}
		id, err := movedID(req.SourceRawState.JSON)
		if err != nil {
			refuse(&resp.Diagnostics, "The state of "+req.SourceTypeName+" cannot be moved", err)
			return
		}
		resp.TargetState.Raw = typed(resp.TargetState.Schema.Type().TerraformType(ctx), map[string]any{})
		resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root(attrID), id)...)
	}}}
}

// movedID reads NAMESPACE/NAME from the block metadata.
func movedID(raw []byte) (string, error) {
	state := map[string]any{}
	if err := decode(raw, &state); err != nil {
		return "", err
	}
	blocks, _ := state["metadata"].([]any)
	if len(blocks) != 1 {
		return "", errors.New("it has no block metadata")
	}
	metadata, _ := blocks[0].(map[string]any)
	namespace, _ := metadata["namespace"].(string)
	name, _ := metadata["name"].(string)
	if namespace == "" || name == "" {
		return "", errors.New("its metadata has no namespace or no name")
	}
	return namespace + "/" + name, nil
}
