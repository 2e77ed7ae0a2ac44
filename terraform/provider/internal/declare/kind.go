package declare

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// Kind is a resource type: each of its resources is one object of a cluster.
type Kind struct {
	// Type without the provider's prefix.
	Type string
	Doc  string
	// APIVersion and Kind of the objects; empty where each manifest has its own.
	APIVersion, Kind string
	Fields           []Field
	// Version is the attribute that tells of new write-only values.
	Version string
	// Complete adds to the object what no path says. It sees all attributes by
	// their names; those that are not given are missing.
	Complete func(given map[string]any, o *unstructured.Unstructured) error
	// Absorb is the reverse for imports: the attributes without a path.
	Absorb func(live *unstructured.Unstructured) map[string]any
	// Adopt refuses an object that is there already and is of another sort than
	// the kind makes, or is kept by somebody else, whatever the user says.
	Adopt func(live *unstructured.Unstructured) error
	// Unclaimed tells an object that is nobody's, though it is there already.
	Unclaimed func(live *unstructured.Unstructured) bool
	// Plain are keys of a Secret that no attribute has alone, and that are no
	// secret.
	Plain []string
	// Hides tells a value of a plain key that is a secret all the same.
	Hides func(key, value string) bool
	// Leaving tells what the deletion of an object does to others; nothing
	// where it does nothing.
	Leaving func(ctx context.Context, hub *object.Client, o *unstructured.Unstructured) (Notice, error)
	// Shareable kinds may be of objects that others write as well.
	Shareable bool
	// MovedFrom are resource types of the provider for Kubernetes whose state
	// can become this kind's, with a moved block.
	MovedFrom []string
}

// Notice is a warning of a plan.
type Notice struct{ Summary, Detail string }

// Names of the attributes that each resource has.
const (
	attrID         = "id"
	attrObject     = "object"
	attrSecrets    = "secrets"
	attrProtection = "deletion_protection"
	attrNamespace  = "namespace"
	attrShared     = "shared"
	attrAdopt      = "adopt"
)

// Named are the attributes of kinds whose objects are named by the user.
func Named(more ...Field) []Field {
	return append([]Field{
		{Name: "name", Path: "metadata.name", Doc: "Name of the object. It may come from `manifest` instead."},
		Namespace(),
		{Name: "labels", Path: "metadata.labels", Shape: TextMap, Doc: "Labels of the object. Labels that others add are left alone."},
		{Name: "annotations", Path: "metadata.annotations", Shape: TextMap, Doc: "Annotations of the object. Those that others add are left alone."},
		{Name: "manifest", Shape: Manifest, Doc: "The object in YAML, for fields that have no attribute. Attributes win over it."},
	}, more...)
}

// Namespace is the attribute of the object's namespace.
func Namespace() Field {
	return Field{Name: attrNamespace, Path: "metadata.namespace", Filled: true, Doc: "Namespace of the object (default: that of `manifest`, then that of the provider, then `argocd`)."}
}

func (k Kind) schema() schema.Schema {
	all := attributes(k.Fields)
	all[attrID] = schema.StringAttribute{Computed: true, MarkdownDescription: "`NAMESPACE/NAME`, which is also what is imported."}
	all[attrObject] = schema.StringAttribute{Computed: true, MarkdownDescription: "What the resource applies, as JSON. A plan that shows it changing shows drift."}
	all[attrProtection] = schema.BoolAttribute{Optional: true, MarkdownDescription: "Refuse to delete the object, or to replace it by one of another name, until this is false and applied."}
	all[attrAdopt] = schema.BoolAttribute{
		Optional:            true,
		MarkdownDescription: "Take an object that is there already and that somebody else made: it becomes the resource's, and destroying the resource deletes it. Without it that is an error (default false).",
	}
	if k.Shareable {
		all[attrShared] = schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Others write the object, too: destroying the resource takes away what Terraform alone wrote of it, and deletes the object only where nobody else wrote to it.",
		}
	}
	if k.Version != "" {
		all[attrSecrets] = schema.MapAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "The keys with write-only values: `applied`, or `changed elsewhere` until the next apply. Never a value.",
		}
	}
	return schema.Schema{MarkdownDescription: k.Doc, Attributes: all}
}

// id names an object for imports.
func (k Kind) id(o *unstructured.Unstructured) string {
	id := o.GetNamespace() + "/" + o.GetName()
	if k.Kind == "" {
		return o.GetAPIVersion() + "/" + o.GetKind() + "/" + id
	}
	return id
}

// parse is the reverse of id. A name alone is in the given namespace.
func (k Kind) parse(id, namespace string) (*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	parts := strings.Split(id, "/")
	if k.Kind != "" {
		if len(parts) == 1 {
			parts = []string{namespace, id}
		}
		if len(parts) != 2 || parts[1] == "" {
			return nil, errors.New("write NAMESPACE/NAME")
		}
		o.SetAPIVersion(k.APIVersion)
		o.SetKind(k.Kind)
		o.SetNamespace(parts[0])
		o.SetName(parts[1])
		return o, nil
	}
	n := len(parts)
	if n < 4 || n > 5 || parts[n-1] == "" {
		return nil, errors.New("write APIVERSION/KIND/NAMESPACE/NAME; the namespace of an object that has none is empty, as in v1/Namespace//shop")
	}
	o.SetAPIVersion(strings.Join(parts[:n-3], "/"))
	o.SetKind(parts[n-3])
	o.SetNamespace(parts[n-2])
	o.SetName(parts[n-1])
	return o, nil
}
