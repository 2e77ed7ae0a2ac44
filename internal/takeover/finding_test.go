package takeover

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestWhatBecomesOfSettings: a person decides by these words whether to take over.
func TestWhatBecomesOfSettings(t *testing.T) {
	cases := map[string]struct {
		reason, key string
		params      bool
		want        Verdict
		detail, do  string
	}{
		"Effective": {"a key that means the same", v1alpha1.SettingExclusions, false, AsIs, "", ""},
		"Custom":    {"what is said of kinds, by any of its keys", "resource.customizations.actions.apps_Deployment", false, AsIs, "", ""},
		"Own":       {"a key of ours", "causeway.anything", false, AsIs, "the engine's own", ""},
		"Interval":  {"how often is looked is a flag here", "timeout.reconciliation", false, Differs, "every 2 minutes", "set --interval of the engine"},
		"Kustomize": {"other versions are not built in", "kustomize.version.v5.0.0", false, Unsupported, "one version of Kustomize", "take kustomize.version out of Applications"},
		"Flags":     {"flags for one of them", "kustomize.buildOptions.v5.0.0", false, Unsupported, "one version of Kustomize", "put the flags into kustomize.buildOptions"},
		"Links":     {"what pages of Argo CD show", "resource.links", false, Differs, "pages and sign-in of Argo CD's server", ""},
		"Anonymous": {"who is nobody counts here, too", "users.anonymous.enabled", false, AsIs, "for sign-in at the engine's own pages", ""},
		"Users":     {"other words about users do not", "users.other", false, Differs, "pages and sign-in of Argo CD's server", ""},
		"New":       {"a key of a later version", "something.new", false, Differs, "not known: it has no effect here", ""},
		"Param":     {"a parameter of a process", "server.insecure", true, Differs, "tunes Argo CD's own processes", ""},
		"Policy":    {"a policy of all sets that keeps them from something", paramPolicy, true, Unsupported, "no policy for all sets", "set spec.syncPolicy.applicationsSync of each ApplicationSet"},
		"Providers": {"a switch that is a flag here", "applicationsetcontroller.enable.scm.providers", true, Differs, "told by a flag", "set --no-scm-providers where it is false"},
		"Globs":     {"how files of git generators are matched", v1alpha1.ParamDoublestarFiles, true, AsIs, "", ""},
		"Elsewhere": {"sets of other namespaces", "applicationsetcontroller.namespaces", true, Unsupported, "live in the control namespace", "move the others there"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in, where := &Installation{Settings: map[string]string{tc.key: "create-only"}}, "argocd-cm: "
			if tc.params {
				in, where = &Installation{Params: map[string]string{tc.key: "create-only"}}, "argocd-cmd-params-cm: "
			}
			f := find(t, Examine(in), where+tc.key)
			if f.Verdict != tc.want || !strings.Contains(f.Detail, tc.detail) || !strings.Contains(f.Do, tc.do) || (f.Do == "") != (tc.do == "") {
				t.Errorf("%s: got %+v", tc.reason, f)
			}
		})
	}
}

// TestWhatBecomesOfWorkloads says of each whether it makes way.
func TestWhatBecomesOfWorkloads(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		workload Workload
		want     Finding
		makesWay bool
	}{
		"Controller":    {"it writes to what applications deploy", Workload{Kind: "StatefulSet", Name: "a", Component: ApplicationController, Version: "v3.1.0", Replicas: 2}, Finding{"statefulset/a", AsIs, "2 replicas of v3.1.0, makes way for the engine", ""}, true},
		"Sets":          {"it writes to Applications", Workload{Kind: "Deployment", Name: "a", Component: ApplicationSetController, Replicas: 1}, Finding{"deployment/a", AsIs, "1 replica, makes way for the engine", ""}, true},
		"Notifications": {"it reads them", Workload{Kind: "Deployment", Name: "a", Component: Notifications, Replicas: 1}, Finding{"deployment/a", AsIs, "1 replica, keeps running: it reads what the engine writes into Applications", ""}, false},
		"Renderer":      {"the server asks it", Workload{Kind: "Deployment", Name: "a", Component: RepoServer}, Finding{"deployment/a", AsIs, "0 replicas, keeps running for what Argo CD's server still shows; the engine renders by itself", ""}, false},
		"Other":         {"whatever else there is", Workload{Kind: "Deployment", Name: "a", Component: "redis", Replicas: 3}, Finding{"deployment/a", AsIs, "3 replicas, keeps running", ""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, workload(tc.workload)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
			in := &Installation{Workloads: []Workload{tc.workload}}
			if (len(in.Engines()) > 0) != tc.makesWay {
				t.Errorf("%s: it makes way: %t", tc.reason, !tc.makesWay)
			}
		})
	}
}

