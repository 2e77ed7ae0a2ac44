package scenario

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// givenLabels are those that the API server itself puts on Namespaces and Jobs.
var givenLabels = []string{
	"kubernetes.io/metadata.name", "controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name",
}

// own is the prefix of the engine's own annotations, which no recording can have.
const own = "causeway.io/"

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// compareLive holds the story's objects to the recorded ones.
func (p *player) compareLive(ctx context.Context, want recorded) (string, error) {
	for kind, count := range want.Counts {
		found, err := p.list(ctx, kind)
		if err != nil {
			return "", err
		}
		if len(found) != count {
			return fmt.Sprintf("live: %d of kind %s, want %d", len(found), kind, count), nil
		}
	}
	if want.Counts != nil {
		return "", nil
	}
	shapes := p.shapes()
	var got []object
	for _, kind := range p.kinds() {
		found, err := p.list(ctx, kind)
		if err != nil {
			return "", err
		}
		for _, o := range found {
			got = append(got, shown(o, shapes[shapeOf(kind, shortened((&unstructured.Unstructured{Object: o}).GetName()))]))
		}
	}
	var wanted []object
	for _, o := range want.Live {
		if o["absent"] != true {
			wanted = append(wanted, o)
		}
	}
	if diff := cmp.Diff(sorted(wanted), sorted(got)); diff != "" {
		return "live: " + diff, nil
	}
	return "", nil
}

func sorted(list []object) []object {
	place := func(o object) string { return fmt.Sprint(o["kind"], o["namespace"], o["name"]) }
	slices.SortFunc(list, func(a, b object) int { return strings.Compare(place(a), place(b)) })
	return list
}

