package externalsecret

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// mostVersions is how long the versions of a Secret may be, in bytes: the annotations of
// an object have 256 KiB together, and a Secret is not refused for what is only told.
const mostVersions = 32 << 10

const secretKind = "Secret"

// tells reports whether a Secret says when it changed: only one that a single
// ExternalSecret writes, as the others would tell other times and versions.
func tells(one *esv1.ExternalSecret, wanted *unstructured.Unstructured) bool {
	return wanted.GetKind() == secretKind && one.Spec.Target.CreationPolicy != esv1.CreateMerge
}

// tellVersions notes which versions of entries a Secret is made of. What a template or
// the ExternalSecret's own metadata say in place of that does not count.
func tellVersions(one *esv1.ExternalSecret, wanted *unstructured.Unstructured, versions map[string]string) {
	annotations := wanted.GetAnnotations()
	delete(annotations, esv1.AnnotationChanged)
	delete(annotations, esv1.AnnotationVersions)
	delete(annotations, esv1.AnnotationLeases) // what people write is no lease
	if text, err := json.Marshal(versions); err == nil && len(versions) > 0 && len(text) <= mostVersions && tells(one, wanted) {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[esv1.AnnotationVersions] = string(text)
	}
	wanted.SetAnnotations(annotations)
}

// tellChange notes when the Secret got other values. It is not in the sum of what was
// written: with the same values, a Secret is the same.
func (r *Reconciler) tellChange(ctx context.Context, one *esv1.ExternalSecret, wanted *unstructured.Unstructured, sum [sumSize]byte) error {
	if !tells(one, wanted) {
		return nil
	}
	var now corev1.Secret // of the API server, as the cache has no values
	err := r.Cluster.Get(ctx, target(one), &now)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("cannot read Secret %s: %w", target(one), err)
	}
	at := now.Annotations[esv1.AnnotationChanged]
	same := err == nil && sameValues(wanted, ownValues(wanted, &now))
	if err != nil { // deleted: whoever used it has the values of before
		at = r.toldBefore(one, sum)
		same = at != ""
	}
	if !same {
		at = r.after(at).Format(time.RFC3339)
	}
	if at == "" {
		return nil
	}
	annotations := wanted.GetAnnotations()
	annotations[esv1.AnnotationChanged] = at
	wanted.SetAnnotations(annotations)
	return nil
}

// after is now, in whole seconds, and later than a change before it, which would else
// look the same.
func (r *Reconciler) after(before string) time.Time {
	now := r.Now().UTC().Truncate(time.Second)
	last, err := time.Parse(time.RFC3339, before)
	if next := last.UTC().Add(time.Second); err == nil && next.After(now) && next.Sub(now) < time.Minute { // a clock that was set back says nothing
		return next
	}
	return now
}

// toldBefore is when the very object that is made had other values last; empty when
// another one was written, or none since the engine started.
func (r *Reconciler) toldBefore(one *esv1.ExternalSecret, sum [sumSize]byte) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := r.written[nameOf(one)]; last.sum == sum {
		return last.changed
	}
	return ""
}

// ownValues are those of a Secret, but for keys that others put into it.
func ownValues(wanted *unstructured.Unstructured, now *corev1.Secret) map[string][]byte {
	keys, marked := now.Annotations[annotationKeys]
	if !marked {
		return now.Data
	}
	texts, _, _ := unstructured.NestedMap(wanted.Object, "data")
	own, before := map[string][]byte{}, strings.Split(keys, ",")
	for key, value := range now.Data {
		if _, is := texts[key]; is || slices.Contains(before, key) {
			own[key] = value
		}
	}
	return own
}

// sameValues reports whether an object has the very values that there are.
func sameValues(wanted *unstructured.Unstructured, now map[string][]byte) bool {
	texts, _, _ := unstructured.NestedMap(wanted.Object, "data")
	values := make(map[string][]byte, len(texts))
	for key, text := range texts {
		encoded, _ := text.(string)
		value, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return false
		}
		values[key] = value
	}
	return maps.EqualFunc(values, now, bytes.Equal)
}
