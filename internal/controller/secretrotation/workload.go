package secretrotation

import (
	"maps"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// annotationMark has, in a pod template, when the newest of the Secrets changed for
// which the workload was restarted.
const annotationMark = esv1.Annotations + "restarted-for"

// workload is a Deployment, StatefulSet or DaemonSet.
type workload struct {
	client.Object

	kind     string
	template *corev1.PodTemplateSpec
	selector *metav1.LabelSelector
	// paused is that no change of the template reaches its pods until somebody says so.
	paused bool
}

// workloadOf is one of an object; without a template where it is another kind.
func workloadOf(object client.Object) workload {
	w := workload{Object: object}
	switch o := object.(type) {
	case *appsv1.Deployment:
		w.kind, w.template, w.selector, w.paused = "Deployment", &o.Spec.Template, o.Spec.Selector, o.Spec.Paused
	case *appsv1.StatefulSet:
		w.kind, w.template, w.selector = "StatefulSet", &o.Spec.Template, o.Spec.Selector
	case *appsv1.DaemonSet:
		w.kind, w.template, w.selector = "DaemonSet", &o.Spec.Template, o.Spec.Selector
	}
	return w
}

// marked is up to when changes were followed; the zero time for a workload that never
// was restarted here. As changes, a mark that is too far ahead is not of here: it would
// keep the workload from being restarted until then.
func (w workload) marked(now time.Time) time.Time {
	at, err := time.Parse(time.RFC3339, w.template.Annotations[annotationMark])
	if err != nil || at.After(now.Add(ahead)) {
		return time.Time{}
	}
	return at
}

// wave of the workload; 0 where none is said, or none that is a number.
func (w workload) wave() int {
	wave, err := strconv.Atoi(w.GetAnnotations()[gitops.AnnotationWave])
	if err != nil {
		return 0
	}
	return wave
}

// app is what the workload is a part of, of which waves are: an Application, or what
// else installed it; empty for one of which nothing is told.
func (w workload) app() string {
	key := gitops.Key{Group: appsv1.GroupName, Kind: w.kind, Namespace: w.GetNamespace(), Name: w.GetName()}
	if app, ok := gitops.TrackedBy(w.GetAnnotations()[gitops.AnnotationTracking], key); ok {
		return app
	}
	return w.GetLabels()[gitops.LabelInstance]
}

// Transform leaves of a workload, for the cache, what this controller looks at: no
// image, no environment, no one's annotations.
func Transform(object any) (any, error) {
	one, ok := object.(client.Object)
	if !ok {
		return object, nil
	}
	w := workloadOf(one)
	if w.template == nil {
		return object, nil
	}
	switch o := object.(type) {
	case *appsv1.Deployment:
		o.ObjectMeta = metaOf(o.ObjectMeta)
	case *appsv1.StatefulSet:
		o.ObjectMeta = metaOf(o.ObjectMeta)
		o.Spec.VolumeClaimTemplates = nil
	case *appsv1.DaemonSet:
		o.ObjectMeta = metaOf(o.ObjectMeta)
	}
	*w.template = corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Annotations: only(w.template.Annotations, annotationMark)}, Spec: outlined(w.template.Spec),
	}
	return object, nil
}

func metaOf(meta metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: meta.Namespace, Name: meta.Name, UID: meta.UID, ResourceVersion: meta.ResourceVersion, Generation: meta.Generation,
		CreationTimestamp: meta.CreationTimestamp, DeletionTimestamp: meta.DeletionTimestamp,
		Labels: only(meta.Labels, gitops.LabelInstance), Annotations: only(meta.Annotations, esv1.AnnotationRestart, gitops.AnnotationWave, gitops.AnnotationTracking),
	}
}

// only are the texts of these names.
func only(texts map[string]string, names ...string) map[string]string {
	maps.DeleteFunc(texts, func(name, _ string) bool { return !slices.Contains(names, name) })
	return texts
}
