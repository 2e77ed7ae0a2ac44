package declare

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// ImportState takes the id; Read, which follows, fills in the rest.
func (r *declared) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	namespace, known := r.Hub.Namespace()
	if !known {
		namespace = connection.DefaultNamespace
	}
	o, err := r.kind.parse(req.ID, namespace)
	if err != nil {
		resp.Diagnostics.AddError("This id cannot be imported", fmt.Sprintf("%q: %s.", req.ID, err))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attrID), r.kind.id(o))...)
}

// fill sets all attributes that can be told from a live object, but for labels
// and annotations of others. Write-only values are the configuration's: the
// next plan compares them.
func (r *declared) fill(ctx context.Context, live *unstructured.Unstructured, state *tfsdk.State, d *diag.Diagnostics) {
	if r.kind.Adopt != nil {
		if err := r.kind.Adopt(live); err != nil {
			refuse(d, "The object cannot be imported", err)
			return
		}
	}
	given := gather(seen(object.Mine(live)), r.kind.Fields)
	if r.kind.Absorb != nil {
		for name, v := range r.kind.Absorb(live) {
			given[name] = v
		}
	}
	made, err := r.kind.restore(live, given)
	if err != nil {
		refuse(d, "The object cannot be imported", err)
		return
	}
	text, err := encode(made)
	if err != nil {
		refuse(d, "The object cannot be written as JSON", err)
		return
	}
	given[attrID], given[attrObject] = r.kind.id(live), text
	if secrets := r.kind.hidden(live, made); len(secrets) > 0 {
		given[attrSecrets] = secrets
	}
	state.Raw = typed(state.Schema.Type().TerraformType(ctx), given)
}

// hidden are the write-only values that the live object has, by what the
// attribute secrets says of them.
func (k Kind) hidden(live *unstructured.Unstructured, made map[string]any) map[string]any {
	out := map[string]any{}
	shown, _ := made["stringData"].(map[string]any)
	for _, f := range k.Fields {
		_, has := StringData(live)[f.key()]
		if _, plain := shown[f.key()]; f.WriteOnly && has && !plain {
			out[f.key()] = applied
		}
	}
	return out
}

// restore is the object that the attributes come to; a kind without attributes
// of its own takes the live one.
func (k Kind) restore(live *unstructured.Unstructured, given map[string]any) (map[string]any, error) {
	if k.Kind != "" {
		o, err := k.build(runtime.DeepCopyJSON(given), live.GetNamespace())
		if err != nil {
			return nil, err
		}
		data := StringData(live)
		k.standard(o, func(f Field) bool {
			have, _ := data[f.key()].(string)
			return sameText(have, f.Standard)
		})
		return o.Object, nil
	}
	o := live.DeepCopy()
	delete(o.Object, "status")
	o.Object["metadata"] = map[string]any{"name": live.GetName()}
	o.SetNamespace(live.GetNamespace())
	mine := object.Mine(live)
	o.SetLabels(mine.GetLabels())
	o.SetAnnotations(mine.GetAnnotations())
	if isSecret(o) {
		k.conceal(o.Object, nil)
	}
	return o.Object, nil
}

// gather reads attributes from their paths.
func gather(o map[string]any, fields []Field) map[string]any {
	out := map[string]any{}
	for _, f := range fields {
		if f.Path == "" || f.WriteOnly {
			continue
		}
		v, found := at(o, strings.Split(f.Path, "."))
		if !found {
			continue
		}
		if f.Shape == Document {
			out[f.Name] = document(v)
			continue
		}
		switch v := v.(type) {
		case map[string]any:
			if f.Shape == Object {
				out[f.Name] = gather(v, f.Fields)
				continue
			}
			out[f.Name] = v
		case []any:
			out[f.Name] = gatherList(v, f)
		default:
			out[f.Name] = v
		}
	}
	return out
}

// document is a value as the text of an attribute.
func document(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

func gatherList(all []any, f Field) []any {
	if f.Shape != Objects {
		return all
	}
	out := make([]any, 0, len(all))
	for _, e := range all {
		one, _ := e.(map[string]any)
		out = append(out, gather(one, f.Fields))
	}
	return out
}

func at(o map[string]any, keys []string) (any, bool) {
	for _, key := range keys[:len(keys)-1] {
		next, ok := o[key].(map[string]any)
		if !ok {
			return nil, false
		}
		o = next
	}
	v, ok := o[keys[len(keys)-1]]
	return v, ok
}
