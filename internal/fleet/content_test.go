package fleet

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

// holding is the object that the tests follow, with a value at a revision.
func holding(value string, revision int) *unstructured.Unstructured {
	o := object("a", "x", revision)
	o.Object["data"] = map[string]any{"key": value}
	return o
}

// judged is an object as a comparison has read it.
func judged(o *unstructured.Unstructured) *gitops.Live {
	live := observe.New().Live("", o)
	live.Content = gitops.ContentOf(o)
	return live
}

func TestStore_Follow(t *testing.T) {
	cases := map[string]struct {
		reason string
		do     func(s *store)
		told   []string // after it was added
		// content is what the object holds as far as that is known.
		content string
	}{
		"Unfollowed": {reason: "who owns none of an object's fields is not told what becomes of them", do: func(s *store) {
			s.event(watch.Modified, holding("hand", 12))
		}},
		"Changed": {reason: "each change of the content is told", do: func(s *store) {
			s.follow(judged(holding("1", 11)))
			s.event(watch.Modified, holding("hand", 12))
			s.event(watch.Modified, holding("1", 13))
		}, told: []string{"x a", "x a"}, content: "1"},
		"Status": {reason: "status and book-keeping are not", do: func(s *store) {
			s.follow(judged(holding("1", 11)))
			o := holding("1", 12)
			o.Object["status"] = map[string]any{"replicas": int64(1)}
			o.SetGeneration(7)
			s.event(watch.Modified, o)
		}, content: "1"},
		"Late": {reason: "a change that came while it was compared is told at once", do: func(s *store) {
			s.event(watch.Modified, holding("hand", 12))
			s.follow(judged(holding("1", 11)))
		}, told: []string{"x a"}},
		"Early": {reason: "what was compared is no change when the watch comes to it", do: func(s *store) {
			s.follow(judged(holding("hand", 12)))
			s.event(watch.Modified, holding("hand", 12))
		}, content: "hand"},
		"EarlyAndChanged": {reason: "what came after it is", do: func(s *store) {
			s.follow(judged(holding("hand", 12)))
			s.event(watch.Modified, holding("1", 13))
		}, told: []string{"x a"}, content: "1"},
		"Written": {reason: "a write of ours ends it", do: func(s *store) {
			s.follow(judged(holding("hand", 11)))
			s.accept(observe.New().Live("", holding("1", 12)), "")
			s.event(watch.Modified, holding("hand", 13))
		}},
		"Another": {reason: "another object of the name is not followed", do: func(s *store) {
			o := holding("hand", 11)
			o.SetUID("uid-0")
			s.follow(judged(o))
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, told := newTestStore()
			s.event(watch.Added, holding("1", 11))
			*told = nil
			tc.do(s)
			if diff := cmp.Diff(tc.told, *told); diff != "" {
				t.Errorf("%s: told %s", tc.reason, diff)
			}
			want := ""
			if tc.content != "" {
				want = gitops.ContentOf(holding(tc.content, 1))
			}
			s.of("x", func(l *gitops.Live) {
				if l.Content != want {
					t.Errorf("%s: the content is %q, want %q", tc.reason, l.Content, want)
				}
			})
		})
	}
}
