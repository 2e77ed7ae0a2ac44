package serve_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// A value that becomes that of a Secret is masked among the parameters; where the
// Application cannot be rendered it is not known which ones do, and none is shown.
func TestParametersOfWhatCannotBeRendered(t *testing.T) {
	s := serveSite(t, map[string]string{
		"chart/Chart.yaml":            "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
		"chart/values.yaml":           "endpoint: treasure-of-the-database\nbroken: false\n",
		"chart/templates/secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: database}\nstringData: {where: '{{ .Values.endpoint }}'}\n",
		"chart/templates/broken.yaml": "{{ if .Values.broken }}{{ fail \"it is broken\" }}{{ end }}\n",
	})
	s.App("good", "chart", manual)
	s.App("broken", "chart", manual, func(app *v1alpha1.Application) {
		app.Spec.Source.Helm = &v1alpha1.ApplicationSourceHelm{Parameters: []v1alpha1.HelmParameter{{Name: "broken", Value: "true"}}}
	})
	v := s.visitor("")
	v.signIn(t)
	for _, name := range []string{"good", "broken"} {
		sees(t, v, "/applications/"+s.Namespace+"/"+s.ID(name)+"/parameters", func(p *api.Parameters) error {
			text := fmt.Sprintf("%+v", p.Sources)
			if !strings.Contains(text, "endpoint") {
				return errors.New("the parameters are not known yet")
			}
			if strings.Contains(text, "treasure") {
				return fmt.Errorf("%s: %s", name, text)
			}
			if (p.Masked != "") != (name == "broken") {
				return fmt.Errorf("%s: that no value is shown is told as %q", name, p.Masked)
			}
			return nil
		})
	}
}

// Of a cluster that never answered it is not known what it serves, nor what
// becomes of values there: they are told of, and none is shown.
func TestParametersOfAClusterThatNeverAnswered(t *testing.T) {
	s := serveSite(t, map[string]string{
		"chart/Chart.yaml":         "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
		"chart/values.yaml":        "endpoint: treasure-of-the-database\n",
		"chart/templates/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: database}\ndata: {where: '{{ .Values.endpoint }}'}\n",
	})
	hole := listen(t) // nobody takes what it is told
	t.Cleanup(func() { _ = hole.Close() })
	far := s.ID("far")
	s.Make(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "far", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
		StringData: map[string]string{"name": far, "server": "https://" + hole.Addr().String(), "config": connection(t, s.Hub)},
	})
	s.App("app", "chart", manual, func(app *v1alpha1.Application) { app.Spec.Destination.Name = far })
	v := s.visitor("")
	v.signIn(t)
	sees(t, v, "/applications/"+s.Namespace+"/"+s.ID("app")+"/parameters", func(p *api.Parameters) error {
		text := fmt.Sprintf("%+v", p.Sources)
		if !strings.Contains(text, "endpoint") || strings.Contains(text, "treasure") || !strings.Contains(p.Masked, far) {
			return fmt.Errorf("the parameters are %s, masked for %q", text, p.Masked)
		}
		return nil
	})
}

// A field of an object is told with its file and the keys of its cluster that it
// follows, on the API and by the command; a value that is secret is masked, also
// where only what stands beside it tells so.
func TestOriginOfAField(t *testing.T) {
	c := newTerminal(t)
	s := c.site
	near := s.ID("near")
	s.Make(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "near", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "environment": "near"}, Annotations: map[string]string{"colour": "red"}},
		StringData: map[string]string{"name": near, "server": s.Hub.Host + "/", "config": connection(t, s.Hub)},
	})
	s.Write("web/deployment.yaml", originDeployment)
	s.Write("web/kustomization.yaml", "resources: [deployment.yaml]\n")
	set := &v1alpha1.ApplicationSet{}
	text := fmt.Sprintf(`
metadata: {name: nears}
spec:
  generators: [{clusters: {selector: {matchLabels: {environment: near}}}}]
  template:
    metadata: {name: '{{name}}-web'}
    spec:
      project: team
      source: {repoURL: '%s', path: web, kustomize: {commonLabels: {colour: '{{metadata.annotations.colour}}'}}}
      destination: {name: '{{name}}', namespace: default}
`, apptest.RepoURL)
	if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
		t.Fatal(err)
	}
	s.Make(set)
	v := s.visitor("")
	v.signIn(t)
	field := "/applications/" + s.Namespace + "/" + near + "-web/field?object=Deployment/web&path="
	sees(t, v, field+"metadata.labels.colour", func(f *api.FieldOrigin) error {
		k := f.Keys
		if f.Value != "red" || !strings.HasPrefix(f.Where, "web/deployment.yaml") || k.Set != "nears" || k.Cluster != near || len(k.Keys) != 1 || k.Keys[0].Name != "colour" ||
			k.Keys[0].Value != "red" || !slices.Equal(k.Keys[0].Through, []string{"spec.source.kustomize.commonLabels.colour"}) {
			return fmt.Errorf("the label comes from %+v, %+v", f, f.Keys)
		}
		return nil
	})
	for path, want := range map[string]any{
		"spec.template.spec.containers[0].env[0].value": redact.Mask, "spec.template.spec.containers[0].env[1].value": "eu", "spec.replicas": 2.0,
	} {
		sees(t, v, field+url.QueryEscape(path), func(f *api.FieldOrigin) error {
			if f.Value != want || len(f.Keys.Keys) > 0 || f.Keys.Tried != 2 { // the label that selects it, and the colour
				return fmt.Errorf("%s comes from %+v, %+v", path, f, f.Keys)
			}
			return nil
		})
	}
	v.wants(t, http.StatusNotFound, http.MethodGet, strings.Replace(field, "/web&", "/wep&", 1)+"spec", nil, nil)
	got := c.byServer(t.Context(), "why", near+"-web", "--value", "Deployment/web:metadata.labels.colour")
	if got.Code != 0 || !strings.Contains(got.Out, "follows annotation colour = \"red\"") || !strings.Contains(got.Out, "    through spec.source.kustomize.commonLabels.colour\n") {
		t.Errorf("the command tells %+v", got)
	}
}

const originDeployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: web
        env: [{name: DB_PASSWORD, value: treasure}, {name: REGION, value: eu}]
`
