package dependency

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

// dependents is a wave of ConfigMaps with these annotations.
func dependents(annotations ...string) plan.Step {
	w := gitops.Wave{Phase: gitops.Sync, Number: 1}
	for i, text := range annotations {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		o.SetAnnotations(map[string]string{gitops.AnnotationDependsOn: text})
		key := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprintf("cm-%d", i)}
		w.Actions = append(w.Actions, gitops.Action{Verb: gitops.Create, Key: key, Desired: &gitops.Manifest{Object: o}})
	}
	return plan.Step{Wave: &w}
}

// each makes so many annotations.
func each(count int, write func(i int) string) []string {
	out := make([]string, count)
	for i := range out {
		out[i] = write(i)
	}
	return out
}

// TestNeedsAreAskedForOnce has many objects name the same in several ways.
func TestNeedsAreAskedForOnce(t *testing.T) {
	step := dependents(each(200, func(i int) string {
		return fmt.Sprintf("[{kind: Secret, name: tls, timeout: %dm}, {kind: ConfigMap, name: of-%d}, {kind: Secret, name: tls}]", 5+i, i%4)
	})...)
	n, err := needsOf(t.Context(), step)
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	held := n.unmet(step, func(ref depend.Ref) []string {
		asked = append(asked, ref.String())
		if ref.Name == "of-3" {
			return []string{"of-3: it does not exist"}
		}
		return nil
	})
	if want := "Secret/tls ConfigMap/of-0 ConfigMap/of-1 ConfigMap/of-2 ConfigMap/of-3"; strings.Join(asked, " ") != want {
		t.Errorf("asked for is %v, want %s", asked, want)
	}
	if len(held) != 50 || held[0].Key.Name != "cm-3" || held[0].Health.Message != "it is waiting for of-3: it does not exist" {
		t.Errorf("%d objects wait: %+v", len(held), held[:min(len(held), 1)])
	}
	if got := Timeout(n.refs); got != 5*time.Minute {
		t.Errorf("the wave waits for %s, and the shortest timeout is 5m", got)
	}
}

// TestNeedsOfAWaveAreBounded: what the objects of a wave name together ends its sync
// before anything is asked for or watched.
func TestNeedsOfAWaveAreBounded(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("Secret/s-%d", i) }
	label := func(i int) string { return fmt.Sprintf("Secret[of=s-%d]", i) }
	long := func(i int) string { return "Secret/s," + strings.Repeat(" ", 10_000+i) + "ConfigMap/x" }
	cases := map[string]struct {
		reason      string
		annotations []string
		want        string
	}{
		"Names":     {"a thousand are looked at", each(mostNamed, name), ""},
		"ManyNames": {"more are not", each(mostNamed+1, name), "more than 1000 different objects"},
		"Selectors": {"each is a list", each(mostSelected, label), ""},
		"ManySelectors": {
			"of lists fewer are made", each(mostSelected+1, label), "more than 64 different selectors",
		},
		"Alike":  {"what all name is one thing", each(5*mostNamed, func(int) string { return "Secret/a, Secret[b=c]" }), ""},
		"Broken": {"what cannot be read is told of the objects", each(5*mostNamed, func(int) string { return strings.Repeat("x", 10_000) }), ""},
		"Text":   {"reading takes time as well", each(mostWritten/10_000+1, long), "more than 4 MiB of annotations that differ"},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			step := dependents(c.annotations...)
			_, err := needsOf(t.Context(), step)
			if c.want == "" {
				if err != nil {
					t.Errorf("%s: %v", c.reason, err)
				}
				return
			}
			held, ends := (&Checker{}).Holds(t.Context(), &Asker{App: &v1alpha1.Application{}}, Wave{Step: step})
			got := held.Step
			if !ends || !got.Done || !got.Failed || len(got.Errors) != 1 {
				t.Fatalf("%s: the sync goes on: %+v", c.reason, got)
			}
			for _, want := range []string{c.want, "wave 1", gitops.AnnotationDependsOn} {
				if !strings.Contains(got.Errors[0].Error(), want) {
					t.Errorf("%s: %v does not tell %q", c.reason, got.Errors[0], want)
				}
			}
		})
	}
}

