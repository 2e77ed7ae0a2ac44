package api

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Who deletes a cluster, or tries other metadata, is told what the guard would
// hold, by the sets that they may read.
func TestGuardIsToldBefore(t *testing.T) {
	held := func(namespace, set string, count, of int, why string) []GuardedDeletion {
		return []GuardedDeletion{{namespace, set, count, of, why}}
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
	if !slices.Equal(d.Generated, []MemberApplication{{"argocd", "web-dev", "dev"}}) || len(d.Left) != 1 || d.Hidden != 1 || d.Verdict != VerdictSome {
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
			if d.Verdict != VerdictUnknown || len(d.Generated) != 0 || len(d.Left) != 1 || d.Hidden != 1 {
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
			Unknown:   []view.Key{{Namespace: ns, Name: "asked-dev"}}, Hidden: 1,
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
