package secretfleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/crew"
)

// Fleet reconciles ExternalSecrets in many clusters. It is safe for concurrent use.
type Fleet struct {
	// Member is what all clusters have in common.
	Member Member
	// Own is the identity of the connection to the cluster that the engine runs in; nil
	// where it runs in none.
	Own any
	// Pause between two tries of a cluster; half a minute when 0.
	Pause time.Duration

	mu      sync.Mutex
	running map[string]*running
	group   sync.WaitGroup
}

// running is one cluster.
type running struct {
	identity any
	title    string
	cancel   context.CancelFunc
}

const defaultPause = 30 * time.Second

// Set has a cluster be reconciled, until the context ends or it is removed. Another
// connection to the cluster has another identity. Metrics call it by its title.
func (f *Fleet) Set(ctx context.Context, name, title string, identity any, config *rest.Config) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one := f.running[name]; one != nil {
		if one.identity == identity {
			return
		}
		one.cancel()
	}
	ctx, cancel := context.WithCancel(ctx)
	if f.running == nil {
		f.running = map[string]*running{}
	}
	f.running[name] = &running{identity, title, cancel}
	member := f.Member
	member.Engine = f.Own != nil && identity == f.Own
	member.Title = title
	member.Name, member.Config, member.Log = name, config, f.Member.Log.With("cluster", name)
	f.group.Go(func() {
		f.keep(ctx, member)
		f.forget(member)
	})
}

// Only ends all clusters but these.
func (f *Fleet) Only(names map[string]bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, one := range f.running {
		if !names[name] {
			one.cancel()
			delete(f.running, name)
		}
	}
}

// Wait returns when nothing runs any more.
func (f *Fleet) Wait() { f.group.Wait() }

// forget drops the figures of a member that has ended, unless the cluster has another one.
func (f *Fleet) forget(m Member) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.running[m.Name]; now == nil || now.title != m.Title {
		m.Metrics.forget(m.Title)
	}
}

// keep runs a member until the context ends.
func (f *Fleet) keep(ctx context.Context, m Member) {
	pause := f.Pause
	if pause == 0 {
		pause = defaultPause
	}
	said := ""
	for ctx.Err() == nil {
		err := crew.Safely(func() error { return m.try(ctx, pause) })
		if ctx.Err() != nil {
			return
		}
		m.Metrics.forget(m.Title) // what was so, until it is tried again
		if err != nil && err.Error() != said {
			said = err.Error()
			m.Log.WarnContext(ctx, "ExternalSecrets of a cluster are left alone for now", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// errOperator is of a cluster in which External Secrets' own operator runs.
var errOperator = errors.New("the operator of External Secrets runs in the cluster, and keeps its Secrets")

// try runs a member that may be run, until something is wrong.
func (m Member) try(ctx context.Context, pause time.Duration) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{apiextensionsv1.AddToScheme, appsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	c, err := client.New(m.Config, client.Options{Scheme: scheme})
	if err != nil {
		return fmt.Errorf("cannot reach the cluster: %w", err)
	}
	if err := alone(ctx, c); err != nil {
		return err
	}
	if err := define(ctx, c); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var g crew.Group
	g.Go(func() error {
		watchOperator(ctx, c, pause, cancel, m.Log)
		return nil
	})
	err = m.Run(ctx)
	if cause := context.Cause(ctx); errors.Is(cause, errOperator) {
		err = cause
	}
	cancel(nil)
	return errors.Join(err, g.Wait())
}

// watchOperator ends a member when the operator comes.
func watchOperator(ctx context.Context, c client.Client, pause time.Duration, cancel context.CancelCauseFunc, log *slog.Logger) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := alone(ctx, c)
		if errors.Is(err, errOperator) {
			cancel(err)
			return
		}
		if err != nil && ctx.Err() == nil {
			log.DebugContext(ctx, "cannot look for the operator of External Secrets", "error", err)
		}
	}
}

// alone is errOperator where External Secrets' own operator has pods to run.
func alone(ctx context.Context, c client.Client) error {
	var all metav1.PartialObjectMetadataList
	all.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("DeploymentList"))
	if err := c.List(ctx, &all, client.MatchingLabels{esv1.LabelOperator: esv1.OperatorName}); err != nil {
		return fmt.Errorf("cannot look for the operator of External Secrets: %w", err)
	}
	for _, one := range all.Items {
		var d appsv1.Deployment
		if err := c.Get(ctx, client.ObjectKey{Namespace: one.Namespace, Name: one.Name}, &d); err != nil {
			if apierrors.IsNotFound(err) {
				continue // it went just now
			}
			return fmt.Errorf("cannot look for the operator of External Secrets: %w", err)
		}
		if d.Spec.Replicas == nil || *d.Spec.Replicas > 0 {
			return fmt.Errorf("%w: Deployment %s/%s", errOperator, d.Namespace, d.Name)
		}
	}
	return nil
}
