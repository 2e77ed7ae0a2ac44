package operate

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// holding is an application whose sync holds two deletions; asking is one whose sync waits for a word about one.
func holding(a *v1alpha1.Application) {
	a.Status.Conditions = append(a.Status.Conditions, v1alpha1.ApplicationCondition{Type: v1alpha1.ApplicationConditionDeletionHeldError})
	for _, name := range []string{"b", "a"} {
		a.Status.OperationState.SyncResult.Resources = append(a.Status.OperationState.SyncResult.Resources, v1alpha1.ResourceResult{Kind: "ConfigMap", Namespace: "shop", Name: name, Status: v1alpha1.ResultCodePruneSkipped})
	}
}

func asking(a *v1alpha1.Application) {
	a.Status.OperationState.Phase = v1alpha1.OperationRunning
	a.Status.Resources = []v1alpha1.ResourceStatus{{Kind: "PersistentVolumeClaim", Namespace: "shop", Name: "data", RequiresDeletionConfirmation: true, RequiresPruning: true}}
}

// TestApprovalsOfAServer are for exactly the list that is shown, and last as long as is said.
func TestApprovalsOfAServer(t *testing.T) {
	held := guard.Digest([]string{"/ConfigMap:shop/a", "/ConfigMap:shop/b"})
	one := guard.Digest([]string{"/PersistentVolumeClaim:shop/data"})
	approved := func(minutes string) string {
		return "POST " + ofShop + `/approve {"digest":"` + held + `","minutes":` + minutes + "}"
	}
	confirmed := "POST " + ofShop + `/confirm {"digest":"` + one + `"}`
	none := func(*v1alpha1.Application) {}
	cases := map[string]struct {
		reason string
		args   string
		of     func(*v1alpha1.Application)
		code   int
		says   []string
		asked  string
	}{
		"nothing":     {"there is nothing to approve", "shop --yes", none, command.ExitFailed, []string{"no deletion of shop is held, and none asks to be confirmed"}, ""},
		"held":        {"the list is shown in its order, and what is left to do is told", "shop --yes", holding, command.ExitFine, []string{"ConfigMap shop/a\nConfigMap shop/b\n2 deletions, digest " + held, "; now sync again: causeway sync shop --prune"}, approved("60")},
		"for a while": {"a server counts in minutes: less would not hold as long as is said", "shop --yes --for 90s", holding, command.ExitFine, []string{"approved until "}, approved("2")},
		"nobody":      {"who cannot be asked is told what to add", "shop", holding, command.ExitUsage, []string{"add --yes --digest " + held}, ""},
		"asking":      {"a sync waits: no other one is needed", "shop --yes", asking, command.ExitFine, []string{"PersistentVolumeClaim shop/data\n1 deletion to confirm, digest confirm:" + one, "shop: 1 deletion confirmed\n"}, confirmed},
		"another":     {"somebody has changed what goes", "shop --yes --digest 0123", holding, command.ExitFailed, []string{"the list has changed: it is not the one with digest 0123"}, ""},
		"half":        {"the digest of what asks has a word before it", "shop --yes --digest " + one, asking, command.ExitFailed, []string{"write --digest confirm:" + one}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(clitest.Settled(c.of)), "POST " + ofShop + "/approve": nil, "POST " + ofShop + "/confirm": nil})
			clitest.Run(t, NewApprove, append(strings.Fields(c.args), "--server", d.URL)...).Says(t, c.reason, c.code, c.says...)
			if got := strings.Join(d.Asked(), "; "); got != c.asked {
				t.Errorf("%s: asked %q, want %q", c.reason, got, c.asked)
			}
		})
	}
}

// TestConfirmApprovesNothingThatIsHeld: it is the former name of half of what approve does.
func TestConfirmApprovesNothingThatIsHeld(t *testing.T) {
	d := clitest.NewDesk(t, map[string]any{clitest.AppsRoute: clitest.Applications(clitest.Settled(holding)), "POST /": nil})
	got := clitest.Run(t, NewConfirm, "shop", "--yes", "--server", d.URL)
	got.Says(t, "only what asks is confirmed", command.ExitFailed, "causeway confirm is causeway approve now\n", "no deletion of shop is held")
	if asked := d.Asked(); len(asked) > 0 {
		t.Errorf("asked %v", asked)
	}
}

// stepped is a set that is rolled out in steps, of which two Applications are to go.
func stepped(name string) v1alpha1.ApplicationSet {
	set := v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name}}
	one := intstr.FromInt32(1)
	set.Spec.Strategy = &v1alpha1.ApplicationSetStrategy{Type: "RollingSync", RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{
		Steps: []v1alpha1.ApplicationSetRolloutStep{{MaxUpdate: &one, MatchExpressions: []v1alpha1.ApplicationMatchExpression{{Key: "env", Operator: "In", Values: []string{"dev"}}}}},
	}}
	set.Status.Resources = []v1alpha1.ResourceStatus{{Name: "z", RequiresPruning: true}, {Name: "a", RequiresPruning: true}, {Name: "stays"}}
	return set
}

