package handover

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// scaled is a Deployment or StatefulSet as scaling sees it.
type scaled struct {
	meta     metav1.ObjectMeta
	selector *metav1.LabelSelector
	replicas int32
	ready    int32
}

// remembered is how many replicas it had before it was scaled to 0.
func (s *scaled) remembered() (int32, bool) {
	n, err := strconv.ParseInt(s.meta.Annotations[takeover.AnnotationReplicas], 10, 32)
	return int32(n), err == nil && n >= 0
}

func (t *Takeover) scaled(ctx context.Context, kind, name string) (*scaled, error) {
	namespace := t.hub.Namespace
	var out *scaled
	var wanted *int32
	var err error
	if kind == "StatefulSet" {
		var s *appsv1.StatefulSet
		if s, err = t.clients.AppsV1().StatefulSets(namespace).Get(ctx, name, metav1.GetOptions{}); err == nil {
			out, wanted = &scaled{meta: s.ObjectMeta, selector: s.Spec.Selector, ready: s.Status.ReadyReplicas}, s.Spec.Replicas
		}
	} else {
		var d *appsv1.Deployment
		if d, err = t.clients.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{}); err == nil {
			out, wanted = &scaled{meta: d.ObjectMeta, selector: d.Spec.Selector, ready: d.Status.ReadyReplicas}, d.Spec.Replicas
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s %s: %w", kind, name, err)
	}
	out.replicas = 1
	if wanted != nil {
		out.replicas = *wanted
	}
	return out, nil
}

// scale sets the replicas, and what is remembered of them, in one write; nil
// forgets. A write of somebody else in between is an error.
func (t *Takeover) scale(ctx context.Context, kind string, s *scaled, replicas int32, remember *string) error {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": s.meta.ResourceVersion, "annotations": map[string]any{takeover.AnnotationReplicas: remember}},
		"spec":     map[string]any{"replicas": replicas},
	})
	if err != nil {
		return fmt.Errorf("cannot encode the scale of %s: %w", s.meta.Name, err)
	}
	o := metav1.PatchOptions{FieldManager: cliManager}
	if kind == "StatefulSet" {
		_, err = t.clients.AppsV1().StatefulSets(s.meta.Namespace).Patch(ctx, s.meta.Name, types.MergePatchType, patch, o)
	} else {
		_, err = t.clients.AppsV1().Deployments(s.meta.Namespace).Patch(ctx, s.meta.Name, types.MergePatchType, patch, o)
	}
	return err
}

// stop scales to 0, remembers from where, and waits until all Pods are gone.
func (t *Takeover) stop(ctx context.Context, kind, name string) error {
	told := false
	return t.until(ctx, func(ctx context.Context) (string, error) {
		s, err := t.scaled(ctx, kind, name)
		if err != nil {
			return "", err
		}
		if s.replicas > 0 {
			before := strconv.Itoa(int(s.replicas))
			if err := t.scale(ctx, kind, s, 0, &before); err != nil {
				return "", err
			}
			t.Say("%s %s: scaled from %s to 0", kind, name, before)
			told = true
		}
		left, err := t.pods(ctx, s)
		if err != nil || left > 0 {
			return fmt.Sprintf("%s %s still has %s", kind, name, gitops.Count(left, "Pod")), err
		}
		if told {
			t.Say("%s %s: its Pods are gone", kind, name)
		}
		return "", nil
	})
}

// start scales to what is remembered, and waits until that is ready. What was
// not scaled by a takeover is left alone.
func (t *Takeover) start(ctx context.Context, kind, name string) error {
	return t.until(ctx, func(ctx context.Context) (string, error) {
		s, err := t.scaled(ctx, kind, name)
		if err != nil {
			return "", err
		}
		if n, ok := s.remembered(); ok {
			if err := t.scale(ctx, kind, s, n, nil); err != nil {
				return "", err
			}
			t.Say("%s %s: scaled to %d", kind, name, n)
			return name + " has just been scaled", nil
		}
		if s.ready < s.replicas {
			return fmt.Sprintf("%s %s has %d of %d replicas ready", kind, name, s.ready, s.replicas), nil
		}
		return "", nil
	})
}

func (t *Takeover) pods(ctx context.Context, s *scaled) (int, error) {
	selector, err := metav1.LabelSelectorAsSelector(s.selector)
	if err != nil {
		return 0, fmt.Errorf("cannot read the selector of %s: %w", s.meta.Name, err)
	}
	list, err := t.clients.CoreV1().Pods(s.meta.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return 0, fmt.Errorf("cannot list the Pods of %s: %w", s.meta.Name, err)
	}
	left := 0
	for i := range list.Items {
		if p := &list.Items[i]; p.Status.Phase != "Succeeded" && p.Status.Phase != "Failed" {
			left++
		}
	}
	return left, nil
}

// engines are Argo CD's workloads that make way.
func (t *Takeover) engines(ctx context.Context) ([]takeover.Workload, error) {
	all, err := hub.ArgoWorkloads(ctx, t.clients, t.hub.Namespace)
	if err != nil {
		return nil, err
	}
	return (&takeover.Installation{Workloads: all}).Engines(), nil
}

// own are the Deployments of the chart in the control namespace that are this
// command's matter to start and to stop.
func (t *Takeover) own(ctx context.Context) ([]string, error) {
	if t.External {
		return nil, nil
	}
	return hub.EngineDeployments(ctx, t.clients, t.hub.Namespace)
}

// startEngine starts what the chart installed, or installs it. Where that is
// not this command's matter, a person is told what to do.
func (t *Takeover) startEngine(ctx context.Context) error {
	if t.External {
		t.Say("waiting for the engine: start it now, with --leader-elect, in namespace %s", t.hub.Namespace)
		return nil
	}
	if t.lacking != nil {
		return t.lacking.Apply(ctx, t.Say)
	}
	return t.until(ctx, func(ctx context.Context) (string, error) {
		names, err := t.own(ctx)
		if err != nil {
			return "", err
		}
		if len(names) == 0 {
			return "the engine's Deployment is gone", nil
		}
		for _, name := range names {
			if err := t.wake(ctx, name); err != nil {
				return "", err
			}
		}
		return "", nil
	})
}

// wake scales a Deployment of the engine up that is at 0.
func (t *Takeover) wake(ctx context.Context, name string) error {
	s, err := t.scaled(ctx, "Deployment", name)
	if err != nil || s.replicas > 0 {
		return err
	}
	n, ok := s.remembered()
	if !ok || n == 0 {
		n = 1
	}
	if err := t.scale(ctx, "Deployment", s, n, nil); err != nil {
		if apierrors.IsConflict(err) {
			return err // somebody wrote in between; it is looked at again
		}
		return fmt.Errorf("cannot scale Deployment %s: %w", name, err)
	}
	t.Say("Deployment %s: scaled to %d", name, n)
	return nil
}

// stopEngine stops what the chart installed, and waits until nobody leads.
func (t *Takeover) stopEngine(ctx context.Context) error {
	names, err := t.own(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := t.stop(ctx, "Deployment", name); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		t.Say("waiting until the engine has ended: stop it now where it runs in namespace %s", t.hub.Namespace)
	}
	return t.untilNobodyLeads(ctx)
}
