package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/takeover"
	"github.com/causeway-gitops/causeway/test/await"
)

// engine runs one in this process, as a leader.
func (f *argoFleet) engine() (stop func()) {
	f.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.t.Context()))
	done := make(chan error, 1)
	go func() { // waited for by stop
		done <- app.Run(ctx, app.Config{
			Hub: f.config, Namespace: f.namespace, CacheDir: f.t.TempDir(), Interval: time.Hour, LocalInterval: 50 * time.Millisecond, LeaderElection: true, Lease: await.Limit, StopWithin: await.Limit,
			Mirrors: []source.Mirror{{URL: fleetRepo, Path: f.folder}},
			Log:     slog.New(slog.NewTextHandler(f.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
		})
	}()
	return func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			f.t.Errorf("the engine ended: %v", err)
		}
	}
}

// hosted installs a Deployment as the chart does, with no replica, and hosts it.
func (f *argoFleet) hosted() {
	f.t.Helper()
	f.charted(0)
	f.host()
}

// charted installs a Deployment as the chart does.
func (f *argoFleet) charted(replicas int32) {
	f.t.Helper()
	labels := map[string]string{"app.kubernetes.io/name": "causeway", "app.kubernetes.io/instance": "causeway"}
	f.create(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "causeway", Namespace: f.namespace, Labels: labels}, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "causeway", Image: "registry.example.com/causeway"}}}},
	}})
}

// host runs an engine in this process for as long as its Deployment has Pods.
func (f *argoFleet) host() {
	f.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.t.Context()))
	done := make(chan struct{})
	go func() { // waited for when the test ends
		defer close(done)
		var stop func()
		ticker := time.NewTicker(50 * time.Millisecond)
		defer ticker.Stop()
		for {
			d, err := f.deployment(ctx, f.namespace, "causeway")
			switch {
			case err == nil && stop == nil && *d.Spec.Replicas > 0 && d.Status.ReadyReplicas > 0:
				stop = f.engine()
			case stop != nil && (ctx.Err() != nil || err == nil && *d.Spec.Replicas == 0):
				stop()
				stop = nil
			}
			if ctx.Err() != nil {
				return
			}
			select {
			case <-ctx.Done():
			case <-ticker.C:
			}
		}
	}()
	f.t.Cleanup(func() { cancel(); <-done })
}

func (f *argoFleet) deployment(ctx context.Context, namespace, name string) (*appsv1.Deployment, error) {
	d := &appsv1.Deployment{}
	return d, f.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, d)
}

// argoAt checks the replicas of Argo CD's controllers, and that nothing else
// of it was scaled.
func (f *argoFleet) argoAt(want int32, remembered string) {
	f.t.Helper()
	set := &appsv1.StatefulSet{}
	if err := f.Get(f.t.Context(), client.ObjectKey{Namespace: f.namespace, Name: "argocd-application-controller"}, set); err != nil {
		f.t.Fatal(err)
	}
	if *set.Spec.Replicas != want || set.Annotations[takeover.AnnotationReplicas] != remembered {
		f.t.Errorf("the application-controller has %d replicas and remembers %q, want %d and %q", *set.Spec.Replicas, set.Annotations[takeover.AnnotationReplicas], want, remembered)
	}
	for name, replicas := range map[string]int32{"argocd-applicationset-controller": want, "argocd-repo-server": 1, "argocd-server": 1} {
		d, err := f.deployment(f.t.Context(), f.namespace, name)
		if err != nil {
			f.t.Fatal(err)
		}
		if *d.Spec.Replicas != replicas {
			f.t.Errorf("%s has %d replicas, want %d", name, *d.Spec.Replicas, replicas)
		}
	}
}

