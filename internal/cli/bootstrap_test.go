package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/test/nobody"
)

// bootPassword must be seen nowhere but in the repository's Secret.
const bootPassword = "correct-horse-battery"

// TestBootstrap is one hub from nothing to a fleet. Its parts follow one
// another: each starts with what the one before left.
func TestBootstrap(t *testing.T) {
	p := newBootPlane(t)
	p.hosted()
	for _, part := range []struct {
		name string
		test func(*testing.T, *bootPlane)
	}{
		{"RefusesBeforeItWrites", bootRefuses},
		{"DryRunOfNothing", bootDryRun},
		{"FromNothingToRoots", bootRoots},
		{"PushesWhatItSaid", bootPushes},
		{"FromRootsToAFleet", bootFleet},
		{"AgainChangesNothing", bootAgain},
		{"LeavesTheKeysOfOthers", bootOthers},
		{"LeavesTheEngineOfOthers", bootForeignEngine},
		{"LeavesTheObjectsOfOthers", bootForeignObjects},
		{"WritesBesideTheObjectsOfOthers", bootBeside},
		{"TellsWhatItWaitsFor", bootWaits},
	} {
		if !t.Run(part.name, func(t *testing.T) {
			inner := *p
			inner.t = t
			part.test(t, &inner)
		}) {
			return
		}
	}
}

