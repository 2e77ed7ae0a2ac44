package object

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const groupCRD = "apiextensions.k8s.io"

// schemas are those of custom resources whose definitions are among what is
// compared.
type schemas map[schema.GroupKind]customKind

type customKind struct {
	namespaced bool
	// versions have the schema of each version that has one.
	versions map[string]map[string]any
}

// newSchemas reads the CustomResourceDefinitions among manifests; of two for
// one kind the last counts.
func newSchemas(manifests ...[]gitops.Manifest) schemas {
	out := schemas{}
	for _, all := range manifests {
		for _, m := range all {
			if m.Object != nil && isCRD(m.Object.Object) {
				name, kind := readCRD(m.Object.Object)
				out[name] = kind
			}
		}
	}
	return out
}

func isCRD(object map[string]any) bool {
	version, _ := object["apiVersion"].(string)
	return object["kind"] == "CustomResourceDefinition" && strings.HasPrefix(version, groupCRD+"/")
}

func readCRD(crd map[string]any) (schema.GroupKind, customKind) {
	group, _ := at(crd, "spec", "group").(string)
	kind, _ := at(crd, "spec", "names", "kind").(string)
	out := customKind{namespaced: at(crd, "spec", "scope") != "Cluster", versions: map[string]map[string]any{}}
	for name, v := range versionsOf(crd) {
		if s, ok := at(v, "schema", "openAPIV3Schema").(map[string]any); ok {
			out.versions[name] = s
		}
	}
	return schema.GroupKind{Group: group, Kind: kind}, out
}

// versionsOf returns a CRD's versions by name.
func versionsOf(crd map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	list, _ := at(crd, "spec", "versions").([]any)
	for _, item := range list {
		v, _ := item.(map[string]any)
		if name, ok := v["name"].(string); ok {
			out[name] = v
		}
	}
	return out
}

func (s schemas) scope(group, kind string) (namespaced, known bool) {
	k, known := s[schema.GroupKind{Group: group, Kind: kind}]
	return k.namespaced, known
}

// shape is what is known of a kind: Kubernetes' own types first.
func (s schemas) shape(gvk schema.GroupVersionKind) shape {
	if out, ok := builtinShape(gvk); ok {
		return out
	}
	if open, ok := s[gvk.GroupKind()].versions[gvk.Version]; ok {
		return schemaShape(open)
	}
	return shape{}
}

func schemaShape(s map[string]any) shape {
	out := shape{schema: s}
	switch s["x-kubernetes-list-type"] {
	case "set":
		out.list.set = true
	case "map":
		keys, _ := s["x-kubernetes-list-map-keys"].([]any)
		for _, key := range keys {
			if name, ok := key.(string); ok {
				out.list.keys = append(out.list.keys, name)
			}
		}
	}
	return out
}

func schemaField(s map[string]any, name string) shape {
	if p, ok := at(s, "properties", name).(map[string]any); ok {
		return schemaShape(p)
	}
	if p, ok := s["additionalProperties"].(map[string]any); ok {
		return schemaShape(p)
	}
	return shape{}
}

// at follows keys into mappings; nil when something is not there.
func at(v any, keys ...string) any {
	for _, key := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}
