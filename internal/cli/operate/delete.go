package operate

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/conflict"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/screen"
)

type deleteFlags struct {
	*command.Global

	noCascade   bool
	cascade     bool
	noHooks     bool
	propagation gitops.Propagation
	wait        bool
	yes         bool
	timeout     time.Duration
}

// NewDelete returns the command delete.
func NewDelete(g *command.Global) *cobra.Command {
	d := &deleteFlags{Global: g}
	cmd := &cobra.Command{
		Use:   "delete APP…",
		Short: "Delete applications, with their objects or without",
		Long: "Show what goes with applications, and delete them. Without --cascade and --no-cascade it is as each Application\n" +
			"says by its finalizers. Both --no-cascade and --no-hooks also work on an Application whose deletion hangs.",
		Example: "  causeway delete shop --wait\n  causeway delete shop --no-cascade   # its objects stay\n" +
			"  causeway delete shop --cascade --propagation background --yes",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usagef("name the applications to delete")
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return d.run(cmd.Context(), args) },
		ValidArgsFunction: target.CompleteApps(g),
	}
	f := cmd.Flags()
	f.BoolVar(&d.cascade, "cascade", false, "delete the objects, too, whatever the Application says")
	f.BoolVar(&d.noCascade, "no-cascade", false, "leave the objects, whatever the Application says")
	f.BoolVar(&d.noHooks, "no-hooks", false, "run no PreDelete and PostDelete hooks")
	f.StringVar((*string)(&d.propagation), "propagation", "", "how objects take along what they own: foreground or background (default: as the Application says)")
	f.BoolVar(&d.wait, "wait", false, "wait until the applications are gone")
	f.BoolVarP(&d.yes, "yes", "y", false, "do not ask")
	f.DurationVar(&d.timeout, "timeout", command.Patience, "with --wait: give up after this time, with 5; the deletion goes on; 0: never")
	return cmd
}

// agree refuses flags that contradict each other.
func (d *deleteFlags) agree() error {
	switch {
	case d.cascade && d.noCascade:
		return command.Usagef("cannot take both --cascade and --no-cascade")
	case d.propagation != "" && d.propagation != gitops.DeleteForeground && d.propagation != gitops.DeleteBackground:
		return command.Usagef("there is no --propagation %q: write foreground or background", d.propagation)
	case d.propagation != "" && d.noCascade:
		return command.Usagef("--propagation is about the objects, which --no-cascade leaves")
	}
	return nil
}

func (d *deleteFlags) run(ctx context.Context, names []string) error {
	if err := d.agree(); err != nil {
		return err
	}
	h, err := target.Reach(d.Global)
	if err != nil {
		return err
	}
	names = once(h, names)
	apps := make([]*v1alpha1.Application, 0, len(names))
	for _, name := range names {
		app, err := h.Application(ctx, name)
		if err != nil {
			return err
		}
		apps = append(apps, app)
		_, _ = fmt.Fprint(d.Out, d.preview(app, h.NameOf(app)))
	}
	if err := ask(ctx, d.Global, d.yes, "Delete", "--yes"); err != nil {
		return err
	}
	for _, app := range apps {
		if err := d.delete(ctx, h, app); err != nil {
			return err
		}
	}
	if !d.wait {
		return nil
	}
	ctx, cancel := command.Within(ctx, d.timeout, command.Latef("not gone within %s; the deletion goes on: see causeway get apps", d.timeout))
	defer cancel()
	for _, app := range apps {
		if err := d.follow(ctx, h, app); err != nil {
			return err
		}
	}
	return nil
}

// finalizers of an Application as they are to be. To one that is being
// deleted none can be added.
func (d *deleteFlags) finalizers(app *v1alpha1.Application) []string {
	out := slices.DeleteFunc(slices.Clone(app.Finalizers), func(f string) bool {
		hooks := strings.HasPrefix(f, v1alpha1.FinalizerPreDelete) || strings.HasPrefix(f, v1alpha1.FinalizerPostDelete)
		return operation.Cascading(f) && (d.noCascade || d.propagation != "" && app.DeletionTimestamp == nil) || hooks && d.noHooks
	})
	if app.DeletionTimestamp == nil && (d.cascade || d.propagation != "") && !slices.ContainsFunc(out, operation.Cascading) {
		finalizer := v1alpha1.FinalizerResources
		if d.propagation != "" {
			finalizer += "/" + string(d.propagation)
		}
		out = append(out, finalizer)
	}
	return out
}

