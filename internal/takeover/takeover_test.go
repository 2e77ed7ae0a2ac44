package takeover

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestKeysThatCountAreTakenOver holds the table to the reference of settings.
func TestKeysThatCountAreTakenOver(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	main, _, found := strings.Cut(string(text), "\nKeys of the ConfigMap `argocd-rbac-cm`")
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(main, -1)
	if !found || len(rows) < 15 {
		t.Fatalf("only %d keys are in the reference", len(rows))
	}
	for _, row := range rows {
		if row[1] == v1alpha1.SettingTracking || row[1] == v1alpha1.SettingDex {
			continue // told as the tracking, and of no use here
		}
		for _, f := range settings(&Installation{Settings: map[string]string{row[1]: "x"}}) {
			if strings.HasSuffix(f.What, ": "+row[1]) && f.Verdict != AsIs {
				t.Errorf("%s counts here, and is said to be %q: %s", row[1], f.Verdict, f.Detail)
			}
		}
	}
}

func find(t *testing.T, all []Finding, what string) Finding {
	t.Helper()
	for _, f := range all {
		if f.What == what {
			return f
		}
	}
	t.Fatalf("there is no finding about %q in %v", what, all)
	return Finding{}
}

func TestExamine(t *testing.T) {
	app := func(name string, change func(*v1alpha1.ApplicationSpec)) v1alpha1.Application {
		a := v1alpha1.Application{}
		a.Name, a.Namespace = name, "argocd"
		a.Spec.Source = &v1alpha1.ApplicationSource{}
		change(&a.Spec)
		return a
	}
	set := v1alpha1.ApplicationSet{}
	set.Name, set.Namespace = "teams", "elsewhere"
	in := &Installation{
		Namespace: "argocd",
		Workloads: []Workload{
			{Kind: "StatefulSet", Name: "argocd-application-controller", Component: ApplicationController, Version: "v2.14.2", Replicas: 2},
			{Kind: "Deployment", Name: "argocd-repo-server", Component: RepoServer, Plugins: []string{"cdk8s"}},
			{Kind: "Deployment", Name: "argocd-server", Component: Server, Version: "v2.14.2", Replicas: 1},
		},
		Settings: map[string]string{"url": "https://cd.example.com", "additionalUrls": "- https://b.example.com", "timeout.reconciliation": "30s", "something.new": "x", "resource.customizations.health.apps_Deployment": "return nil"},
		Params:   map[string]string{"applicationsetcontroller.policy": "create-only", "controller.status.processors": "50"},
		RBAC:     map[string]string{"policy.csv": "p, role:x, applications, get, *, allow"},
		Sets:     []v1alpha1.ApplicationSet{set}, Unreadable: []string{"prod: it has no server"},
		Applications: []v1alpha1.Application{
			app("plugged", func(s *v1alpha1.ApplicationSpec) { s.Source.Plugin = &v1alpha1.ApplicationSourcePlugin{} }),
			app("hydrated", func(s *v1alpha1.ApplicationSpec) { s.SourceHydrator = &v1alpha1.SourceHydrator{} }),
		},
	}
	got := Examine(in)
	for what, want := range map[string]Verdict{
		"statefulset/argocd-application-controller": AsIs, "plugin cdk8s": Differs, "tracking": Differs,
		"argocd-cm: url": AsIs, "argocd-cm: additionalUrls": AsIs, "argocd-cm: timeout.reconciliation": Differs, "argocd-cm: something.new": Differs,
		"argocd-cm: resource.customizations.health.apps_Deployment": AsIs,
		"argocd-cmd-params-cm: applicationsetcontroller.policy":     Unsupported, "argocd-cmd-params-cm: controller.status.processors": Differs,
		"argocd-rbac-cm": AsIs, "ApplicationSet elsewhere/teams": Unsupported, "Secret": Unsupported,
		"application plugged": Differs, "application hydrated": Unsupported,
	} {
		f := find(t, got, what)
		if f.Verdict != want {
			t.Errorf("%s is %q, want %q", what, f.Verdict, want)
		}
		if f.Verdict == Unsupported && f.Do == "" {
			t.Errorf("%s is not supported, and nobody is told what to do", what)
		}
	}
	// Nobody fills the cache any more that the server reads live objects from.
	server := find(t, got, "deployment/argocd-server")
	for _, word := range []string{"lists", "trees", "differences", "logs", "actions", "terminals", "end within an hour", "Redis"} {
		if server.Verdict != Differs || !strings.Contains(server.Detail, word) || !strings.Contains(server.Do, "--serve") {
			t.Errorf("what ends at Argo CD's server, and what replaces it, is not said (%s): %+v", word, server)
		}
	}
	if f := find(t, got, "Applications"); f.Detail != "2 Applications, 2 Unknown/Unknown" {
		t.Errorf("applications are counted as %q", f.Detail)
	}
}

