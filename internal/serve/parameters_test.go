package serve_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
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