// running tells which Pods run the workloads, and from which template: what a
// restart would change.
func (f *argoFleet) running() map[string]string {
	f.t.Helper()
	out := map[string]string{}
	var deployments appsv1.DeploymentList
	var pods corev1.PodList
	var sets appsv1.ReplicaSetList
	for _, list := range []client.ObjectList{&deployments, &pods, &sets} {
		if err := f.List(f.t.Context(), list, client.InNamespace(f.workloads)); err != nil {
			f.t.Fatal(err)
		}
	}
	for i := range deployments.Items {
		d := &deployments.Items[i]
		// Its generation counts annotations as well; its revision counts templates.
		out["Deployment "+d.Name] = fmt.Sprintf("%s, revision %s", d.UID, d.Annotations["deployment.kubernetes.io/revision"])
	}
	for i := range sets.Items {
		out["ReplicaSet "+sets.Items[i].Name] = string(sets.Items[i].UID)
	}
	for i := range pods.Items {
		out["Pod "+pods.Items[i].Name] = string(pods.Items[i].UID)
	}
	return out
}

// contents are the objects that applications deployed, without who wrote them.
func (f *argoFleet) contents() map[string]any {
	f.t.Helper()
	out := map[string]any{}
	var maps corev1.ConfigMapList
	var services corev1.ServiceList
	var deployments appsv1.DeploymentList
	for _, list := range []client.ObjectList{&maps, &services, &deployments} {
		if err := f.List(f.t.Context(), list, client.InNamespace(f.workloads)); err != nil {
			f.t.Fatal(err)
		}
	}
	for i := range maps.Items {
		out["ConfigMap "+maps.Items[i].Name] = []any{maps.Items[i].UID, maps.Items[i].Data, maps.Items[i].Labels, maps.Items[i].Annotations[v1alpha1.AnnotationTrackingID]}
	}
	for i := range services.Items {
		out["Service "+services.Items[i].Name] = []any{services.Items[i].UID, services.Items[i].Spec}
	}
	for i := range deployments.Items {
		out["Deployment "+deployments.Items[i].Name] = []any{deployments.Items[i].UID, deployments.Items[i].Spec, deployments.Items[i].Labels}
	}
	return out
}

func (f *argoFleet) unmoved(when string, running map[string]string, contents map[string]any) {
	f.t.Helper()
	if diff := cmp.Diff(running, f.running()); diff != "" {
		f.t.Errorf("%s something was restarted: %s", when, diff)
	}
	if diff := cmp.Diff(contents, f.contents()); diff != "" {
		f.t.Errorf("%s objects have changed: %s", when, diff)
	}
}

// documented are the Role and the ClusterRole of the page, by kind.
func documented(t *testing.T) map[string][]rbacv1.PolicyRule {
	t.Helper()
	page, err := os.ReadFile("../../docs/migrate-from-argo-cd.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]rbacv1.PolicyRule{}
	for _, part := range strings.Split(string(page), "```yaml\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		role := &rbacv1.ClusterRole{} // a Role has the same fields
		if yaml.Unmarshal([]byte(text), role) == nil && len(role.Rules) > 0 {
			out[role.Kind] = role.Rules
		}
	}
	if len(out["Role"]) == 0 || len(out["ClusterRole"]) == 0 {
		t.Fatalf("the page has no Role or no ClusterRole: %v", out)
	}
	return out
}

// mover is a kubeconfig of an account with these rights in the control
// namespace, and others in all.
func (f *argoFleet) mover(name string, control, anywhere []rbacv1.PolicyRule) string {
	f.t.Helper()
	subjects := []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: f.namespace, Name: name}}
	meta, wide := metav1.ObjectMeta{Name: name, Namespace: f.namespace}, metav1.ObjectMeta{Name: name + "-" + f.namespace}
	f.create(&corev1.ServiceAccount{ObjectMeta: meta})
	f.create(&rbacv1.Role{ObjectMeta: meta, Rules: control})
	f.create(&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}, Subjects: subjects})
	f.create(&rbacv1.ClusterRole{ObjectMeta: wide, Rules: anywhere})
	f.create(&rbacv1.ClusterRoleBinding{ObjectMeta: wide, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: wide.Name}, Subjects: subjects})
	return kubeconfigOf(f.t, f.Client, f.config, f.namespace, name)
}