// bootRefuses is everything that stands in the way of a bootstrap: it says what
// and writes nothing.
func bootRefuses(t *testing.T, p *bootPlane) {
	p.create(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "look"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}}}})
	p.create(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "narrow"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch", "create", "patch"}},
	}})
	viewer, reader, narrow := p.account("viewer", "view"), p.account("reader", "look"), p.account("narrow", "narrow")
	p.keep("notes.md", "mine\n")
	values, metadata := file(t, "values.yaml", "replica: 2\n"), file(t, "metadata.yaml", "labels: {\"not a key\": x}\n")
	p.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "taken"}})
	argo := map[string]string{"app.kubernetes.io/part-of": "argocd", "app.kubernetes.io/component": "application-controller"}
	p.create(&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "argocd-application-controller", Namespace: "taken"}, Spec: appsv1.StatefulSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: argo},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: argo}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "quay.io/argoproj/argocd:v3.1.0"}}}},
	}})
	for name, c := range map[string]struct {
		reason string
		args   []string
		code   int
		want   []string
	}{
		"NoCluster":    {"who has the wrong address sees which", []string{"--kubeconfig", deadKubeconfig(t)}, command.ExitFailed, []string{"cannot reach the hub at https://127.0.0.1:", "connection refused"}},
		"NoRepository": {"there is no fleet without one", []string{"--repo", ""}, command.ExitUsage, []string{"--repo", "--scaffold"}},
		"NoRight": {"who may not install is told what is missing, all at once", []string{"--kubeconfig", reader, "--no-fetch"}, command.ExitFailed, []string{
			"nothing was written", "create customresourcedefinitions.apiextensions.k8s.io;", "create namespaces;", "patch deployments.apps in namespace argocd;", "create applicationsets.argoproj.io in namespace argocd",
		}},
		"NoGrant":     {"nobody may grant what they may not do", []string{"--kubeconfig", narrow, "--no-fetch"}, command.ExitFailed, []string{"cannot write ClusterRole argocd:causeway", "attempting to grant RBAC permissions", "every right that it gets"}},
		"NoLook":      {"so is who may not even look", []string{"--kubeconfig", viewer, "--no-fetch"}, command.ExitFailed, []string{"cannot list the Secrets", "forbidden"}},
		"ArgoCD":      {"two engines must not share a namespace", []string{"-n", "taken"}, command.ExitFailed, []string{"namespace taken holds Argo CD (statefulset/argocd-application-controller)", "causeway import argocd"}},
		"Unreachable": {"a repository that nobody can read makes no fleet", []string{"--repo", "http://" + nobody.Address(t) + "/fleet"}, command.ExitFailed, []string{"nothing was written", "addons", "--no-fetch"}},
		"NoLayout":    {"roots without a folder would never be Synced", nil, command.ExitFailed, []string{"has no folder control-plane/addons", "--scaffold"}},
		"Values":      {"a value that nothing reads is a mistake", []string{"--values", values}, command.ExitFailed, []string{"cannot be installed with these values", "replica"}},
		"Set":         {"so is one on the command line", []string{"--set", "engine.intervall=2m"}, command.ExitFailed, []string{"intervall"}},
		"SetNothing":  {"a value needs a name", []string{"--set", "workers"}, command.ExitFailed, []string{"NAME=VALUE"}},
		"LostValues":  {"a file that is not there", []string{"--values", "/nope"}, command.ExitFailed, []string{"--values", "/nope"}},
		"Password":    {"a password in an address ends up in annotations", []string{"--repo", "https://me:" + bootPassword + "@git.example.com/x"}, command.ExitFailed, []string{"a password or a query in it"}},
		"NoScheme":    {"also without a scheme", []string{"--repo", "me:" + bootPassword + "@git.example.com/x"}, command.ExitFailed, []string{"a password or a query in it"}},
		"Elsewhere":   {"a root application may be told another place", []string{"--annotation", "workloads_repo_url=https://" + bootPassword + "@git.example.com/x"}, command.ExitFailed, []string{"annotation workloads_repo_url", "a repository Secret"}},
		"Metadata":    {"what the API server would refuse is known before", []string{"--metadata", metadata}, command.ExitFailed, []string{"not a key", metadata}},
		"Root":        {"a typing error", []string{"--roots", "adons"}, command.ExitUsage, []string{"adons", "addons"}},
		"Folder":      {"a work tree has to be there", []string{"--scaffold", "/nope"}, command.ExitFailed, []string{"/nope"}},
		"CommitWhat":  {"there is nothing to commit", []string{"--commit"}, command.ExitUsage, []string{"--scaffold"}},
		"PushWhat":    {"nothing is pushed that is not committed", []string{"--scaffold", p.folder, "--push"}, command.ExitUsage, []string{"--commit"}},
		"Hub":         {"a Secret has to have a name", []string{"--cluster", "My Hub"}, command.ExitFailed, []string{"My Hub", "--cluster"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := p.run(c.args...)
			if got.code != c.code {
				t.Errorf("%s: exit %d:\n%s%s", c.reason, got.code, got.out, got.errors)
			}
			for _, want := range c.want {
				if !strings.Contains(got.errors, want) {
					t.Errorf("%s: no %q in: %s", c.reason, want, got.errors)
				}
			}
			if strings.Contains(got.out+got.errors, bootPassword) {
				t.Errorf("the password is shown: %s%s", got.out, got.errors)
			}
		})
	}
	p.wrote("what was refused", nil)
}

// wrote checks what the installer has changed so far, besides what it had before.
func (p *bootPlane) wrote(when string, before []string) {
	p.t.Helper()
	if diff := cmp.Diff(before, p.writes()); diff != "" {
		p.t.Errorf("%s has written something: %s", when, diff)
	}
}

