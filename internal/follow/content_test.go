package follow

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// told is an API server that tells of a ConfigMap, and writes down what it is asked.
type told struct {
	client.WithWatch

	there  []corev1.ConfigMap
	events *watch.FakeWatcher
	asked  []client.ListOptions
	err    error
}

func (f *told) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if f.err != nil {
		return f.err
	}
	if len(f.there) == 0 {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, "settings")
	}
	f.there[0].DeepCopyInto(into.(*corev1.ConfigMap)) //nolint:forcetypeassert // it is asked for no other
	return nil
}

func (f *told) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	f.ask(options)
	into := list.(*corev1.ConfigMapList) //nolint:forcetypeassert // as above
	into.Items, into.ResourceVersion = f.there, "5"
	return nil
}

func (f *told) Watch(_ context.Context, _ client.ObjectList, options ...client.ListOption) (watch.Interface, error) {
	f.ask(options)
	return f.events, nil
}

func (f *told) ask(options []client.ListOption) {
	all := client.ListOptions{}
	all.ApplyOptions(options)
	f.asked = append(f.asked, all)
}

func settings(version string) corev1.ConfigMap {
	return corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string]string{"version": version}}
}

// TestRead tells a ConfigMap that is not there from one that says nothing.
func TestRead(t *testing.T) {
	down := errors.New("connection refused")
	cases := map[string]struct {
		reason string
		hub    told
		want   map[string]string
		err    error
	}{
		"There":  {"what it says", told{there: []corev1.ConfigMap{settings("1")}}, map[string]string{"version": "1"}, nil},
		"Empty":  {"one that says nothing is there", told{there: []corev1.ConfigMap{{}}}, map[string]string{}, nil},
		"Absent": {"one that is not is no error", told{}, nil, nil},
		"Down":   {"no answer is none that it is not there", told{err: down}, nil, down},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Read(t.Context(), &tc.hub, "argocd", "settings")
			if diff := cmp.Diff(tc.want, got); diff != "" || !errors.Is(err, tc.err) {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// TestWhatIsFollowed takes the content at first and at each change, and tells of it where it says something else.
func TestWhatIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := &told{there: []corev1.ConfigMap{settings("1")}, events: watch.NewFake()}
		var put []string
		changes := 0
		m := &ConfigMap{Namespace: "argocd", Name: "settings", Changed: func() { changes++ }, Failed: func(err error) { t.Error(err) }, Put: func(data map[string]string) bool {
			text := "absent"
			if data != nil {
				text = "says " + data["version"]
			}
			other := len(put) == 0 || put[len(put)-1] != text
			put = append(put, text)
			return other
		}}
		go func() {
			one, two, none := settings("1"), settings("2"), settings("2")
			none.Data = nil
			hub.events.Modify(&one)
			hub.events.Action(watch.Bookmark, &none)
			hub.events.Modify(&two)
			hub.events.Error(&metav1.Status{})
			hub.events.Delete(&two)
			hub.events.Add(&none)
			hub.events.Stop()
		}()
		read, err := m.watch(t.Context(), hub)
		want := []string{"says 1", "says 1", "says 2", "absent", "says "}
		if diff := cmp.Diff(want, put); !read || err != nil || diff != "" || changes != 4 {
			t.Errorf("%d changes, read %t, %v, -want +got:\n%s", changes, read, err, diff)
		}
		for _, o := range hub.asked {
			if o.Namespace != "argocd" || o.FieldSelector.String() != "metadata.name=settings" {
				t.Errorf("more is asked for than the one: %+v", o)
			}
		}
		if raw := hub.asked[1].Raw; raw == nil || raw.ResourceVersion != "5" {
			t.Errorf("the watch does not go on from the list: %+v", raw)
		}
	})
}

// TestOneThatGoesIsTold: the content of a ConfigMap that is not there is none.
func TestOneThatGoesIsTold(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		event  watch.Event
		want   map[string]string
		counts bool
	}{
		"Deleted":  {"what it said counts no more", watch.Event{Type: watch.Deleted, Object: &corev1.ConfigMap{Data: map[string]string{"a": "b"}}}, nil, true},
		"Added":    {"one that is new", watch.Event{Type: watch.Added, Object: &corev1.ConfigMap{}}, map[string]string{}, true},
		"Bookmark": {"how far a watch has come says nothing of it", watch.Event{Type: watch.Bookmark, Object: &corev1.ConfigMap{}}, map[string]string{}, false},
		"Error":    {"nor does an error", watch.Event{Type: watch.Error, Object: &metav1.Status{}}, nil, false},
		"Odd":      {"nor the deletion of something else", watch.Event{Type: watch.Deleted, Object: runtime.Object(&corev1.Secret{})}, nil, false},
	} {
		got, counts := dataOf(tc.event)
		if diff := cmp.Diff(tc.want, got); diff != "" || counts != tc.counts {
			t.Errorf("%s: %s: counts %t, -want +got:\n%s", name, tc.reason, counts, diff)
		}
	}
}

// TestPausesBetweenWatches get longer while nothing can be read, are told of, and end with whoever follows.
func TestPausesBetweenWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var at []time.Duration
		var failures []string
		began := time.Now()
		Anew(ctx, func(context.Context) (bool, error) {
			at = append(at, time.Since(began))
			switch len(at) {
			case 1, 2, 3:
				return false, errors.New("down")
			case 4:
				return true, nil // a watch that ends as watches do
			case 6:
				stop()
				return true, errors.New("ended by nobody")
			}
			return true, nil
		}, func(err error) { failures = append(failures, err.Error()) })
		want := []time.Duration{0, 2 * time.Second, 6 * time.Second, 14 * time.Second, 15 * time.Second, 16 * time.Second}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if got := strings.Join(failures, " "); got != "down down down" {
			t.Errorf("it is told of %s", got)
		}
	})
}
