package declare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// What the attribute secrets says of each key.
const (
	applied = "applied"
	changed = "changed elsewhere"
)

func isNotYet(err error) bool { return errors.Is(err, errNotYet) }

// ModifyPlan fills in what the configuration comes to.
func (r *declared) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Hub == nil {
		return // not configured: `terraform validate`
	}
	if req.Plan.Raw.IsNull() {
		r.planRemoval(ctx, req, resp)
		return
	}
	w, err := r.desired(req.Config.Raw)
	if isNotYet(err) {
		r.planUnknown(ctx, req, resp)
		return
	}
	if err != nil {
		refuse(&resp.Diagnostics, "This is no valid "+r.kind.Type, err)
		return
	}
	text, err := encode(w.object.Object)
	if err != nil {
		refuse(&resp.Diagnostics, "The object cannot be written as JSON", err)
		return
	}
	id := r.kind.id(w.object)
	d := &resp.Diagnostics
	d.Append(resp.Plan.SetAttribute(ctx, path.Root(attrID), id)...)
	d.Append(resp.Plan.SetAttribute(ctx, path.Root(attrObject), text)...)
	if r.kind.fills(attrNamespace) {
		d.Append(resp.Plan.SetAttribute(ctx, path.Root(attrNamespace), w.object.GetNamespace())...)
	}
	if before := textOf(req.State.Raw, attrID); before != "" && before != id {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root(attrID))
		r.planRemoval(ctx, req, resp)
	}
	r.foresee(ctx, w, r.objection(req.Config.Raw, req.State.Raw, w), d)
	if r.kind.Version != "" {
		d.Append(resp.Plan.SetAttribute(ctx, path.Root(attrSecrets), r.planSecrets(ctx, req, w))...)
	}
}

// planUnknown keeps unknown what cannot be told yet.
func (r *declared) planUnknown(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	d := &resp.Diagnostics
	d.Append(resp.Plan.SetAttribute(ctx, path.Root(attrID), types.StringUnknown())...)
	d.Append(resp.Plan.SetAttribute(ctx, path.Root(attrObject), types.StringUnknown())...)
	if r.kind.Version != "" {
		d.Append(resp.Plan.SetAttribute(ctx, path.Root(attrSecrets), types.MapUnknown(types.StringType))...)
	}
	var namespace types.String
	if r.kind.fills(attrNamespace) && !req.Config.GetAttribute(ctx, path.Root(attrNamespace), &namespace).HasError() && namespace.IsNull() {
		d.Append(resp.Plan.SetAttribute(ctx, path.Root(attrNamespace), types.StringUnknown())...)
	}
}

func (k Kind) fills(name string) bool {
	return slices.ContainsFunc(k.Fields, func(f Field) bool { return f.Name == name && f.Filled })
}

// planSecrets tells which write-only values there will be. It is unknown where
// one is to be written anew: that is what makes Terraform call for an update.
func (r *declared) planSecrets(ctx context.Context, req resource.ModifyPlanRequest, w wanted) types.Map {
	if len(w.secrets)+len(w.unsaid) == 0 {
		return types.MapNull(types.StringType)
	}
	if !req.State.Raw.IsNull() && !r.versioned(req.Config.Raw) && (len(w.unsaid) > 0 || r.differs(ctx, w)) {
		return types.MapUnknown(types.StringType)
	}
	return w.states()
}

func (w wanted) states() types.Map {
	out := map[string]attr.Value{}
	for key := range w.secrets {
		out[key] = types.StringValue(applied)
	}
	for key := range w.unsaid {
		out[key] = types.StringValue(applied)
	}
	if len(out) == 0 {
		return types.MapNull(types.StringType)
	}
	return types.MapValueMust(types.StringType, out)
}

// versioned reports whether the user says when write-only values are new. They may
// then be other ones each time, such as short-lived tokens.
func (r *declared) versioned(config tftypes.Value) bool {
	values, err := top(config)
	return err == nil && !values[r.kind.Version].IsNull()
}

// differs compares write-only values with those in the cluster. A cluster that
// cannot be asked has none that differ.
func (r *declared) differs(ctx context.Context, w wanted) bool {
	if !r.Hub.Known() {
		return false
	}
	client, err := r.Hub.Open(ctx)
	if err != nil {
		return false
	}
	live, err := client.Read(ctx, w.object)
	if err != nil || live == nil {
		return false
	}
	data := StringData(live)
	for key, value := range w.secrets {
		if have, _ := data[key].(string); !sameText(have, value) {
			return true
		}
	}
	return false
}

// sameText compares texts, and JSON by what it says.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	var x, y map[string]any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	one, err := json.Marshal(x)
	other, err2 := json.Marshal(y)
	return err == nil && err2 == nil && string(one) == string(other)
}

// planRemoval refuses to plan the deletion of what is protected.
func (r *declared) planRemoval(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if protected(req.State.Raw) {
		r.refuseDeletion(&resp.Diagnostics)
		return
	}
	r.tellLeaving(ctx, req, resp)
}

func (r *declared) refuseDeletion(d *diag.Diagnostics) {
	refuse(d, "This "+r.kind.Type+" is protected from deletion", errProtected)
}

// tellLeaving warns of what a deletion does to other objects. A hub that is
// not known has none; one that does not answer makes no deletion impossible.
func (r *declared) tellLeaving(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.kind.Leaving == nil || !r.Hub.Known() {
		return
	}
	var text types.String
	if req.State.GetAttribute(ctx, path.Root(attrObject), &text).HasError() || text.IsNull() {
		return
	}
	o, err := stored(text.ValueString())
	if err != nil {
		refuse(&resp.Diagnostics, "The state is damaged", err)
		return
	}
	notice := Notice{}
	hub, err := r.Hub.Open(ctx)
	if err == nil {
		notice, err = r.kind.Leaving(ctx, hub, o)
	}
	if err != nil {
		notice = Notice{"It cannot be told what goes with " + object.Name(o), err.Error()}
	}
	if notice.Summary != "" {
		resp.Diagnostics.AddWarning(notice.Summary, notice.Detail)
	}
}

// stored is the object of a state, by its attribute object.
func stored(text string) (*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	if err := decode([]byte(text), &o.Object); err != nil {
		return nil, fmt.Errorf("cannot read the attribute object of the state: %s", strings.TrimSpace(err.Error()))
	}
	return o, nil
}
