package declare

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// Create applies the object. One that is there already becomes the resource's
// where its kind or the user allows that.
func (r *declared) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	r.write(ctx, req.Config, req.Plan, &resp.State, &resp.Diagnostics, func(w wanted) {
		r.look(ctx, w, r.objection(req.Config.Raw, tftypes.Value{}, w), &resp.Diagnostics)
	})
}

// Update applies the object anew, with all write-only values: what
// server-side apply is not given, it takes away. A name that was unknown in the
// plan may turn out to be another one, which makes it the end of one object and
// the creation of another.
func (r *declared) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	before := textOf(req.State.Raw, attrID)
	r.write(ctx, req.Config, req.Plan, &resp.State, &resp.Diagnostics, func(w wanted) {
		if before != "" && before != r.kind.id(w.object) && protected(req.State.Raw) {
			r.refuseDeletion(&resp.Diagnostics)
			return
		}
		r.look(ctx, w, r.objection(req.Config.Raw, req.State.Raw, w), &resp.Diagnostics)
	})
	if resp.Diagnostics.HasError() {
		return
	}
	if before != "" && before != textOf(resp.State.Raw, attrID) {
		r.remove(ctx, before, &resp.Diagnostics, r.ending(ctx, req.State))
	}
}

func (r *declared) write(ctx context.Context, config tfsdk.Config, plan tfsdk.Plan, state *tfsdk.State, d *diag.Diagnostics, look func(wanted)) {
	w, err := r.desired(config.Raw)
	if err != nil {
		refuse(d, "This is no valid "+r.kind.Type, err)
		return
	}
	client, err := r.Hub.OpenToApply(ctx)
	if err != nil {
		refuse(d, "The cluster cannot be reached", err)
		return
	}
	if look(w); d.HasError() {
		return
	}
	if _, err := client.Apply(ctx, w.sent()); err != nil {
		refuse(d, "The object cannot be applied", err)
		return
	}
	text, err := encode(w.object.Object)
	if err != nil {
		refuse(d, "The object cannot be written as JSON", err)
		return
	}
	state.Raw = plan.Raw
	d.Append(state.SetAttribute(ctx, path.Root(attrID), r.kind.id(w.object))...)
	d.Append(state.SetAttribute(ctx, path.Root(attrObject), text)...)
	if r.kind.fills(attrNamespace) {
		d.Append(state.SetAttribute(ctx, path.Root(attrNamespace), w.object.GetNamespace())...)
	}
	if r.kind.Version != "" {
		d.Append(state.SetAttribute(ctx, path.Root(attrSecrets), w.states())...)
	}
}

// Delete removes the object and waits for its finalizers. That of a replacement
// which somebody asked for comes without a plan that could have been refused.
func (r *declared) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var id types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(attrID), &id)...)
	if protected(req.State.Raw) {
		r.refuseDeletion(&resp.Diagnostics)
	}
	if !resp.Diagnostics.HasError() {
		r.remove(ctx, id.ValueString(), &resp.Diagnostics, r.ending(ctx, req.State))
	}
}

// end is what becomes of an object that Terraform has no more.
type end func(ctx context.Context, hub *object.Client, o *unstructured.Unstructured) error

func removed(ctx context.Context, hub *object.Client, o *unstructured.Unstructured) error {
	return hub.Remove(ctx, o, removeTime)
}

func released(ctx context.Context, hub *object.Client, o *unstructured.Unstructured) error {
	return hub.Release(ctx, o, removeTime)
}

// ending lets an object stay that others write as well.
func (r *declared) ending(ctx context.Context, state tfsdk.State) end {
	var shared types.Bool
	if r.kind.Shareable && !state.GetAttribute(ctx, path.Root(attrShared), &shared).HasError() && shared.ValueBool() {
		return released
	}
	return removed
}

func (r *declared) remove(ctx context.Context, id string, d *diag.Diagnostics, end end) {
	o, err := r.kind.parse(id, "")
	if err != nil {
		refuse(d, "The state is damaged", fmt.Errorf("id %q: %w", id, err))
		return
	}
	client, err := r.Hub.OpenToApply(ctx)
	if err != nil {
		refuse(d, "The cluster cannot be reached", err)
		return
	}
	if err := end(ctx, client, o); err != nil {
		refuse(d, "The object cannot be deleted", err)
	}
}
