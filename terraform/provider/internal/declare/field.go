// Package declare makes Terraform resources out of kinds of Kubernetes
// objects. A kind lists its attributes in a table; the schema, the object that
// is applied, the plan, drift and import all follow from that table.
//
// The computed attribute object is what the resource applies, as JSON. Refresh
// puts in what the cluster has of it, so that drift is a difference between
// the two. Write-only attributes are in no plan, no state and no object.
package declare

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Shape is what an attribute holds.
type Shape int

// The shapes.
const (
	Text Shape = iota
	Flag
	Number
	Texts
	TextMap
	// Object has attributes of its own: Field.Fields.
	Object
	// Objects is a list of them.
	Objects
	// Manifest is a whole object in YAML, under all other attributes.
	Manifest
	// Document is any value in YAML or JSON, for what has too many forms.
	Document
)

// Field is one attribute.
type Field struct {
	// Name of the attribute.
	Name string
	// Path in the object, or in the object of the field around it: keys with
	// dots between them. A field without a path is placed by Kind.Complete.
	Path  string
	Shape Shape
	Doc   string
	// Required says that it must be given.
	Required bool
	// Filled says that the provider gives it a value where the user does not.
	Filled bool
	// WriteOnly values go to the cluster and nowhere else.
	WriteOnly bool
	// Standard is what a write-only attribute is when it is not given. It is
	// no secret, and shown.
	Standard string
	// Check refuses a write-only value, without repeating it.
	Check  func(value string) error
	Fields []Field
}

// key is where a write-only value is in stringData.
func (f Field) key() string { return strings.TrimPrefix(f.Path, inSecret) }

// inSecret begins the paths of what is in a Secret.
const inSecret = "stringData."

// attribute is the field's part of the schema.
func (f Field) attribute() schema.Attribute {
	optional := !f.Required
	switch f.Shape {
	case Flag:
		return schema.BoolAttribute{MarkdownDescription: f.Doc, Required: f.Required, Optional: optional}
	case Number:
		return schema.Int64Attribute{MarkdownDescription: f.Doc, Required: f.Required, Optional: optional}
	case Texts:
		return schema.ListAttribute{MarkdownDescription: f.Doc, ElementType: types.StringType, Required: f.Required, Optional: optional}
	case TextMap:
		return schema.MapAttribute{MarkdownDescription: f.Doc, ElementType: types.StringType, Required: f.Required, Optional: optional}
	case Object:
		return schema.SingleNestedAttribute{MarkdownDescription: f.Doc, Attributes: attributes(f.Fields), Required: f.Required, Optional: optional}
	case Objects:
		return schema.ListNestedAttribute{
			MarkdownDescription: f.Doc, NestedObject: schema.NestedAttributeObject{Attributes: attributes(f.Fields)}, Required: f.Required, Optional: optional,
		}
	case Text, Manifest, Document:
	}
	return schema.StringAttribute{
		MarkdownDescription: f.Doc, Required: f.Required, Optional: optional, Computed: f.Filled, WriteOnly: f.WriteOnly,
	}
}

func attributes(fields []Field) map[string]schema.Attribute {
	out := map[string]schema.Attribute{}
	for _, f := range fields {
		out[f.Name] = f.attribute()
	}
	return out
}