// needsEachRight: without any verb of the page's Role the takeover says so
// before Argo CD is stopped.
func needsEachRight(t *testing.T, f *argoFleet) {
	f.hosted()
	roles := documented(t)
	number := 0
	for kind, rules := range roles {
		for i, rule := range rules {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					if kind == "Role" && grants(roles["ClusterRole"], resource, verb) {
						continue // for what is deployed here
					}
					if verb == "watch" {
						continue // a short look may be over before the API server refuses it
					}
					number++
					left := map[string][]rbacv1.PolicyRule{"Role": roles["Role"], "ClusterRole": roles["ClusterRole"]}
					left[kind] = without(rules, i, resource, verb)
					account := f.mover(fmt.Sprintf("mover-%d", number), left["Role"], left["ClusterRole"])
					f.refuses(account, fmt.Sprintf("without %s %s of the %s", verb, resource, kind))
				}
			}
		}
	}
	// What is found only when it is used is named at once, before.
	none := without(without(roles["Role"], 0, "applications", "patch"), 3, "statefulsets", "patch")
	got := f.run(f.mover("nobody", none, roles["ClusterRole"]), "--apply")
	for _, want := range []string{"nothing was written", "patch applications.argoproj.io in namespace " + f.namespace, "patch statefulsets.apps argocd-application-controller in namespace " + f.namespace} {
		if !strings.Contains(got.errors, want) {
			t.Errorf("no %q in: %s", want, got.errors)
		}
	}
	f.argoAt(1, "")
	// What no application needs that has to arrive is not asked for.
	f.skipped()
	if got = f.run(f.mover("idle", none, roles["ClusterRole"]), "--apply"); strings.Contains(got.errors, "applications.argoproj.io") || !strings.Contains(got.errors, "patch statefulsets.apps") {
		t.Errorf("where no application has to arrive: %s", got.errors)
	}
	f.argoAt(1, "")
}

// skipped has no engine look at the applications.
func (f *argoFleet) skipped() {
	f.t.Helper()
	var list v1alpha1.ApplicationList
	if err := f.List(f.t.Context(), &list, client.InNamespace(f.namespace)); err != nil {
		f.t.Fatal(err)
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, v1alpha1.AnnotationSkipReconcile)
	for i := range list.Items {
		if err := f.Patch(f.t.Context(), &list.Items[i], client.RawPatch(types.MergePatchType, patch)); err != nil {
			f.t.Fatal(err)
		}
	}
}

func grants(rules []rbacv1.PolicyRule, resource, verb string) bool {
	return slices.ContainsFunc(rules, func(r rbacv1.PolicyRule) bool {
		return slices.Contains(r.Resources, resource) && slices.Contains(r.Verbs, verb)
	})
}

// refuses checks that an account cannot take over, and changes nothing.
func (f *argoFleet) refuses(account, when string) {
	f.t.Helper()
	// Deployments are still written to by who runs them.
	others := func() map[string]string {
		all := f.versions()
		maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasPrefix(name, "*v1.DeploymentList") })
		return all
	}
	before := others()
	if got := f.run(account, "--apply"); got.code != command.ExitFailed {
		f.t.Errorf("%s: exit %d:\n%s%s", when, got.code, got.out, got.errors)
	}
	if diff := cmp.Diff(before, others()); diff != "" {
		f.t.Fatalf("%s something has changed: %s", when, diff)
	}
	f.argoAt(1, "")
}

// without takes one verb for one resource away.
func without(rules []rbacv1.PolicyRule, i int, resource, verb string) []rbacv1.PolicyRule {
	out := slices.Clone(rules)
	others, rest := *rules[i].DeepCopy(), *rules[i].DeepCopy()
	others.Resources = slices.DeleteFunc(others.Resources, func(r string) bool { return r == resource })
	rest.Resources, rest.Verbs = []string{resource}, slices.DeleteFunc(rest.Verbs, func(v string) bool { return v == verb })
	out[i] = rest
	if len(others.Resources) > 0 {
		out = append(out, others)
	}
	if len(rest.Verbs) == 0 {
		out = slices.Delete(out, i, i+1)
	}
	return out
}

