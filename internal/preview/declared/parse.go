package declared

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
)

// file is what one text declares, whatever it is called.
type file struct {
	items    []item
	warnings []warning
}

type item struct {
	object any
	line   int
}

type warning struct {
	reason, message string
	line            int
}

func (f *file) warnf(line int, reason, format string, args ...any) {
	f.warnings = append(f.warnings, warning{reason, fmt.Sprintf(format, args...), line})
}

func (f *file) into(name string, out *Found) {
	for _, i := range f.items {
		place := Place{name, i.line}
		switch o := i.object.(type) {
		case *v1alpha1.Application:
			out.Applications = append(out.Applications, Application{o, place})
		case *v1alpha1.ApplicationSet:
			out.Sets = append(out.Sets, Set{o, place})
		case *v1alpha1.AppProject:
			out.Projects = append(out.Projects, o)
		case *corev1.Secret:
			out.Clusters = append(out.Clusters, Cluster{o, place})
		case *corev1.ConfigMap:
			if o.Name == v1alpha1.ParamsName {
				out.Params = append(out.Params, o)
				continue
			}
			out.Settings = append(out.Settings, o)
		case *causeway.MetadataSchema:
			out.Schemas = append(out.Schemas, Schema{o, place})
		}
	}
	for _, w := range f.warnings {
		out.Warnings = append(out.Warnings, gitops.Warning{
			Reason: w.reason, Message: w.message, Origin: gitops.Origin{File: name, Line: w.line},
		})
	}
}

// marks are what a file must hold to be worth parsing.
var marks = [][]byte{[]byte(v1alpha1.Group), []byte(v1alpha1.SettingsName), []byte(v1alpha1.ParamsName), []byte(causeway.MetadataSchemaKind)}

func parse(text []byte) *file {
	f := &file{}
	worth := false
	for _, m := range marks {
		worth = worth || bytes.Contains(text, m)
	}
	if !worth {
		return f
	}
	for _, part := range document.Split(text) {
		f.part(part)
	}
	return f
}

func (f *file) part(p document.Part) {
	docs, err := document.Read(p.Text)
	if err != nil {
		f.broken(p, err)
		return
	}
	known := &lines{text: p.Text, first: p.Line}
	for _, d := range docs {
		line := p.Line + d.Line - 1
		objects, err := document.Open(d.Object)
		if err != nil {
			continue
		}
		if d.Duplicate != nil && declares(objects) {
			f.warnf(p.Line+d.Duplicate.Line-1, "DuplicateKey", "%s; the last of them counts", d.Duplicate.Text)
		}
		for _, o := range objects {
			f.object(known, o, line)
		}
	}
}

// broken tells of a text that was meant to declare something of ours.
func (f *file) broken(p document.Part, err error) {
	if !ours.Match(p.Text) || template(p.Text) {
		return
	}
	e := document.AsError(err)
	last := bytes.Count(bytes.TrimSuffix(p.Text, []byte("\n")), []byte("\n")) // the reader may point behind the end
	f.warnf(p.Line+min(max(e.Line-1, 0), last), "BrokenYAML", "the document cannot be read, so what it declares is left out: %s", e.Text)
}

var (
	// ours is the version of an object of Argo CD's, not one within another text.
	ours = regexp.MustCompile(`(?m)^["']?apiVersion["']?:[\t ]*["']?` + regexp.QuoteMeta(v1alpha1.Group) + `/`)
	// statement is a line of a template of another tool. The placeholders of
	// ApplicationSets stand inside of lines.
	statement = regexp.MustCompile(`(?m)^[\t ]*(?:-[\t ]+)?(?:\{\{|\{%)`)
	// bare is a placeholder without quotes, which is no YAML.
	bare    = regexp.MustCompile(`(?m):[\t ]+\$?\{\{`)
	someSet = regexp.MustCompile(`(?m)^kind:[\t ]+["']?ApplicationSet\b`)
)

// template reports whether a text is for another tool to fill in first.
func template(text []byte) bool {
	return statement.Match(text) || bare.Match(text) && !someSet.Match(text)
}

func declares(objects []*unstructured.Unstructured) bool {
	for _, o := range objects {
		if o.GroupVersionKind().Group == v1alpha1.Group {
			return true
		}
	}
	return false
}

func (f *file) object(known *lines, o *unstructured.Unstructured, line int) {
	into := target(o)
	if into == nil {
		return
	}
	raw, err := json.Marshal(o.Object)
	if err != nil {
		return
	}
	unknown, err := kjson.UnmarshalStrict(raw, into)
	if err != nil {
		f.warnf(line, "WrongType", "this %s is left out: %v", o.GetKind(), err)
		return
	}
	if fragment(into) {
		return
	}
	if strings.Contains(o.GetName(), "{{") || o.GetName() == "" {
		f.warnf(line, "Template", "the %s named %q is a template of another tool, so it is left out", o.GetKind(), o.GetName())
		return
	}
	if group := o.GroupVersionKind().Group; group == v1alpha1.Group || group == causeway.Group {
		for _, u := range unknown {
			f.unknown(known, o, u)
		}
	}
	f.items = append(f.items, item{into, line})
}

// target is the type of what an object declares; nil when it is nothing of ours.
func target(o *unstructured.Unstructured) runtime.Object {
	gvk := o.GroupVersionKind()
	switch {
	case gvk.Group == v1alpha1.Group && gvk.Kind == v1alpha1.ApplicationKind:
		return &v1alpha1.Application{}
	case gvk.Group == v1alpha1.Group && gvk.Kind == v1alpha1.ApplicationSetKind:
		return &v1alpha1.ApplicationSet{}
	case gvk.Group == v1alpha1.Group && gvk.Kind == v1alpha1.AppProjectKind:
		return &v1alpha1.AppProject{}
	case gvk.Group == causeway.Group && gvk.Kind == causeway.MetadataSchemaKind:
		return &causeway.MetadataSchema{}
	case gvk.Group == "" && gvk.Kind == "Secret" && o.GetLabels()[v1alpha1.LabelSecretType] == v1alpha1.SecretTypeCluster:
		return &corev1.Secret{}
	case gvk.Group == "" && gvk.Kind == "ConfigMap" && (o.GetName() == v1alpha1.SettingsName || o.GetName() == v1alpha1.ParamsName):
		return &corev1.ConfigMap{}
	}
	return nil
}

// fragment reports whether an object is only a part of one, as patches are.
func fragment(o runtime.Object) bool {
	switch o := o.(type) {
	case *v1alpha1.Application:
		return len(o.Spec.GetSources()) == 0
	case *v1alpha1.ApplicationSet:
		return len(o.Spec.Generators) == 0
	case *causeway.MetadataSchema:
		return len(o.Spec.Keys) == 0
	}
	return false
}

// unknown warns of a field that the API server would drop.
func (f *file) unknown(known *lines, o *unstructured.Unstructured, err error) {
	field := strings.TrimPrefix(err.Error(), "unknown field ")
	field = strings.Trim(field, `"`)
	if strings.HasPrefix(err.Error(), "duplicate field") || strings.HasPrefix(field, "status") {
		return
	}
	f.warnf(known.first+max(known.of(field)-1, 0), "UnknownField", "%s %s has no field %s; the API server drops it", o.GetKind(), o.GetName(), field)
}
