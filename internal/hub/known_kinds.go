package hub

import (
	"fmt"
	"net/http"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// knownKinds is the mapper of the hub. The cache asks it at each read whether the kind
// has namespaces, and to work that out takes more than the read: of kinds without which
// there is no engine the first answer stays.
type knownKinds struct {
	meta.RESTMapper

	mappings sync.Map // of schema.GroupVersionKind, to *meta.RESTMapping
}

// NewMapper asks the hub which kinds it serves, those of every installation once.
func NewMapper(c *rest.Config, client *http.Client) (meta.RESTMapper, error) {
	inner, err := apiutil.NewDynamicRESTMapper(c, client)
	if err != nil {
		return nil, fmt.Errorf("cannot ask the hub for its APIs: %w", err)
	}
	return &knownKinds{RESTMapper: inner}, nil
}

// RESTMapping implements meta.RESTMapper.
func (k *knownKinds) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if len(versions) != 1 || !always(kind) {
		return k.RESTMapper.RESTMapping(kind, versions...)
	}
	gvk := kind.WithVersion(versions[0])
	if known, ok := k.mappings.Load(gvk); ok {
		mapping, _ := known.(*meta.RESTMapping)
		return mapping, nil
	}
	mapping, err := k.RESTMapper.RESTMapping(kind, versions...)
	if err == nil {
		k.mappings.Store(gvk, mapping)
	}
	return mapping, err
}

// always reports whether a kind is there as long as the engine is.
func always(kind schema.GroupKind) bool {
	switch kind.Group {
	case v1alpha1.Group:
		return kind.Kind == v1alpha1.ApplicationKind || kind.Kind == v1alpha1.ApplicationSetKind || kind.Kind == v1alpha1.AppProjectKind
	case corev1.GroupName:
		return kind.Kind == "Secret" || kind.Kind == "ConfigMap"
	}
	return false
}
