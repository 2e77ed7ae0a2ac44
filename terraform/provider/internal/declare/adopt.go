package declare

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// planLook bounds how long a plan looks for an object that it is about to make.
const planLook = 10 * time.Second

// objection tells what speaks against writing to what is there already.
type objection func(live *unstructured.Unstructured) error

// objection is nil where nothing can speak against it: the object is the
// resource's, and has all that the resource would write by itself.
func (r *declared) objection(config, state tftypes.Value, w wanted) objection {
	switch {
	case textOf(state, attrID) != r.kind.id(w.object):
		return func(live *unstructured.Unstructured) error { return r.kind.mayTake(live, w, agreed(config)) }
	case r.kind.begins(textOf(state, attrObject), w):
		return func(live *unstructured.Unstructured) error { return r.kind.keeps(live, w) }
	}
	return nil
}

// look has the apply refuse what may not be written to.
func (r *declared) look(ctx context.Context, w wanted, against objection, d *diag.Diagnostics) {
	if against == nil {
		return
	}
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
	against.raise(live, d)
}

// foresee refuses in a plan what the apply would refuse. A cluster that cannot
// be asked yet is asked by the apply.
func (r *declared) foresee(ctx context.Context, w wanted, against objection, d *diag.Diagnostics) {
	if against == nil || !r.Hub.Known() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, planLook)
	defer cancel()
	client, err := r.Hub.Open(ctx)
	if err != nil {
		return
	}
	if live, err := client.Read(ctx, w.object); err == nil {
		against.raise(live, d)
	}
}

func (o objection) raise(live *unstructured.Unstructured, d *diag.Diagnostics) {
	if live == nil {
		return
	}
	if err := o(live); err != nil {
		refuse(d, "The object is somebody else's", err)
	}
}

// mayTake refuses to make a resource of what others made, unless the user or the
// kind has it so: a destroy would delete it. Agreed is the user's word.
func (k Kind) mayTake(live *unstructured.Unstructured, w wanted, agreed bool) error {
	if k.Adopt != nil {
		if err := k.Adopt(live); err != nil {
			return fmt.Errorf("%w: choose another name", err)
		}
	}
	if agreed || object.Written(live) || k.Unclaimed != nil && k.Unclaimed(live) {
		return k.keeps(live, w)
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
	for _, f := range k.standards(w) {
		have, there := data[f.key()].(string)
		if !there || sameText(have, f.Standard) || object.Owns(live, "data", f.key()) {
			continue
		}
		return fmt.Errorf("%s is there already, with credentials that others wrote, and %s is not given: its standard would take their place, and nobody has them any more. "+
			"Give %[2]s, or choose another name", object.Name(live), f.Name)
	}
	return nil
}

// begins reports whether a standard is about to be written which the object of the
// state does not have, as after an import.
func (k Kind) begins(state string, w wanted) bool {
	standards := k.standards(w)
	if len(standards) == 0 {
		return false
	}
	before, err := stored(state)
	if err != nil {
		return true
	}
	had, _ := before.Object["stringData"].(map[string]any)
	for _, f := range standards {
		if _, there := had[f.key()]; !there {
			return true
		}
	}
	return false
}

// standards are the write-only attributes that are not given and have one.
func (k Kind) standards(w wanted) []Field {
	var out []Field
	for _, f := range k.Fields {
		if _, given := w.secrets[f.key()]; f.WriteOnly && f.Standard != "" && !given && !w.unsaid[f.key()] {
			out = append(out, f)
		}
	}
	return out
}

// errProtected is the answer to each way of deleting what is protected.
var errProtected = errors.New("set deletion_protection = false and apply that first, if it shall really go")

// protected reports whether what a state has is not to be deleted.
func protected(state tftypes.Value) bool {
	v, there := attribute(state, attrProtection)
	return there && yes(v)
}

// agreed reports whether the user lets a resource take what is there. What a plan
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
	if of.IsNull() {
		return tftypes.Value{}, false
	}
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

// textOf is an attribute of a state; empty where it has none.
func textOf(state tftypes.Value, name string) string {
	var is string
	if v, there := attribute(state, name); !there || !v.IsKnown() || v.IsNull() || v.As(&is) != nil {
		return ""
	}
	return is
}
