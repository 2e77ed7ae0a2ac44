package declare

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// Read puts what the cluster has into the state. While the cluster is not
// known, the state stays as it is.
func (r *declared) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var id, text types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(attrID), &id)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(attrObject), &text)...)
	if resp.Diagnostics.HasError() {
		return
	}
	live, err := r.live(ctx, id.ValueString())
	if errors.Is(err, connection.ErrUnknown) {
		return
	}
	if err != nil {
		refuse(&resp.Diagnostics, "The object cannot be read", err)
		return
	}
	if live == nil {
		resp.State.RemoveResource(ctx)
		return
	}
	if text.IsNull() {
		r.fill(ctx, live, &resp.State, &resp.Diagnostics)
		return
	}
	r.refresh(ctx, live, text.ValueString(), &resp.State, &resp.Diagnostics)
}

func (r *declared) live(ctx context.Context, id string) (*unstructured.Unstructured, error) {
	o, err := r.kind.parse(id, "")
	if err != nil {
		return nil, fmt.Errorf("id %q: %w", id, err)
	}
	client, err := r.Hub.OpenToRefresh(ctx)
	if err != nil {
		return nil, err
	}
	return client.Read(ctx, o)
}

// refresh keeps of the live object what the resource applied.
func (r *declared) refresh(ctx context.Context, live *unstructured.Unstructured, text string, state *tfsdk.State, d *diag.Diagnostics) {
	before, err := stored(text)
	if err != nil {
		refuse(d, "The state is damaged", err)
		return
	}
	kept := object.Project(seen(live), before.Object)
	if live.GetNamespace() == "" && before.GetNamespace() != "" {
		// The kind has no namespaces; which kinds do is not known in a plan.
		put(kept, []string{"metadata", "namespace"}, before.GetNamespace())
	}
	if isSecret(live) {
		r.kind.conceal(kept, before.Object)
	}
	now, err := encode(kept)
	if err != nil {
		refuse(d, "The object cannot be written as JSON", err)
		return
	}
	d.Append(state.SetAttribute(ctx, path.Root(attrObject), now)...)
	if r.kind.Version == "" {
		return
	}
	var secrets types.Map
	d.Append(state.GetAttribute(ctx, path.Root(attrSecrets), &secrets)...)
	if d.HasError() || secrets.IsNull() {
		return
	}
	states := map[string]attr.Value{}
	for key, v := range secrets.Elements() {
		states[key] = v
		if !object.Owns(live, "data", key) {
			states[key] = types.StringValue(changed)
		}
	}
	d.Append(state.SetAttribute(ctx, path.Root(attrSecrets), types.MapValueMust(types.StringType, states))...)
}
