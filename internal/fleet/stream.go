package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/reply"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// text is an object as a watch sent it. Only what tells which object it is,
// whose, and how new is read of it: most events are of objects that no
// application manages, or of what the engine has just written itself.
type text struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	event []byte // {"type": …, "object": …}
}

// DeepCopyObject implements runtime.Object; the text itself is never changed.
func (t *text) DeepCopyObject() runtime.Object {
	out := &text{TypeMeta: t.TypeMeta, event: t.event}
	t.DeepCopyInto(&out.ObjectMeta)
	return out
}

// whole reads all of an object, whichever form it came in; nil when it cannot
// be read.
func whole(o metav1.Object) *unstructured.Unstructured {
	t, ok := o.(*text)
	if !ok {
		u, _ := o.(*unstructured.Unstructured)
		return u
	}
	var e struct {
		Object map[string]any `json:"object"`
	}
	if err := utiljson.Unmarshal(t.event, &e); err != nil || e.Object == nil {
		return nil
	}
	return &unstructured.Unstructured{Object: e.Object}
}

// trackingOf is the tracking id of an object, whichever form it came in.
func trackingOf(o metav1.Object) string {
	if u, ok := o.(*unstructured.Unstructured); ok { // without a copy of all annotations
		id, _, _ := unstructured.NestedString(u.Object, "metadata", "annotations", gitops.AnnotationTracking)
		return id
	}
	return o.GetAnnotations()[gitops.AnnotationTracking]
}

// watchText begins a watch whose events have objects of the kind text.
func watchText(ctx context.Context, c rest.Interface, m *meta.RESTMapping, namespace string, o metav1.ListOptions) (watch.Interface, error) {
	if m.Scope.Name() == meta.RESTScopeNameRoot {
		namespace = ""
	}
	path, err := gitops.CollectionPath(m.Resource, namespace)
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot watch %s: %w", m.Resource.String(), err).Do("look at what answers at the cluster's address")
	}
	r := c.Get().AbsPath(path).Param("watch", "true").
		Param("resourceVersion", o.ResourceVersion).Param("allowWatchBookmarks", strconv.FormatBool(o.AllowWatchBookmarks))
	if o.TimeoutSeconds != nil {
		r.Param("timeoutSeconds", strconv.FormatInt(*o.TimeoutSeconds, 10))
	}
	body, err := r.Stream(ctx)
	if err != nil {
		return nil, err
	}
	return watch.NewStreamWatcher(newEvents(body), apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding")), nil
}

// events decodes a watch.
type events struct {
	body io.ReadCloser
	tape *tape
	json *json.Decoder
}

func newEvents(body io.ReadCloser) *events {
	t := &tape{from: body}
	return &events{body: body, tape: t, json: json.NewDecoder(t)}
}

// event is what is read of each event at once.
type event struct {
	Type   watch.EventType `json:"type"`
	Object struct {
		Metadata struct {
			Namespace       string `json:"namespace"`
			Name            string `json:"name"`
			ResourceVersion string `json:"resourceVersion"`
			Annotations     struct {
				Tracking string `json:"argocd.argoproj.io/tracking-id"` // gitops.AnnotationTracking
			} `json:"annotations"`
		} `json:"metadata"`
	} `json:"object"`
}

// Decode implements watch.Decoder.
func (e *events) Decode() (watch.EventType, runtime.Object, error) {
	var got event
	if err := e.json.Decode(&got); err != nil {
		return "", nil, err
	}
	all := e.tape.cut(e.json.InputOffset())
	switch got.Type {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark:
		return got.Type, got.text(all), nil
	case watch.Error:
		var failure struct {
			Object metav1.Status `json:"object"`
		}
		err := json.Unmarshal(all, &failure)
		return got.Type, &failure.Object, err
	}
	return "", nil, fmt.Errorf("the watch sent an event of an unknown type %q", got.Type)
}

func (e *event) text(all []byte) *text {
	m := &e.Object.Metadata
	t := &text{event: all}
	t.Namespace, t.Name, t.ResourceVersion = m.Namespace, m.Name, m.ResourceVersion
	if m.Annotations.Tracking != "" {
		t.Annotations = map[string]string{gitops.AnnotationTracking: m.Annotations.Tracking}
	}
	return t
}

// Close implements watch.Decoder.
func (e *events) Close() { _ = e.body.Close() }

// maxEvent bounds an event in bytes, also one that is not in a line of its own.
const maxEvent = reply.MostObject

// tape keeps what a decoder has read, until it is cut off.
type tape struct {
	from io.Reader
	kept []byte
	at   int64 // offset of kept
}

// Read implements io.Reader.
func (t *tape) Read(p []byte) (int, error) {
	if len(t.kept) > maxEvent {
		return 0, errors.New("the watch sent an event that is too large")
	}
	n, err := t.from.Read(p)
	t.kept = append(t.kept, p[:n]...)
	return n, err
}

// cut returns a copy of what was read up to an offset.
func (t *tape) cut(until int64) []byte {
	n := int(until - t.at)
	out := make([]byte, n)
	copy(out, t.kept)
	t.kept = t.kept[:copy(t.kept, t.kept[n:])]
	t.at = until
	return out
}
