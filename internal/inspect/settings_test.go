package inspect

import (
	"context"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
)

// uncached is a client whose cache waits for what the engine may not list.
type uncached struct{ client.Client }

func (uncached) RESTMapper() meta.RESTMapper { return nil }

func (uncached) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	return fmt.Errorf("%T is looked for in the cache", into)
}

// nothing is an API server without objects.
type nothing struct{ client.Reader }

func (nothing) Get(_ context.Context, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	return apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, key.Name)
}

// TestLooksReadSettingsPastTheCache: the chart lets the engine get ConfigMaps and
// not list them, so that a cache of them would never be full.
func TestLooksReadSettingsPastTheCache(t *testing.T) {
	i := &Inspector{client: uncached{}, direct: nothing{}}
	set := &v1alpha1.ApplicationSet{Spec: v1alpha1.ApplicationSetSpec{Generators: []v1alpha1.ApplicationSetGenerator{
		{Plugin: &v1alpha1.PluginGenerator{ConfigMapRef: v1alpha1.PluginConfigMapRef{Name: "plug"}}},
	}}}
	for name, g := range map[string]bridge.Stages{"a look": liveStages{i, looks}, "a trial": &trial{inspector: i}} {
		if _, err := g.Expand(t.Context(), set, nil); err == nil || !strings.Contains(err.Error(), "ConfigMap plug does not exist") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
