package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/sops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// supposing is a site with a set over clusters: path and repository are out
// of their annotations.
func supposing(t *testing.T) *site {
	t.Helper()
	s := serveSite(t, map[string]string{
		"eu/a.yaml": fmt.Sprintf(pageObjects, "red"), "us/a.yaml": strings.ReplaceAll(fmt.Sprintf(pageObjects, "blue"), "hunter2", "hunter3"),
	})
	for name, enabled := range map[string]string{"dev": "true", "spare": "false"} {
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Name: name, Namespace: s.Namespace, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "enable_web": enabled},
				Annotations: map[string]string{"region": "eu", "repo": apptest.RepoURL},
			},
			StringData: map[string]string{"name": name, "server": "https://127.0.0.1:1/" + name, "config": "{}"},
		}
		if err := s.Create(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
	}
	set := &v1alpha1.ApplicationSet{}
	text := fmt.Sprintf(`
metadata: {name: webs, namespace: %[1]s}
spec:
  generators:
    - clusters: {selector: {matchLabels: {enable_web: "true"}}}
  template:
    metadata: {name: '%[1]s-{{name}}'}
    spec:
      project: default
      source: {repoURL: '{{metadata.annotations.repo}}', path: '{{metadata.annotations.region}}'}
      destination: {name: in-cluster, namespace: default}
`, s.Namespace)
	if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	return s
}

// previewed asks what would be.
func previewed(t *testing.T, v *visitor, cluster string, edits ...api.BridgeEdit) *api.BridgePreview {
	t.Helper()
	out := &api.BridgePreview{}
	v.wants(t, http.StatusOK, http.MethodPost, "/bridge/preview", api.BridgeWish{Cluster: cluster, Edits: edits}, out)
	return out
}

// Other metadata of a cluster brings, changes and takes away Applications, and
// a preview tells which, with the objects, before anybody writes it.
func TestPreviewOfMetadata(t *testing.T) {
	s := supposing(t)
	v := s.visitor("")
	v.signIn(t)
	sees(t, v, "/applications", func(p *view.Page) error {
		if p.Total != 1 {
			return fmt.Errorf("the list has %+v", p.Items)
		}
		return nil
	})
	region := func(value string) api.BridgeEdit {
		return api.BridgeEdit{In: "annotation", Name: "region", Value: value}
	}
	p := previewed(t, v, "dev", region("us"))
	if p.Changed != 1 || p.Added+p.Removed != 0 || p.Applications[0].Name != s.Namespace+"-dev" || p.Applications[0].Set != "webs" || len(p.Applications[0].Objects) != 2 {
		t.Fatalf("another region gives %+v", p)
	}
	text, err := json.Marshal(p)
	if err != nil || !strings.Contains(string(text), "blue") || strings.Contains(string(text), "hunter") || strings.Contains(string(text), "aHVudGVy") {
		t.Errorf("the objects are %s, %v", text, err)
	}
	if p = previewed(t, v, "dev", api.BridgeEdit{In: "label", Name: "enable_web", Remove: true}); p.Removed != 1 || len(p.Applications) != 1 || p.Applications[0].Objects[0].Verb != "prune" {
		t.Errorf("without the label there is %+v", p)
	}
	if p = previewed(t, v, "spare", api.BridgeEdit{In: "label", Name: "enable_web", Value: "true"}); p.Added != 1 || len(p.Applications) != 1 || len(p.Applications[0].Objects) != 2 {
		t.Errorf("of another cluster there is %+v", p)
	}
	if p = previewed(t, v, "dev", region("moon")); p.Changed != 1 || !strings.Contains(p.Applications[0].Note, "cannot be rendered") {
		t.Errorf("where there is nothing to render: %+v", p)
	}
	sees(t, v, "/applications", func(p *view.Page) error {
		if p.Total != 1 || p.Items[0].Sources[0].Path != "eu" {
			return fmt.Errorf("after all previews there is %+v", p.Items)
		}
		return nil
	})
}