// TestWhatThereIs counts, by what is most.
func TestWhatThereIs(t *testing.T) {
	app := func(sync v1alpha1.SyncStatusCode, health v1alpha1.HealthStatusCode) v1alpha1.Application {
		a := v1alpha1.Application{}
		a.Status.Sync.Status, a.Status.Health.Status = sync, health
		return a
	}
	project := v1alpha1.AppProject{}
	project.Name, project.Spec.Roles = "team", []v1alpha1.ProjectRole{{}, {}}
	in := &Installation{
		Namespace: "argocd", Repositories: 1, Templates: 2, Clusters: 3, Projects: []v1alpha1.AppProject{{}, project},
		Applications: []v1alpha1.Application{app("Synced", "Degraded"), app("OutOfSync", "Healthy"), app("Synced", "Healthy"), app("Synced", "Healthy"), app("", "")},
	}
	got := Examine(in)
	for what, want := range map[string]string{
		"Applications": "5 Applications, 2 Synced/Healthy, 1 OutOfSync/Healthy, 1 Synced/Degraded, 1 Unknown/Unknown",
		"repositories": "1 Secret, 2 templates of credentials", "clusters": "3 Secrets", "projects": "2 AppProjects", "project team": "2 roles of people: they count at the engine's own pages and API, too", "ApplicationSets": "0 ApplicationSets",
	} {
		if f := find(t, got, what); f.Detail != want || f.Verdict != AsIs {
			t.Errorf("of %s: got %+v; want %q", what, f, want)
		}
	}
	for _, f := range got {
		if f.What == "argocd-rbac-cm" || f.What == "Secret" {
			t.Errorf("it has no %s: %+v", f.What, f)
		}
	}
	in.RBAC = map[string]string{"policy.csv": " \n", "policy.default": "role:readonly"}
	find(t, Examine(in), "argocd-rbac-cm")
}

// TestSourcesOfApplications are each looked at.
func TestSourcesOfApplications(t *testing.T) {
	several := v1alpha1.Application{}
	several.Name, several.Namespace = "several", "teams"
	several.Spec.Sources = v1alpha1.ApplicationSources{{}, {Plugin: &v1alpha1.ApplicationSourcePlugin{}}}
	plain := v1alpha1.Application{}
	plain.Name, plain.Namespace = "plain", "argocd"
	got := applications(&Installation{Namespace: "argocd", Applications: []v1alpha1.Application{several, plain}})
	if len(got) != 2 || got[1].What != "application teams_several" || got[1].Do != "give its folder with --plugin-dir" {
		t.Errorf("got %+v", got)
	}
}

// TestWhatSetsWouldDo is said of the Application, with few of its fields.
func TestWhatSetsWouldDo(t *testing.T) {
	for want, c := range map[string]SetChange{
		"made": {Verb: gitops.Create}, "deleted": {Verb: gitops.Prune}, "written (a, b)": {Verb: gitops.Update, Fields: []string{"a", "b"}},
		"written (a, b, c, d and 2 more)": {Verb: gitops.Update, Fields: []string{"a", "b", "c", "d", "e", "f"}},
	} {
		if got := c.String(); got != want {
			t.Errorf("got %q; want %q", got, want)
		}
	}
	broken := SetComparison{Name: "fleet", Problem: strings.Repeat("x", 10*mostProblem)}
	if got := broken.blockers(); len(got) != 1 || len(got[0]) > 2*mostProblem {
		t.Errorf("%d reasons, of %d bytes", len(got), len(got[0]))
	}
}

// TestStatesAreOrdered: each word of health is worse than those before it, and sync and health are looked at apart.
func TestStatesAreOrdered(t *testing.T) {
	for i, worse := range healthOrder {
		for j, better := range healthOrder {
			a, b := State{v1alpha1.SyncStatusCodeSynced, worse}, State{v1alpha1.SyncStatusCodeSynced, better}
			if a.WorseThan(b) != (i > j) {
				t.Errorf("%s is worse than %s: %t", a, b, i <= j)
			}
		}
	}
	mixed := State{v1alpha1.SyncStatusCodeOutOfSync, v1alpha1.HealthStatusHealthy}
	ill := State{v1alpha1.SyncStatusCodeSynced, v1alpha1.HealthStatusDegraded}
	if !mixed.WorseThan(ill) || !ill.WorseThan(mixed) {
		t.Error("what got better in one way and worse in the other is as well off as before")
	}
}

// TestRecordsOfStages: a record is read at whatever stage it is, also with nothing to expect.
func TestRecordsOfStages(t *testing.T) {
	for _, stage := range []Stage{Adopting, Adopted, Reverting, Reverted} {
		r, err := ParseRecord(map[string]string{keyStage: string(stage), keyBegun: "2026-05-01T12:00:00Z", keyExpected: "null"})
		if err != nil || r.Stage != stage || r.Missing(&v1alpha1.Application{}, "argocd") == "" {
			t.Errorf("%s: got %+v, %v", stage, r, err)
		}
	}
	now := time.Date(2026, 5, 1, 12, 0, 0, 5, time.FixedZone("", 7200)) // of a clock that shows another zone
	if data, err := NewRecord(nil, now).Data(); err != nil || data[keyExpected] != "{}" || data[keyBegun] != "2026-05-01T10:00:00Z" {
		t.Errorf("got %v, %v", data, err)
	}
}
