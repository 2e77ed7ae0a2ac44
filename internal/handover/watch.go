package handover

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// leaseSeconds is how long a leader that does not renew its lease counts as
// one, where the lease does not say.
const leaseSeconds = 15

// lead is what a lease tells at one moment.
type lead struct {
	holder  string
	renewed time.Time
	lasts   time.Duration
}

// leader reads the lease of the engine; a zero lead when there is none.
func (t *Takeover) leader(ctx context.Context) (lead, error) {
	l, err := t.clients.CoordinationV1().Leases(t.hub.Namespace).Get(ctx, hub.LeaseName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return lead{}, nil
	}
	if err != nil {
		return lead{}, fmt.Errorf("cannot read Lease %s: %w", hub.LeaseName, err)
	}
	out := lead{lasts: leaseSeconds * time.Second}
	if l.Spec.HolderIdentity != nil {
		out.holder = *l.Spec.HolderIdentity
	}
	if l.Spec.RenewTime != nil {
		out.renewed = l.Spec.RenewTime.Time
	}
	if l.Spec.LeaseDurationSeconds != nil {
		out.lasts = time.Duration(*l.Spec.LeaseDurationSeconds) * time.Second
	}
	return out, nil
}

// untilLed waits until an engine leads. A lease alone may be one that a dead
// engine left: it has to be renewed while it is watched. That needs no clock
// that agrees with another's.
func (t *Takeover) untilLed(ctx context.Context) error {
	var first *lead
	return t.until(ctx, func(ctx context.Context) (string, error) {
		now, err := t.leader(ctx)
		if err != nil {
			return "", err
		}
		if first == nil || now.holder != first.holder {
			first = &now
		}
		if now.holder == "" || now.renewed.Equal(first.renewed) {
			return "no engine has renewed Lease " + hub.LeaseName + " in namespace " + t.hub.Namespace, nil
		}
		t.Say("the engine leads: %s", now.holder)
		return "", nil
	})
}

// untilNobodyLeads waits until the lease is given back, or has not been
// renewed for as long as it lasts.
func (t *Takeover) untilNobodyLeads(ctx context.Context) error {
	var last lead
	var since time.Time
	return t.until(ctx, func(ctx context.Context) (string, error) {
		now, err := t.leader(ctx)
		if err != nil {
			return "", err
		}
		if since.IsZero() || now != last {
			last, since = now, time.Now()
		}
		if now.holder != "" && time.Since(since) < now.lasts {
			return "the engine " + now.holder + " still leads in namespace " + t.hub.Namespace, nil
		}
		t.Say("the engine has ended")
		return "", nil
	})
}

// untilArrived asks the engine to look at all applications, and waits until
// each is as well off as before.
func (t *Takeover) untilArrived(ctx context.Context, r *takeover.Record) error {
	if err := t.askAll(ctx, r); err != nil {
		return err
	}
	total, shown := 0, -1
	err := t.until(ctx, func(ctx context.Context) (string, error) {
		apps, err := t.applications(ctx)
		if err != nil {
			return "", err
		}
		var missing []string
		for i := range apps {
			if text := r.Missing(&apps[i], t.hub.Namespace); text != "" {
				missing = append(missing, text)
			}
		}
		if total = len(apps); len(missing) > 0 && len(missing) != shown {
			shown = len(missing)
			t.Say("%d of %s are as before", total-shown, gitops.Count(total, "application"))
		}
		return install.ShortList(missing), nil
	})
	if err == nil {
		t.Say("all of %s are as well off as before", gitops.Count(total, "application"))
	}
	return err
}

// applications lists those that are the engine's.
func (t *Takeover) applications(ctx context.Context) ([]v1alpha1.Application, error) {
	in := &takeover.Installation{}
	if err := t.hub.declared(ctx, in); err != nil {
		return nil, err
	}
	return in.Applications, nil
}

// judged are the applications that have to arrive.
func (t *Takeover) judged(ctx context.Context, r *takeover.Record) ([]v1alpha1.Application, error) {
	apps, err := t.applications(ctx)
	return slices.DeleteFunc(apps, func(a v1alpha1.Application) bool { return !r.Judges(&a) }), err
}

// askAll annotates the applications of before: the annotation goes when the
// engine has looked, also where there is nothing else to write.
func (t *Takeover) askAll(ctx context.Context, r *takeover.Record) error {
	apps, err := t.judged(ctx, r)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{v1alpha1.AnnotationRefresh: v1alpha1.RefreshTypeNormal}}})
	if err != nil {
		return fmt.Errorf("cannot encode the annotation: %w", err)
	}
	for i := range apps {
		app := &apps[i]
		err := t.hub.Client.Patch(ctx, app, client.RawPatch("application/merge-patch+json", patch), client.FieldOwner(cliManager))
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("cannot ask the engine to look at application %s: %w", app.Name, err)
		}
	}
	return nil
}
