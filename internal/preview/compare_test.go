package preview_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// fleetOf has a set over three environments, and two more applications.
func fleetOf(t *testing.T) *checkout {
	t.Helper()
	c := newCheckout(t, with(web(), treetest.Files{
		"set.yaml": setOf("web", `web: "on"`), "a.yaml": application("a", "a", "dev"), "a/cm.yaml": configMap("a", "1"),
		"b.yaml": application("b", "b", "hub"), "b/cm.yaml": configMap("b", "1"),
	}))
	c.roster = clusters("hub", "dev/web=on,env=dev,@region=eu", "prod-1/web=on,env=prod,@region=eu", "prod-2/web=on,env=prod,@region=us", "spare/env=prod,@region=us")
	return c
}

func TestChanges(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   treetest.Files
		want   []string
		causes []string
		// rendered counts both sides of what can differ, and nothing else.
		rendered int
	}{
		"Nothing":    {"a file that nobody reads changes nothing", treetest.Files{"README.md": "x\n"}, []string{}, []string{}, 0},
		"Formatting": {"comments and order are no change", treetest.Files{"values/prod.yaml": "# three\nreplicas:   3\n"}, []string{}, []string{}, 4},
		"ValueFile": {
			"one value file touches the applications that read it", treetest.Files{"values/prod.yaml": "replicas: 5\n"},
			[]string{"changed web on prod-1 and prod-2; changed Deployment/web spec.replicas: 3 → 5"},
			[]string{"value values/prod.yaml: replicas 3 → 5 values/prod.yaml:1"}, 4,
		},
		"Template": {
			"a template touches every application of its chart",
			treetest.Files{"charts/web/templates/deployment.yaml": strings.ReplaceAll(web()["charts/web/templates/deployment.yaml"], "example.com/web:", "mirror.example.com/web:")},
			[]string{"changed web on dev, prod-1 and prod-2; changed Deployment/web spec.template.spec.containers[name=web].image: example.com/web:1 → mirror.example.com/web:1"},
			[]string{"file charts/web/templates/deployment.yaml charts/web/templates/deployment.yaml:0"}, 6,
		},
		"Manifest": {
			"a manifest touches its application", treetest.Files{"a/cm.yaml": configMap("a", "2")},
			[]string{"changed a on dev; changed ConfigMap/a data.key: 1 → 2"}, []string{"file a/cm.yaml a/cm.yaml:0"}, 2,
		},
		"NewManifest": {
			"a new manifest is an object that is added", treetest.Files{"a/more.yaml": configMap("more", "1")},
			[]string{"changed a on dev; added ConfigMap/more"}, []string{"file a/more.yaml a/more.yaml:0"}, 2,
		},
		"Moved": {
			"a manifest in another file is the same object", treetest.Files{"a/cm.yaml": "", "a/new.yaml": configMap("a", "1")}, []string{}, []string{}, 2,
		},
		"Removed": {
			"an application whose file goes is removed, with what it holds", treetest.Files{"a.yaml": ""},
			[]string{"removed a on dev; removed ConfigMap/a"}, []string{"spec Application a is gone a.yaml:1"}, 1,
		},
		"Added": {
			"an application that comes is added, with what it holds", treetest.Files{"c.yaml": application("c", "a", "dev")},
			[]string{"added c on dev; added ConfigMap/a"}, []string{"spec Application c is new c.yaml:1"}, 1,
		},
		"Selector": {
			"another selector adds and removes", treetest.Files{"set.yaml": strings.Replace(setOf("web", `web: "on"`), `{web: "on"}`, "{env: prod}", 1)},
			[]string{"removed web-dev on dev; removed Deployment/web", "added web-spare on spare; added Deployment/web"},
			[]string{"spec ApplicationSet argocd/web is changed set.yaml:1", "spec ApplicationSet argocd/web is changed set.yaml:1"}, 2,
		},
		"Parameter": {
			"the template of a set touches all of its applications",
			treetest.Files{"set.yaml": strings.Replace(setOf("web", `web: "on"`), "        helm:\n", "        helm:\n          parameters: [{name: tag, value: \"2\"}]\n", 1)},
			[]string{"changed web on dev, prod-1 and prod-2; changed Deployment/web spec.template.spec.containers[name=web].image: example.com/web:1 → example.com/web:2"},
			nil, 6,
		},
		"Spec": {
			"an edited Application says which field", treetest.Files{"a.yaml": strings.Replace(application("a", "a", "dev"), "namespace: a}", "namespace: x}", 1)},
			[]string{"changed a on dev; removed ConfigMap/a; added ConfigMap/a"}, []string{"spec Application a is changed a.yaml:1"}, 2,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := fleetOf(t).change(tc.edit).preview()
			if d := cmp.Diff(tc.want, told(f)); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
			if d := cmp.Diff(tc.causes, causes(f)); tc.causes != nil && d != "" {
				t.Errorf("%s: causes (-want +got):\n%s", tc.reason, d)
			}
			if got := f.Summary.Rendered + f.Summary.Reused; got != tc.rendered {
				t.Errorf("%s: %d renderings were compared, want %d", tc.reason, got, tc.rendered)
			}
			if len(f.Failures)+len(f.Missing) > 0 {
				t.Errorf("failures: %v %v", f.Failures, f.Missing)
			}
		})
	}
}