func TestTracking(t *testing.T) {
	cases := map[string]struct {
		reason, version string
		settings        map[string]string
		want            Verdict
		do              bool
	}{
		"Version3":     {"it marks by annotation", "v3.1.0", nil, AsIs, false},
		"Version2":     {"it marks by label, and nobody says so", "v2.9.3", nil, Differs, true},
		"Version2Told": {"both engines go by what the setting says", "v2.9.3", map[string]string{v1alpha1.SettingTracking: "annotation"}, AsIs, false},
		"Label":        {"the annotation comes with the next sync", "v3.1.0", map[string]string{v1alpha1.SettingTracking: "label"}, Differs, false},
		"NotKnown":     {"an image by digest has no version", "", nil, AsIs, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := tracking(&Installation{Workloads: []Workload{{Component: ApplicationController, Version: c.version}}, Settings: c.settings})
			if f.Verdict != c.want || (f.Do != "") != c.do {
				t.Errorf("%s: got %+v", c.reason, f)
			}
		})
	}
}

func TestComponentsAndVersions(t *testing.T) {
	type names struct{ component, version string }
	for _, c := range []struct {
		reason, name, image string
		labels              map[string]string
		want                names
	}{
		{"labels of the manifests", "x", "quay.io/argoproj/argocd:v3.1.0", map[string]string{"app.kubernetes.io/part-of": "argocd", "app.kubernetes.io/component": "repo-server"}, names{RepoServer, "v3.1.0"}},
		{"a release of the Helm chart with a name of its own", "cd-argocd-applicationset-controller", "quay.io:443/argoproj/argocd:v3.1.0@sha256:0123", nil, names{ApplicationSetController, "v3.1.0"}},
		{"a registry with a port, and no tag", "argocd-application-controller", "quay.io:443/argoproj/argocd", nil, names{ApplicationController, ""}},
		{"somebody else's server", "shop-server", "shop", map[string]string{"app.kubernetes.io/component": "server"}, names{}},
	} {
		if got := (names{ComponentOf(c.name, c.labels), VersionOf(c.image)}); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.reason, got, c.want)
		}
	}
}

func TestChangesThatCount(t *testing.T) {
	mark := Change{Verb: gitops.Update, Fields: []string{`metadata.annotations["argocd.argoproj.io/tracking-id"]`}}
	scaled := Change{Verb: gitops.Update, Fields: []string{"spec.replicas"}}
	for _, path := range []string{
		`spec.template.metadata.annotations["argocd.argoproj.io/tracking-id"]`, `metadata.annotations["xargocd.argoproj.io/tracking-id"]`, "and 3 more", "…",
	} {
		if also := (Change{Verb: gitops.Update, Fields: []string{mark.Fields[0], path}}); also.Marks() {
			t.Errorf("%s is taken for a mark", path)
		}
	}
	made := Change{Verb: gitops.Create}
	cases := map[string]struct {
		reason string
		in     Comparison
		same   bool
		moves  bool
		sync   v1alpha1.SyncStatusCode
	}{
		"Same":      {"nothing differs", Comparison{State: Good, Automated: true}, true, false, v1alpha1.SyncStatusCodeSynced},
		"Marks":     {"how it is marked restarts nothing", Comparison{State: Good, Automated: true, Changes: []Change{mark}}, false, false, v1alpha1.SyncStatusCodeOutOfSync},
		"ByHand":    {"nothing is synced before somebody asks", Comparison{State: Good, Changes: []Change{scaled}}, false, false, v1alpha1.SyncStatusCodeOutOfSync},
		"Automated": {"it would be synced at once", Comparison{State: Good, Automated: true, Changes: []Change{mark, scaled}}, false, true, v1alpha1.SyncStatusCodeOutOfSync},
		"Created":   {"an object would be made", Comparison{State: Good, Automated: true, Changes: []Change{made}}, false, true, v1alpha1.SyncStatusCodeOutOfSync},
		"Problem":   {"nobody knows what it would change", Comparison{State: Good, Problem: "no such chart"}, false, true, v1alpha1.SyncStatusCodeOutOfSync},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			type result struct {
				Same, Moves bool
				Sync        v1alpha1.SyncStatusCode
			}
			if diff := cmp.Diff(result{c.same, c.moves, c.sync}, result{c.in.Same(), c.in.Moves(), c.in.Expected().Sync}); diff != "" {
				t.Errorf("%s: %s", c.reason, diff)
			}
		})
	}
}

func TestWorse(t *testing.T) {
	degraded := State{v1alpha1.SyncStatusCodeSynced, v1alpha1.HealthStatusDegraded}
	for _, c := range []struct {
		reason      string
		now, before State
		want        bool
	}{
		{"as before", Good, Good, false},
		{"it got well", Good, degraded, false},
		{"it fell ill", degraded, Good, true},
		{"it fell out of sync", State{v1alpha1.SyncStatusCodeOutOfSync, v1alpha1.HealthStatusHealthy}, Good, true},
		{"a word of a later version", State{v1alpha1.SyncStatusCodeSynced, "Odd"}, Good, true},
		{"ill as before", degraded, degraded, false},
	} {
		if got := c.now.WorseThan(c.before); got != c.want {
			t.Errorf("%s: %s after %s is worse: %t, want %t", c.reason, c.now, c.before, got, c.want)
		}
	}
}