// takesOverAndHandsBack has an account with the rights of the page, and no others.
func takesOverAndHandsBack(t *testing.T, f *argoFleet) {
	f.hosted()
	roles := documented(t)
	mover := f.mover("mover", roles["Role"], roles["ClusterRole"])
	running, contents := f.running(), f.contents()
	got := f.run(mover, "--apply", "--timeout", await.Limit.String())
	if got.code != command.ExitFine || !strings.Contains(got.out, "all of 3 applications are as well off as before") || !strings.Contains(got.out, "logs, events of objects, actions, terminals and the state of clusters end within an hour") {
		t.Fatalf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	if testing.Verbose() {
		t.Log("\n" + got.out)
	}
	f.argoAt(0, "1")
	f.unmoved("after the takeover", running, contents)
	f.goodApplications()

	// What comes after is the engine's: a commit changes one object, and its
	// fields become the engine's. Nothing else moves.
	f.write("web/all.yaml", strings.ReplaceAll(argoWeb, "color: blue", "color: red"))
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		cm := &corev1.ConfigMap{}
		if err := f.Get(ctx, client.ObjectKey{Namespace: f.workloads, Name: "web"}, cm); err != nil {
			return err
		}
		if cm.Data["color"] != "red" {
			return fmt.Errorf("color is %q", cm.Data["color"])
		}
		for _, m := range cm.ManagedFields {
			if m.Manager == "argocd-controller" {
				return fmt.Errorf("the fields are still those of %s", m.Manager)
			}
		}
		return nil
	})
	f.goodApplications()
	if diff := cmp.Diff(running, f.running()); diff != "" {
		t.Errorf("a commit to a ConfigMap has restarted something: %s", diff)
	}
	contents = f.contents()

	if got = f.run(mover, "--revert", "--timeout", await.Limit.String()); got.code != command.ExitFine {
		t.Fatalf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	if testing.Verbose() {
		t.Log("\n" + got.out)
	}
	f.argoAt(1, "")
	f.unmoved("after it was handed back", running, contents)
	d, err := f.deployment(t.Context(), f.namespace, "causeway")
	if err != nil || *d.Spec.Replicas != 0 {
		t.Errorf("the engine has %d replicas, error %v", *d.Spec.Replicas, err)
	}
	if got = f.run(mover, "--revert"); got.code != command.ExitFine || !strings.Contains(got.out, "nothing is taken over") {
		t.Errorf("the second time: %+v", got)
	}
}