// annWho is Ann, who is signed in and may do what a policy says.
func annWho(t *testing.T, s *site, policy string) *visitor {
	t.Helper()
	hash, err := password.New("ann's password")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []client.Object{
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: v1alpha1.SettingsName}, Data: map[string]string{"accounts.ann": "login"}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: account.Secret}, StringData: map[string]string{"accounts.ann.password": hash.Text()}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: rbac.ConfigMap}, Data: map[string]string{"policy.csv": policy}},
	} {
		if err := s.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	ann := s.visitor("")
	ann.wants(t, http.StatusOK, http.MethodPost, "/session", api.Credentials{Username: "ann", Password: "ann's password"}, nil)
	return ann
}

// Metadata of a cluster that somebody may read bring no Application before them that is
// made of another one: neither in a preview, nor on the page of the set, where a list
// calls the parameters those of the first.
func TestClustersOfOthersStayHidden(t *testing.T) {
	s := supposing(t)
	for name, generators := range map[string]string{
		"pairs": `[{clusters: {selector: {matchLabels: {pairs: "true"}}}}, {clusters: {selector: {matchLabels: {enable_web: "false"}}}}]`,
		"named": `[{list: {elements: [{name: dev, server: "https://127.0.0.1:1/dev"}]}}, {clusters: {selector: {matchLabels: {enable_web: "false"}}}}]`,
	} {
		set := &v1alpha1.ApplicationSet{}
		text := fmt.Sprintf(`
metadata: {name: %[2]s, namespace: %[1]s}
spec:
  goTemplate: true
  generators: [{matrix: {generators: %[3]s}}]
  template:
    metadata: {name: '%[1]s-%[2]s-{{.nameNormalized}}'}
    spec:
      project: default
      source: {repoURL: '%[4]s', path: '{{.metadata.annotations.region}}'}
      destination: {name: in-cluster, namespace: default}
`, s.Namespace, name, generators, apptest.RepoURL)
		if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
			t.Fatal(err)
		}
		if err := s.Create(t.Context(), set); err != nil {
			t.Fatal(err)
		}
	}
	ann := annWho(t, s, "p, ann, clusters, get, *dev, allow\np, ann, applications, get, default/*, allow\np, ann, applicationsets, get, default/*, allow\n")
	admin := s.visitor("")
	admin.signIn(t)
	pairs := api.BridgeEdit{In: "label", Name: "pairs", Value: "true"}
	if p := previewed(t, admin, "dev", pairs); p.Added != 1 || !strings.HasPrefix(p.Applications[0].Name, s.Namespace+"-pairs-") {
		t.Errorf("who may read all clusters is told %+v", p)
	}
	if p := previewed(t, ann, "dev", pairs); p.Added != 0 || len(p.Applications) != 0 {
		t.Errorf("who may read one of two clusters is told %+v", p)
	}
	if p := previewed(t, ann, "dev", api.BridgeEdit{In: "annotation", Name: "region", Value: "us"}); p.Changed != 1 || len(p.Applications) != 1 {
		t.Errorf("of the one alone they are told %+v", p)
	}
	for of, v := range map[string]*visitor{"all": admin, "one": ann} {
		sees(t, v, "/applicationsets/"+s.Namespace+"/named", func(d *api.SetDetail) error {
			if all := d.Expansion.Applications; len(all) != 1 || len(all[0].Parameters) > 0 != (of == "all") {
				return fmt.Errorf("who may read %s of the clusters is shown %+v", of, all)
			}
			return nil
		})
	}
}

// Nobody is told of Applications that they may not read, and the server
// fetches from no address that somebody makes up.
func TestPreviewGivesNothingAway(t *testing.T) {
	var fetched atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetched.Add(1) }))
	defer elsewhere.Close()
	s := supposing(t)
	ann := annWho(t, s, "p, ann, clusters, get, *dev, allow\n")
	other := api.BridgeEdit{In: "annotation", Name: "region", Value: "us"}
	if p := previewed(t, ann, "dev", other); p.Changed != 0 || len(p.Applications)+len(p.Failures) != 0 {
		t.Errorf("who may not read the Application is told %+v", p)
	}
	ann.wants(t, http.StatusNotFound, http.MethodPost, "/bridge/preview", api.BridgeWish{Cluster: "spare", Edits: []api.BridgeEdit{other}}, nil)
	v := s.visitor("")
	v.signIn(t)
	p := previewed(t, v, "dev", api.BridgeEdit{In: "annotation", Name: "repo", Value: elsewhere.URL + "/repo.git"})
	if p.Changed != 1 || !strings.Contains(p.Applications[0].Note, "not fetched for a trial") || fetched.Load() != 0 {
		t.Errorf("after %d requests elsewhere: %+v", fetched.Load(), p)
	}
}

