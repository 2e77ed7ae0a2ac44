package serve_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

const actionObjects = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}]}
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
spec:
  schedule: "0 0 1 1 *"
  jobTemplate:
    spec: {template: {spec: {restartPolicy: Never, containers: [{name: report, image: "report:1"}]}}}
`

// Actions of live objects are found, tried and carried out by the API: what a
// dry run shows is not written, what is done is in the audit before, and who
// may not is denied. Objects of nobody's are not there.
func TestAPIRunsActions(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": actionObjects})
	s.App("app", "app", manual)
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	v := s.visitor("")
	v.signIn(t)
	v.wants(t, http.StatusAccepted, http.MethodPost, at+"/sync", api.Sync{}, nil)
	sees(t, v, at, func(a *api.Application) error {
		if len(a.Resources) != 2 || slices.ContainsFunc(a.Resources, func(r api.Resource) bool { return r.Sync != "Synced" }) {
			return fmt.Errorf("its objects are %+v", a.Resources)
		}
		return nil
	})
	namespace := s.Namespace
	object := func(group, kind, name string) string {
		return at + "/objects/actions?group=" + group + "&version=v1&kind=" + kind + "&objectNamespace=" + namespace + "&objectName=" + name
	}
	web := object("apps", "Deployment", "web")
	var actions []api.Action
	v.wants(t, http.StatusOK, http.MethodGet, web, nil, &actions)
	if !slices.ContainsFunc(actions, func(a api.Action) bool { return a.Name == "restart" && a.Permitted && !a.Disabled }) {
		t.Errorf("a Deployment has the actions %+v", actions)
	}
	const restarted = "kubectl.kubernetes.io/restartedAt"
	var done []api.Acted
	annotation := func() string {
		d := &appsv1.Deployment{}
		if err := s.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "web"}, d); err != nil {
			t.Fatal(err)
		}
		return d.Spec.Template.Annotations[restarted]
	}
	v.wants(t, http.StatusOK, http.MethodPost, web, api.Act{Action: "restart", DryRun: true}, &done)
	if len(done) != 1 || len(done[0].Changes) == 0 || !strings.Contains(done[0].After, restarted) || annotation() != "" {
		t.Errorf("a dry run gives %+v, and the Deployment was restarted at %q", done, annotation())
	}
	v.wants(t, http.StatusOK, http.MethodPost, web, api.Act{Action: "restart"}, &done)
	if annotation() == "" {
		t.Error("the Deployment was not restarted")
	}
	audited(t, v, "verb=action/apps/Deployment/restart&outcome=allowed", "the restart", func(e *audit.Entry) bool {
		return e.Name == s.ID("app") && slices.ContainsFunc(e.Changes, func(c audit.Change) bool { return strings.HasPrefix(c.Path, "apps/Deployment:"+namespace+"/web ") })
	})
	v.wants(t, http.StatusOK, http.MethodPost, object("batch", "CronJob", "report"), api.Act{Action: "create-job"}, &done)
	clients, err := kubernetes.NewForConfig(s.Hub)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := clients.BatchV1().Jobs(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(jobs.Items) != 1 || !strings.HasPrefix(jobs.Items[0].Name, "report-") {
		t.Errorf("the action made %+v, %v", jobs, err)
	}
	v.wants(t, http.StatusNotFound, http.MethodPost, web, api.Act{Action: "explode"}, nil)
	v.wants(t, http.StatusNotFound, http.MethodPost, object("apps", "Deployment", "others"), api.Act{Action: "restart"}, nil)
	reader := s.account("reader", "get", "list")
	s.may("reader", "apps", "deployments", "get")
	var seen []api.Action
	reader.wants(t, http.StatusOK, http.MethodGet, web, nil, &seen)
	if slices.ContainsFunc(seen, func(a api.Action) bool { return a.Permitted }) {
		t.Errorf("who may only read may do %+v", seen)
	}
	reader.wants(t, http.StatusForbidden, http.MethodPost, web, api.Act{Action: "restart"}, nil)
}

// Where values come from, and what a set gives, is told by the API.
func TestAPIExplains(t *testing.T) {
	s := serveSite(t, map[string]string{
		"app/kustomization.yaml": "namePrefix: dev-\nresources: [a.yaml]\nimages:\n  - name: web\n    newTag: \"2\"\n",
		"app/a.yaml":             "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n",
	})
	s.App("app", "app", manual, func(a *v1alpha1.Application) {
		a.Spec.Source.Kustomize = &v1alpha1.ApplicationSourceKustomize{NamePrefix: "prod-"}
	})
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "made"}}
	set.Spec.Generators = []v1alpha1.ApplicationSetGenerator{{List: &v1alpha1.ListGenerator{Elements: []apiextensionsv1.JSON{{Raw: []byte(`{"env": "dev", "password": "hunter2"}`)}, {Raw: []byte(`{"env": "prod"}`)}}}}}
	set.Spec.Template.Name = s.ID("made") + "-{{env}}"
	set.Spec.Template.Spec = v1alpha1.ApplicationSpec{
		Project: "default", Source: &v1alpha1.ApplicationSource{RepoURL: apptest.RepoURL, Path: "app", TargetRevision: "HEAD"},
		Destination: v1alpha1.ApplicationDestination{Server: "https://kubernetes.default.svc", Namespace: s.Namespace},
	}
	if err := s.Create(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	v := s.visitor("")
	v.signIn(t)
	sees(t, v, "/applications/"+s.Namespace+"/"+s.ID("app")+"/parameters", func(p *api.Parameters) error {
		if len(p.Sources) != 1 || p.Sources[0].Type != "Kustomize" {
			return fmt.Errorf("its sources are %+v", p.Sources)
		}
		at := slices.IndexFunc(p.Sources[0].Values, func(v api.Parameter) bool { return strings.Join(v.Path, ".") == "namePrefix" })
		if at < 0 {
			return errors.New("no prefix is told of")
		}
		prefix := p.Sources[0].Values[at]
		if prefix.Value != "prod-" || len(prefix.Layers) != 2 || prefix.Layers[0].Where != "app/kustomization.yaml:1" || prefix.Layers[1].Kind != "source" {
			return fmt.Errorf("the prefix is %+v", prefix)
		}
		return nil
	})
	path := "/applicationsets/" + s.Namespace + "/made"
	sees(t, v, path, func(d *api.SetDetail) error {
		made := d.Expansion.Applications
		switch {
		case d.Expansion.Problem != "" || len(made) != 2 || d.Expansion.Total != 2:
			return fmt.Errorf("it gives %+v", d.Expansion)
		case made[0].Parameters["env"] != "dev" || strings.Contains(made[0].Parameters["password"], "hunter2"):
			return fmt.Errorf("its parameters are %v", made[0].Parameters)
		case made[0].Manifest != "" || made[1].Manifest != "":
			return errors.New("it has manifests, where none was asked for")
		}
		return nil
	})
	sees(t, v, path+"?application="+s.ID("made")+"-dev", func(d *api.SetDetail) error {
		if made := d.Expansion.Applications; len(made) != 1 || !strings.Contains(made[0].Manifest, "name: "+s.ID("made")+"-dev") {
			return fmt.Errorf("the template gives %+v", made)
		}
		return nil
	})
	v.wants(t, http.StatusAccepted, http.MethodPost, path+"/refresh", nil, nil)
	audited(t, v, "verb=refresh", "the refresh", func(e *audit.Entry) bool { return e.Resource == "applicationsets" && e.Name == "made" })
}