// installsTheEngine is about a cluster that has none yet.
func installsTheEngine(t *testing.T, f *argoFleet) {
	before := f.versions()
	none := f.run(f.kubeconfig, "--apply")
	if none.code != command.ExitFailed || !strings.Contains(none.errors, "the engine is not installed in namespace "+f.namespace+"; nothing was changed") || !strings.Contains(none.errors, "--install") {
		t.Errorf("exit %d:\n%s%s", none.code, none.out, none.errors)
	}
	if diff := cmp.Diff(before, f.versions()); diff != "" {
		t.Errorf("a takeover without an engine has changed something: %s", diff)
	}
	wrong := f.run(f.kubeconfig, "--apply", "--install", "--set", "replica=2")
	if wrong.code != command.ExitFailed || !strings.Contains(wrong.errors, "replica") {
		t.Errorf("exit %d:\n%s%s", wrong.code, wrong.out, wrong.errors)
	}
	f.argoAt(1, "")
	f.host()
	running, contents := f.running(), f.contents()
	got := f.run(f.kubeconfig, "--apply", "--install", "--image", "registry.example.com/causeway:1.2.3", "--timeout", await.Limit.String())
	if got.code != command.ExitFine || !strings.Contains(got.out, "created Deployment "+f.namespace+"/causeway") || !strings.Contains(got.out, "all of 3 applications are as well off as before") {
		t.Fatalf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	d, err := f.deployment(t.Context(), f.namespace, "causeway")
	if err != nil || d.Spec.Template.Spec.Containers[0].Image != "registry.example.com/causeway:1.2.3" {
		t.Errorf("the image is %v, error %v", d.Spec.Template.Spec.Containers, err)
	}
	binding := &rbacv1.ClusterRoleBinding{}
	if err := f.Get(t.Context(), client.ObjectKey{Name: f.namespace + ":causeway:destination:admin"}, binding); err != nil || binding.RoleRef.Name != "cluster-admin" {
		t.Errorf("the engine has the role %q, error %v", binding.RoleRef.Name, err)
	}
	f.argoAt(0, "1")
	f.unmoved("after the takeover", running, contents)
	if got = f.run(f.kubeconfig, "--revert", "--timeout", await.Limit.String()); got.code != command.ExitFine {
		t.Fatalf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	f.argoAt(1, "")
	f.unmoved("after it was handed back", running, contents)
}

func (f *argoFleet) goodApplications() {
	f.t.Helper()
	embeddedtest.Eventually(f.t, func(ctx context.Context) error {
		var list v1alpha1.ApplicationList
		if err := f.List(ctx, &list, client.InNamespace(f.namespace)); err != nil {
			return err
		}
		for i := range list.Items {
			s := &list.Items[i].Status
			if s.Sync.Status != v1alpha1.SyncStatusCodeSynced || s.Health.Status != v1alpha1.HealthStatusHealthy || len(s.History) == 0 {
				return fmt.Errorf("%s is %s/%s with %d entries of history", list.Items[i].Name, s.Sync.Status, s.Health.Status, len(s.History))
			}
		}
		return nil
	})
}

func refusesWhatWouldChange(t *testing.T, f *argoFleet) {
	f.write("web/all.yaml", strings.ReplaceAll(argoWeb, "replicas: 2", "replicas: 3"))
	before := f.versions()
	got := f.run(f.kubeconfig, "--apply")
	if got.code != command.ExitFailed || !strings.Contains(got.errors, f.id("web")+" would be changed at once") || !strings.Contains(got.errors, "--allow-changes") {
		t.Errorf("exit %d: %s", got.code, got.errors)
	}
	if diff := cmp.Diff(before, f.versions()); diff != "" {
		t.Errorf("a takeover that was refused has changed something: %s", diff)
	}
}

// handsBackByItself is about an application that the engine cannot render.
func handsBackByItself(t *testing.T, f *argoFleet) {
	f.hosted()
	f.write("base/kustomization.yaml", "resources: [nowhere.yaml]\n")
	running, contents := f.running(), f.contents()
	got := f.run(f.kubeconfig, "--apply", "--allow-changes", "--timeout", "20s")
	if got.code != command.ExitFailed || !strings.Contains(got.out, "it did not work out, and is taken back") {
		t.Errorf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	f.argoAt(1, "")
	f.unmoved("after the attempt", running, contents)
}

// until ends a run of the command at the moment of a check.
func (f *argoFleet) until(check func(context.Context) error, args ...string) result {
	f.t.Helper()
	ctx, cancel := context.WithCancel(f.t.Context())
	defer cancel()
	var out, complaints bytes.Buffer
	done := make(chan int, 1)
	go func() { // waited for below
		done <- Run(ctx, "1.2.3", f.args(f.kubeconfig, args...), command.Streams{In: strings.NewReader(""), Out: &out, Err: &complaints})
	}()
	embeddedtest.Eventually(f.t, check)
	cancel()
	code := <-done
	return result{code: code, out: out.String(), errors: complaints.String()}
}

// refusesHalfWay is about an account that lacks a right, while Argo CD is at 0.
func (f *argoFleet) refusesHalfWay(args ...string) {
	f.t.Helper()
	roles := documented(f.t)
	poor := f.mover("poor-"+strings.TrimPrefix(args[0], "--"), without(roles["Role"], 3, "statefulsets", "patch"), roles["ClusterRole"])
	got := f.run(poor, args...)
	for _, want := range []string{"a takeover was cut off, statefulset/argocd-application-controller is at 0 replicas, deployment/argocd-applicationset-controller is at 0 replicas", "patch statefulsets.apps", "to hand back: causeway import argocd --revert"} {
		if got.code != command.ExitFailed || !strings.Contains(got.errors, want) {
			f.t.Errorf("%s, exit %d: no %q in: %s", args[0], got.code, want, got.errors)
		}
	}
	f.argoAt(0, "1")
}

// unreviewed is a kubeconfig of an administrator who is not let ask for rights.
func (f *argoFleet) unreviewed() string {
	f.t.Helper()
	through, err := rest.TransportFor(f.config)
	if err != nil {
		f.t.Fatal(err)
	}
	server, _, err := rest.DefaultServerUrlFor(f.config)
	if err != nil {
		f.t.Fatal(err)
	}
	others := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(server) }, Transport: through, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0)}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
			http.Error(w, "you may not ask", http.StatusForbidden)
			return
		}
		others.ServeHTTP(w, r)
	}))
	f.t.Cleanup(front.Close)
	path := filepath.Join(f.t.TempDir(), "kubeconfig")
	err = clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{"c": {Server: front.URL}}, Contexts: map[string]*clientcmdapi.Context{"x": {Cluster: "c"}}, CurrentContext: "x",
	}, path)
	if err != nil {
		f.t.Fatal(err)
	}
	return path
}

