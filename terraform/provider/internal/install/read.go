package install

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/deploy"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// Read looks what the cluster has of the chart's objects.
func (r *engineResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m model
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	hub, err := r.Hub.OpenToRefresh(ctx)
	if errors.Is(err, connection.ErrUnknown) {
		return
	}
	if err != nil {
		resp.Diagnostics.AddError("The cluster cannot be reached", err.Error())
		return
	}
	found, err := r.refresh(ctx, hub, &m)
	if err != nil {
		resp.Diagnostics.AddError("The engine's objects cannot be read", err.Error())
		return
	}
	if !found {
		resp.State.RemoveResource(ctx)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

// refresh reports whether anything of the engine is there.
func (r *engineResource) refresh(ctx context.Context, hub *object.Client, m *model) (bool, error) {
	if m.Objects.IsNull() {
		if _, err := r.make(ctx, m); err != nil {
			return false, err
		}
	}
	wanted, err := m.kept()
	if err != nil {
		return false, err
	}
	var live []*unstructured.Unstructured
	for _, want := range wanted {
		have, err := hub.Read(ctx, want)
		if err != nil {
			return false, err
		}
		if have != nil {
			live = append(live, &unstructured.Unstructured{Object: object.Project(have.Object, want.Object)})
		}
	}
	if m.Objects, err = described(ctx, live); err != nil {
		return false, err
	}
	return len(live) > 0, r.refreshDefinitions(ctx, hub, m)
}

func (r *engineResource) refreshDefinitions(ctx context.Context, hub *object.Client, m *model) error {
	if m.SkipCRDs.ValueBool() {
		return nil
	}
	all, err := deploy.Definitions()
	if err != nil {
		return err
	}
	missing, err := lacking(ctx, hub, all)
	if err == nil && missing != "" {
		m.Definitions = types.StringValue("missing: " + missing)
	}
	return err
}

// ImportState takes NAMESPACE/NAME; Read, which follows, looks for the
// chart's objects.
func (r *engineResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	namespace, name, ok := strings.Cut(req.ID, "/")
	if !ok || namespace == "" || name == "" || strings.Contains(name, "/") {
		resp.Diagnostics.AddError("This id cannot be imported", "Write NAMESPACE/NAME, as in \"argocd/causeway\".")
		return
	}
	set := func(at, v string) diag.Diagnostics { return resp.State.SetAttribute(ctx, path.Root(at), v) }
	resp.Diagnostics.Append(set("id", req.ID)...)
	resp.Diagnostics.Append(set("namespace", namespace)...)
	resp.Diagnostics.Append(set("name", name)...)
}
