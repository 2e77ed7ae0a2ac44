package operate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	apiclient "github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Times of a wait.
const (
	// illFor is how long an application is Degraded, with nothing under way,
	// before it is taken for broken: what it needs may just be coming up.
	illFor = 30 * time.Second
	// askAgain is the pause before the engine is asked to look once more for a
	// revision that it has not found.
	askAgain = 15 * time.Second
)

// awaited is one application that is waited for.
type awaited struct {
	key  client.ObjectKey
	name string
	uid  string
	// app is as it was read last; nil when it is not there.
	app *v1alpha1.Application
	standing

	// asked is the version before the engine was asked to look; empty once it has.
	asked   string
	askedAt time.Time
	ill     time.Time
	begun   time.Time
	ended   time.Time
	said    string
}

// waiting follows applications until each has ended.
type waiting struct {
	flags *waitFlags
	hub   *target.Hub
	now   func() time.Time
	all   []*awaited
}

// begin finds the applications, and asks the engine to look at them.
func (w *waiting) begin(ctx context.Context, names []string, selector labels.Selector) error {
	apps, err := w.pick(ctx, names, selector)
	if err != nil {
		return err
	}
	for _, one := range apps {
		one.begun = w.now()
		w.all = append(w.all, one)
		if one.app == nil || w.flags.refresh == "" {
			continue
		}
		if err := w.ask(ctx, one); err != nil {
			return fmt.Errorf("cannot have the engine look at application %s: %w", one.name, w.hub.Explain(err))
		}
	}
	return nil
}

// pick finds what is waited for: by name, or all that there are now.
func (w *waiting) pick(ctx context.Context, names []string, selector labels.Selector) ([]*awaited, error) {
	var out []*awaited
	for _, name := range names {
		app, err := w.hub.Application(ctx, name)
		switch {
		case err == nil:
			out = append(out, w.await(app))
		case w.flags.goal.deleted && isGone(ctx, w.hub, name):
			out = append(out, &awaited{key: w.hub.Key(name), name: name})
		default:
			return nil, err
		}
	}
	if len(names) > 0 {
		return out, nil
	}
	q := w.flags.query(w.hub, selector)
	for _, namespace := range q.Namespaces {
		list := &v1alpha1.ApplicationList{}
		if err := w.hub.Client.List(ctx, list, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: selector}); err != nil {
			return nil, w.hub.Explain(err)
		}
		for i := range list.Items {
			if q.Of(list.Items[i].Spec.GetProject()) {
				out = append(out, w.await(&list.Items[i]))
			}
		}
	}
	if len(out) == 0 && !w.flags.goal.deleted {
		return nil, errors.New("there is no such application to wait for: see causeway get apps")
	}
	slices.SortFunc(out, func(a, b *awaited) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// isGone reports whether an application is not there, as opposed to that nobody can tell.
func isGone(ctx context.Context, h *target.Hub, name string) bool {
	err := h.Client.Get(ctx, h.Key(name), &v1alpha1.Application{})
	return target.IsMissing(err)
}

func (w *waiting) await(app *v1alpha1.Application) *awaited {
	return &awaited{key: client.ObjectKeyFromObject(app), name: w.hub.NameOf(app), uid: string(app.UID), app: app}
}

// ask has the engine look at an application.
func (w *waiting) ask(ctx context.Context, one *awaited) error {
	how := api.Thoroughness(w.flags.refresh)
	one.asked, one.askedAt = one.app.ResourceVersion, w.now()
	return target.Refresh(ctx, w.hub, one.app.DeepCopy(), how)
}

// follow looks at applications whenever they may have changed.
func (w *waiting) follow(ctx context.Context) error {
	next, stop := feed(ctx, w.hub, len(w.all))
	defer stop()
	changed := everything
	for {
		if err := w.look(ctx, changed); err != nil {
			return err
		}
		if len(w.pending(everything)) == 0 {
			return nil
		}
		var err error
		if changed, err = next(ctx); err != nil {
			return err
		}
	}
}

// everything may have changed.
var everything = apiclient.Change{All: true}

// pending are those of a change that have not ended.
func (w *waiting) pending(c apiclient.Change) []*awaited {
	var out []*awaited
	for _, one := range w.all {
		if one.ended.IsZero() && (c.All || slices.Contains(c.Keys, apiclient.Key{Namespace: one.key.Namespace, Name: one.key.Name})) {
			out = append(out, one)
		}
	}
	return out
}

// look reads the applications of a change, and judges each.
func (w *waiting) look(ctx context.Context, c apiclient.Change) error {
	due := w.pending(c)
	if err := w.read(ctx, due); err != nil {
		if denied(err) {
			return w.hub.Explain(err)
		}
		// The hub may be away for a moment: the time that the wait has is its bound.
		if ctx.Err() == nil {
			_, _ = fmt.Fprintf(w.flags.Err, "cannot read the applications, and tries again: %s\n", screen.Words(w.hub.Explain(err).Error()))
		}
		return nil
	}
	for _, one := range due {
		w.judge(ctx, one)
	}
	return nil
}

// denied reports whether trying again is of no use.
func denied(err error) bool {
	return apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err) || apiclient.Is(err, http.StatusUnauthorized) || apiclient.Is(err, http.StatusForbidden)
}

func (w *waiting) judge(ctx context.Context, one *awaited) {
	if one.app != nil && one.asked != "" {
		if !target.LookedAgain(one.app, one.asked) {
			w.say(one, standing{stateWaits, "the engine has not looked yet"})
			return
		}
		one.asked = ""
	}
	now := w.flags.goal.judge(one.app)
	switch {
	case now.state != stateIll:
		one.ill = time.Time{}
	case one.ill.IsZero():
		one.ill = w.now()
	case w.now().Sub(one.ill) >= illFor:
		now.state = stateFailed
	}
	w.say(one, now)
	if now.state == stateReached || now.state == stateFailed {
		one.ended = w.now()
		return
	}
	if rev := w.flags.goal.revision; rev != "" && one.app != nil && !w.flags.goal.seen(one.app) && w.now().Sub(one.askedAt) >= askAgain {
		if err := w.ask(ctx, one); err != nil {
			one.asked = "" // there is another time
		}
	}
}

// say tells of progress where there is some.
func (w *waiting) say(one *awaited, now standing) {
	one.standing = now
	text := now.why
	if now.state == stateReached || now.state == stateFailed {
		text = now.state + ": " + text
	}
	if text != one.said {
		_, _ = fmt.Fprintf(w.flags.Err, "%s: %s\n", one.name, text)
		one.said = text
	}
}