func deadKubeconfig(t *testing.T) string {
	t.Helper()
	return file(t, "kubeconfig", fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://%s"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`, nobody.Address(t)))
}

// bootFlags are those of the fleet that is made below.
func bootFlags(t *testing.T, p *bootPlane) []string {
	t.Helper()
	return []string{
		"--scaffold", p.folder, "--image", "registry.example.com:5000/causeway:1.2.3", "--set", "destination.clusterAdmin=true",
		"--repo-username", "bot", "--repo-password-file", file(t, "password", bootPassword+"\n"),
		"--metadata", file(t, "metadata.yaml", "labels: {enable_workloads: true, enable_baseline: \"false\"}\nannotations: {region: eu-1, account: 4711}\n"),
		"--label", "enable_baseline=true",
	}
}

func bootDryRun(t *testing.T, p *bootPlane) {
	bed := plantedBootstrap(t)
	got := p.run(append(bootFlags(t, p), "--dry-run")...)
	if got.code != command.ExitChanges {
		t.Fatalf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	for _, want := range []string{
		"would write control-plane/addons/metrics-server.yaml", "create CustomResourceDefinition applications.argoproj.io", "create Namespace argocd", "create Deployment argocd/causeway",
		"registry.example.com:5000/causeway:1.2.3", "create Secret argocd/hub", "enable_workloads: \"true\"", "create ApplicationSet argocd/clusters", "nothing was written",
	} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in the dry run:\n%s", want, got.out)
		}
	}
	if strings.Contains(got.out, bootPassword) || strings.Contains(got.out, "Y29ycmVjdC1") {
		t.Errorf("the password is shown:\n%s", got.out)
	}
	if strings.Contains(got.out, "openAPIV3Schema") || strings.Index(got.out, "create ApplicationSet argocd/clusters") > strings.Index(got.out, "@@ ") {
		t.Errorf("new definitions are printed, or the list of the objects does not come first:\n%.2000s", got.out)
	}
	full := p.run(append(bootFlags(t, p), "--dry-run", "-o", "diff")...)
	if !strings.Contains(full.out, "openAPIV3Schema") || !strings.Contains(full.out, "sshPrivateKey") {
		t.Error("definitions, or the keys of the repository's Secret, are not printed although they are asked for")
	}
	for _, found := range bed.Find([]byte(got.out + got.errors + full.out + full.errors)) {
		t.Errorf("it prints %v", found)
	}
	const other = "https://git.example.com/team/other"
	if wrong := p.run("--repo", other, "--mirror", other+"="+offlineRepository(t), "--revision", "nosuch", "--dry-run"); wrong.code == command.ExitFine || strings.Contains(wrong.errors, "targetRevision") || !strings.Contains(wrong.errors, "with --revision name one of") {
		t.Errorf("a branch that is not there: exit %d: %s", wrong.code, wrong.errors)
	}
	p.wrote("a dry run", nil)
	if left, err := os.ReadDir(p.folder); err != nil || len(left) != 1 {
		t.Errorf("after a dry run the work tree has %v, error %v", left, err)
	}
}

// bootRoots is a bootstrap that asks for nothing: the engine may deploy what
// the roots are made of, and nothing else.
func bootRoots(t *testing.T, p *bootPlane) {
	own := p.keep("README.md", "mine\n")
	args := []string{"--scaffold", p.folder, "--roots", "addons,workloads,clusters"}
	told := p.run(append(args, "--dry-run")...)
	got := p.run(args...)
	sameAsTold(t, told, got)
	if got.code != command.ExitFine {
		t.Fatalf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	if testing.Verbose() {
		t.Log("\n" + got.out)
	}
	for _, want := range []string{"README.md is there already and stays", "wrote baseline/namespace.yaml", "created Deployment argocd/causeway", "Synced and Healthy", "NAME", "hub"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in:\n%s", want, got.out)
		}
	}
	if text, err := os.ReadFile(own); err != nil || string(text) != "mine\n" {
		t.Errorf("a file was written over: %q, %v", text, err)
	}
	p.goodRoots()
}

// deeds are the lines of a run that tell of what is written, and those of a dry
// run that tell of it before, in one form.
var deeds = map[string]*regexp.Regexp{
	"write":  regexp.MustCompile(`(?m)^(?:would write|wrote) (\S+)$`),
	"create": regexp.MustCompile(`(?m)^created? (\S+ \S+)$`),
	"update": regexp.MustCompile(`(?m)^updated? (\S+ \S+)$`),
	"commit": regexp.MustCompile(`(?m)^(?:would commit|committed) (the layout)`),
	"push":   regexp.MustCompile(`(?m)^(?:would push|pushed) (the branch .*)$`),
}

