package api

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Who deletes a cluster, or tries other metadata, is told what the guard would
// hold, by the sets that they may read.
func TestGuardIsToldBefore(t *testing.T) {
	held := func(namespace, set string, count, of int, why string) []GuardedDeletion {
		return []GuardedDeletion{{namespace, set, count, of, why, false}}
	}
	w := newWorld()
	h := w.handler()
	var d MemberDeletion
	if err := json.Unmarshal(send(t, h, "writer", "GET", "/clusters/prod/deletion", "").Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	want := held("argocd", "webs", 3, 4, "3 of 4, where the limit is 50% min 3")
	if diff := cmp.Diff(want, d.Guarded); diff != "" {
		t.Errorf("of a cluster's deletion (-want +got):\n%s", diff)
	}
	if !slices.Equal(d.Generated, []MemberApplication{{"argocd", "web-dev", "dev"}}) || len(d.Left) != 1 || !d.Others || d.Verdict != VerdictSome {
		t.Errorf("what goes is %+v", d)
	}
	if !d.GuardedHidden || !slices.Equal(d.Failures, []string{"webs: no value"}) || !slices.Equal(w.without, []string{"prod"}) {
		t.Errorf("besides that: %+v, of %v", d, w.without)
	}
	if a := send(t, h, "writer", "DELETE", "/clusters/prod?confirm="+d.Confirm, ""); a.Code != 204 || len(w.without) != 1 {
		t.Errorf("the deletion itself expands nothing: %d %s, %v", a.Code, a.Body, w.without)
	}
	for user, want := range map[string][]GuardedDeletion{"reader": want, "other": held("argocd", "names", 2, 2, "the generators work, but suddenly yield nothing")} {
		var p BridgePreview
		answer := send(t, h, user, "POST", "/bridge/preview", `{"cluster":"dev","edits":[{"in":"label","name":"region","value":"us"}]}`)
		if err := json.Unmarshal(answer.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Guarded); diff != "" {
			t.Errorf("of a preview for %s (-want +got):\n%s", user, diff)
		}
	}
}

// That nobody knows what the guard would say is told, and keeps nobody from
// deleting a cluster.
func TestDeletionOfAClusterWhileTheGuardIsNotKnown(t *testing.T) {
	cases := map[string]struct {
		reason string
		untold func(context.Context) error
		want   string
	}{
		"late":   {"the wait has an end", func(context.Context) error { return context.DeadlineExceeded }, "the ApplicationSets could not be expanded in time"},
		"broken": {"causes are for the log", func(context.Context) error { return errors.New("secret words") }, "the ApplicationSets could not be expanded; the log of the server says why"},
		"bounded": {"who asks does not wait for ever", func(ctx context.Context) error {
			if _, bounded := ctx.Deadline(); !bounded {
				return errors.New("there is no end")
			}
			return context.DeadlineExceeded
		}, "the ApplicationSets could not be expanded in time"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.untold = tc.untold
			var d MemberDeletion
			answer := send(t, w.handler(), "writer", "GET", "/clusters/prod/deletion", "")
			if err := json.Unmarshal(answer.Body.Bytes(), &d); err != nil {
				t.Fatal(err)
			}
			if d.Verdict != VerdictUnknown || len(d.Generated) != 0 || len(d.Left) != 1 || !d.Others {
				t.Errorf("what goes is %+v", d)
			}
			if answer.Code != 200 || d.Confirm == "" || len(d.Guarded) != 0 || !slices.Equal(d.Failures, []string{tc.want}) {
				t.Errorf("%s: %d %s", tc.reason, answer.Code, answer.Body)
			}
		})
	}
}