// TestSetsOfAServer are paused, resumed and approved; one without steps has no roll-out.
func TestSetsOfAServer(t *testing.T) {
	whole := v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "whole"}}
	const of = "/api/v1/applicationsets/argocd/addons"
	d := clitest.NewDesk(t, map[string]any{
		clitest.SetsRoute:       v1alpha1.ApplicationSetList{Items: []v1alpha1.ApplicationSet{stepped("addons"), whole}},
		"POST " + of + "/pause": nil, "POST " + of + "/resume": nil, "POST " + of + "/approve": nil,
	})
	rollout := func(args ...string) clitest.Left {
		return clitest.Run(t, NewRollout, append(args, "--server", d.URL)...)
	}
	rollout("pause", "addons").Says(t, "pause", command.ExitFine, "the roll-out of addons is paused\n")
	rollout("resume", "addons").Says(t, "resume", command.ExitFine, "the roll-out of addons goes on\n")
	rollout("pause", "whole").Says(t, "there is nothing to hold", command.ExitFailed, "set spec.strategy.type: RollingSync")
	rollout("status", "whole").Says(t, "nor to show", command.ExitFailed, "application set whole brings all of its applications up to date at once: set spec.strategy.type: RollingSync")
	rollout("status", "addon").Says(t, "misspelt", command.ExitFailed, `did you mean "addons"?`)
	rollout("status", "addons", "-o", "json").Says(t, "for programs", command.ExitFine, `"maxUpdate": "1"`)
	got := clitest.Run(t, NewApprove, "set/addons", "--yes", "--server", d.URL)
	digest := guard.Digest([]string{"a", "z"})
	got.Says(t, "applications that are to go", command.ExitFine, "a\nz\n2 deletions, digest "+digest)
	if strings.Contains(got.Out, "now sync again") {
		t.Errorf("a set syncs by itself: %s", got.Out)
	}
	want := "POST " + of + "/pause; POST " + of + "/resume; POST " + of + `/approve {"digest":"` + digest + `","minutes":60}`
	if asked := strings.Join(d.Asked(), "; "); asked != want {
		t.Errorf("asked %s", asked)
	}
}

// TestSyncToGoBackTo is the last good one with other manifests, of this application.
func TestSyncToGoBackTo(t *testing.T) {
	number := func(n int64) *int64 { return &n }
	sync := func(id string, n *int64, rendering, phase string, change ...func(*history.Sync)) history.Sync {
		s := history.Sync{ID: id, History: n, Rendering: rendering, Phase: phase, App: history.App{UID: "u"}, Started: time.Now()}
		for _, c := range change {
			c(&s)
		}
		return s
	}
	former := func(s *history.Sync) { s.App.UID = "of a former application" }
	dry := func(s *history.Sync) { s.DryRun = true }
	const good, bad = history.PhaseSucceeded, "Failed"
	all := []history.Sync{
		sync("aaaa0000", number(9), "now", good), sync("bbbb0000", nil, "tried", good), sync("cccc0000", number(8), "dry", good, dry), sync("dddd0000", number(7), "now", good),
		sync("eeee0000", number(6), "broken", bad), sync("ffff0000", number(5), "other", good, former), sync("1111abcd", number(4), "before", good), sync("2222abcd", number(3), "", bad),
	}
	cases := map[string]struct {
		reason, args string
		list         []history.Sync
		code         int
		says, asked  string
	}{
		"before":      {"neither what is deployed, nor what failed, was tried only, or is a namesake's", "shop", all, command.ExitFine, "shop: back to ", `{"sync":"1111abcd","prune":true}`},
		"number":      {"one that is named, also a failed one", "shop 6", all, command.ExitFine, "shop: back to ", `{"sync":"eeee0000","prune":true}`},
		"trace":       {"or by its first digits", "shop DDDD --prune=false --dry-run", all, command.ExitFine, "shop: back to ", `{"sync":"dddd0000","dryRun":true}`},
		"applied":     {"what applied nothing cannot be brought back", "shop 3", all, command.ExitFailed, "sync 3 applied nothing: choose another of causeway history shop", ""},
		"namesake":    {"a number is of this application", "shop 5", all, command.ExitFailed, `application shop has no sync "5" in its history`, ""},
		"no other":    {"there is none before", "shop", all[:1], command.ExitFailed, "application shop has no earlier sync with other manifests: see causeway history shop", ""},
		"nothing yet": {"there is none at all", "shop 1", nil, command.ExitFailed, "application shop has no history yet", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			app := clitest.Settled()
			app.UID = "u"
			d := clitest.NewDesk(t, map[string]any{
				clitest.AppsRoute: clitest.Applications(app), "GET " + ofShop + "/history": append([]history.Sync{}, c.list...), "POST " + ofShop + "/rollback": asks(app, v1alpha1.OperationSucceeded, ""),
			})
			clitest.Run(t, NewRollback, append(strings.Fields(c.args), "--server", d.URL)...).Says(t, c.reason, c.code, c.says)
			asked := strings.TrimPrefix(strings.Join(d.Asked(), "; "), "POST "+ofShop+"/rollback ")
			if asked != c.asked {
				t.Errorf("%s: asked %q, want %q", c.reason, asked, c.asked)
			}
		})
	}
}

// TestARollbackThatIsDeniedIsNotTold: what is done is told once it was accepted.
func TestARollbackThatIsDeniedIsNotTold(t *testing.T) {
	app, n := clitest.Settled(), int64(3)
	d := clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(app), "GET " + ofShop + "/history": []history.Sync{{ID: "a", History: &n, Rendering: "r", Phase: history.PhaseSucceeded}},
		"POST " + ofShop + "/rollback": clitest.Refusal{Status: 403, Detail: "you may not sync it"},
	})
	got := clitest.Run(t, NewRollback, "shop", "3", "--async", "--server", d.URL)
	got.Says(t, "denied", command.ExitFailed, "you may not sync it")
	if strings.Contains(got.Out+got.Errors, "back to") {
		t.Errorf("it says that it was done: %s", got.Errors)
	}
}
