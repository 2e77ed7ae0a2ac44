package install

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

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
	r.apply(ctx, config, model{}, &resp.State, &resp.Diagnostics)
}

// Update brings the engine to what is configured now, and removes what the
// chart has no more. Argo CD may run here again, as after a hand-back: the
// engine does not start beside it.
func (r *engineResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, before model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &before)...)
	r.apply(ctx, config, before, &resp.State, &resp.Diagnostics)
}

func (r *engineResource) apply(ctx context.Context, m, before model, state *tfsdk.State, d *diag.Diagnostics) {
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
	err = unclaimed(ctx, hub, before, m, made.objects)
	if errors.Is(err, errClaimed) {
		d.AddError("An object of the engine is somebody else's", err.Error())
		return
	}
	if err == nil {
		err = r.arrive(ctx, hub, m, before, made)
	}
	if err != nil {
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
		err = ready(ctx, hub, made.objects, within, time.Now)
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

// errClaimed says that an object of the engine is somebody else's.
var errClaimed = errors.New("it was not made by Terraform")

// unclaimed refuses to write over what others made: another installation of the
// engine would be changed, and deleted with this one. What the state has is the
// resource's.
func unclaimed(ctx context.Context, hub *object.Client, before, m model, all []*unstructured.Unstructured) error {
	own := before.Objects.Elements()
	for _, o := range all {
		if _, ours := own[key(o)]; ours {
			continue
		}
		live, err := hub.Read(ctx, o)
		if err != nil {
			return err
		}
		if live != nil && !object.Written(live) {
			return fmt.Errorf("%s is there already, written by %s: %w. To have this resource keep that engine, import it (terraform import ADDRESS %s): "+
				"a destroy then deletes it. Else uninstall it as it was installed, or choose another name", object.Name(live), object.WrittenBy(live), errClaimed, m.ID.ValueString())
		}
	}
	return nil
}

// prune removes the objects that the state has and the chart has no more.
func prune(ctx context.Context, hub *object.Client, before, now model) error {
	old, err := before.kept()
	if err != nil {
		return err
	}
	for _, name := range departures(old) {
		if _, stays := now.Objects.Elements()[name]; stays {
			continue
		}
		if err := hub.Remove(ctx, old[name], removeTime); err != nil {
			return err
		}
	}
	return nil
}

// departures are the names of objects in the order in which they go: first what
// runs, then what it runs by.
func departures(all map[string]*unstructured.Unstructured) []string {
	names := slices.Sorted(maps.Keys(all))
	slices.SortStableFunc(names, func(a, b string) int { return place(all[a]) - place(all[b]) })
	return names
}

func place(o *unstructured.Unstructured) int {
	if o.GetKind() == "Deployment" {
		return 0
	}
	return 1
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
	found, err := findArgo(ctx, hub, m.Namespace.ValueString())
	if err != nil {
		resp.Diagnostics.AddError("The engine cannot be removed", err.Error())
		return
	}
	if found.taken() {
		_, err = r.program(ctx, m, "--revert")
	}
	if err != nil {
		resp.Diagnostics.AddError("Argo CD cannot be given back what the engine took over", fmt.Sprintf(
			"%s\nThe engine stays. Destroy again, or hand back first with: %s", err, command(m, "--revert")))
		return
	}
	if err := prune(ctx, hub, m, model{}); err != nil {
		resp.Diagnostics.AddError("The engine cannot be removed", fmt.Sprintf("%s. What is gone already stays gone: destroy again.", err))
	}
}
