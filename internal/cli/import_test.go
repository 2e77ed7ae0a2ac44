package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/install"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestImportArgo has one cluster for all its parts, each with an Argo CD of its own.
func TestImportArgo(t *testing.T) {
	cluster := sharedPlane(t)
	config := embeddedtest.Config(t, cluster)
	for name, part := range map[string]func(*testing.T, *argoFleet){
		"LookWritesNothing": lookWritesNothing, "LookTellsWhatDiffers": lookTellsWhatDiffers, "LookKnowsLabels": lookKnowsLabels,
		"TakesOverAndHandsBack": takesOverAndHandsBack, "RefusesWhatWouldChange": refusesWhatWouldChange,
		"HandsBackByItself": handsBackByItself, "GoesOnWhereItWasCutOff": goesOnWhereItWasCutOff,
		"InstallsTheEngine": installsTheEngine, "NeedsEachRight": needsEachRight, "LookExpandsSets": lookExpandsSets,
	} {
		t.Run(name, func(t *testing.T) { part(t, newArgoFleet(t, config, cluster.Kubeconfig())) })
	}
	t.Run("BothWays", func(t *testing.T) {
		got := invoke(t, "import", "argocd", "--apply", "--revert")
		if got.code != command.ExitUsage || !strings.Contains(got.errors, "give either --apply or --revert") {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("NoArgo", func(t *testing.T) {
		for _, further := range [][]string{nil, {"-o", "json"}, {"--apply"}} {
			got := invoke(t, append([]string{"import", "argocd", "--kubeconfig", cluster.Kubeconfig(), "-n", "default"}, further...)...)
			if got.code != command.ExitFailed || got.out != "" || !strings.Contains(got.errors, "there is no Argo CD in namespace default") {
				t.Errorf("%v: it tells more than that there is none: %+v", further, got)
			}
		}
	})
}

// looked reads a report.
func looked(t *testing.T, got result) install.ArgoReport {
	t.Helper()
	var report install.ArgoReport
	if err := json.Unmarshal([]byte(got.out), &report); err != nil {
		t.Fatalf("%v in %s; standard error: %s", err, got.out, got.errors)
	}
	return report
}

// lookWritesNothing holds for who may write, and for who may not.
func lookWritesNothing(t *testing.T, f *argoFleet) {
	before := f.versions()
	for reason, kubeconfig := range map[string]string{"may write": f.kubeconfig, "may read": f.reader()} {
		got := f.run(kubeconfig)
		if got.code != command.ExitFine || strings.Count(got.out, "no change") != 3 {
			t.Errorf("who %s sees changes of a fleet that is synced, exit %d:\n%s%s", reason, got.code, got.out, got.errors)
		}
		for _, part := range []string{"Argo CD v3.1.0 in namespace " + f.namespace, "argocd-cm: url", "argocd-rbac-cm", "3 Applications, 3 Synced/Healthy", "3 applications: 3 without a change, 0 with changes"} {
			if !strings.Contains(got.out, part) {
				t.Errorf("who %s does not read %q in:\n%s", reason, part, got.out)
			}
		}
	}
	after := f.versions()
	for name := range after {
		// The account's token and its certificates come with the reader.
		if strings.Contains(name, "reader") {
			delete(after, name)
		}
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("a look has changed something: %s", diff)
	}
	if testing.Verbose() {
		t.Log("\n" + f.run(f.kubeconfig).out)
	}
}

// lookKnowsLabels is about an object that Argo CD knows by its label alone.
func lookKnowsLabels(t *testing.T, f *argoFleet) {
	settings, shop := &corev1.ConfigMap{}, &corev1.ConfigMap{}
	err := errors.Join(
		f.Get(t.Context(), client.ObjectKey{Namespace: f.namespace, Name: "argocd-cm"}, settings),
		f.Get(t.Context(), client.ObjectKey{Namespace: f.workloads, Name: "shop"}, shop),
	)
	if err != nil {
		t.Fatal(err)
	}
	settings.Data[v1alpha1.SettingTracking], settings.Data[v1alpha1.SettingInstanceLabel] = "label", "example.com/app"
	shop.Labels["example.com/app"] = f.id("shop")
	applied, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": shop.Data, "metadata": map[string]any{"name": "shop", "namespace": f.workloads, "labels": shop.Labels},
	})
	if err != nil {
		t.Fatal(err)
	}
	shop.Annotations = map[string]string{corev1.LastAppliedConfigAnnotation: string(applied)}
	if err := errors.Join(f.Update(t.Context(), settings), f.Update(t.Context(), shop, client.FieldOwner("argocd-controller"))); err != nil {
		t.Fatal(err)
	}
	for reason, kubeconfig := range map[string]string{"may write": f.kubeconfig, "may read": f.reader()} {
		for _, a := range looked(t, f.run(kubeconfig, "-o", "json")).Applications {
			if a.Name != f.id("shop") {
				continue
			}
			mark := []install.ArgoChange{{Action: "update", Kind: "ConfigMap", Namespace: f.workloads, Name: "shop", Fields: []string{`metadata.annotations["argocd.argoproj.io/tracking-id"]`}}}
			if diff := cmp.Diff(mark, a.Changes); diff != "" {
				t.Errorf("who %s (-want +got): %s", reason, diff)
			}
		}
	}
}

// lookTellsWhatDiffers is about one application that Argo CD would change,
// too, one that only its client-side apply let be, and one that is not to be
// rendered.
func lookTellsWhatDiffers(t *testing.T, f *argoFleet) {
	cm := &corev1.ConfigMap{}
	if err := f.Get(t.Context(), client.ObjectKey{Namespace: f.workloads, Name: "web"}, cm); err != nil {
		t.Fatal(err)
	}
	f.write("web/all.yaml", strings.ReplaceAll(argoWeb, "replicas: 2", "replicas: 3"))
	f.write("shop/templates/cm.yaml", strings.ReplaceAll(argoShop, ", labels: {release: shop}", ""))
	f.write("base/kustomization.yaml", "resources: [nowhere.yaml]\n")
	for reason, kubeconfig := range map[string]string{"may write": f.kubeconfig, "may read": f.reader()} {
		got := f.run(kubeconfig, "-o", "json")
		if got.code != command.ExitFailed || !strings.Contains(got.errors, "1 application cannot be compared") {
			t.Errorf("who %s: exit %d, %s", reason, got.code, got.errors)
		}
		report := looked(t, got)
		blockers := []string{"application " + f.id("base") + " cannot be compared", "application " + f.id("shop") + " would be changed at once: it syncs by itself", "application " + f.id("web") + " would be changed at once: it syncs by itself"}
		if diff := cmp.Diff(blockers, report.Blockers); diff != "" {
			t.Errorf("who %s reads other reasons not to begin (-want +got): %s", reason, diff)
		}
		found := map[string][]install.ArgoChange{}
		for _, a := range report.Applications {
			found[strings.TrimSuffix(a.Name, "-"+f.namespace)] = a.Changes
			if strings.HasPrefix(a.Name, "base") && !strings.Contains(a.Problem, "nowhere.yaml") {
				t.Errorf("the missing file is not named: %q", a.Problem)
			}
		}
		want := map[string][]install.ArgoChange{
			"web":  {{Action: "update", Group: "apps", Kind: "Deployment", Namespace: f.workloads, Name: "web", Fields: []string{"spec.replicas"}}},
			"shop": {{Action: "update", Kind: "ConfigMap", Namespace: f.workloads, Name: "shop", Fields: []string{"metadata.labels.release"}}},
			"base": nil,
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("who %s (-want +got): %s", reason, diff)
		}
	}
}

// lookExpandsSets is about sets that Argo CD keeps from what they say: by the
// policy of its controller, and because it rolls out nothing in steps. What is
// rendered of the Applications is the same.
func lookExpandsSets(t *testing.T, f *argoFleet) {
	set := func(name, app, source, policy string, strategy *v1alpha1.ApplicationSetStrategy) *v1alpha1.ApplicationSet {
		out := &v1alpha1.ApplicationSet{}
		text := fmt.Sprintf(`
generators: [{list: {elements: [{name: %s}]}}]
syncPolicy: {preserveResourcesOnDeletion: true}
template:
  metadata: {name: "{{name}}"}
  spec: {project: default, source: %s, destination: {server: "https://kubernetes.default.svc", namespace: %s}, syncPolicy: %s}`,
			f.id(app), source, f.workloads, policy)
		if err := yaml.UnmarshalStrict([]byte(text), &out.Spec); err != nil {
			t.Fatal(err)
		}
		out.Name, out.Namespace, out.Spec.Strategy = name, f.namespace, strategy
		f.create(out)
		return out
	}
	owned := func(app string, by *v1alpha1.ApplicationSet) {
		live := &v1alpha1.Application{}
		if err := f.Get(t.Context(), client.ObjectKey{Namespace: f.namespace, Name: f.id(app)}, live); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(controllerutil.SetControllerReference(by, live, f.Scheme()), f.Update(t.Context(), live)); err != nil {
			t.Fatal(err)
		}
	}
	source := func(path, revision string) string {
		return fmt.Sprintf("{repoURL: %q, path: %s, targetRevision: %s}", fleetRepo, path, revision)
	}
	steps := &v1alpha1.ApplicationSetStrategy{Type: v1alpha1.ApplicationSetStrategyRollingSync, RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{Steps: []v1alpha1.ApplicationSetRolloutStep{{}}}}
	fleet := set("fleet", "base", source("base", "main"), "{}", nil)
	rolled := set("rolled", "web", source("web", "HEAD"), "{automated: {prune: true, selfHeal: true}}", steps)
	owned("base", fleet)
	owned("shop", fleet)
	owned("web", rolled)
	params := &corev1.ConfigMap{}
	if err := f.Get(t.Context(), client.ObjectKey{Namespace: f.namespace, Name: "argocd-cmd-params-cm"}, params); err != nil {
		t.Fatal(err)
	}
	params.Data["applicationsetcontroller.policy"] = "create-only"
	if err := f.Update(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	got := f.run(f.kubeconfig, "-o", "json")
	if got.code != command.ExitChanges {
		t.Errorf("exit %d, %s", got.code, got.errors)
	}
	want := []string{
		"application " + f.id("base") + " would be written (spec.source.targetRevision) by ApplicationSet fleet",
		"application " + f.id("shop") + " would be deleted by ApplicationSet fleet",
		"application " + f.id("web") + " would be written (spec.syncPolicy.automated.enabled) by ApplicationSet rolled",
		"ApplicationSet fleet would go by the policy sync, which is its own, and not by create-only (by argocd-cmd-params-cm): set its spec.syncPolicy.applicationsSync",
		"ApplicationSet rolled would go by the policy sync, which is its own, and not by create-only (by argocd-cmd-params-cm): set its spec.syncPolicy.applicationsSync",
	}
	if diff := cmp.Diff(want, looked(t, got).Blockers); diff != "" {
		t.Errorf("reasons not to begin (-want +got):\n%s", diff)
	}
	before := f.versions()
	if got := f.run(f.kubeconfig, "--apply"); got.code != command.ExitFailed || !strings.Contains(got.errors, "nothing was changed") {
		t.Errorf("a takeover begins, exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	if diff := cmp.Diff(before, f.versions()); diff != "" {
		t.Errorf("something has changed: %s", diff)
	}
}