// sameAsTold compares what a run says that it did with what its dry run said
// that it would do.
func sameAsTold(t *testing.T, told, done result) {
	t.Helper()
	list := func(r result) map[string][]string {
		out := map[string][]string{}
		for name, form := range deeds {
			for _, found := range form.FindAllStringSubmatch(r.out, -1) {
				out[name] = append(out[name], found[1])
			}
			slices.Sort(out[name])
			out[name] = slices.Compact(out[name]) // a dry run lists, and then shows
		}
		return out
	}
	want := list(told)
	if len(want["write"]) == 0 || len(want["create"]) == 0 {
		t.Errorf("the dry run tells of nothing:\n%s%s", told.out, told.errors)
	}
	if diff := cmp.Diff(want, list(done)); diff != "" {
		t.Errorf("the run differs from what its dry run told (-told +done):\n%s", diff)
	}
}

// bootPushes is a layout that gets into a repository: what stands in the way is
// told before a file of it is written, by the dry run and by the run alike.
func bootPushes(t *testing.T, p *bootPlane) {
	const url, other = "https://git.example.com/team/pushed", "https://git.example.com/team/other"
	hosted, work := filepath.Join(t.TempDir(), "pushed.git"), t.TempDir()
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "a")
		t.Setenv("GIT_"+who+"_EMAIL", "a@example.com")
	}
	inTree := func(args ...string) {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", work}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	inTree("init", "--quiet", "--bare", "--initial-branch", "main", hosted)
	inTree("init", "--quiet", "--initial-branch", "main")
	inTree("config", "url."+hosted+".insteadOf", url)
	before := p.writes()
	with := func(more ...string) []string {
		return append([]string{"-n", "pushed", "--repo", url, "--mirror", url + "=" + hosted, "--roots", "addons", "--wait=false", "--scaffold", work}, more...)
	}
	for name, c := range map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"NotPushed": {"the engine does not read the work tree", with("--commit"), "nothing was written to the hub"},
		"Branch":    {"the engine reads another branch", with("--commit", "--push", "--revision", "v1"), "nothing was written to the hub"},
		"Elsewhere": {"the engine reads another repository", with("--commit", "--push", "--annotation", "addons_repo_url="+other, "--mirror", other+"="+offlineRepository(t)), "has no folder control-plane/addons"},
		"Values":    {"the engine cannot be installed", with("--commit", "--push", "--set", "engine.intervall=2m"), "intervall"},
	} {
		for _, dry := range []string{"--dry-run", "--dry-run=false"} {
			if got := p.run(append(c.args, dry)...); got.code != command.ExitFailed || !strings.Contains(got.errors, c.want) {
				t.Errorf("%s: %s: %s: exit %d, no %q in:\n%s%s", name, dry, c.reason, got.code, c.want, got.out, got.errors)
			}
		}
	}
	told := p.run(with("--commit", "--push", "--dry-run")...)
	if !strings.Contains(told.out, "would push the branch main to "+url) || told.code != command.ExitChanges {
		t.Errorf("exit %d:\n%s%s", told.code, told.out, told.errors)
	}
	if full := p.run(with("--commit", "--push", "--dry-run", "-o", "diff")...); !strings.Contains(full.out, "would write workloads/hello/hello.yaml\n+") {
		t.Errorf("the text of the layout is not printed although it is asked for:\n%.2000s", full.out)
	}
	p.wrote("what was refused, or only told,", before)
	if left, err := os.ReadDir(work); err != nil || len(left) != 1 {
		t.Fatalf("what was refused, or only told, left %v in the work tree, error %v", left, err)
	}

	done := p.run(with("--commit", "--push")...)
	if done.code != command.ExitFine {
		t.Fatalf("exit %d:\n%s%s", done.code, done.out, done.errors)
	}
	sameAsTold(t, told, done)
	if again := p.run(with("--commit", "--push", "--dry-run")...); again.code != command.ExitFine || strings.Contains(again.out, "would commit") {
		t.Errorf("the second time: exit %d:\n%s%s", again.code, again.out, again.errors)
	}
}