// keyed is a site whose keys open what its repository has, with a branch that takes
// apart what they open, and a set that has the revision out of metadata.
func keyed(t *testing.T) *site {
	t.Helper()
	keys, err := sops.ParseKeys(sealed(t, "age.key"))
	if err != nil {
		t.Fatal(err)
	}
	s := prepareSite(t, map[string]string{"app/a.yaml": sealed(t, "first.yaml")}, func(c *app.Config) { c.Rendering.Keys = keys })
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", s.Folder, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", args, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-qm", "one")
	git("checkout", "-q", "-b", "apart")
	s.Write("app/kustomization.yaml", `resources: [a.yaml, parts.yaml]
replacements:
- source: {kind: ConfigMap, name: settings, fieldPath: data.password, options: {delimiter: "-", index: 0}}
  targets: [{select: {kind: ConfigMap, name: parts}, fieldPaths: [data.a]}]
- source: {kind: ConfigMap, name: settings, fieldPath: data.password, options: {delimiter: "-", index: 2}}
  targets: [{select: {kind: ConfigMap, name: parts}, fieldPaths: [data.c]}]
`)
	s.Write("app/parts.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: parts}\ndata: {a: x, c: x}\n")
	git("add", "-A")
	git("commit", "-qm", "two")
	git("checkout", "-q", "main")
	s.start()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "dev", Namespace: s.Namespace, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "enable_web": "true"},
			Annotations: map[string]string{"revision": "main", "owner": "a"},
		},
		StringData: map[string]string{"name": "dev", "server": "https://127.0.0.1:1/dev", "config": "{}"},
	}
	set := &v1alpha1.ApplicationSet{}
	text := fmt.Sprintf(`
metadata: {name: webs, namespace: %[1]s}
spec:
  generators:
    - clusters: {selector: {matchLabels: {enable_web: "true"}}}
  template:
    metadata: {name: '%[1]s-{{name}}', labels: {owner: '{{metadata.annotations.owner}}'}}
    spec:
      project: default
      source: {repoURL: '%[2]s', path: app, targetRevision: '{{metadata.annotations.revision}}'}
      destination: {name: in-cluster, namespace: default}
`, s.Namespace, apptest.RepoURL)
	if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
		t.Fatal(err)
	}
	for _, o := range []client.Object{secret, set} {
		if err := s.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Who may read an Application, and no more, has nothing rendered with the engine's keys
// that the Application is not itself rendered of: what follows from metadata that they make
// up they see by its fields.
func TestPreviewRendersWhatIsTheApplicationsOwn(t *testing.T) {
	s := keyed(t)
	admin := s.visitor("")
	admin.signIn(t)
	sees(t, admin, "/applications", func(p *view.Page) error {
		if p.Total != 1 {
			return fmt.Errorf("the list has %+v", p.Items)
		}
		return nil
	})
	ann := annWho(t, s, "p, ann, applications, get, */*, allow\np, ann, clusters, get, *, allow\n")
	revision := api.BridgeEdit{In: "annotation", Name: "revision", Value: "apart"}
	p := previewed(t, ann, "dev", revision)
	if text := shownOf(t, p); len(p.Applications) != 1 || len(p.Applications[0].Fields) != 1 || len(p.Applications[0].Objects) != 0 ||
		strings.Contains(text, "marlin") || !strings.Contains(p.Applications[0].Note, "override") {
		t.Errorf("who may read it is shown %s", text)
	}
	if p = previewed(t, admin, "dev", revision); len(p.Applications[0].Objects) != 1 || p.Applications[0].Note != "" {
		t.Errorf("who may override it is shown %s", shownOf(t, p))
	}
	gone := api.BridgeEdit{In: "label", Name: "enable_web", Remove: true}
	if p = previewed(t, ann, "dev", gone); p.Removed != 1 || len(p.Applications[0].Objects) != 2 || strings.Contains(shownOf(t, p), "marlin") {
		t.Errorf("of what goes, who may read it is shown %s", shownOf(t, p))
	}
	owner := api.BridgeEdit{In: "annotation", Name: "owner", Value: "b"}
	if p = previewed(t, ann, "dev", owner); p.Changed != 1 || !strings.Contains(p.Applications[0].Note, "about the application itself") {
		t.Errorf("of another label, who may read it is shown %s", shownOf(t, p))
	}
}

func shownOf(t *testing.T, p *api.BridgePreview) string {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What the guard would hold is told of a cluster's deletion and of other
// metadata, and is what it holds then.
func TestPreviewTellsWhatTheGuardHolds(t *testing.T) {
	s := supposing(t)
	webs := &v1alpha1.ApplicationSet{}
	if err := s.Get(t.Context(), client.ObjectKey{Namespace: s.Namespace, Name: "webs"}, webs); err != nil {
		t.Fatal(err)
	}
	extras := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "extras"}, Spec: *webs.Spec.DeepCopy()}
	extras.Spec.Template.Name = s.Namespace + "-extras-{{name}}"
	settings := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: v1alpha1.SettingsName},
		Data:       map[string]string{v1alpha1.SettingGuard: "set: max 100\nfleet: {maxShare: 40%, minCount: 2}\n"},
	}
	for _, o := range []client.Object{extras, settings} {
		if err := s.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	v := s.visitor("")
	v.signIn(t)
	sees(t, v, "/applications", func(p *view.Page) error {
		if p.Total != 2 {
			return fmt.Errorf("the list has %+v", p.Items)
		}
		return nil
	})
	// Each set may delete what it has; both together are too much for the fleet.
	without := func(want ...string) (confirm string) {
		t.Helper()
		sees(t, v, "/clusters/dev/deletion", func(d *api.MemberDeletion) error {
			confirm = d.Confirm
			return differs(want, d.Guarded, d.Failures)
		})
		return confirm
	}
	const ofFleet = "together with what else is deleted it is more than the fleet lets go"
	without("extras 1 of 1: "+ofFleet, "webs 1 of 1: "+ofFleet)
	unlabelled := func() *api.BridgePreview {
		return previewed(t, v, "dev", api.BridgeEdit{In: "label", Name: "enable_web", Remove: true})
	}
	p := unlabelled()
	if err := differs([]string{"extras 1 of 1: " + ofFleet, "webs 1 of 1: " + ofFleet}, p.Guarded, p.Failures); err != nil || p.Removed != 2 || p.Verdict != api.VerdictSome {
		t.Errorf("without the label: %v, %d removed", err, p.Removed)
	}
	if p := previewed(t, v, "dev", api.BridgeEdit{In: "annotation", Name: "region", Value: "us"}); len(p.Guarded) != 0 || p.Verdict != api.VerdictNone {
		t.Errorf("where nothing is deleted there is %+v", p.Guarded)
	}
	// What the one set's own limit keeps is none of the other's concern.
	patch := client.MergeFrom(webs.DeepCopy())
	webs.Annotations = map[string]string{gitops.AnnotationDeletionGuard: "0% min 1"}
	if err := s.Patch(t.Context(), webs, patch); err != nil {
		t.Fatal(err)
	}
	confirm := without("webs 1 of 1: 1 of 1, where the limit is 0%")
	v.wants(t, http.StatusNoContent, http.MethodDelete, "/clusters/dev?confirm="+confirm, nil, nil)
	sees(t, v, "/applicationsets/"+s.Namespace+"/webs", func(d *api.SetDetail) error {
		if d.Held == nil || d.Held.Count != 1 {
			return fmt.Errorf("held is %+v", d.Held)
		}
		return nil
	})
	sees(t, v, "/applications", func(p *view.Page) error {
		if p.Total != 1 || p.Items[0].Set != "webs" {
			return fmt.Errorf("after all there is %+v", p.Items)
		}
		return nil
	})
}

