package route

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
)

// TestSecretsThatChangeTheirSort: who had one of them learns that it has it no longer.
func TestSecretsThatChangeTheirSort(t *testing.T) {
	of := func(sort string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1alpha1.LabelSecretType: sort}}}
	}
	cluster, repository := of(v1alpha1.SecretTypeCluster), of(v1alpha1.SecretTypeRepository)
	p := IsOrWas(clustersecret.IsCluster)
	for name, c := range map[string]struct {
		reason   string
		old, now *corev1.Secret
		want     bool
	}{
		"stays":   {"it is one", cluster, cluster, true},
		"becomes": {"it is one now", repository, cluster, true},
		"was":     {"it is none any more, and would go on to be used", cluster, repository, true},
		"other":   {"it never was", repository, repository, false},
	} {
		if got := p.Update(event.UpdateEvent{ObjectOld: c.old, ObjectNew: c.now}); got != c.want {
			t.Errorf("%s: %s: %v", name, c.reason, got)
		}
	}
	if p.Create(event.CreateEvent{Object: repository}) || !p.Delete(event.DeleteEvent{Object: cluster}) {
		t.Error("others come and go unseen, and its own do not")
	}
}

// TestWhatIsAskedOfAnApplication: what the engine writes itself is no news.
func TestWhatIsAskedOfAnApplication(t *testing.T) {
	running := func(phase v1alpha1.OperationPhase) *v1alpha1.OperationState {
		return &v1alpha1.OperationState{Phase: phase}
	}
	now := metav1.Now()
	for name, c := range map[string]struct {
		reason      string
		before, now func(*v1alpha1.Application)
		want        bool
	}{
		"nothing":    {reason: "a status of the same is none", want: false},
		"status":     {reason: "the engine writes it itself", now: func(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeSynced }},
		"label":      {reason: "labels steer nothing", now: func(a *v1alpha1.Application) { a.Labels = map[string]string{"a": "b"} }},
		"spec":       {reason: "somebody edits it", now: func(a *v1alpha1.Application) { a.Spec.Project = "other" }, want: true},
		"refresh":    {reason: "somebody asks for a look", now: func(a *v1alpha1.Application) { a.Annotations = map[string]string{v1alpha1.AnnotationRefresh: "hard"} }, want: true},
		"sync":       {reason: "somebody asks for a sync", now: func(a *v1alpha1.Application) { a.Operation = &v1alpha1.Operation{} }, want: true},
		"taken":      {reason: "the engine takes the request up", before: func(a *v1alpha1.Application) { a.Operation = &v1alpha1.Operation{} }},
		"deleted":    {reason: "it is to go", now: func(a *v1alpha1.Application) { a.DeletionTimestamp = &now }, want: true},
		"terminated": {reason: "its sync is to end", before: func(a *v1alpha1.Application) { a.Status.OperationState = running(v1alpha1.OperationRunning) }, now: func(a *v1alpha1.Application) { a.Status.OperationState = running(v1alpha1.OperationTerminating) }, want: true},
		"ended":      {reason: "it has ended, which the engine wrote", before: func(a *v1alpha1.Application) { a.Status.OperationState = running(v1alpha1.OperationTerminating) }, now: func(a *v1alpha1.Application) { a.Status.OperationState = running(v1alpha1.OperationFailed) }},
		"outline":    {reason: "it is too much to be kept", now: func(a *v1alpha1.Application) { a.Outlined = "too large" }, want: true},
	} {
		old := &v1alpha1.Application{}
		if c.before != nil {
			c.before(old)
		}
		updated := &v1alpha1.Application{}
		if c.now != nil {
			c.now(updated)
		}
		if got := WrittenByOthers().Update(event.UpdateEvent{ObjectOld: old, ObjectNew: updated}); got != c.want {
			t.Errorf("%s: %s: %t", name, c.reason, got)
		}
	}
	if !WrittenByOthers().Update(event.UpdateEvent{ObjectOld: &corev1.Secret{}, ObjectNew: &corev1.Secret{}}) {
		t.Error("what is of another kind is left out")
	}
}

// TestSetsThatAreOutlined: the status of a set alone is no news.
func TestSetsThatAreOutlined(t *testing.T) {
	small, large, moved := &v1alpha1.ApplicationSet{}, &v1alpha1.ApplicationSet{Outlined: "too large"}, &v1alpha1.ApplicationSet{}
	moved.Generation = 2
	for name, c := range map[string]struct {
		reason   string
		old, now client.Object
		want     bool
	}{
		"grows":   {"it is not kept any more", small, large, true},
		"shrinks": {"it is kept again", large, small, true},
		"stays":   {"it is not kept, as before", large, large, false},
		"edited":  {"other events tell of it", small, moved, false},
		"other":   {"it is no set", &corev1.Secret{}, large, false},
	} {
		if got := Outlined().Update(event.UpdateEvent{ObjectOld: c.old, ObjectNew: c.now}); got != c.want {
			t.Errorf("%s: %s: %t", name, c.reason, got)
		}
	}
}
