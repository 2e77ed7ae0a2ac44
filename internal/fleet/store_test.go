package fleet

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

func newTestStore() (*store, *[]string) {
	told := &[]string{}
	s := newStore(configMaps, func(o *unstructured.Unstructured) *gitops.Live { return observe.New().Live("", o) }, func(app string, k gitops.Key) {
		*told = append(*told, app+" "+k.Name)
	}, func() {})
	s.begin()
	s.end("10")
	return s, told
}

// object is a ConfigMap at a revision.
func object(name, app string, revision int) *unstructured.Unstructured {
	o := configMap("ns", name, app, "1")
	o.SetResourceVersion(strconv.Itoa(revision))
	o.SetUID("uid-1")
	return o
}

func TestStore(t *testing.T) {
	cases := map[string]struct {
		reason string
		do     func(s *store)
		told   []string
		there  []string // applications' objects
	}{
		"Added":   {"an application's object is told and kept", func(s *store) { s.event(watch.Added, object("a", "x", 11)) }, []string{"x a"}, []string{"x a"}},
		"Foreign": {"others are neither", func(s *store) { s.event(watch.Added, object("a", "", 11)) }, nil, nil},
		"Same": {"a new revision alone is no change", func(s *store) {
			s.event(watch.Added, object("a", "x", 11))
			s.event(watch.Modified, object("a", "x", 12))
		}, []string{"x a"}, []string{"x a"}},
		"Moved": {"both applications are told of an object that changes hands", func(s *store) {
			s.event(watch.Added, object("a", "x", 11))
			s.event(watch.Modified, object("a", "y", 12))
		}, []string{"x a", "x a", "y a"}, []string{"y a"}},
		"Untracked": {"an object that loses its tracking is told to the one that had it", func(s *store) {
			s.event(watch.Added, object("a", "x", 11))
			s.event(watch.Modified, object("a", "", 12))
		}, []string{"x a", "x a"}, nil},
		"Deleted": {"so is a deletion", func(s *store) {
			s.event(watch.Added, object("a", "x", 11))
			s.event(watch.Deleted, object("a", "x", 12))
		}, []string{"x a", "x a"}, nil},
		"PutFirst": {"what an apply gave is no change, and its event neither", func(s *store) {
			s.accept(observe.New().Live("", object("a", "x", 11)), "")
			s.event(watch.Added, object("a", "x", 11))
		}, nil, []string{"x a"}},
		"PutOfOther": {"what an apply gave is a change for the application that had the object: the event brings nothing new", func(s *store) {
			s.event(watch.Added, object("a", "x", 11))
			s.accept(observe.New().Live("", object("a", "y", 12)), "")
			s.event(watch.Modified, object("a", "y", 12))
		}, []string{"x a", "x a"}, []string{"y a"}},
		"Desired": {"who desires an object that another application has is told of a change once", func(s *store) {
			s.event(watch.Added, object("a", "x", 11))
			s.want(place{"ns", "a"}, "y")
			s.want(place{"ns", "a"}, "x")
			s.event(watch.Modified, object("a", "x", 12))
			s.event(watch.Deleted, object("a", "x", 13))
		}, []string{"x a", "y a", "x a"}, nil},
		"DesiredPut": {"also where the change is what an apply gave", func(s *store) {
			s.event(watch.Added, object("a", "x", 11))
			s.want(place{"ns", "a"}, "y")
			o := object("a", "x", 12)
			o.SetUID("uid-2")
			s.accept(observe.New().Live("", o), "")
		}, []string{"x a", "y a"}, []string{"x a"}},
		"DesiredGone": {"and where the list has it no more", func(s *store) {
			s.event(watch.Added, object("a", "x", 11))
			s.want(place{"ns", "a"}, "y")
			s.begin()
			s.end("50")
		}, []string{"x a", "y a", "x a"}, nil},
		"DesiredMade": {"who desires what is not there is told when another application makes it", func(s *store) {
			s.want(place{"ns", "a"}, "y")
			s.want(place{"ns", "a"}, "x")
			s.accept(observe.New().Live("", object("a", "x", 11)), "")
		}, []string{"y a"}, []string{"x a"}},
		"DesiredByHand": {"and when a person does", func(s *store) {
			s.want(place{"ns", "a"}, "y")
			s.event(watch.Added, object("a", "", 11))
			s.event(watch.Modified, object("a", "", 12))
		}, []string{"y a"}, nil},
		"DesiredOnce": {"who has not looked for two generations is forgotten", func(s *store) {
			s.want(place{"ns", "a"}, "x")
			s.age(0)
			s.want(place{"ns", "a"}, "y")
			s.age(0)
			s.event(watch.Added, object("a", "", 11))
		}, []string{"y a"}, nil},
		"PutLate": {"what the watch has passed is not put back", func(s *store) {
			s.event(watch.Added, object("a", "x", 11))
			s.event(watch.Deleted, object("a", "x", 12))
			s.accept(observe.New().Live("", object("a", "x", 11)), "")
		}, []string{"x a", "x a"}, nil},
		"PutOld": {"an older result does not replace a newer event", func(s *store) {
			s.event(watch.Added, object("a", "x", 12))
			old := object("a", "y", 11)
			s.accept(observe.New().Live("", old), "")
		}, []string{"x a"}, []string{"x a"}},
		"Relist": {"a list tells what has gone, not what stayed or is newer", func(s *store) {
			s.event(watch.Added, object("gone", "x", 11))
			s.event(watch.Added, object("stays", "x", 12))
			s.begin()
			s.page(object("stays", "x", 12))
			s.accept(observe.New().Live("", object("new", "x", 99)), "")
			s.end("50")
		}, []string{"x gone", "x stays", "x gone"}, []string{"x new", "x stays"}},
		"Copied": {"a tracking id that names another object is no tracking", func(s *store) {
			o := object("a", "x", 11)
			o.SetAnnotations(map[string]string{gitops.AnnotationTracking: "x:apps/Deployment:ns/a"})
			s.event(watch.Added, o)
		}, nil, nil},
		"Gone": {"a kind that goes takes its objects along", func(s *store) {
			s.event(watch.Added, object("a", "x", 11))
			s.gone()
		}, []string{"x a", "x a"}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, told := newTestStore()
			tc.do(s)
			if diff := cmp.Diff(tc.told, *told, cmp.Transformer("empty", func(l []string) []string { return append([]string{}, l...) })); diff != "" {
				t.Errorf("%s: told %s", tc.reason, diff)
			}
			there := map[string]bool{}
			for _, app := range []string{"x", "y"} {
				s.of(app, func(l *gitops.Live) { there[app+" "+l.Key.Name] = true })
			}
			want := map[string]bool{}
			for _, w := range tc.there {
				want[w] = true
			}
			if diff := cmp.Diff(want, there); diff != "" {
				t.Errorf("%s: there is %s", tc.reason, diff)
			}
		})
	}
}