// kinds are those of the story's recorded objects.
func (p *player) kinds() []string {
	var kinds []string
	for _, step := range p.expected.Steps {
		for _, o := range step.Live {
			if kind := o["kind"].(string); !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
		for _, text := range slices.Concat(step.Writes...) {
			if kind := strings.Fields(text)[1]; !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// list returns the story's objects of a kind, with names where the recording has them.
func (p *player) list(ctx context.Context, kind string) ([]object, error) {
	gvk, err := p.kindFor(kind)
	if err != nil {
		return nil, nil //nolint:nilerr // nothing is there of a kind that is not served
	}
	var out []object
	for _, namespace := range p.places(gvk) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk)
		if err := p.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return nil, client.IgnoreNotFound(err)
		}
		for i := range list.Items {
			if o := &list.Items[i]; p.mine(kind, o) {
				out = append(out, p.masked(o))
			}
		}
	}
	return out, nil
}

// places are the namespaces that can hold a story's objects of a kind; "" for
// all: there are many stories, and each leaves its objects.
func (p *player) places(gvk schema.GroupVersionKind) []string {
	mapping, err := p.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil || mapping.Scope.Name() == meta.RESTScopeNameRoot || gvk.Kind == "Application" {
		return []string{""}
	}
	return p.Namespaces
}

func (p *player) mine(kind string, o *unstructured.Unstructured) bool {
	switch {
	case kind == "Application":
		return o.GetName() != p.Name && p.owns(o.GetName())
	case kind == "Namespace":
		return slices.Contains(p.Namespaces, o.GetName())
	case o.GetNamespace() != "":
		return slices.Contains(p.Namespaces, o.GetNamespace())
	}
	return p.owns(o.GetName())
}

func (p *player) kindFor(kind string) (schema.GroupVersionKind, error) {
	if gvr, ok := watched[kind]; ok {
		return schema.GroupVersionKind{Group: gvr.Group, Version: gvr.Version, Kind: kind}, nil
	}
	return p.RESTMapper().KindFor(schema.GroupVersionResource{Resource: strings.ToLower(kind) + "s"})
}

// shown cuts an object as the recording is cut: metadata, data, and of the
// rest the fields that occur in the story.
func shown(o, shape object) object {
	u := unstructured.Unstructured{Object: o}
	out := object{"kind": o["kind"], "name": shortened(u.GetName())}
	put := func(key string, value any, empty bool) {
		if !empty {
			out[key] = value
		}
	}
	annotations := u.GetAnnotations()
	maps.DeleteFunc(annotations, func(name, _ string) bool { return name == lastApplied || strings.HasPrefix(name, own) })
	labels := u.GetLabels()
	for _, given := range givenLabels {
		delete(labels, given)
	}
	put("namespace", u.GetNamespace(), u.GetNamespace() == "")
	put("labels", words(labels), len(labels) == 0)
	put("annotations", words(annotations), len(annotations) == 0)
	put("finalizers", list(u.GetFinalizers()), len(u.GetFinalizers()) == 0)
	put("deleting", true, u.GetDeletionTimestamp() == nil)
	for key, part := range shape {
		if value := o[key]; value != nil {
			out[key] = cut(value, part)
		}
	}
	return out
}

func words(m map[string]string) object {
	out := object{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func list(items []string) []any {
	var out []any
	for _, item := range items {
		out = append(out, item)
	}
	return out
}

func shapeOf(kind, name string) string { return kind + " " + name }

// shapes are the fields of each object that occur in the story, by kind and name.
func (p *player) shapes() map[string]object {
	out := map[string]object{}
	add := func(o object) {
		kind, _ := o["kind"].(string)
		name, _ := o["name"].(string)
		if name == "" {
			name = (&unstructured.Unstructured{Object: o}).GetName()
		}
		kind = shapeOf(kind, name)
		shape := object{}
		for key, value := range o {
			switch key {
			case "apiVersion", "kind", "metadata", "status", "name", "namespace", "labels", "annotations", "finalizers", "absent", "deleting":
			default:
				shape[key] = value
			}
		}
		merged, _ := merge(out[kind], shape).(object)
		out[kind] = merged
	}
	for _, step := range p.expected.Steps {
		for _, o := range step.Live {
			add(o)
		}
	}
	for _, s := range p.Steps {
		for _, a := range s.Actions {
			if a.Patch != nil {
				add(merge(a.Patch.Merge, object{"kind": a.Patch.Kind, "name": a.Patch.Name}).(object))
			}
		}
	}
	for _, o := range manifests(p.dir) {
		if o["kind"] != "Application" && o["kind"] != "CustomResourceDefinition" {
			add(o)
		}
	}
	return out
}

// manifests are the objects of a story's repository, as far as they can be read.
func manifests(dir string) []object {
	var out []object
	_ = filepath.WalkDir(filepath.Join(dir, "repo"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // what cannot be read has no fields
		}
		data, _ := os.ReadFile(path)
		for part := range strings.SplitSeq(string(data), "\n---") {
			o := object{}
			if yaml.Unmarshal([]byte(part), &o) == nil {
				out = append(out, o)
			}
		}
		return nil
	})
	return out
}

// merge unites the fields of two values; of lists, those of all elements.
func merge(a, b any) any {
	switch b := b.(type) {
	case map[string]any:
		out := object{}
		if a, ok := a.(map[string]any); ok {
			for k, v := range a {
				out[k] = v
			}
		}
		for k, v := range b {
			out[k] = merge(out[k], v)
		}
		return out
	case []any:
		var element any
		if a, ok := a.([]any); ok && len(a) > 0 {
			element = a[0]
		}
		for _, v := range b {
			element = merge(element, v)
		}
		return []any{element}
	}
	if a != nil {
		return a
	}
	return b
}

// cut leaves of a value the fields of a shape.
func cut(value, shape any) any {
	switch shape := shape.(type) {
	case map[string]any:
		m, ok := value.(map[string]any)
		if !ok {
			return value
		}
		out := object{}
		for k, part := range shape {
			if v, ok := m[k]; ok {
				out[k] = cut(v, part)
			}
		}
		return out
	case []any:
		l, ok := value.([]any)
		if !ok || len(shape) == 0 {
			return value
		}
		out := make([]any, len(l))
		for i := range l {
			out[i] = cut(l[i], shape[0])
		}
		return out
	}
	return value
}
