package operate

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/conflict"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/screen"
)

type syncFlags struct {
	*command.Global
	syncOptions

	prune     bool
	dryRun    bool
	force     bool
	noHooks   bool
	retries   int64
	revision  string
	resources []string
	wait      bool
	async     bool
	timeout   time.Duration
	// back is the sync to go back to; nil when none is.
	back *history.Sync
	// healthy waits for the health alone: after a rollback, Git says something else.
	healthy bool
	// freely lets the sync begin whatever the application depends on.
	freely bool
	// local is a folder whose manifests are synced instead of Git's; manifests
	// are what it renders to.
	local     string
	manifests []string
}

// unsaid is the value of --retries when it is not given.
const unsaid = math.MinInt64

// NewSync returns the command sync.
func NewSync(g *command.Global) *cobra.Command {
	s := &syncFlags{Global: g}
	cmd := &cobra.Command{
		Use:   "sync APP…",
		Short: "Bring applications to what Git says now",
		Long: "Ask the engine to sync applications, and follow the sync to its end. With --wait, also wait until\n" +
			"they are Synced and Healthy.",
		Example: "  causeway sync addons\n  causeway sync shop --prune --wait --timeout 5m\n" +
			"  causeway sync shop --resource apps:Deployment:web\n  causeway sync shop --server-side --sync-option PruneLast=true\n  causeway sync shop --local ./deploy/shop --dry-run",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usagef("name the applications to sync")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.Emptied(cmd.Flags(), "revision", "local", "resource"); err != nil {
				return err
			}
			return s.run(cmd.Context(), args)
		},
		ValidArgsFunction: target.CompleteApps(g),
	}
	f := cmd.Flags()
	f.BoolVar(&s.prune, "prune", false, "delete objects that are no longer in Git")
	f.BoolVar(&s.dryRun, "dry-run", false, "change nothing, and print what the API server would answer")
	f.BoolVar(&s.force, "force", false, "delete objects that cannot be changed, and create them again")
	s.into(f)
	f.BoolVar(&s.noHooks, "no-hooks", false, "apply the objects alone, without running hooks")
	f.Int64Var(&s.retries, "retries", unsaid, "how often to try again when the sync fails; -1: without end (default: as the application says)")
	f.Lookup("retries").DefValue = "0" // which help leaves out
	f.StringVar(&s.revision, "revision", "", "sync to this revision instead of the one in the spec")
	f.StringArrayVar(&s.resources, "resource", nil, "only this object, as GROUP:KIND:NAME or GROUP:KIND:NAMESPACE/NAME; can be repeated")
	f.StringVar(&s.local, "local", "", "sync what this folder renders to, which stands for the path of the application's source, instead of what Git says")
	f.BoolVar(&s.freely, "ignore-dependencies", false, "begin at once, whatever the application depends on")
	f.BoolVar(&s.wait, "wait", false, "wait until the applications are Synced and Healthy too")
	f.BoolVar(&s.async, "async", false, "ask, and do not follow")
	f.DurationVar(&s.timeout, "timeout", command.Patience, "give up after this time, with 5; the sync goes on; 0: never")
	return cmd
}

func (s *syncFlags) run(ctx context.Context, names []string) error {
	names = command.Compact(names)
	if err := s.check(names); err != nil {
		return err
	}
	resources, err := parseResources(s.resources)
	if err != nil {
		return err
	}
	h, err := target.Reach(s.Global)
	if err != nil {
		return err
	}
	ctx, cancel := command.Within(ctx, s.timeout, command.Latef("not done within %s; the sync goes on: see causeway get apps", s.timeout))
	defer cancel()
	return command.Overdue(ctx, s.syncAll(ctx, h, once(h, names), resources))
}

// syncAll asks for the syncs, and follows them.
func (s *syncFlags) syncAll(ctx context.Context, h *target.Hub, names []string, resources []v1alpha1.SyncOperationResource) (err error) {
	if err := s.servable(h); err != nil {
		return err
	}
	if s.local != "" {
		if s.manifests, err = s.localManifests(ctx, h, names[0]); err != nil {
			return err
		}
	}
	requests, failed := s.askAll(ctx, h, names, resources)
	if s.async || failed != nil && !errors.Is(failed, command.ErrSaid) {
		return failed
	}
	for _, name := range names {
		r, asked := requests[name]
		if !asked {
			continue
		}
		if err := s.follow(ctx, h, name, r, resources); err != nil {
			if !errors.Is(err, command.ErrSaid) {
				return err
			}
			failed = err
		}
	}
	return failed
}

