package massdeletion

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// needing are objects that need the object "base"; what cannot be listed is nil.
type needing []unstructured.Unstructured

func (n needing) Of(_ context.Context, _ func(context.Context, schema.GroupVersionKind, string) ([]unstructured.Unstructured, error), key gitops.Key) ([]unstructured.Unstructured, error) {
	if n == nil {
		return nil, errors.New("planted")
	}
	if key.Name != "base" {
		return nil, nil
	}
	return n, nil
}

func user(name string, change func(*unstructured.Unstructured)) unstructured.Unstructured {
	o := unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "User", "metadata": map[string]any{"namespace": "shop", "name": name}}}
	if change != nil {
		change(&o)
	}
	return o
}

// TestJudgeHoldsWhatOthersNeed: one object of many is no mass deletion, unless objects that stay need it.
func TestJudgeHoldsWhatOthersNeed(t *testing.T) {
	base := gitops.Key{Group: "example.com", Kind: "Base", Namespace: "shop", Name: "base"}
	going := func(o *unstructured.Unstructured) {
		now := metav1.NewTime(time.Unix(1, 0))
		o.SetDeletionTimestamp(&now)
	}
	owned := func(o *unstructured.Unstructured) {
		yes := true
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "Maker", Name: "all", Controller: &yes}})
	}
	for name, tc := range map[string]struct {
		reason  string
		users   needing
		actions []gitops.Action
		limit   string
		why     string
		with    string
	}{
		"nobody": {"nothing needs it", needing{}, nil, "", "", ""},
		"one":    {"one needs it", needing{user("a", nil)}, nil, "", "an object that stays needs what goes", "needed by User shop/a"},
		"some": {
			"several do, of which some are named", needing{user("a", nil), user("b", nil), user("c", nil), user("d", nil), user("gone", going)}, nil, "",
			"4 objects that stay need what goes", "needed by",
		},
		"same sync": {"those that go in the same sync do not count", needing{user("a", nil)}, []gitops.Action{{Key: gitops.Key{Group: "example.com", Kind: "User", Namespace: "shop", Name: "a"}, Verb: gitops.Prune}}, "", "", ""},
		"owner":     {"nor those whose owner goes", needing{user("a", owned)}, []gitops.Action{{Key: gitops.Key{Group: "example.com", Kind: "Maker", Name: "all"}, Verb: gitops.Prune}}, "", "", ""},
		"owner stays": {
			"an owner that stays makes no difference", needing{user("a", owned)}, []gitops.Action{{Key: gitops.Key{Group: "example.com", Kind: "Maker", Name: "all"}, Verb: gitops.Update}}, "",
			"an object that stays needs what goes", "shop/a",
		},
		"off":     {"a limit that is off holds nothing", needing{user("a", nil)}, nil, "off", "", "needed by"},
		"unknown": {"where it cannot be told, somebody may need it", nil, nil, "", "an object that stays needs what goes", "what needs it could not be found out"},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			r := &Keeper{
				Guard: &Guard{Ledger: guard.NewLedger(), Settings: guard.Defaults, Dependents: tc.users},
				Log:   slog.New(slog.NewTextHandler(&log, nil)), Now: func() time.Time { return at },
			}
			app := &v1alpha1.Application{}
			if tc.limit != "" {
				app.Annotations = map[string]string{gitops.AnnotationDeletionGuard: tc.limit}
			}
			actions := append([]gitops.Action{{Key: base, Verb: gitops.Prune}}, tc.actions...)
			for i := range 20 {
				actions = append(actions, gitops.Action{Key: gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: string(rune('a' + i))}, Verb: gitops.Keep})
			}
			for i := range actions {
				actions[i].Live = &gitops.Live{Key: actions[i].Key, UID: "1"}
			}
			list, why := r.Judge(t.Context(), &state.Target{Subject: state.Subject{App: app, Project: &v1alpha1.AppProject{}, Cluster: stocked{}}}, &gitops.Plan{Waves: []gitops.Wave{{Actions: actions}}})
			if why != tc.why {
				t.Errorf("%s: it is held for %q, want %q", tc.reason, why, tc.why)
			}
			if text := list.String(); !strings.Contains(text, tc.with) || tc.with == "" && strings.Contains(text, "need") {
				t.Errorf("%s: the list is %s", tc.reason, text)
			}
			if (tc.users == nil) != strings.Contains(log.String(), "planted") {
				t.Errorf("%s: the log is %s", tc.reason, log.String())
			}
		})
	}
}

// TestWhatIsMadeAnewIsNeededOn: an object that is only replaced is there again for those that need it.
func TestWhatIsMadeAnewIsNeededOn(t *testing.T) {
	key := gitops.Key{Group: "example.com", Kind: "Base", Namespace: "shop", Name: "base"}
	r := &Keeper{Guard: &Guard{Dependents: needing{user("a", nil)}}}
	p := &gitops.Plan{Waves: []gitops.Wave{{Actions: []gitops.Action{{Key: key, Verb: gitops.Update, Goes: true, Live: &gitops.Live{Key: key, UID: "1"}}}}}}
	list, _ := r.deletionsOf(t.Context(), &state.Target{Subject: state.Subject{App: &v1alpha1.Application{}, Cluster: stocked{}}}, p)
	if len(list) != 1 || list.Needed() != 0 {
		t.Errorf("the list is %+v", list)
	}
}