// goodRoots checks that the roots and their sets are there.
func (p *bootPlane) goodRoots() {
	p.t.Helper()
	for _, name := range bootstrap.RootNames() {
		a := &v1alpha1.Application{}
		p.get(name, a)
		if a.Status.Sync.Status != v1alpha1.SyncStatusCodeSynced || a.Status.Health.Status != v1alpha1.HealthStatusHealthy || len(a.Status.Resources) == 0 {
			p.t.Errorf("application %s is %s and %s with %d objects", name, a.Status.Sync.Status, a.Status.Health.Status, len(a.Status.Resources))
		}
	}
}

// bootFleet asks for more rights, and for what the layout can deploy.
func bootFleet(t *testing.T, p *bootPlane) {
	got := p.run(bootFlags(t, p)...)
	if got.code != command.ExitFine {
		t.Fatalf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	for _, want := range []string{"pruned ClusterRole argocd:causeway:destination", "created ClusterRoleBinding argocd:causeway:destination:admin", "updated Deployment argocd/causeway", "updated Secret argocd/repo-"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in:\n%s", want, got.out)
		}
	}
	if strings.Contains(got.out+got.errors, bootPassword) {
		t.Errorf("the password is shown:\n%s%s", got.out, got.errors)
	}
	p.goodRoots()
	hub := &corev1.Secret{}
	p.get("hub", hub)
	want := map[string]string{"region": "eu-1", "account": "4711", "addons_repo_url": bootRepo, "workloads_repo_path": "control-plane/workloads", "clusters_repo_revision": "HEAD", "clusters_repo_basepath": ""}
	for key, value := range want {
		if got, ok := hub.Annotations[key]; !ok || got != value {
			t.Errorf("the annotation %s of the hub's Secret is %q, want %q", key, got, value)
		}
	}
	if hub.Labels["enable_workloads"] != "true" || hub.Labels["enable_baseline"] != "true" || string(hub.Data["server"]) != "https://kubernetes.default.svc" {
		t.Errorf("the hub's Secret has labels %v and server %s", hub.Labels, hub.Data["server"])
	}
	p.keptLogin("bot", bootPassword)
	// What the roots bring is deployed by the engine with its account's rights.
	p.eventually(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "hello", Name: "hello"}})
	p.eventually(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "fleet-system"}})
}

// keptLogin checks that the fleet's repository has one Secret, with a login.
func (p *bootPlane) keptLogin(username, password string) {
	p.t.Helper()
	var all corev1.SecretList
	if err := p.List(p.t.Context(), &all, client.InNamespace("argocd"), client.MatchingLabels{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepository}); err != nil {
		p.t.Fatal(err)
	}
	if len(all.Items) != 1 {
		p.t.Fatalf("there are %d repository Secrets", len(all.Items))
	}
	if s := all.Items[0].Data; string(s["url"]) != bootRepo || string(s["username"]) != username || string(s["password"]) != password {
		p.t.Errorf("the repository's Secret is for %s, with user %q", s["url"], s["username"])
	}
}

// keep writes a file of the user's into the work tree.
func (p *bootPlane) keep(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *bootPlane) eventually(o client.Object) {
	p.t.Helper()
	embeddedtest.Eventually(p.t, func(ctx context.Context) error { return p.Get(ctx, client.ObjectKeyFromObject(o), o) })
}