func TestMetadataIsPreviewed(t *testing.T) {
	cases := map[string]struct {
		reason string
		head   []string // clusters
		want   []string
		causes []string
	}{
		"Annotation": {
			"an annotation that a template reads",
			[]string{"hub", "dev/web=on,env=dev,@region=us"},
			[]string{"changed web-dev on dev; changed Deployment/web spec.template.spec.containers[name=web].env[name=REGION].value: eu → us"},
			[]string{"value values of the Application: region eu → us", "metadata cluster dev: metadata.annotations.region eu → us"},
		},
		"Unread": {"an annotation that nothing reads", []string{"hub", "dev/web=on,env=dev,@region=eu,@owner=x"}, []string{}, []string{}},
		"Label": {
			"a label that chooses another value file",
			[]string{"hub", "dev/web=on,env=prod,@region=eu"},
			[]string{"changed web-dev on dev; changed Deployment/web spec.replicas: 1 → 3"},
			[]string{"value values/prod.yaml: replicas 1 → 3 values/prod.yaml:1", "metadata cluster dev: metadata.labels.env dev → prod"},
		},
		"Switch": {
			"a label that a selector asks for",
			[]string{"hub", "dev/env=dev,@region=eu"},
			[]string{"removed web-dev on dev; removed Deployment/web"},
			[]string{"metadata cluster dev: metadata.labels.web on → (none)"},
		},
		"New": {
			"a cluster that comes",
			[]string{"hub", "dev/web=on,env=dev,@region=eu", "test/web=on,env=dev,@region=eu"},
			[]string{"added web-test on test; added Deployment/web"}, []string{"metadata cluster test is new"},
		},
		"Gone": {
			"a cluster that goes", []string{"hub"},
			[]string{"removed web-dev on dev; removed Deployment/web"}, []string{"metadata cluster dev is gone"},
		},
	}
	c := newCheckout(t, with(web(), treetest.Files{"set.yaml": setOf("web", `web: "on"`)}))
	base := clusters("hub", "dev/web=on,env=dev,@region=eu")
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := c.make(c.side("HEAD", base), c.side("HEAD", clusters(tc.head...)))
			if d := cmp.Diff(tc.want, told(f)); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
			var got []string
			for _, x := range causes(f) {
				if !strings.HasPrefix(x, "value values/") || strings.Contains(x, "replicas") {
					got = append(got, x)
				}
			}
			if d := cmp.Diff(strings.Join(tc.causes, "\n"), strings.Join(got, "\n")); d != "" {
				t.Errorf("%s: causes (-want +got):\n%s", tc.reason, d)
			}
		})
	}
}

func TestChangedSecretStandsForItself(t *testing.T) {
	c := newCheckout(t, with(web(), treetest.Files{"set.yaml": setOf("web", `web: "on"`)}))
	base := clusters("hub", "dev/web=on,env=dev,@region=eu")
	head := base.With(clusters("dev/web=on,env=dev,@region=ap").Clusters[0])
	f := c.make(c.side("HEAD", base), c.side("HEAD", head))
	want := []string{"value values of the Application: region eu → ap", "metadata cluster dev: metadata.annotations.region eu → ap"}
	if d := cmp.Diff(want, causes(f)); d != "" {
		t.Errorf("causes (-want +got):\n%s", d)
	}
}

