package install

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// foresee tells in a plan what a takeover from Argo CD would change, and
// refuses one that would change anything, as it does an engine of somebody else.
// A cluster that cannot be asked yet is asked by the apply.
func (r *engineResource) foresee(ctx context.Context, m, before model, all made, d *diag.Diagnostics) {
	found, ok := r.found(ctx, m)
	if !ok {
		return
	}
	if err := r.others(ctx, m, before, all); err != nil {
		d.AddError("An object of the engine is somebody else's", err.Error())
		return
	}
	if !found.waits() {
		return
	}
	if err := found.refuses(m, before); err != nil {
		d.AddError("The engine does not start beside Argo CD", err.Error())
		return
	}
	if found.stage == adopting {
		d.AddWarning("A takeover from Argo CD that was cut off goes on", "To hand back instead: "+command(m, "--revert"))
		return
	}
	seen, err := r.look(ctx, m)
	if err != nil {
		d.AddError("Argo CD runs here, and what a takeover would change is not known", err.Error())
		return
	}
	if text := seen.findings(); text != "" {
		d.AddWarning("Not all of Argo CD in namespace "+m.Namespace.ValueString()+" is the same with the engine", strings.TrimPrefix(text, "\n"))
	}
	if len(seen.Blockers) > 0 && !m.Takeover.allowed() {
		d.AddError("The engine cannot take over from Argo CD without a change", seen.refusal())
		return
	}
	d.AddWarning("The engine takes over from Argo CD in namespace "+m.Namespace.ValueString(), fmt.Sprintf(
		"The apply compares its %d applications once more, scales %s to 0, starts the engine, and waits until all applications are as well off as before. "+
			"What does not get there is handed back. Nothing of Argo CD is deleted; destroying this resource hands back to it.%s",
		len(seen.Applications), strings.Join(found.running, " and "), heading("\nWhat differs, and stays as it is until somebody syncs:", seen.differences())))
}

// foreseeBack tells in the plan of a removal that Argo CD goes on.
func (r *engineResource) foreseeBack(ctx context.Context, m model, d *diag.Diagnostics) {
	if found, ok := r.found(ctx, m); ok && found.taken() {
		d.AddWarning("Argo CD in namespace "+m.Namespace.ValueString()+" gets back what the engine took over",
			"The apply stops the engine, and when nobody leads any more, Argo CD's controllers get the replicas that they had.")
	}
}

// others are whose engine is there already, as far as a plan can tell.
func (r *engineResource) others(ctx context.Context, m, before model, all made) error {
	hub, err := r.Hub.Open(ctx)
	if err != nil {
		return nil //nolint:nilerr // the apply says it
	}
	if err := unclaimed(ctx, hub, before, m, all.objects); errors.Is(err, errClaimed) {
		return err
	}
	return nil
}

// command is how a person takes over, or hands back.
func command(m model, how string) string {
	return "causeway import argocd " + how + " --namespace " + m.Namespace.ValueString()
}

// refuses says why the engine does not come in Argo CD's place, and what to do.
// One that is installed already makes way no second time by itself: whoever
// handed back to Argo CD meant that.
func (a argo) refuses(m, before model) error {
	switch {
	case a.stage == reverting:
		return fmt.Errorf("what the engine took over is just being handed back: finish that first: %s", command(m, "--revert"))
	case a.stage == adopting || before.ID.IsNull():
		return nil
	}
	return fmt.Errorf("Argo CD runs beside this engine (%s), as after causeway import argocd --revert. To have the engine take its place once more: %s, and apply again. "+ //nolint:staticcheck // its name
		"To have Argo CD stay: take this resource out of the configuration, or terraform destroy -refresh=false, which leave Argo CD as it is",
		strings.Join(a.running, ", "), command(m, "--apply"))
}

func (r *engineResource) found(ctx context.Context, m model) (argo, bool) {
	if !r.Hub.Known() {
		return argo{}, false
	}
	hub, err := r.Hub.Open(ctx)
	if err != nil {
		return argo{}, false
	}
	found, err := findArgo(ctx, hub, m.Namespace.ValueString())
	return found, err == nil
}

// refusal says why a takeover does not begin, and what to do.
func (l look) refusal() string {
	return "Nothing was changed, because the takeover would change objects, or may:\n  " + strings.Join(l.Blockers, "\n  ") +
		heading("\nWhat differs:", l.differences()) +
		"\nMend that in the sources or with Argo CD, and apply again; or accept it with takeover = { allow_changes = true }."
}

func heading(title, text string) string {
	if text == "" {
		return ""
	}
	return title + text
}

// arrive installs the engine. Where Argo CD runs, the engine comes paused and
// takes its place, as the command `causeway import argocd` does.
func (r *engineResource) arrive(ctx context.Context, hub *object.Client, m, before model, made made) error {
	found, err := findArgo(ctx, hub, m.Namespace.ValueString())
	if err != nil {
		return err
	}
	if !found.waits() {
		return write(ctx, hub, m, made)
	}
	if err := found.refuses(m, before); err != nil {
		return err
	}
	return r.takeOver(ctx, hub, m, made)
}

func (r *engineResource) takeOver(ctx context.Context, hub *object.Client, m model, all made) error {
	fresh, err := absent(ctx, hub, all.objects)
	if err != nil {
		return err
	}
	if err := write(ctx, hub, m, made{objects: paused(all.objects), definitions: all.definitions}); err != nil {
		return errors.Join(err, undo(ctx, hub, m, fresh))
	}
	args := append(m.Takeover.flags(), "--apply", "--output", "json")
	if m.Takeover.allowed() {
		args = append(args, "--allow-changes")
	}
	if _, err := r.program(ctx, m, args...); err != nil {
		return errors.Join(err, undo(ctx, hub, m, fresh))
	}
	return write(ctx, hub, m, all)
}

// undo removes what a takeover that did not come about has made. One that is
// under way is left to whoever goes on with it.
func undo(ctx context.Context, hub *object.Client, m model, fresh []*unstructured.Unstructured) error {
	if ctx.Err() != nil {
		return errors.New("it was cut off: apply again to go on, or hand back with causeway import argocd --revert")
	}
	now, err := stage(ctx, hub, m.Namespace.ValueString())
	if err != nil || now == adopting || now == reverting {
		return err
	}
	for _, o := range fresh {
		if err := hub.Remove(ctx, o, removeTime); err != nil {
			return fmt.Errorf("and what was installed of the engine stays, with no replica: %w", err)
		}
	}
	return nil
}

// absent are the objects that are not there yet.
func absent(ctx context.Context, hub *object.Client, all []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	for _, o := range all {
		live, err := hub.Read(ctx, o)
		if err != nil {
			return nil, err
		}
		if live == nil {
			out = append(out, o)
		}
	}
	return out, nil
}

// paused are the objects with an engine that does not run yet. It remembers
// how many replicas a takeover is to start.
func paused(all []*unstructured.Unstructured) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, o := range all {
		if o.GetKind() == "Deployment" {
			o = o.DeepCopy()
			notes := o.GetAnnotations()
			if notes == nil {
				notes = map[string]string{}
			}
			notes[replicasBefore] = strconv.FormatInt(replicasOf(o), 10)
			o.SetAnnotations(notes)
			_ = unstructured.SetNestedField(o.Object, int64(0), "spec", "replicas")
		}
		out = append(out, o)
	}
	return out
}