// TestMarksOfAnotherInstallation has an installation get a name, and lose it again: what it has not marked with it is
// none of its applications' meanwhile.
func TestMarksOfAnotherInstallation(t *testing.T) {
	checks := observe.New()
	var told []string
	s := newStore(configMaps, func(o *unstructured.Unstructured) *gitops.Live { return checks.Live("", o) }, func(app string, k gitops.Key) {
		told = append(told, app+" "+k.Name)
	}, func() {})
	list := func() {
		s.begin()
		s.page(object("a", "x", 11))
		s.end("11")
	}
	has := func() (n int) {
		s.of("x", func(*gitops.Live) { n++ })
		return n
	}
	list()
	for _, step := range []struct {
		installation string
		has, told    int
	}{{"ours", 0, 1}, {"", 1, 2}, {"ours", 0, 3}} {
		checks.Mark(gitops.Tracking{Installation: step.installation})
		list()
		if has() != step.has || len(told) != step.told {
			t.Errorf("named %q: the application has %d objects, and was told %v", step.installation, has(), told)
		}
	}
	s.event(watch.Added, object("b", "x", 12))
	if entries, marks := s.size(); entries != 1 || marks != 1 {
		t.Errorf("%d objects are kept whole and %d as being there, want one each", entries, marks)
	}
}

func TestOwnerOf(t *testing.T) {
	roles := schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"}
	if got := ownerOf("x:rbac.authorization.k8s.io/ClusterRole:anywhere/r", roles, place{name: "r"}); got != "x" {
		t.Errorf("an object without namespace under its application's namespace: got %q; want x", got)
	}
	if got := ownerOf("x:/ConfigMap:other/a", configMaps, place{"ns", "a"}); got != "" {
		t.Errorf("an object copied to another namespace: got %q; want none", got)
	}
}

// TestBytesAnObject prints what the cache costs.
func TestBytesAnObject(t *testing.T) {
	const n = 20000
	for _, app := range []string{"application-of-a-team", ""} {
		s, _ := newTestStore()
		s.synced = false
		before := heap()
		for i := range n {
			o := decoded(t, eventOf("deployment-with-a-name-"+strconv.Itoa(i), app, i))
			s.page(o)
		}
		each := (heap() - before) / n // below 0 where other tests' garbage went meanwhile
		runtime.KeepAlive(s)
		t.Logf("managed %v: %d bytes an object", app != "", each)
		if limit := int64(1600); each > limit {
			t.Errorf("an object costs %d bytes; at most %d", each, limit)
		}
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func decoded(t testing.TB, data []byte) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return o
}

// eventOf is an object as an API server sends it, fields of managers included.
func eventOf(name, app string, revision int) []byte {
	tracking := ""
	if app != "" {
		tracking = fmt.Sprintf(`"argocd.argoproj.io/tracking-id":"%s:/ConfigMap:a-namespace/%s",`, app, name)
	}
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"namespace":"a-namespace",
"uid":"4f9d1c1e-0000-4000-8000-%012d","resourceVersion":"%d","creationTimestamp":"2026-11-01T10:00:00Z",
"annotations":{%s"example.com/note":"something that is not kept"},"labels":{"app":"x"},
"managedFields":[{"manager":"causeway","operation":"Apply","apiVersion":"v1","time":"2026-11-01T10:00:00Z","fieldsType":"FieldsV1",
"fieldsV1":{"f:data":{"f:a":{},"f:b":{}},"f:metadata":{"f:labels":{"f:app":{}}}}}]},
"data":{"a":"some text of the user","b":"and some more of it, which is not kept either"}}`, name, revision, revision+1000, tracking)
}

// BenchmarkEvent takes an event of an application's object that changes
// nothing that matters.
func BenchmarkEvent(b *testing.B) {
	s, _ := newTestStore()
	o := decoded(b, eventOf("a", "x", 1))
	o.SetResourceVersion("v1") // no number, so that the same event is always new
	b.ReportAllocs()
	for b.Loop() {
		s.event(watch.Modified, o)
	}
}

// BenchmarkForeignEvent takes one of an object that no application manages.
func BenchmarkForeignEvent(b *testing.B) {
	s, _ := newTestStore()
	o := decoded(b, eventOf("a", "", 1))
	b.ReportAllocs()
	for b.Loop() {
		s.event(watch.Modified, o)
	}
}

// BenchmarkDecode is what a client costs before the store sees the event.
func BenchmarkDecode(b *testing.B) {
	data := eventOf("a", "x", 1)
	b.ReportAllocs()
	for b.Loop() {
		decoded(b, data)
	}
}
