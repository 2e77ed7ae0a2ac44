package fleet

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestEvents_Decode(t *testing.T) {
	const tracked = `{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"a","name":"b","resourceVersion":"7",` +
		`"annotations":{"x":"y","argocd.argoproj.io/tracking-id":"app:/ConfigMap:a/b"}},"data":{"n":"1"},"count":12345678901}}`
	type seen struct {
		Type               watch.EventType
		Place              place
		Revision, Tracking string
		Count              any
	}
	cases := map[string]struct {
		reason string
		stream string
		want   []seen
	}{
		"OneALine": {
			reason: "each event is an object of its own, with what follows it left for the next",
			stream: tracked + "\n" + `{"type":"DELETED","object":{"metadata":{"name":"c","resourceVersion":"8"}}}` + "\n",
			want: []seen{
				{watch.Modified, place{"a", "b"}, "7", "app:/ConfigMap:a/b", int64(12345678901)},
				{watch.Deleted, place{"", "c"}, "8", "", nil},
			},
		},
		"Indented": {
			reason: "a server may break lines within an event",
			stream: strings.ReplaceAll(tracked, ",", ",\n  ") + tracked,
			want: []seen{
				{watch.Modified, place{"a", "b"}, "7", "app:/ConfigMap:a/b", int64(12345678901)},
				{watch.Modified, place{"a", "b"}, "7", "app:/ConfigMap:a/b", int64(12345678901)},
			},
		},
		"Bookmark": {
			reason: "only the revision counts",
			stream: `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":null}}}`,
			want:   []seen{{watch.Bookmark, place{}, "9", "", nil}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEvents(io.NopCloser(strings.NewReader(tc.stream)))
			var got []seen
			for {
				kind, o, err := e.Decode()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v", tc.reason, err)
				}
				object, _ := o.(metav1.Object)
				got = append(got, seen{kind, placeOf(object), object.GetResourceVersion(), trackingOf(object), whole(object).Object["count"]})
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(place{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestEvents_DecodeRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		stream io.Reader
	}{
		"Cut":     {"half an event is none", strings.NewReader(`{"type":"ADDED","object":{"metadata":{"name":"a"`)},
		"Unknown": {"what an unknown type means is not guessed", strings.NewReader(`{"type":"MOVED","object":{}}`)},
		"NoJSON":  {"a proxy's page is no event", strings.NewReader(`<html>`)},
		"Endless": {"an event is bounded", io.MultiReader(strings.NewReader(`{"type":"ADDED","object":{"data":"`), endless{})},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if kind, _, err := newEvents(io.NopCloser(tc.stream)).Decode(); err == nil {
				t.Errorf("%s: got an event of type %s", tc.reason, kind)
			}
		})
	}
}

// An error that the server sends within a watch says what to do: 410 asks for
// a new list.
func TestEvents_DecodeError(t *testing.T) {
	const gone = `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old","reason":"Expired","code":410}}`
	kind, o, err := newEvents(io.NopCloser(strings.NewReader(gone))).Decode()
	if err != nil || kind != watch.Error {
		t.Fatalf("got %s, %v", kind, err)
	}
	if got := apierrors.FromObject(o); !apierrors.IsResourceExpired(got) {
		t.Errorf("got %v, want one that asks for a new list", got)
	}
}

// The answer to a request comes before its event in most cases: then the
// event brings nothing that has to be converted.
func TestStore_EventOfWhatIsKnown(t *testing.T) {
	converted, told := 0, 0
	s := newStore(configMaps, func(o *unstructured.Unstructured) *gitops.Live {
		converted++
		return &gitops.Live{Key: gitops.Key{Kind: "ConfigMap", Namespace: o.GetNamespace(), Name: o.GetName()}, Tracking: trackingOf(o)}
	}, func(string, gitops.Key) { told++ }, func() {})
	s.heeds.add("top", place{"a", "b"})
	s.begin()
	s.end("1")
	told = 0
	s.accept(&gitops.Live{Key: gitops.Key{Kind: "ConfigMap", Namespace: "a", Name: "b"}, Tracking: "app:/ConfigMap:a/b", ResourceVersion: "7"}, "app")
	for _, revision := range []string{"6", "7"} {
		s.event(watch.Modified, textEvent(t, revision))
	}
	if converted != 0 {
		t.Errorf("converted %d objects, want none", converted)
	}
	if told != 2 {
		t.Errorf("told those who heed the object %d times, want 2", told)
	}
	if s.event(watch.Modified, textEvent(t, "8")); converted != 1 {
		t.Errorf("converted %d objects of a newer revision, want 1", converted)
	}
}

func textEvent(t *testing.T, revision string) metav1.Object {
	t.Helper()
	stream := fmt.Sprintf(`{"type":"MODIFIED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"namespace":"a","name":"b","resourceVersion":%q,"annotations":{%q:"app:/ConfigMap:a/b"}}}}`,
		revision, gitops.AnnotationTracking)
	_, o, err := newEvents(io.NopCloser(strings.NewReader(stream))).Decode()
	object, ok := o.(metav1.Object)
	if err != nil || !ok {
		t.Fatalf("cannot decode an event: %v", err)
	}
	return object
}

// endless is a text without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// BenchmarkEvents_Decode reads an event as far as the store needs it to tell
// that it brings nothing new; BenchmarkDecode is what reading all of it costs.
func BenchmarkEvents_Decode(b *testing.B) {
	line := fmt.Appendf(nil, `{"type":"MODIFIED","object":%s}`+"\n", eventOf("a", "x", 1))
	e := newEvents(io.NopCloser(&repeated{line: line}))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := e.Decode(); err != nil {
			b.Fatal(err)
		}
	}
}

// repeated is a text over and over again.
type repeated struct {
	line []byte
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.line[r.at:])
	r.at = (r.at + n) % len(r.line)
	return n, nil
}