func bootAgain(t *testing.T, p *bootPlane) {
	before := p.writes()
	for _, args := range [][]string{nil, {"--dry-run"}, {"--wait=false"}} {
		got := p.run(append(bootFlags(t, p), args...)...)
		if got.code != command.ExitFine || !strings.Contains(got.out, "nothing to change") || !strings.Contains(got.out, "the layout is there") {
			t.Errorf("%v: exit %d:\n%s%s", args, got.code, got.out, got.errors)
		}
	}
	p.wrote("the second time", before)

	// One change is one write.
	got := p.run(append(bootFlags(t, p), "--label", "team=platform")...)
	if got.code != command.ExitFine || !strings.Contains(got.out, "updated Secret argocd/hub") {
		t.Errorf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	if now := p.writes(); len(now) != len(before)+1 {
		t.Errorf("one change took %v", now[len(before):])
	}
}

// bootOthers is about keys of the hub's Secret that are not asked for.
func bootOthers(t *testing.T, p *bootPlane) {
	hub := &corev1.Secret{}
	p.get("hub", hub)
	hub.Labels["enable_argocd"], hub.Annotations["vpc_id"], hub.Data["config"] = "false", "vpc-1", []byte(`{"tlsClientConfig":{"insecure":true}}`)
	if err := p.Update(t.Context(), hub, client.FieldOwner("terraform")); err != nil {
		t.Fatal(err)
	}
	flags := slices.DeleteFunc(bootFlags(t, p), func(s string) bool { return s == "--label" || s == "enable_baseline=true" })
	if got := p.run(flags...); got.code != command.ExitFine {
		t.Fatalf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	p.get("hub", hub)
	got := map[string]string{"config": string(hub.Data["config"]), "vpc_id": hub.Annotations["vpc_id"]}
	for _, key := range []string{"enable_argocd", "enable_baseline", "team"} {
		got[key] = hub.Labels[key]
	}
	// The file says "false" of the baseline now that no flag wins over it.
	want := map[string]string{"config": `{"tlsClientConfig":{"insecure":true}}`, "vpc_id": "vpc-1", "enable_argocd": "false", "enable_baseline": "false", "team": "platform"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// A Secret that Terraform wrote under another name is the hub's, too.
	p.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "terraformed"}})
	p.create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "terraformed", Name: "eu-hub", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "cluster_name": "eu", "environment": "prod"},
			Annotations: map[string]string{"addons_repo_path": "bootstrap/addons", "addons_repo_url": "https://me:" + bootPassword + "@git.example.com/x"},
		},
		StringData: map[string]string{"name": "eu", "server": "https://kubernetes.default.svc", "config": "{}"},
	})
	found := p.run("-n", "terraformed", "--dry-run", "--roots", "addons", "--no-fetch")
	for _, want := range []string{"update Secret terraformed/eu-hub", "cluster_name: eu", "     addons_repo_path: bootstrap/addons", "+    addons_repo_url: +"} {
		if found.code != command.ExitChanges || !strings.Contains(found.out, want) {
			t.Errorf("exit %d, no %q in:\n%s%s", found.code, want, found.out, found.errors)
		}
	}
	for _, wrong := range []string{"-    addons_repo_path", "-    environment", "Secret terraformed/hub", "ApplicationSet terraformed/clusters", bootPassword} {
		if strings.Contains(found.out, wrong) {
			t.Errorf("%q is in:\n%s", wrong, found.out)
		}
	}
	found = p.run("-n", "terraformed", "--roots", "addons")
	if found.code != command.ExitFailed || !strings.Contains(found.errors, "no folder bootstrap/addons") {
		t.Errorf("exit %d: %s", found.code, found.errors)
	}
}

// bootForeignEngine is about an engine that Helm installed.
func bootForeignEngine(t *testing.T, p *bootPlane) {
	p.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "helmed"}})
	labels := map[string]string{"app.kubernetes.io/name": "causeway", "app.kubernetes.io/instance": "causeway"}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "causeway", Namespace: "helmed", Labels: labels}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "causeway", Image: "registry.example.com/causeway"}}}},
	}}
	if err := p.Create(t.Context(), d, client.FieldOwner("helm")); err != nil {
		t.Fatal(err)
	}
	got := p.run("-n", "helmed", "--dry-run", "--no-fetch")
	if got.code != command.ExitChanges || !strings.Contains(got.out, "the engine was installed by helm and stays as it is") || strings.Contains(got.out, "Deployment helmed") {
		t.Errorf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	got = p.run("-n", "helmed", "--image", "registry.example.com/other", "--no-fetch")
	if got.code != command.ExitFailed || !strings.Contains(got.errors, "was installed by helm") {
		t.Errorf("exit %d: %s", got.code, got.errors)
	}
}