// check refuses flags that contradict each other.
func (s *syncFlags) check(names []string) error {
	if err := cmp.Or(target.CheckNames(names), s.syncOptions.check()); err != nil {
		return err
	}
	if s.retries < -1 && s.retries != unsaid {
		return command.Usagef("cannot try again %d times: write a number, or -1 for without end", s.retries)
	}
	if s.wait && s.async {
		return command.Usagef("cannot take both --wait and --async")
	}
	if s.local != "" && (len(names) > 1 || s.revision != "" || s.wait) {
		return command.Usagef("cannot take --local with several applications, --revision or --wait: it is one application's, and not what Git says")
	}
	return nil
}

// parseResources reads GROUP:KIND:NAME and GROUP:KIND:NAMESPACE/NAME; the
// core group is empty.
func parseResources(texts []string) ([]v1alpha1.SyncOperationResource, error) {
	var all []v1alpha1.SyncOperationResource
	for _, text := range texts {
		parts := strings.SplitN(text, ":", 3)
		// Roles and the like may have colons in their names.
		if len(parts) != 3 || parts[1] == "" || parts[2] == "" || strings.Contains(parts[2], ":") && parts[0] != rbacv1.GroupName {
			return nil, command.Usagef("cannot understand --resource %q: write GROUP:KIND:NAME, as in apps:Deployment:web or :ConfigMap:settings", text)
		}
		r := v1alpha1.SyncOperationResource{Group: parts[0], Kind: parts[1], Name: parts[2]}
		if namespace, name, ok := strings.Cut(parts[2], "/"); ok {
			r.Namespace, r.Name = namespace, name
		}
		if r.Name == "" || strings.Contains(r.Name, "/") {
			return nil, command.Usagef("cannot understand --resource %q: write GROUP:KIND:NAMESPACE/NAME, as in apps:Deployment:shop/web", text)
		}
		all = append(all, r)
	}
	return all, nil
}

// request is a sync that was asked for: the mark that it bears, and when.
type request struct {
	mark string
	at   time.Time
}

// askAll asks for a sync of each, and returns what was asked for.
func (s *syncFlags) askAll(ctx context.Context, h *target.Hub, names []string, resources []v1alpha1.SyncOperationResource) (map[string]request, error) {
	switch {
	case len(names) == 1:
		mark, err := s.ask(ctx, h, names[0], resources)
		return map[string]request{names[0]: {mark, time.Now()}}, err
	case h.Server != nil:
		return s.askMany(ctx, h, names, resources)
	}
	return s.askEach(ctx, h, names, resources)
}

// askEach asks the hub, and says of those that cannot be asked for why: the others are
// followed all the same. A name of nothing is told before anything is asked for.
func (s *syncFlags) askEach(ctx context.Context, h *target.Hub, names []string, resources []v1alpha1.SyncOperationResource) (map[string]request, error) {
	if _, err := keys(ctx, h, names); err != nil {
		return nil, err
	}
	asked := map[string]request{}
	var failed error
	for _, name := range names {
		mark, err := s.ask(ctx, h, name, resources)
		switch {
		case err == nil:
			asked[name] = request{mark, time.Now()}
		case ctx.Err() != nil:
			return nil, err
		default:
			_, _ = fmt.Fprintf(s.Err, "%s: %s\n", name, screen.Words(err.Error()))
			failed = command.ErrSaid
		}
	}
	return asked, failed
}

// ask writes the operation and returns the mark that it bears.
func (s *syncFlags) ask(ctx context.Context, h *target.Hub, name string, resources []v1alpha1.SyncOperationResource) (string, error) {
	if h.Server != nil {
		return s.askServer(ctx, h, name, resources)
	}
	mark, by := rand.Text(), h.Identity(ctx)
	err := conflict.Retry(func() error {
		app, err := h.Application(ctx, name)
		if err != nil {
			return err
		}
		if operation.Busy(app) && (!s.freely || !operation.Awaits(app)) {
			return fmt.Errorf("application %s is syncing already: %s", name, screen.Words(operation.Message(app)))
		}
		before := app.DeepCopy()
		if app.Operation, err = s.requested(app, resources, mark, by); err != nil {
			return err
		}
		// The lock keeps a request of someone else from being overwritten.
		return h.Explain(h.Client.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), client.FieldOwner("causeway-cli")))
	})
	if err != nil {
		return "", fmt.Errorf("cannot %s: %w", s.verb(), err)
	}
	return mark, nil
}

// verb is what is asked for.
func (s *syncFlags) verb() string {
	if s.back != nil {
		return "roll back"
	}
	return "sync"
}

// requested is the operation that the flags ask for.
func (s *syncFlags) requested(app *v1alpha1.Application, resources []v1alpha1.SyncOperationResource, mark, by string) (*v1alpha1.Operation, error) {
	want := operation.Want{
		Prune: s.prune, DryRun: s.dryRun, Force: s.force, NoHooks: s.noHooks, Freely: s.freely, Revision: s.revision,
		Options: s.all(), Resources: resources, Manifests: s.manifests, By: by, Mark: mark,
	}
	if s.back != nil {
		return want.Rollback(app, s.back)
	}
	if s.retries != unsaid {
		want.Retries = &s.retries
	}
	return want.Sync(app), nil
}