// shownObjects is how many objects a preview names.
const shownObjects = 20

// preview tells what goes with an Application and what stays.
func (d *deleteFlags) preview(app *v1alpha1.Application, name string) string {
	finalizers := d.finalizers(app)
	var b strings.Builder
	what := "its objects stay"
	if slices.ContainsFunc(finalizers, operation.Cascading) {
		what = "with its objects"
	}
	fmt.Fprintf(&b, "application %s in %s, %s (%s)\n", name, screen.Line(cmp.Or(app.Spec.Destination.Name, app.Spec.Destination.Server)), what, gitops.Count(len(app.Status.Resources), "object"))
	for i, r := range app.Status.Resources {
		if i == shownObjects {
			fmt.Fprintf(&b, "  %s: causeway tree %s\n", gitops.More(len(app.Status.Resources)-shownObjects), name)
			break
		}
		note := ""
		if r.RequiresDeletionConfirmation {
			note = "   asks for causeway approve " + name
		}
		fmt.Fprintf(&b, "  %s%s\n", screen.Line(gitops.ObjectName(r.Kind, r.Namespace, r.Name)), note)
	}
	for _, hooks := range []struct{ finalizer, name string }{{v1alpha1.FinalizerPreDelete, "PreDelete"}, {v1alpha1.FinalizerPostDelete, "PostDelete"}} {
		if slices.Contains(finalizers, hooks.finalizer) {
			fmt.Fprintf(&b, "  and its %s hooks run\n", hooks.name)
		}
	}
	return b.String()
}

// ask wants a yes on a terminal, and the flags that instead names elsewhere.
func ask(ctx context.Context, g *command.Global, yes bool, what, instead string) error {
	if yes {
		return nil
	}
	in, ok := g.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return command.Unasked{Instead: instead}
	}
	_, _ = fmt.Fprintf(g.Err, "%s? [y/N] ", what)
	answers := make(chan string, 1)
	go func() { // ends with the answer, or with the process
		line, _ := bufio.NewReader(in).ReadString('\n')
		answers <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case answer := <-answers:
		if answer == "y" || answer == "yes" {
			return nil
		}
		return errors.New("nothing was done")
	}
}

// delete writes the finalizers, and deletes exactly the object that has them, which is
// the one that was shown.
func (d *deleteFlags) delete(ctx context.Context, h *target.Hub, shown *v1alpha1.Application) error {
	name := h.NameOf(shown)
	if h.Server != nil {
		return d.deleteServed(ctx, h, name)
	}
	err := conflict.Retry(func() error {
		app, err := h.Application(ctx, name)
		if err != nil {
			return err
		}
		if app.UID != shown.UID {
			return fmt.Errorf("application %s was made again since it was shown: look at it, and delete it again", name)
		}
		before := app.DeepCopy()
		app.Finalizers = d.finalizers(app)
		if !slices.Equal(before.Finalizers, app.Finalizers) {
			patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
			if err := h.Client.Patch(ctx, app, patch, client.FieldOwner("causeway-cli")); err != nil {
				return h.Explain(client.IgnoreNotFound(err))
			}
		}
		return h.Explain(client.IgnoreNotFound(h.Client.Delete(ctx, app, client.Preconditions{UID: &app.UID})))
	})
	if err != nil {
		return fmt.Errorf("cannot delete: %w", err)
	}
	_, err = fmt.Fprintf(d.Out, "%s: is being deleted\n", name)
	return err
}

// follow tells what a deletion waits for, until the Application is gone. Whoever made it
// may make it again at once.
func (d *deleteFlags) follow(ctx context.Context, h *target.Hub, deleted *v1alpha1.Application) error {
	name, last := h.NameOf(deleted), ""
	for {
		app := &v1alpha1.Application{}
		err := h.Client.Get(ctx, client.ObjectKeyFromObject(deleted), app)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("application %s: %w", name, context.Cause(ctx))
		case target.IsMissing(err):
			_, err := fmt.Fprintf(d.Out, "%s: gone\n", name)
			return err
		case err != nil:
			return h.Explain(err)
		case app.UID != deleted.UID:
			_, err := fmt.Fprintf(d.Out, "%s: gone, and made again since\n", name)
			return err
		}
		if text := table.Deletion(app); text != last {
			_, _ = fmt.Fprintf(d.Err, "%s: %s\n", name, text)
			last = text
		}
		select {
		case <-ctx.Done():
		case <-time.After(command.FollowPause):
		}
	}
}
