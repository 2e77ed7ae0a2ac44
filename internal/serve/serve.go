package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/serve/secrets"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	clusterapi "github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/intake"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/terminal"
	"github.com/causeway-gitops/causeway/internal/server/trail"
)

// Run serves pages and the API until ctx ends.
func Run(ctx context.Context, o *Options) error {
	if o.At.Listen == "" && o.At.Listener == nil {
		return nil
	}
	g, ctx := crew.WithContext(ctx)
	known := origin.NewKnown()
	handler, work, err := pages(ctx, o, known)
	if err != nil {
		return err
	}
	t, err := o.At.NewTransport(ctx, o.uncached, o.Namespace, o.Log)
	if err != nil {
		return fmt.Errorf("cannot serve pages by TLS: %w", err)
	}
	for _, w := range append(work, t.Run) {
		g.Go(func() error { w(ctx); return nil })
	}
	g.Go(func() error { return o.At.Answer(ctx, t, handler, known) })
	return g.Wait()
}

// uncached makes a client that asks the hub's API server.
func (o *Options) uncached() (client.Client, error) {
	return client.New(o.Hub, client.Options{Scheme: o.Client.Scheme()})
}

// pages is everything that is served there, and the work that keeps it up to
// date, which lasts as long as its context.
func pages(ctx context.Context, o *Options, known *origin.Known) (_ http.Handler, work []func(context.Context), err error) {
	trail := newTrail(o)
	in, err := enter(ctx, o, trail, known)
	if err != nil {
		return nil, nil, err
	}
	i := newIndex(o)
	if err := errors.Join(i.follow(ctx, o.Cache), followProjects(ctx, o.Cache, in.rights.Changed, i.rename)); err != nil {
		return nil, nil, err
	}
	look := looker{on: o, roles: in.rights, trail: trail, logs: newLogs(), kinds: newKindRights(o.RightsFor)}
	shown := shownBy(ctx, o, in, i, look, trail)
	handler, err := routes(o, in, &shown, look, trail)
	if err != nil {
		return nil, nil, err
	}
	return everything(handler, known), append(in.follow, i.keepNames, shown.Batches.Run, trail.Run, shown.Desk.Run), nil
}

// shownBy is what the API shows, and what it does.
func shownBy(ctx context.Context, o *Options, in *entrance, i *index, look looker, trail *trail.Trail) api.Options {
	operate := newOperator(o, i, trail)
	shown := api.Options{
		Version:   o.Version,
		Log:       o.Log,
		Namespace: o.Namespace,

		Index:        i.rows,
		Marks:        i.marks,
		Applications: hubReader{i.rows, o.Client, o.Namespace},
		Sets:         newSets(o, trail),
		Cursors:      in.cursors,
		Clusters:     func() []clusterapi.Health { return clusterapi.Of(o.Fleet, o.Parked()) },
		Bridge:       newBridger(ctx, o),
		Promotion:    func() string { return o.Settings()[v1alpha1.SettingEnvironments] },

		Look:      look,
		Looks:     api.NewLooks(),
		Bodies:    intake.New(in.gate.Known),
		Explain:   o.Explain,
		Around:    around{look, o.Around},
		Terminals: terminals{look},
		Desk:      terminal.NewDesk(o.RightsFor),

		Act:      actor{look},
		Operate:  operate,
		Approver: approver{operate},
		Roll:     roller{operate},
		Batches:  batch.New(time.Now),
		Asker:    o.Seal.Asker,

		Rights:   in.rights,
		Door:     session.NewDoor(in.gate),
		SignIns:  signIns(in.gate.Issuers),
		Identify: in.gate.Identify,
		Keys:     in.keys,
		Accounts: &secrets.Passwords{
			Accounts: in.accounts,
			Client:   operate.client,
			Trail:    trail,
		},
		Trail: trail,
	}
	o.Describe(&shown, trail)
	if o.History != nil {
		kept := past{o.History, o.Compare, o.Hidden}
		shown.Past, shown.Audit, shown.Commits, shown.Betweens = kept, o.History, o.History, kept
	}
	return shown
}