// follow tells how the operation goes, until it and what --wait asks for end.
func (s *syncFlags) follow(ctx context.Context, h *target.Hub, name string, r request, resources []v1alpha1.SyncOperationResource) error {
	last := ""
	say := func(text string) {
		if text != last {
			_, _ = fmt.Fprintf(s.Err, "%s: %s\n", name, text)
		}
		last = text
	}
	for {
		app, err := h.Application(ctx, name)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("application %s: %w", name, context.Cause(ctx))
		case err != nil:
			return err
		}
		state := operation.Marked(app, r.mark)
		text := s.awaits(app, state)
		if text == "" {
			return s.ended(name, app, state, resources, time.Since(r.at))
		}
		say(text)
		select {
		case <-ctx.Done():
			return fmt.Errorf("application %s: %w", name, context.Cause(ctx))
		case <-time.After(command.FollowPause):
		}
	}
}

// awaits tells what is still to happen; nothing once the sync and what it was
// asked to wait for have ended.
func (s *syncFlags) awaits(app *v1alpha1.Application, state *v1alpha1.OperationState) string {
	switch {
	case state == nil:
		return "waiting for the engine"
	case state.Runs():
		return string(state.Phase) + ": " + screen.Words(state.Message)
	case !state.Succeeded() || s.dryRun:
		return ""
	case s.wait && !fleetstatus.AppOf(app, nil).Good():
		return waitingFor(app)
	case s.healthy && app.Status.Health.Status != v1alpha1.HealthStatusHealthy:
		return waitingFor(app)
	}
	return ""
}

// ended tells how a sync ended.
func (s *syncFlags) ended(name string, app *v1alpha1.Application, state *v1alpha1.OperationState, resources []v1alpha1.SyncOperationResource, took time.Duration) error {
	if !state.Succeeded() {
		return s.failed(name, state)
	}
	if what := unmatched(resources, state, app.Status.Resources); what != "" {
		return fmt.Errorf("application %s has no object that matches --resource %s: see causeway tree %s", name, what, name)
	}
	return s.done(name, app, state, took)
}

// unmatched names the first of the objects that were asked for and that the
// application has not; one that was as desired may be in no result.
func unmatched(wanted []v1alpha1.SyncOperationResource, state *v1alpha1.OperationState, there []v1alpha1.ResourceStatus) string {
	for _, w := range wanted {
		met := slices.ContainsFunc(there, func(r v1alpha1.ResourceStatus) bool {
			return r.Group == w.Group && r.Kind == w.Kind && r.Name == w.Name && (w.Namespace == "" || w.Namespace == r.Namespace)
		}) || state.SyncResult != nil && slices.ContainsFunc(state.SyncResult.Resources, func(r v1alpha1.ResourceResult) bool {
			return r.Group == w.Group && r.Kind == w.Kind && r.Name == w.Name && (w.Namespace == "" || w.Namespace == r.Namespace)
		})
		if !met {
			return w.Group + ":" + w.Kind + ":" + gitops.NameIn(w.Namespace, w.Name)
		}
	}
	return ""
}

func waitingFor(app *v1alpha1.Application) string {
	a := fleetstatus.AppOf(app, nil)
	text := screen.Words(a.Sync + ", " + a.Health)
	if a.Problem != "" {
		return text + ": " + screen.Words(a.Problem)
	}
	if a.Message != "" {
		text += ": " + screen.Words(a.Message)
	}
	return text
}

func (s *syncFlags) done(name string, app *v1alpha1.Application, state *v1alpha1.OperationState, took time.Duration) error {
	objects := 0
	if state.SyncResult != nil {
		objects = len(state.SyncResult.Resources)
	}
	a := fleetstatus.AppOf(app, nil)
	verb := "synced"
	if s.dryRun {
		verb = "tried"
	}
	_, err := fmt.Fprintf(s.Out, "%s: %s %s in %s; %s\n", name, gitops.Count(objects, "object"), verb, live.Seconds(took), screen.Words(a.Sync+", "+a.Health))
	return err
}

func (s *syncFlags) failed(name string, state *v1alpha1.OperationState) error {
	_, _ = fmt.Fprintf(s.Err, "%s: %s: %s\n", name, screen.Words(string(state.Phase)), screen.Words(state.Message))
	if state.SyncResult == nil {
		return command.ErrSaid
	}
	for _, r := range state.SyncResult.Resources {
		if r.Status == v1alpha1.ResultCodeSyncFailed || r.HookPhase == v1alpha1.OperationFailed {
			_, _ = fmt.Fprintf(s.Err, "  %s: %s\n", screen.Line(gitops.ObjectName(r.Kind, r.Namespace, r.Name)), screen.Words(r.Message))
		}
	}
	return command.ErrSaid
}
