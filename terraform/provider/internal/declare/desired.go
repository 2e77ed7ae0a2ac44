package declare

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// maxManifest bounds a manifest. The API server takes 3 MiB, etcd less.
const maxManifest = 1 << 20 // bytes

// wanted is what a configuration asks for.
type wanted struct {
	// object without write-only values.
	object *unstructured.Unstructured
	// secrets are the write-only values by their place in stringData.
	secrets map[string]string
	// unsaid are the secrets that are given but not known yet.
	unsaid map[string]bool
}

// errNotYet says that a configuration has values that are not known yet.
var errNotYet = errors.New("not known yet")

// desired makes the object of a configuration. The namespace stands in where
// neither an attribute nor the manifest has one.
func (k Kind) desired(config tftypes.Value, namespace string) (wanted, error) {
	w := wanted{secrets: map[string]string{}, unsaid: map[string]bool{}}
	values, err := top(config)
	if err != nil {
		return w, err
	}
	given := map[string]any{}
	for _, f := range k.Fields {
		v := values[f.Name]
		switch {
		case f.WriteOnly:
			err = w.keep(f, v)
		case !v.IsFullyKnown():
			return w, errNotYet
		default:
			given[f.Name], err = plain(v)
		}
		if err != nil {
			return w, err
		}
		if given[f.Name] == nil {
			delete(given, f.Name)
		}
	}
	if w.object, err = k.build(given, namespace); err != nil {
		return w, err
	}
	w.hide()
	k.standard(w.object, func(f Field) bool {
		_, secret := w.secrets[f.key()]
		return !secret && !w.unsaid[f.key()]
	})
	return w, nil
}

// hide takes out of the object what write-only attributes say as well, as a
// manifest may: they win over it, and a refresh would put the value that the
// cluster has into its place in the state.
func (w *wanted) hide() {
	for _, place := range []string{"data", "stringData"} {
		values, _ := w.object.Object[place].(map[string]any)
		for key := range values {
			if _, secret := w.secrets[key]; secret || w.unsaid[key] {
				delete(values, key)
			}
		}
	}
}

// standard writes into the object what write-only attributes are when they are
// not given.
func (k Kind) standard(o *unstructured.Unstructured, applies func(Field) bool) {
	for _, f := range k.Fields {
		if f.WriteOnly && f.Standard != "" && applies(f) {
			put(o.Object, strings.Split(f.Path, "."), f.Standard)
		}
	}
}

// keep takes a write-only value.
func (w *wanted) keep(f Field, v tftypes.Value) error {
	if !v.IsKnown() {
		w.unsaid[f.key()] = true
		return nil
	}
	if v.IsNull() {
		return nil
	}
	var s string
	if err := v.As(&s); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	w.secrets[f.key()] = s
	if f.Check == nil {
		return nil
	}
	return f.Check(s)
}

// build makes the object from attributes.
func (k Kind) build(given map[string]any, namespace string) (*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	if text, ok := given["manifest"].(string); ok && k.reads("manifest") {
		if err := parseManifest(text, o); err != nil {
			return nil, fmt.Errorf("manifest: %w", err)
		}
	}
	if err := k.identify(o); err != nil {
		return nil, err
	}
	if err := parseDocuments(k.Fields, given); err != nil {
		return nil, err
	}
	place(o.Object, k.Fields, given)
	if o.GetNamespace() == "" {
		o.SetNamespace(namespace)
	}
	if k.Complete != nil {
		if err := k.Complete(given, o); err != nil {
			return nil, err
		}
	}
	dropEmpty(o.Object, "labels")
	dropEmpty(o.Object, "annotations")
	return o, check(o)
}

// dropEmpty takes a map without keys out of the metadata: the API server keeps none,
// and each plan would put it back.
func dropEmpty(o map[string]any, name string) {
	if all, there, err := unstructured.NestedMap(o, "metadata", name); err == nil && there && len(all) == 0 {
		unstructured.RemoveNestedField(o, "metadata", name)
	}
}

func (k Kind) reads(name string) bool {
	for _, f := range k.Fields {
		if f.Name == name {
			return f.Shape == Manifest
		}
	}
	return false
}

// identify gives the object its kind, or refuses the manifest of another one.
func (k Kind) identify(o *unstructured.Unstructured) error {
	if k.Kind == "" {
		if o.GetKind() == "" || o.GetAPIVersion() == "" {
			return errors.New("manifest: it has no apiVersion or no kind")
		}
		return nil
	}
	if got := o.GetKind(); got != "" && got != k.Kind {
		return fmt.Errorf("manifest: it is of kind %s, and causeway_%s makes kind %s", got, k.Type, k.Kind)
	}
	o.SetAPIVersion(k.APIVersion)
	o.SetKind(k.Kind)
	return nil
}

// single returns the one document of a text as JSON. Documents that say
// nothing do not count.
func single(text string) ([]byte, error) {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	var found []byte
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("it is no YAML: %w", err)
		}
		raw, err := yaml.YAMLToJSONStrict(document)
		if err != nil {
			return nil, fmt.Errorf("it is no YAML of one object: %w", err)
		}
		if string(raw) == "null" {
			continue
		}
		if found != nil {
			return nil, errors.New("it holds several objects: make a resource of each")
		}
		found = raw
	}
}

// parseManifest reads one object in YAML and drops what the cluster writes.
func parseManifest(text string, o *unstructured.Unstructured) error {
	if len(text) > maxManifest {
		return fmt.Errorf("it has %d bytes; an object has at most %d", len(text), maxManifest)
	}
	raw, err := single(text)
	if err != nil {
		return err
	}
	if err := decode(raw, &o.Object); err != nil || len(o.Object) == 0 {
		return errors.New("it is no object with apiVersion, kind and metadata")
	}
	delete(o.Object, "status")
	for _, f := range []string{"managedFields", "resourceVersion", "uid", "creationTimestamp", "generation"} {
		unstructured.RemoveNestedField(o.Object, "metadata", f)
	}
	forget(o.Object)
	return nil
}

// encode writes JSON with ordered keys.
func encode(o map[string]any) (string, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(o)
	return strings.TrimSuffix(out.String(), "\n"), err
}
