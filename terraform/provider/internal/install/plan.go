package install

import (
	"context"

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