func goesOnWhereItWasCutOff(t *testing.T, f *argoFleet) {
	f.charted(1) // which is not this command's where somebody else starts and stops the engine
	f.settled()
	running, contents := f.running(), f.contents()
	stopped := func(ctx context.Context) error {
		d, err := f.deployment(ctx, f.namespace, "argocd-applicationset-controller")
		if err == nil && *d.Spec.Replicas > 0 {
			err = fmt.Errorf("%s is not stopped yet", d.Name)
		}
		return err
	}
	apply := []string{"--apply", "--engine", "external", "--timeout", await.Limit.String()}
	revert := []string{"--revert", "--engine", "external", "--timeout", await.Limit.String()}
	if got := f.until(stopped, apply...); got.code != command.ExitInterrupted || !strings.Contains(got.errors, "--revert") {
		t.Errorf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	f.refusesHalfWay(apply...)
	f.refusesHalfWay(revert...)
	unreviewed := f.unreviewed()
	if got := f.run(unreviewed, apply...); got.code != command.ExitFailed || !strings.Contains(got.errors, "cannot ask whether you may") || !strings.Contains(got.errors, "--revert") {
		t.Errorf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	f.argoAt(0, "1")
	if got := f.run(unreviewed, revert...); got.code != command.ExitFine || !strings.Contains(got.out, "warning: cannot ask whether you may") {
		t.Errorf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	f.argoAt(1, "")

	if got := f.until(stopped, apply...); got.code != command.ExitInterrupted {
		t.Errorf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	stop := f.engine()
	if got := f.run(f.kubeconfig, apply...); got.code != command.ExitFine || !strings.Contains(got.out, "goes on") {
		t.Errorf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	f.argoAt(0, "1")
	stop()
	if got := f.run(f.kubeconfig, revert...); got.code != command.ExitFine {
		t.Errorf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	f.argoAt(1, "")
	f.unmoved("after all", running, contents)
	d, err := f.deployment(t.Context(), f.namespace, "causeway")
	if err != nil {
		t.Fatal(err)
	}
	if *d.Spec.Replicas != 1 {
		t.Errorf("the engine's own Deployment is at %d", *d.Spec.Replicas)
	}
}
