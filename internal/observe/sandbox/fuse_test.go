package sandbox

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// subject is an object that a program loops over, unless it is small.
func subject(server, namespace, uid string, large bool) Subject {
	o := map[string]any{"kind": "X", "metadata": map[string]any{"name": uid, "namespace": namespace, "uid": uid}}
	if large {
		o["spec"] = map[string]any{"items": []any{"a", "b"}}
	}
	return Subject{Server: server, Object: o}
}

func TestFuse(t *testing.T) {
	cases := map[string]struct {
		reason string
		struck []Subject // in this order, each at a limit
		later  time.Duration
		asked  Subject
		want   error
	}{
		"few":       {reason: "a limit may be reached now and then", struck: times(ofObject-1, subject("s", "a", "1", true)), asked: subject("s", "a", "1", true)},
		"object":    {reason: "an object at which that goes on is left alone", struck: times(ofObject, subject("s", "a", "1", true)), asked: subject("s", "a", "1", true), want: errObject},
		"neighbour": {reason: "another one of the namespace is as before", struck: times(ofObject, subject("s", "a", "1", true)), asked: subject("s", "a", "2", true)},
		"smaller":   {reason: "the object itself is run again when it is smaller", struck: times(ofObject, subject("s", "a", "1", true)), asked: subject("s", "a", "1", false)},
		"later":     {reason: "and after a while", struck: times(ofObject, subject("s", "a", "1", true)), later: objectBack, asked: subject("s", "a", "1", true)},
		"cluster":   {reason: "another cluster may have an object of the same uid", struck: times(ofObject, subject("s", "a", "1", true)), asked: subject("t", "a", "1", true)},
		"namespace": {reason: "a namespace with many such objects is left alone", struck: many(ofNamespace), asked: subject("s", "a", "other", false), want: errNamespace},
		"unplaced":  {reason: "what is in no namespace is of all teams: another application's is as before", struck: unplaced(10*ofNamespace, "mine"), asked: unplaced(1, "theirs")[0]},
		"app":       {reason: "and that of an application with many such objects is left alone", struck: unplaced(ofNamespace, "mine"), asked: unplaced(ofNamespace+1, "mine")[ofNamespace], want: errApp},
		"unmarked":  {reason: "as are those of nobody", struck: unplaced(ofNamespace, ""), asked: unplaced(ofNamespace+1, "")[ofNamespace], want: errApp},
		"placed":    {reason: "which tells nothing of those in a namespace", struck: unplaced(ofNamespace, "mine"), asked: subject("s", "a", "1", true)},
		"others":    {reason: "other namespaces of the cluster are as before", struck: many(10 * ofNamespace), asked: subject("s", "b", "other", true)},
		"same name": {reason: "so is the namespace of that name in another cluster", struck: many(10 * ofNamespace), asked: subject("t", "a", "other", true)},
		"minute":    {reason: "and the namespace itself after a while", struck: many(ofNamespace), later: namespaceBack, asked: subject("s", "a", "other", true)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(0, 0)
			f := newFuses(func() time.Time { return now })
			for _, s := range tc.struck {
				f.after("p", s, errBudget)
			}
			now = now.Add(tc.later)
			if err := f.blown("p", tc.asked); !errors.Is(err, tc.want) || tc.want != nil && !errors.Is(err, ErrLimit) {
				t.Errorf("%s: got %v, want %v", tc.reason, err, tc.want)
			}
			if err := f.blown("another program", tc.asked); err != nil {
				t.Errorf("another program: %v", err)
			}
		})
	}
}

func times(n int, s Subject) []Subject {
	out := make([]Subject, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func many(n int) (out []Subject) {
	for i := range n {
		out = append(out, subject("s", "a", strconv.Itoa(i), true))
	}
	return out
}

// unplaced are cluster-scoped objects that bear the mark of an application; the
// last one is small.
func unplaced(n int, app string) (out []Subject) {
	for i := range n {
		s := subject("s", "", app+strconv.Itoa(i), i < n-1)
		if app != "" {
			s.Object["metadata"].(map[string]any)["annotations"] = map[string]any{gitops.AnnotationTracking: app + ":/X:/x"}
		}
		out = append(out, s)
	}
	return out
}

// TestFuseCountsBudgetsAlone: neither mistakes nor a machine that is busy.
func TestFuseCountsBudgetsAlone(t *testing.T) {
	f, s := newFuses(time.Now), subject("s", "a", "1", true)
	for range 2 * ofNamespace {
		f.after("p", s, nil)
		f.after("p", s, errors.New("a mistake"))
		f.after("p", s, fmt.Errorf("%w: it ran longer than %s", ErrLimit, maxTime))
	}
	if err := f.blown("p", s); err != nil {
		t.Error(err)
	}
}

// TestFusesAreBounded has a cluster make up objects.
func TestFusesAreBounded(t *testing.T) {
	f := newFuses(time.Now)
	for i := range 3 * fuseBytes / fuseEntryBytes {
		s := subject("s", strconv.Itoa(i), "1", true)
		for range ofObject {
			f.after("p", s, errBudget)
		}
	}
	if err := f.blown("p", subject("s", "0", "1", true)); err != nil {
		t.Errorf("the first of very many is remembered: %v", err)
	}
}

// TestRunFor is the whole of it: a program that some objects are too much for.
func TestRunFor(t *testing.T) {
	before := remembered
	remembered = newFuses(time.Now)
	t.Cleanup(func() { remembered = before })
	// In some 20 steps it reaches the limit of a text, long before that of time on the slowest machine.
	p := New(`if obj.spec then local s = "x" while true do s = s .. s end end return {}`)
	run := func(s Subject) error {
		_, err := p.RunFor(s, map[string]any{"obj": s.Object})
		return err
	}
	bad := subject("run", "a", "1", true)
	for range ofObject {
		if err := run(bad); !errors.Is(err, errBudget) {
			t.Fatalf("got %v; want a limit", err)
		}
	}
	if err := run(bad); !errors.Is(err, errObject) {
		t.Errorf("got %v; want it to be left alone", err)
	}
	if err := run(subject("run", "a", "2", false)); err != nil {
		t.Errorf("another object: %v", err)
	}
	bare := Subject{Server: "run", Object: map[string]any{"spec": "x"}}
	for range ofObject {
		_ = run(bare)
	}
	if err := run(bare); !errors.Is(err, errObject) {
		t.Errorf("an object without a name: got %v", err)
	}
}
