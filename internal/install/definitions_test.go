package install

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/fake"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestRefusedDefinitions(t *testing.T) {
	named := func(status apiextensionsv1.ConditionStatus) *apiextensionsv1.CustomResourceDefinition {
		crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "applications.argoproj.io"}}
		crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{
			Type: apiextensionsv1.NamesAccepted, Status: status, Message: `"app" is already in use`,
		}}
		return crd
	}
	cases := map[string]struct {
		reason string
		crd    *apiextensionsv1.CustomResourceDefinition
		want   string
	}{
		"Waits":  {"what is only not served yet is waited for", named(apiextensionsv1.ConditionTrue), ""},
		"New":    {"nothing was said of it yet", &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "applications.argoproj.io"}}, ""},
		"Taken":  {"another definition has its names", named(apiextensionsv1.ConditionFalse), `"app" is already in use`},
		"Absent": {"somebody took it away", &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "other"}}, "not found"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := refused(t.Context(), fake.NewClientset(tc.crd).ApiextensionsV1(), "applications.argoproj.io")
			if (tc.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
