package install

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ModifyPlan renders the chart, so that the plan shows what changes.
func (r *engineResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Hub == nil {
		return
	}
	if req.Plan.Raw.IsNull() {
		r.planRemoval(ctx, req, resp)
		return
	}
	var config, plan model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.Name, plan.Namespace = config.Name, config.Namespace
	_, known := r.Hub.Namespace()
	if !req.Config.Raw.IsFullyKnown() || (!known && config.Namespace.IsNull()) {
		plan.unknown()
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
		return
	}
	made, err := r.make(ctx, &plan)
	if err != nil {
		resp.Diagnostics.AddError("The engine cannot be installed like this", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	if req.State.Raw.IsNull() {
		r.unnamed(&resp.Diagnostics)
		r.foresee(ctx, plan, model{}, made, &resp.Diagnostics)
		return
	}
	var before model
	resp.Diagnostics.Append(req.State.Get(ctx, &before)...)
	switch {
	case resp.Diagnostics.HasError():
	case before.ID.ValueString() != plan.ID.ValueString():
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("id"))
	case !resp.Plan.Raw.Equal(req.State.Raw):
		r.foresee(ctx, plan, before, made, &resp.Diagnostics)
	}
}

// unnamed warns before the engine is installed in a cluster that nobody named to
// this provider: whoever comes from other providers has named one to them.
func (r *engineResource) unnamed(d *diag.Diagnostics) {
	current := r.Hub.CurrentContext()
	if current == "" {
		return
	}
	d.AddWarning("The hub is the cluster of kubectl's current context", fmt.Sprintf("No block provider \"causeway\" says in which cluster the engine is to be installed, so it is that of the context %s. "+
		"What other providers (kubernetes, helm) are told does not count for this one. Where another cluster is meant, write a block provider \"causeway\", "+
		"and hand it to a module by providers = { causeway = causeway.hub }; where it is this one, config_context = %[1]q says so.", current))
}

func (r *engineResource) planRemoval(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var before model
	resp.Diagnostics.Append(req.State.Get(ctx, &before)...)
	if !resp.Diagnostics.HasError() {
		r.foreseeBack(ctx, before, &resp.Diagnostics)
	}
}

// unknown leaves open what cannot be told yet.
func (m *model) unknown() {
	for _, v := range []*types.String{&m.Name, &m.Namespace} {
		if v.IsNull() {
			*v = types.StringUnknown()
		}
	}
	m.ID, m.Version, m.Definitions = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	m.Objects = types.MapUnknown(types.StringType)
}