// bootForeignObjects is about objects that have the names of what is to be made.
func bootForeignObjects(t *testing.T, p *bootPlane) {
	p.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "others"}})
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "others"} }
	set, app, hub := &v1alpha1.ApplicationSet{ObjectMeta: meta("addons")}, &v1alpha1.Application{ObjectMeta: meta("workloads")}, &corev1.Secret{ObjectMeta: meta("hub")}
	set.Spec.Generators = []v1alpha1.ApplicationSetGenerator{{Clusters: &v1alpha1.ClusterGenerator{}}}
	set.Spec.Template.Name, set.Spec.Template.Spec.Project = "{{name}}-addons", "platform"
	app.Spec.Project, app.Spec.Destination.Name = "default", "shop"
	err := errors.Join(p.Create(t.Context(), set, client.FieldOwner("terraform")), p.Create(t.Context(), app, client.FieldOwner("argocd")), p.Create(t.Context(), hub, client.FieldOwner("kubectl")))
	if err != nil {
		t.Fatal(err)
	}
	before := p.writes()
	for name, c := range map[string]struct {
		reason string
		args   []string
		want   []string
	}{
		"All":         {"all that is in the way is told at once", []string{"--cluster", "hub"}, []string{"nothing was written", "ApplicationSet others/addons, which terraform made", "Application others/workloads, which argocd made", "Secret others/hub, which kubectl made"}},
		"Set":         {"its Applications would be written over, or deleted", []string{"--cluster", "others", "--roots", "addons"}, []string{"ApplicationSet others/addons", "delete it, or leave that root application out with --roots"}},
		"Application": {"the root's set would take it over", []string{"--cluster", "others", "--roots", "workloads", "--dry-run"}, []string{"Application others/workloads", "--roots"}},
		"Secret":      {"another program would read what it does not know", []string{"--cluster", "hub", "--roots", "clusters"}, []string{"Secret others/hub", "give it another name, or delete it"}},
	} {
		got := p.run(append([]string{"-n", "others", "--no-fetch", "--wait=false"}, c.args...)...)
		for _, want := range c.want {
			if got.code != command.ExitFailed || !strings.Contains(got.errors, want) {
				t.Errorf("%s: %s: exit %d, no %q in: %s", name, c.reason, got.code, want, got.errors)
			}
		}
	}
	p.wrote("what was refused", before)
}

// bootBeside leaves out the root of which others have the name.
func bootBeside(t *testing.T, p *bootPlane) {
	if got := p.run("-n", "others", "--no-fetch", "--dry-run", "--cluster", "others", "--roots", "clusters"); got.code != command.ExitChanges {
		t.Errorf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
}

// bootWaits is about a namespace where no engine makes applications.
func bootWaits(t *testing.T, p *bootPlane) {
	args := []string{"-n", "idle", "--cluster", "idle", "--roots", "addons", "--timeout", "2s"}
	got := p.run(args...)
	if got.code != command.ExitFailed || !strings.Contains(got.errors, "not ready within 2s; the last that was waited for: ") {
		t.Errorf("exit %d:\n%s%s", got.code, got.out, got.errors)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		if got := p.run(args...); !strings.Contains(got.errors, "application addons is not made yet") || !strings.Contains(got.out, "nothing to change") {
			return fmt.Errorf("exit %d:\n%s%s", got.code, got.out, got.errors)
		}
		return nil
	})
}
