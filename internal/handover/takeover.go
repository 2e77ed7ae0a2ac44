package handover

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// Options say how the engine takes Argo CD's place.
type Options struct {
	// External leaves it to somebody else to start and stop the engine.
	External bool
	// Install is the engine that is installed where there is none; nil refuses
	// to take over there.
	Install *bootstrap.Engine
	// Within bounds a takeover, and a revert.
	Within time.Duration
	// Say is told of each step, in order. It must not be nil.
	Say func(format string, args ...any)
}

// Takeover puts the engine in the place of Argo CD's controllers, and back. It
// scales Deployments and StatefulSets, and writes to nothing that applications
// deploy. Each step can be done again, by whoever comes next.
type Takeover struct {
	Options

	hub     Hub
	clients kubernetes.Interface
	// lacking is what has to be installed; nil when nothing has.
	lacking *install.Engine
}

const (
	// revertWithin is the least time that a takeover which failed has to be
	// taken back.
	revertWithin = 5 * time.Minute
	// cliManager is the field manager of what commands write.
	cliManager = "causeway-cli"
)

// New prepares one. It makes no request.
func New(h Hub, o Options) (*Takeover, error) {
	clients, err := kubernetes.NewForConfig(h.Config)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the hub: %w", err)
	}
	return &Takeover{Options: o, hub: h, clients: clients}, nil
}

// Stage is how far a takeover of earlier came.
func (t *Takeover) Stage(ctx context.Context) (takeover.Stage, error) {
	r, err := t.record(ctx)
	if err != nil {
		return takeover.None, err
	}
	return r.Stage, nil
}

// Adopt takes over, or goes on with a takeover that was cut off. One that does
// not come to its end in time is taken back; the error tells why.
func (t *Takeover) Adopt(ctx context.Context, all []takeover.Comparison) error {
	r, err := t.record(ctx)
	if err != nil {
		return err
	}
	if r.Stage == takeover.Reverting {
		return gitops.Problemf(gitops.NotReady, "a takeover is just being taken back").Do("finish that first: causeway import argocd --revert")
	}
	stage := r.Stage
	if stage != takeover.Adopting {
		r = takeover.NewRecord(all, t.hub.Now())
	}
	if err := t.ready(ctx, r); err != nil {
		return t.leaves(ctx, stage, err)
	}
	if stage != takeover.Adopting {
		if err := t.keep(ctx, r); err != nil {
			return err
		}
	}
	err = t.within(ctx, t.Within, func(ctx context.Context) error { return t.adopt(ctx, r) })
	if err == nil {
		r.Stage = takeover.Adopted
		return t.keep(ctx, r)
	}
	if ctx.Err() != nil {
		return err // whoever ended it goes on with it, or takes it back
	}
	t.Say("it did not work out, and is taken back: %v", err)
	back := t.within(ctx, max(t.Within, revertWithin), t.revert)
	if back != nil {
		back = fmt.Errorf("and it could not be taken back: %w; finish that with: causeway import argocd --revert", back)
	}
	return errors.Join(fmt.Errorf("cannot take over: %w", err), back)
}

// ready refuses what cannot come to its end, before the first write.
func (t *Takeover) ready(ctx context.Context, r *takeover.Record) error {
	if err := t.prepareEngine(ctx); err != nil {
		return err
	}
	return t.permitted(ctx, t.moving, func(ctx context.Context) ([]install.Right, error) { return t.asking(ctx, r) })
}

func (t *Takeover) adopt(ctx context.Context, r *takeover.Record) error {
	engines, err := t.engines(ctx)
	if err != nil {
		return err
	}
	for _, w := range engines {
		if err := t.stop(ctx, w.Kind, w.Name); err != nil {
			return err
		}
	}
	if err := t.startEngine(ctx); err != nil {
		return err
	}
	if err := t.untilLed(ctx); err != nil {
		return err
	}
	return t.untilArrived(ctx, r)
}

// Revert hands back to Argo CD. It goes on where nobody tells which rights there
// are: there has to be a way back.
func (t *Takeover) Revert(ctx context.Context) error {
	stage, err := t.Stage(ctx)
	if err != nil {
		return err
	}
	if stage != takeover.None && stage != takeover.Reverted {
		err = t.permitted(ctx, t.moving)
	}
	var untold *install.UntoldError
	if errors.As(err, &untold) && ctx.Err() == nil {
		t.Say("warning: %v; handing back is tried without knowing that", err)
		err = nil
	}
	if err != nil {
		return t.leaves(ctx, stage, err)
	}
	return t.within(ctx, t.Within, t.revert)
}

func (t *Takeover) revert(ctx context.Context) error {
	r, err := t.record(ctx)
	if err != nil {
		return err
	}
	if r.Stage == takeover.None || r.Stage == takeover.Reverted {
		t.Say("nothing is taken over, so nothing is handed back")
		return nil
	}
	r.Stage = takeover.Reverting
	if err := t.keep(ctx, r); err != nil {
		return err
	}
	if err := t.stopEngine(ctx); err != nil {
		return err
	}
	engines, err := t.engines(ctx)
	if err != nil {
		return err
	}
	for _, w := range engines {
		if err := t.start(ctx, w.Kind, w.Name); err != nil {
			return err
		}
	}
	r.Stage = takeover.Reverted
	return t.keep(ctx, r)
}

// within bounds a step.
func (t *Takeover) within(ctx context.Context, limit time.Duration, step func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done within %s", limit))
	defer cancel()
	return step(ctx)
}

// until looks again and again until nothing is missing.
func (t *Takeover) until(ctx context.Context, check func(context.Context) (missing string, err error)) error {
	return install.Until(ctx, check)
}

// record reads what was written down; there may be nothing.
func (t *Takeover) record(ctx context.Context) (*takeover.Record, error) {
	data, err := follow.Read(ctx, t.hub.Client, t.hub.Namespace, takeover.RecordName)
	if err != nil {
		return nil, fmt.Errorf("cannot read ConfigMap %s: %w", takeover.RecordName, err)
	}
	return takeover.ParseRecord(data)
}

// keep writes it down.
func (t *Takeover) keep(ctx context.Context, r *takeover.Record) error {
	data, err := r.Data()
	if err != nil {
		return err
	}
	maps := t.clients.CoreV1().ConfigMaps(t.hub.Namespace)
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: takeover.RecordName}, Data: data}
	_, err = maps.Create(ctx, cm, metav1.CreateOptions{FieldManager: cliManager})
	if apierrors.IsAlreadyExists(err) {
		_, err = maps.Update(ctx, cm, metav1.UpdateOptions{FieldManager: cliManager})
	}
	if err != nil {
		return fmt.Errorf("cannot write ConfigMap %s: %w", takeover.RecordName, err)
	}
	return nil
}
