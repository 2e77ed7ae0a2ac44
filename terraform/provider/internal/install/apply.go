package install

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// Create installs the engine, in the place of Argo CD where that runs.
func (r *engineResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	r.apply(ctx, config, model{}, &resp.State, &resp.Diagnostics, r.arrive)
}

// Update brings the engine to what is configured now, and removes what the
// chart has no more.
func (r *engineResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, before model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &before)...)
	r.apply(ctx, config, before, &resp.State, &resp.Diagnostics, write)
}

// put brings the engine's objects into the hub.
type put func(ctx context.Context, hub *object.Client, m model, made made) error

func (r *engineResource) apply(ctx context.Context, m, before model, state *tfsdk.State, d *diag.Diagnostics, put put) {
	if d.HasError() {
		return
	}
	made, err := r.make(ctx, &m)
	if err != nil {
		d.AddError("The engine cannot be installed like this", err.Error())
		return
	}
	hub, err := r.Hub.OpenToApply(ctx)
	if err != nil {
		d.AddError("The cluster cannot be reached", err.Error())
		return
	}
	if err := put(ctx, hub, m, made); err != nil {
		d.AddError("The engine cannot be installed", err.Error())
		return
	}
	// From here on there is something to destroy, even if it does not get ready.
	d.Append(state.Set(ctx, m)...)
	if err := prune(ctx, hub, before, m); err != nil {
		d.AddError("An object of the former version cannot be deleted", err.Error())
	}
	if !m.Wait.IsNull() && !m.Wait.ValueBool() {
		return
	}
	within, err := m.patience()
	if err == nil {
		err = ready(ctx, hub, made.objects, within)
	}
	if err != nil {
		d.AddError("The engine does not run", err.Error())
	}
}

func write(ctx context.Context, hub *object.Client, m model, made made) error {
	if err := define(ctx, hub, made.definitions); err != nil {
		return err
	}
	if m.CreateNamespace.IsNull() || m.CreateNamespace.ValueBool() {
		if err := createNamespace(ctx, hub, m.Namespace.ValueString()); err != nil {
			return err
		}
	}
	for _, o := range made.objects {
		if _, err := hub.Apply(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// createNamespace makes a namespace, and leaves one alone that is there.
func createNamespace(ctx context.Context, hub *object.Client, name string) error {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("v1")
	o.SetKind("Namespace")
	o.SetName(name)
	live, err := hub.Read(ctx, o)
	if err != nil || live != nil {
		return err
	}
	_, err = hub.Apply(ctx, o)
	return err
}

// prune removes the objects that the state has and the chart has no more.
func prune(ctx context.Context, hub *object.Client, before, now model) error {
	old, err := before.kept()
	if err != nil {
		return err
	}
	for name, o := range old {
		if _, stays := now.Objects.Elements()[name]; stays {
			continue
		}
		if err := hub.Remove(ctx, o, removeTime); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes the chart's objects. Where Argo CD made way for the engine, it
// gets back first what it had.
func (r *engineResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var m model
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	hub, err := r.Hub.OpenToApply(ctx)
	if err != nil {
		resp.Diagnostics.AddError("The cluster cannot be reached", err.Error())
		return
	}
	if err := r.handBack(ctx, hub, m); err != nil {
		resp.Diagnostics.AddError("Argo CD cannot be given back what the engine took over", fmt.Sprintf(
			"%s\nThe engine stays. Destroy again, or hand back first with: causeway import argocd --revert --namespace %s", err, m.Namespace.ValueString()))
		return
	}
	if err := prune(ctx, hub, m, model{}); err != nil {
		resp.Diagnostics.AddError("The engine cannot be removed", fmt.Sprintf("%s. What is gone already stays gone: destroy again.", err))
	}
}
