package operate

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	apiclient "github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/approval"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

type approveFlags struct {
	*command.Global

	yes    bool
	lasts  time.Duration
	digest string
}

// approvalTime is how long an approval holds that says nothing else.
const approvalTime = time.Hour

// NewApprove returns the command approve.
func NewApprove(g *command.Global) *cobra.Command {
	a := &approveFlags{Global: g}
	cmd := &cobra.Command{
		Use:   "approve APP|set/SET|cluster/CLUSTER",
		Short: "Approve deletions that are held back: mass deletions, Prune=confirm and Delete=confirm",
		Long: "Show what is not deleted before somebody approves it, and approve it: objects of an application that are held because\n" +
			"they are many, applications of an application set or of a cluster that is to go, and objects that ask themselves, by\n" +
			"Prune=confirm or Delete=confirm. An approval of what is held is for exactly this list, is used up once, and expires.\n" +
			"One of what asks counts for the sync or deletion that is under way, and for no later one. Each list has its digest.",
		Example: "  causeway approve shop\n  causeway approve set/addons --for 10m\n  causeway approve cluster/dev\n" +
			"  causeway approve shop --yes --digest 3f1c9a…   # only if this is still the list",
		Args: command.One("the application, set/NAME or cluster/NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.Emptied(cmd.Flags(), "digest"); err != nil {
				return err
			}
			return a.run(cmd.Context(), args[0])
		},
		ValidArgsFunction: target.CompleteApps(g),
	}
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "do not ask")
	cmd.Flags().DurationVar(&a.lasts, "for", approvalTime, "how long an approval of what is held lasts")
	cmd.Flags().StringVar(&a.digest, "digest", "", "approve only the list that has this digest")
	return cmd
}

// NewConfirm is the former name of what approve does of objects that ask.
func NewConfirm(g *command.Global) *cobra.Command {
	a := &approveFlags{Global: g, lasts: approvalTime}
	cmd := &cobra.Command{
		Use: "confirm APP", Hidden: true,
		Short: "The former name of causeway approve, of objects that ask before they are deleted",
		Args:  command.One("the application"),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.Moved("causeway confirm", "causeway approve")
			if err := command.Emptied(cmd.Flags(), "digest"); err != nil {
				return err
			}
			return a.confirm(cmd.Context(), args[0])
		},
		ValidArgsFunction: target.CompleteApps(g),
	}
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "do not ask")
	cmd.Flags().StringVar(&a.digest, "digest", "", "approve only the list that has this digest")
	return cmd
}

// confirm approves of an application what asks, and nothing that is held.
func (a *approveFlags) confirm(ctx context.Context, name string) error {
	h, err := target.Reach(a.Global)
	if err != nil {
		return err
	}
	app, err := h.Application(ctx, name)
	if err != nil {
		return err
	}
	p := pendingOfApp(app)
	p.held = nil
	return a.give(ctx, h, name, p)
}

func (a *approveFlags) run(ctx context.Context, name string) error {
	if a.lasts <= 0 {
		return command.Usagef("an approval has to hold for some time: --for %s", a.lasts)
	}
	h, err := target.Reach(a.Global)
	if err != nil {
		return err
	}
	p, err := pendingOf(ctx, h, name)
	if err != nil {
		return err
	}
	return a.give(ctx, h, name, p)
}

// give shows what is pending, asks, and approves it.
func (a *approveFlags) give(ctx context.Context, h *target.Hub, name string, p *pending) error {
	if len(p.held)+len(p.asking) == 0 {
		return fmt.Errorf("no deletion of %s is held, and none asks to be confirmed", name)
	}
	if err := table.WriteLines(a.Out, p.lines()); err != nil {
		return err
	}
	if err := p.only(a.digest); err != nil {
		return err
	}
	if err := ask(ctx, a.Global, a.yes, "Delete these", p.instead()); err != nil {
		return err
	}
	said, err := a.approve(ctx, h, p)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "%s: %s\n", name, said)
	return err
}

// approve writes both approvals, and says what then holds.
func (a *approveFlags) approve(ctx context.Context, h *target.Hub, p *pending) (string, error) {
	var said []string
	if len(p.held) > 0 {
		until := time.Now().Add(a.lasts)
		if err := a.approveHeld(ctx, h, p.object, guard.Digest(p.held), until); err != nil {
			return "", err
		}
		said = append(said, "approved until "+until.UTC().Format(time.RFC3339)+next(h, p.object))
	}
	if len(p.asking) > 0 {
		if err := confirm(ctx, h, p.object, guard.Digest(p.asking)); err != nil {
			return "", fmt.Errorf("%s: %w", strings.Join(append(said, "cannot confirm the deletions that ask"), "; "), err)
		}
		said = append(said, gitops.Count(len(p.asking), "deletion")+" confirmed")
	}
	return strings.Join(said, "; "), nil
}

func (a *approveFlags) approveHeld(ctx context.Context, h *target.Hub, o client.Object, digest string, until time.Time) error {
	if h.Server != nil {
		return h.Explain(a.approveServed(ctx, h, o, digest))
	}
	before, ok := o.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("cannot copy a %T", o)
	}
	approval.Give(o, guard.Approval{Digest: digest, Until: until, By: h.Identity(ctx)})
	return h.Patch(ctx, before, o)
}

// approveServed asks a server, which counts in minutes.
func (a *approveFlags) approveServed(ctx context.Context, h *target.Hub, o client.Object, digest string) error {
	want := &api.Approval{Digest: digest, Minutes: int(math.Ceil(a.lasts.Minutes()))}
	switch o := o.(type) {
	case *v1alpha1.Application:
		return h.Server.Approve(ctx, target.KeyOf(o), want)
	case *v1alpha1.ApplicationSet:
		return h.Server.ApproveSet(ctx, apiclient.Key{Namespace: o.Namespace, Name: o.Name}, want)
	}
	return target.ErrServed("an approval for anything else")
}

// confirm approves what asks before it is deleted.
func confirm(ctx context.Context, h *target.Hub, o client.Object, digest string) error {
	app, ok := o.(*v1alpha1.Application)
	if !ok {
		return fmt.Errorf("cannot confirm deletions of a %T", o)
	}
	if h.Server != nil {
		return h.Explain(h.Server.Confirm(ctx, target.KeyOf(app), &api.Confirmation{Digest: digest}))
	}
	before := app.DeepCopy()
	if err := approval.Confirm(app, digest, time.Now()); err != nil {
		return err
	}
	return h.Patch(ctx, before, app)
}

// next tells what is left to do where the approval alone starts nothing.
func next(h *target.Hub, object client.Object) string {
	app, ok := object.(*v1alpha1.Application)
	if !ok || !app.Status.OperationState.Ended() {
		return ""
	}
	return "; now sync again: causeway sync " + h.NameOf(app) + " --prune"
}