// What a set no longer yields stays while others of it cannot be created: the
// preview says so, as the engine does it.
func TestPreviewOfWhatIsKept(t *testing.T) {
	s := supposing(t)
	webs := &v1alpha1.ApplicationSet{}
	if err := s.Get(t.Context(), client.ObjectKey{Namespace: s.Namespace, Name: "webs"}, webs); err != nil {
		t.Fatal(err)
	}
	// An annotation decides the name; with another it is none that Kubernetes takes.
	patch := client.MergeFrom(webs.DeepCopy())
	webs.Spec.Template.Name = s.Namespace + "-{{name}}-{{metadata.annotations.region}}"
	if err := s.Patch(t.Context(), webs, patch); err != nil {
		t.Fatal(err)
	}
	v := s.visitor("")
	v.signIn(t)
	name := s.Namespace + "-dev-eu"
	stays := func(p *view.Page) error {
		if p.Total != 1 || p.Items[0].Name != name {
			return fmt.Errorf("the list has %+v", p.Items)
		}
		return nil
	}
	sees(t, v, "/applications", stays)
	p := previewed(t, v, "dev", api.BridgeEdit{In: "annotation", Name: "region", Value: "E U"})
	if p.Kept != 1 || p.Removed+p.Added+p.Changed != 0 || len(p.Applications) != 1 || p.Applications[0].Effect != "kept" || p.Applications[0].Name != name ||
		len(p.Applications[0].Objects) != 0 || len(p.Failures) != 1 || len(p.Guarded) != 0 {
		t.Fatalf("the preview is %+v", p)
	}
	dev := &corev1.Secret{}
	if err := s.Get(t.Context(), client.ObjectKey{Namespace: s.Namespace, Name: "dev"}, dev); err != nil {
		t.Fatal(err)
	}
	patch = client.MergeFrom(dev.DeepCopy())
	dev.Annotations["region"] = "E U"
	if err := s.Patch(t.Context(), dev, patch); err != nil {
		t.Fatal(err)
	}
	sees(t, v, "/applicationsets/"+s.Namespace+"/webs", func(d *api.SetDetail) error {
		if text, _ := json.Marshal(d); !strings.Contains(string(text), "no longer generates are kept") {
			return fmt.Errorf("the set says %s", text)
		}
		return nil
	})
	sees(t, v, "/applications", stays)
	// Without the cluster nothing is wrong any more: what was kept goes, too,
	// although it is deployed elsewhere.
	var d *api.MemberDeletion
	sees(t, v, "/clusters/dev/deletion", func(now *api.MemberDeletion) error {
		if d = now; len(d.Generated) != 1 || d.Generated[0].Name != name || d.Generated[0].Cluster != "in-cluster" || d.Verdict != api.VerdictNone || len(d.Left)+len(d.Unknown) != 0 {
			return fmt.Errorf("told is %+v", d)
		}
		return nil
	})
	v.wants(t, http.StatusNoContent, http.MethodDelete, "/clusters/dev?confirm="+d.Confirm, nil, nil)
	sees(t, v, "/applications", func(p *view.Page) error {
		if p.Total != 0 {
			return fmt.Errorf("the list has %+v", p.Items)
		}
		return nil
	})
}

// differs tells how what the guard would hold is not what is wanted, of which
// the beginnings are given.
func differs(want []string, got []api.GuardedDeletion, failures []string) error {
	if len(got) != len(want) || len(failures) != 0 {
		return fmt.Errorf("held would be %+v, want %v; failures are %v", got, want, failures)
	}
	for i, g := range got {
		if text := fmt.Sprintf("%s %d of %d: %s", g.Set, g.Count, g.Of, g.Why); !strings.HasPrefix(text, want[i]) {
			return fmt.Errorf("got %q, want %q", text, want[i])
		}
	}
	return nil
}
