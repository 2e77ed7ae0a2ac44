package secretfleet

import (
	"context"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/deploy"
)

// lacking is an API server that has some definitions, of which some were created by somebody.
type lacking struct {
	client.Client

	has     map[string]string
	created *[]string
}

func (l lacking) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	by, ok := l.has[name.Name]
	if !ok {
		return apierrors.NewNotFound(apiextensionsv1.Resource("customresourcedefinitions"), name.Name)
	}
	crd, _ := into.(*apiextensionsv1.CustomResourceDefinition)
	crd.Labels = map[string]string{"app.kubernetes.io/managed-by": by}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true}}
	crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue}}
	return nil
}

func (l lacking) Create(_ context.Context, crd client.Object, _ ...client.CreateOption) error {
	*l.created = append(*l.created, crd.GetName()+" of "+crd.GetLabels()["app.kubernetes.io/managed-by"])
	return nil
}

// TestDefinitionsThatAreLacking are created where none are, and go on being created when that broke off; never beside those of
// others, whose release would fail at what it does not own.
func TestDefinitionsThatAreLacking(t *testing.T) {
	all, err := deploy.SecretCRDs()
	if err != nil {
		t.Fatal(err)
	}
	const secrets, stores, ofAll = "externalsecrets.external-secrets.io", "secretstores.external-secrets.io", "clustersecretstores.external-secrets.io"
	for name, tc := range map[string]struct {
		reason  string
		has     map[string]string
		created int
		want    string
	}{
		"none":        {"all of them", nil, len(all), "does not serve it yet"},
		"broken off":  {"those that are lacking beside its own", map[string]string{secrets: "causeway"}, len(all) - 1, "does not serve it yet"},
		"others":      {"a generator that an older chart has not is not needed", map[string]string{secrets: "Helm", stores: "Helm", ofAll: "Helm"}, 0, ""},
		"mixed":       {"also where the engine created some before", map[string]string{secrets: "causeway", stores: "causeway", ofAll: "Helm"}, 0, ""},
		"not enough":  {"without stores there is nothing to do", map[string]string{secrets: "Helm", stores: ""}, 0, "and not ClusterSecretStore"},
		"not secrets": {"nor without what is made", map[string]string{stores: "Helm", ofAll: "Helm"}, 0, "and not ExternalSecret"},
	} {
		var created []string
		err := defineAll(t.Context(), lacking{has: tc.has, created: &created}, all)
		if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) || len(created) != tc.created {
			t.Errorf("%s: %s: %v, created %v", name, tc.reason, err, created)
		}
		for _, one := range created {
			if !strings.HasSuffix(one, " of causeway") {
				t.Errorf("%s: %s", name, one)
			}
		}
	}
}