// TestNeedsAreNotAskedForAfterALook: who stops is not kept by long lists, and what
// nobody was asked about is not ready.
func TestNeedsAreNotAskedForAfterALook(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	since, by := time.Unix(100, 0), &Asker{App: &v1alpha1.Application{}}
	if held, ends := (&Checker{}).Holds(ctx, by, Wave{Step: dependents("Secret/a"), Since: since}); ends || !held.Since.Equal(since) {
		t.Errorf("the wave is decided about, and has waited since %s", held.Since)
	}
	refs := []depend.Ref{{Kind: "Secret", Name: "a"}, {Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind, Name: "b"}}
	if held := (&Checker{}).unmet(ctx, asking{Asker: by}, refs); len(held) != len(refs) {
		t.Errorf("of %d things that nobody was asked about, %v are not ready", len(refs), held)
	}
}

// TestNeedsThatComeLater would be waited for in vain.
func TestNeedsThatComeLater(t *testing.T) {
	creates := func(kind, namespace, name string) gitops.Action {
		return gitops.Action{Verb: gitops.Create, Key: gitops.Key{Kind: kind, Namespace: namespace, Name: name}, Desired: &gitops.Manifest{}}
	}
	there := creates("Secret", "shop", "there")
	there.Verb = gitops.Update
	p := &gitops.Plan{Waves: []gitops.Wave{
		{Phase: gitops.Sync, Number: 0, Actions: []gitops.Action{creates("Secret", "shop", "before")}},
		{Phase: gitops.Sync, Number: 1, Actions: []gitops.Action{creates("Secret", "shop", "beside"), there}},
		{Phase: gitops.Sync, Number: 2, Actions: []gitops.Action{creates("Secret", "shop", "after"), creates("Namespace", "", "after")}},
		{Phase: gitops.PostSync, Number: 3, Actions: []gitops.Action{creates("Secret", "shop", "after")}},
	}}
	cases := map[string]struct{ reason, on, want string }{
		"Before":    {"it is there by then", "Secret/before", ""},
		"Beside":    {"a wave is applied as a whole", "Secret/beside", "lower wave than 1"},
		"After":     {"the first wave that brings it is told", "Secret/after", "lower wave than 2"},
		"Place":     {"it may be named with its namespace", "Secret/shop/after", "lower wave than 2"},
		"Elsewhere": {"another namespace has another one", "Secret/other/after", ""},
		"Global":    {"what is in no namespace is named without", "Namespace/after", "lower wave than 2"},
		"Kind":      {"another kind is another object", "ConfigMap/after", ""},
		"Cluster":   {"another cluster has another one", "{kind: Secret, name: after, cluster: far}", ""},
		"There":     {"it is there already", "Secret/there", ""},
		"All":       {"a selector may find others", "Secret/*", ""},
		"One":       {"one of several is enough", "Secret/before, Secret/after, Secret/beside", "Secret/after"},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			step := dependents(c.on)
			n, err := needsOf(t.Context(), step)
			if err != nil || len(n.broken) > 0 {
				t.Fatal(err, n)
			}
			held := n.comeLater(p, step)
			if (len(held) == 1) != (c.want != "") {
				t.Fatalf("%s: %+v", c.reason, held)
			}
			if c.want != "" && !strings.Contains(held[0].Health.Message, c.want) {
				t.Errorf("%s: %s", c.reason, held[0].Health.Message)
			}
		})
	}
}

// listing counts how often all Applications are read.
type listing struct {
	Apps

	app   *v1alpha1.Application
	lists *int
}

func (l listing) Get(_ context.Context, name types.NamespacedName) (*v1alpha1.Application, error) {
	return nil, apierrors.NewNotFound(schema.GroupResource{}, name.Name)
}

func (l listing) Matching(context.Context, string, func(*v1alpha1.Application) bool) ([]*v1alpha1.Application, error) {
	*l.lists++
	return []*v1alpha1.Application{l.app}, nil
}

// TestNamesAreGuessedForWhatIsShown: each that is not there would be compared with all
// that are.
func TestNamesAreGuessedForWhatIsShown(t *testing.T) {
	lists := 0
	own := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop-1"}}
	r := &Checker{Apps: listing{app: &own, lists: &lists}}
	refs := make([]depend.Ref, 100)
	for i := range refs {
		refs[i] = depend.Ref{Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind, Name: fmt.Sprintf("shop_%d", i%9)}
	}
	held := r.unmet(t.Context(), asking{Asker: &Asker{App: &own}, within: reach{namespace: "team"}, guessed: new(int)}, refs)
	if len(held) != len(refs) || lists != mostShown {
		t.Fatalf("%d of %d are told, and all Applications were read %d times", len(held), len(refs), lists)
	}
	for i, want := range []bool{true, true, true, false} {
		if got := strings.Contains(held[i], "did you mean"); got != want {
			t.Errorf("%q tells what may be meant: %t, want %t", held[i], got, want)
		}
	}
}
