package serve_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

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