func TestClusterSecretsOfTheRepositoryAreReadAtEachSide(t *testing.T) {
	secret := func(region string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata:\n  name: dev\n  labels: {argocd.argoproj.io/secret-type: cluster, web: 'on', env: dev}\n  annotations: {region: " + region +
			"}\nstringData: {name: dev, server: https://dev.example.com}\n"
	}
	c := newCheckout(t, with(web(), treetest.Files{"set.yaml": setOf("web", `web: "on"`), "clusters/dev.yaml": secret("eu")}))
	c.change(treetest.Files{"clusters/dev.yaml": secret("us")})
	base, head := c.side("HEAD~1", roster.Roster{}), c.side("HEAD", roster.Roster{})
	var err error
	if base.Roster, err = roster.FromFiles(base.Found.Clusters, roster.Builtin("1.36.3")); err != nil {
		t.Fatal(err)
	}
	if head.Roster, err = roster.FromFiles(head.Found.Clusters, roster.Builtin("1.36.3")); err != nil {
		t.Fatal(err)
	}
	f := c.make(base, head)
	want := []string{"changed web-dev on dev; changed Deployment/web spec.template.spec.containers[name=web].env[name=REGION].value: eu → us"}
	if d := cmp.Diff(want, told(f)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestClustersWithTheSameChangeAreOneGroup(t *testing.T) {
	c := newCheckout(t, with(web(), treetest.Files{"set.yaml": setOf("web", `web: "on"`)}))
	names := []string{"hub", "dev/web=on,env=dev,@region=eu"}
	for i := range 12 {
		names = append(names, fmt.Sprintf("prod-%d/web=on,env=prod,@region=eu-%d", i, i))
	}
	c.roster = clusters(names...)
	f := c.change(treetest.Files{"values/all.yaml": "replicas: 2\ntag: \"2\"\n", "values/prod.yaml": "replicas: 4\n"}).preview()
	want := []string{
		"changed web on 12 prod clusters; changed Deployment/web spec.replicas: 3 → 4 spec.template.spec.containers[name=web].image: example.com/web:1 → example.com/web:2",
		"changed web-dev on dev; changed Deployment/web spec.template.spec.containers[name=web].image: example.com/web:1 → example.com/web:2",
	}
	if d := cmp.Diff(want, told(f)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if n := len(f.Groups[0].Applications); n != 12 {
		t.Errorf("the group has %d applications", n)
	}
	if d := cmp.Diff([]forecast.Image{{Old: "example.com/web:1", New: "example.com/web:2", Objects: []string{"Deployment/web"}}}, f.Groups[0].Images); d != "" {
		t.Errorf("images (-want +got):\n%s", d)
	}
	if s := f.Summary; s.Changed != 13 || s.Unchanged != 0 || s.Objects.Changed != 13 {
		t.Errorf("the summary is %+v", s)
	}
}

func TestTargetRevisionThatMoves(t *testing.T) {
	c := newCheckout(t, treetest.Files{"a/cm.yaml": configMap("a", "1")})
	c.git("tag", "v1")
	c.change(treetest.Files{"a/cm.yaml": configMap("a", "2")})
	c.git("tag", "v2")
	pinned := func(tag string) string {
		return strings.Replace(application("a", "a", "dev"), "targetRevision: HEAD", "targetRevision: "+tag, 1)
	}
	c.change(treetest.Files{"a.yaml": pinned("v1")})
	c.change(treetest.Files{"a.yaml": pinned("v2"), "a/cm.yaml": configMap("a", "3")})
	f := c.preview()
	if d := cmp.Diff([]string{"changed a on dev; changed ConfigMap/a data.key: 1 → 2"}, told(f)); d != "" {
		t.Errorf("the tags say what is deployed, not the files of the change (-want +got):\n%s", d)
	}
}

func TestApplicationWithoutFinalizerLeavesItsObjects(t *testing.T) {
	kept := strings.Replace(application("a", "a", "dev"), "  finalizers: [resources-finalizer.argocd.argoproj.io]\n", "", 1)
	c := newCheckout(t, treetest.Files{"a/cm.yaml": configMap("a", "1"), "a.yaml": kept})
	f := c.change(treetest.Files{"a.yaml": ""}).preview()
	if d := cmp.Diff([]string{"removed a on dev"}, told(f)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if text := strings.Join(causes(f), "\n"); !strings.Contains(text, "its objects stay") {
		t.Errorf("the causes are: %s", text)
	}
}

func TestRisksReachTheForecast(t *testing.T) {
	crd := `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}, b: {type: string}}}}}]
`
	claim := "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"
	job := "apiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\nspec:\n  template:\n    spec: {restartPolicy: Never, containers: [{name: c, image: 'example.com/c:1'}]}\n"
	c := newCheckout(t, treetest.Files{
		"a.yaml": application("a", "a", "dev"), "a/crd.yaml": crd, "a/claim.yaml": claim, "a/job.yaml": job, "a/ns.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: old}\n",
	})
	f := c.change(treetest.Files{
		"a/crd.yaml": strings.Replace(crd, ", b: {type: string}", "", 1), "a/claim.yaml": "", "a/ns.yaml": "", "a/job.yaml": strings.Replace(job, "c:1", "c:2", 1),
	}).preview()
	kinds := map[forecast.RiskKind]string{}
	for _, g := range f.Groups {
		for _, r := range g.Risks {
			kinds[r.Kind] += r.Object + ";"
		}
	}
	for kind, object := range map[forecast.RiskKind]string{forecast.RiskCRDChanged: "things.example.com", forecast.RiskDeletion: "old", forecast.RiskImmutable: "once"} {
		if !strings.Contains(kinds[kind], object) {
			t.Errorf("no risk %s names %s: %v", kind, object, kinds)
		}
	}
	if !strings.Contains(kinds[forecast.RiskDeletion], "data") {
		t.Errorf("the claim goes: %v", kinds)
	}
}