// What goes with a cluster is what sets delete, wherever it is deployed; what
// is only deployed there stays.
func TestWhatGoesWithACluster(t *testing.T) {
	const ns = "argocd"
	row := func(name, set, cluster string) *view.Row {
		return &view.Row{Namespace: ns, Name: name, Set: set, Cluster: cluster}
	}
	rows := []*view.Row{
		row("web-dev", "webs", "dev"), row("web-prod", "webs", "prod"), row("platform-dev", "platform", "hub"), row("hidden-dev", "platform", "hub"),
		row("own", "", "dev"), row("kept-dev", "keeps", "dev"), row("asked-dev", "asks", "dev"), row("other", "", "prod"),
	}
	set := func(name string) BridgeSet { return BridgeSet{Namespace: ns, Name: name} }
	found := &Supposed{
		Turnovers:   []Turnover{{Set: set("webs"), Going: []string{"web-dev"}}, {Set: set("platform"), Going: []string{"platform-dev", "hidden-dev", "not-there-yet"}}},
		SetFailures: []BridgeFailure{{Set: set("keeps"), Keeps: true}, {Set: set("asks")}},
	}
	cases := map[string]struct {
		reason string
		found  *Supposed
		want   MemberDeletion
	}{
		"known": {"what goes is what sets delete", found, MemberDeletion{
			Generated: []MemberApplication{{ns, "web-dev", ""}, {ns, "platform-dev", "hub"}},
			Left:      []view.Key{{Namespace: ns, Name: "own"}, {Namespace: ns, Name: "kept-dev"}},
			Unknown:   []view.Key{{Namespace: ns, Name: "asked-dev"}}, Others: true,
		}},
		"not known": {"nothing is said to go", nil, MemberDeletion{
			Left:    []view.Key{{Namespace: ns, Name: "own"}},
			Unknown: []view.Key{{Namespace: ns, Name: "web-dev"}, {Namespace: ns, Name: "kept-dev"}, {Namespace: ns, Name: "asked-dev"}},
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got MemberDeletion
			got.divide(&Member{MemberFields: MemberFields{Name: "dev"}}, rows, func(r *view.Row) bool { return r.Name != "hidden-dev" }, fateOf(tc.found))
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
}

func TestVerdictOfTheGuard(t *testing.T) {
	of := func(set string) BridgeSet { return BridgeSet{Name: set} }
	removed := func(set string) []BridgeApplication {
		return []BridgeApplication{{Effect: "added", Of: of("hidden")}, {Effect: "removed", Of: of(set)}}
	}
	held := []GuardedDeletion{{Set: "webs"}}
	cases := map[string]struct {
		reason   string
		preview  BridgePreview
		failures []BridgeFailure
		want     string
	}{
		"free":            {"all is known, and nothing held", BridgePreview{Applications: removed("webs")}, nil, VerdictNone},
		"held":            {"what is held is told", BridgePreview{Applications: removed("webs"), Guarded: held}, []BridgeFailure{{Set: of("asks")}}, VerdictSome},
		"failing":         {"one set that fails says nothing of the others", BridgePreview{Applications: removed("webs")}, []BridgeFailure{{Set: of("asks")}}, VerdictOthers},
		"keeping":         {"a set that deletes nothing holds nothing", BridgePreview{}, []BridgeFailure{{Set: of("asks"), Keeps: true}}, VerdictNone},
		"hidden":          {"of a set that may not be read nothing is told", BridgePreview{Applications: removed("hidden")}, nil, VerdictUnknown},
		"hidden failures": {"of a set that may not be read nothing is told", BridgePreview{Applications: removed("webs")}, []BridgeFailure{{Set: of("hidden")}}, VerdictNone},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := verdictFor(&tc.preview, tc.failures, func(b BridgeSet) bool { return b.Name != "hidden" })
			if got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

// What the guard would hold is counted as far as it may be read. That there are
// others is told, and neither how many nor by which limit.
func TestGuardCountsWhatIsSeen(t *testing.T) {
	const ns = "argocd"
	var rows []*view.Row
	for _, name := range []string{"web-dev", "web-prod", "vault-dev", "vault-prod"} {
		rows = append(rows, &view.Row{Namespace: ns, Name: name, Set: "mixed"})
	}
	cases := map[string]struct {
		reason  string
		visible func(*view.Row) bool
		going   []string
		want    []GuardedDeletion
		more    bool
	}{
		"all":    {"who may read all is told all", func(*view.Row) bool { return true }, []string{"web-dev", "vault-dev"}, []GuardedDeletion{{ns, "mixed", 2, 4, "2 of 4", false}}, false},
		"some":   {"what is hidden is not counted", isWeb, []string{"web-dev", "vault-dev"}, []GuardedDeletion{{ns, "mixed", 1, 2, tooMuch, true}}, false},
		"stay":   {"nor where it stays", isWeb, []string{"web-dev", "web-prod"}, []GuardedDeletion{{ns, "mixed", 2, 2, tooMuch, true}}, false},
		"hidden": {"of what is hidden alone nothing is counted", isWeb, []string{"vault-dev", "vault-prod"}, []GuardedDeletion{}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all := []Turnover{{Set: BridgeSet{Namespace: ns, Name: "mixed"}, Going: tc.going, Of: 4, Why: "2 of 4"}}
			got, more := guardedOf(all, func(BridgeSet) bool { return true }, reach.UnseenOf(rows, tc.visible))
			if d := cmp.Diff(tc.want, got); d != "" || more != tc.more {
				t.Errorf("%s: more %t (-want +got):\n%s", tc.reason, more, d)
			}
		})
	}
}

func isWeb(r *view.Row) bool { return strings.HasPrefix(r.Name, "web-") }

// A set's held deletions, and its steps, are counted as far as they may be read.
func TestSetCountsWhatIsSeen(t *testing.T) {
	const ns = "argocd"
	web, vault := &view.Row{Namespace: ns, Name: "web-dev", Set: "mixed"}, &view.Row{Namespace: ns, Name: "vault-dev", Set: "mixed"}
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "mixed"}}
	set.Spec.Strategy = &v1alpha1.ApplicationSetStrategy{Type: v1alpha1.ApplicationSetStrategyRollingSync, RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{
		Steps: []v1alpha1.ApplicationSetRolloutStep{{}},
	}}
	for _, r := range []*view.Row{web, vault} {
		set.Status.Resources = append(set.Status.Resources, v1alpha1.ResourceStatus{Name: r.Name, RequiresPruning: true})
		set.Status.ApplicationStatus = append(set.Status.ApplicationStatus, v1alpha1.ApplicationSetApplicationStatus{Application: r.Name, Step: "1", Status: v1alpha1.ProgressiveSyncHealthy})
	}
	for reason, tc := range map[string]struct {
		visible func(*view.Row) bool
		made    []*view.Row
		others  bool
	}{
		"who may read all is told all":    {func(*view.Row) bool { return true }, []*view.Row{web, vault}, false},
		"who may read one is told of one": {isWeb, []*view.Row{web}, true},
	} {
		u := reach.UnseenOf([]*view.Row{web, vault}, tc.visible)
		if h := heldOfSet(set, tc.made, u); h.Count != len(tc.made) || len(h.Applications) != len(tc.made) || h.Others != tc.others {
			t.Errorf("%s: held is %+v", reason, h)
		}
		if r := rolloutOf(set, u); r.Steps[0].Total != len(tc.made) || r.Steps[0].Done != len(tc.made) || r.Others != tc.others {
			t.Errorf("%s: the roll-out is %+v", reason, r)
		}
	}
}

// Nor do the conditions of a set name or count what may not be read, wherever they are
// told. What is wrong with the set itself is told to all who read it.
func TestConditionsOfSetsTellOfWhatIsSeen(t *testing.T) {
	const ns, held, step, missing = "argocd", "denied: 2 applications would be deleted: vault-dev, web-dev", "Step 1 of 1 is rolled out: it waits for vault-dev", "map has no entry for key tier"
	rows := []*view.Row{{Namespace: ns, Name: "web-dev", Set: "mixed"}, {Namespace: ns, Name: "vault-dev", Set: "mixed"}, {Namespace: ns, Name: "left"}}
	at := v1alpha1.NewTime(time.Unix(1000, 0))
	is := func(kind v1alpha1.ApplicationSetConditionType, reason, message string) v1alpha1.ApplicationSetCondition {
		return v1alpha1.ApplicationSetCondition{Type: kind, Status: v1alpha1.ApplicationSetConditionStatusTrue, Reason: reason, Message: message, LastTransitionTime: &at}
	}
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "mixed"}}
	set.Spec.Strategy = &v1alpha1.ApplicationSetStrategy{Type: v1alpha1.ApplicationSetStrategyRollingSync, RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{
		Steps: []v1alpha1.ApplicationSetRolloutStep{{}},
	}}
	set.Status.ApplicationStatus = []v1alpha1.ApplicationSetApplicationStatus{{Application: "left", Step: "1"}}
	ofApplications := []v1alpha1.ApplicationSetCondition{
		is(v1alpha1.ApplicationSetConditionErrorOccurred, v1alpha1.ApplicationSetReasonUpdateApplicationError, held),
		is(v1alpha1.ApplicationSetConditionParametersGenerated, v1alpha1.ApplicationSetReasonErrorOccurred, held),
		is(v1alpha1.ApplicationSetConditionDeletionHeld, "MassDeletion", held),
		is(v1alpha1.ApplicationSetConditionRolloutProgressing, v1alpha1.ApplicationSetReasonApplicationSetModified, step),
	}
	ofSet := []v1alpha1.ApplicationSetCondition{
		is(v1alpha1.ApplicationSetConditionErrorOccurred, v1alpha1.ApplicationSetReasonApplicationParamsGenerationError, missing),
		is(v1alpha1.ApplicationSetConditionParameterWarning, "UnresolvedParameter", missing),
	}
	named := func(names ...string) func(*view.Row) bool {
		return func(r *view.Row) bool { return slices.Contains(names, r.Name) }
	}
	for reason, tc := range map[string]struct {
		visible    func(*view.Row) bool
		conditions []v1alpha1.ApplicationSetCondition
		told       bool
	}{
		"who may read all is told all":                           {named("web-dev", "vault-dev", "left"), ofApplications, true},
		"who may read one is told no names and no numbers":       {named("web-dev", "left"), ofApplications, false},
		"nor who may not read one that the status alone names":   {named("web-dev", "vault-dev"), ofApplications, false},
		"of the set itself is told what is wrong, whoever reads": {named("web-dev"), ofSet, true},
	} {
		set.Status.Conditions = tc.conditions
		u := reach.UnseenOf(rows, tc.visible)
		list, states := setOf(set, nil, u).Conditions, statesOf(set, u)
		if len(list) != len(tc.conditions) || len(states) != len(tc.conditions) {
			t.Fatalf("%s: %+v, %+v", reason, list, states)
		}
		for i, c := range tc.conditions {
			for _, text := range []string{list[i].Message, states[i].Message} {
				if (text == c.Message) != tc.told || text == "" {
					t.Errorf("%s: %s says %q", reason, c.Type, text)
				}
			}
			if states[i].Reason != c.Reason || states[i].Type != string(c.Type) || states[i].Since.Unix() != 1000 || list[i].Since.Unix() != 1000 {
				t.Errorf("%s: %s is %+v", reason, c.Type, states[i])
			}
		}
		if text := rolloutOf(set, u).Message; tc.told != strings.Contains(text, tc.conditions[0].Message) || !tc.told && strings.Contains(text, "dev") {
			t.Errorf("%s: the roll-out says %q", reason, text)
		}
	}
}
