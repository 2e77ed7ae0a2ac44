package declare

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// planLook bounds how long a plan looks for an object that it is about to make.
const planLook = 10 * time.Second

// adopt looks whether an object that is there already may become the resource's.
func (r *declared) adopt(ctx context.Context, config tfsdk.Config, w wanted, d *diag.Diagnostics) {
	client, err := r.Hub.OpenToApply(ctx)
	if err != nil {
		refuse(d, "The cluster cannot be reached", err)
		return
	}
	live, err := client.Read(ctx, w.object)
	if err != nil {
		refuse(d, "It cannot be told whether the object is there already", err)
		return
	}
	r.claim(live, config, w, d)
}

// foresee refuses in a plan what the apply would refuse. A cluster that cannot
// be asked yet is asked by the apply.
func (r *declared) foresee(ctx context.Context, config tfsdk.Config, w wanted, d *diag.Diagnostics) {
	if !r.Hub.Known() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, planLook)
	defer cancel()
	client, err := r.Hub.Open(ctx)
	if err != nil {
		return
	}
	if live, err := client.Read(ctx, w.object); err == nil {
		r.claim(live, config, w, d)
	}
}

func (r *declared) claim(live *unstructured.Unstructured, config tfsdk.Config, w wanted, d *diag.Diagnostics) {
	if live == nil {
		return
	}
	if err := r.kind.mayTake(live, w, agreed(config.Raw)); err != nil {
		refuse(d, "The object is somebody else's", err)
	}
}

// mayTake refuses to make a resource of what others made, unless the user or the
// kind has it so: a destroy would delete it. Agreed is the user's word.
func (k Kind) mayTake(live *unstructured.Unstructured, w wanted, agreed bool) error {
	switch {
	case k.Adopt != nil:
		if err := k.Adopt(live); err != nil {
			return fmt.Errorf("%w: choose another name", err)
		}
		return k.keeps(live, w)
	case agreed, object.Written(live), k.Unclaimed != nil && k.Unclaimed(live):
		return nil
	}
	beside := ""
	if k.Shareable {
		beside = "; with shared = true it writes to it beside the others"
	}
	return fmt.Errorf("%s is there already, and was written by %s, not by Terraform. To have it become this resource's, import it (terraform import ADDRESS %s) "+
		"or set adopt = true: a destroy then deletes it%s. Else choose another name", object.Name(live), object.WrittenBy(live), k.id(w.object), beside)
}

// keeps refuses to write the standard over what others said for a write-only
// attribute that is not given.
func (k Kind) keeps(live *unstructured.Unstructured, w wanted) error {
	data := StringData(live)
	for _, f := range k.Fields {
		have, there := data[f.key()].(string)
		_, given := w.secrets[f.key()]
		if !f.WriteOnly || f.Standard == "" || !there || given || w.unsaid[f.key()] || sameText(have, f.Standard) || object.Owns(live, "data", f.key()) {
			continue
		}
		return fmt.Errorf("%s is there already, with credentials that others wrote, and %s is not given: its standard would take their place, and nobody has them any more. "+
			"Give %[2]s, or choose another name", object.Name(live), f.Name)
	}
	return nil
}

// errProtected is the answer to each way of deleting what is protected.
var errProtected = errors.New("set deletion_protection = false and apply that first, if it shall really go")

// protected tells whether what a state has is not to be deleted.
func protected(state tftypes.Value) bool {
	v, there := attribute(state, attrProtection)
	return there && yes(v)
}

// agreed tells whether the user lets a resource take what is there. What a plan
// does not know yet counts as yes: the apply looks again.
func agreed(config tftypes.Value) bool {
	for _, name := range []string{attrAdopt, attrShared} {
		if v, there := attribute(config, name); there && (!v.IsKnown() || yes(v)) {
			return true
		}
	}
	return false
}

func attribute(of tftypes.Value, name string) (tftypes.Value, bool) {
	values, err := top(of)
	if err != nil {
		return tftypes.Value{}, false
	}
	v, there := values[name]
	return v, there
}

func yes(v tftypes.Value) bool {
	var is bool
	return v.IsKnown() && !v.IsNull() && v.As(&is) == nil && is
}
