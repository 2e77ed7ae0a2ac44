package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// manifest is an object with the file that it is written in.
type manifest struct {
	object *unstructured.Unstructured
	file   string
}

// maxManifests is how many objects are applied at the start.
const maxManifests = 10_000

// ApplyManifests applies the fleet's manifests to the hub, in order. Objects
// without a namespace go to the control namespace.
func (r *Running) ApplyManifests(ctx context.Context) error {
	var all []manifest
	for _, path := range r.Fleet.Apply {
		found, err := readManifests(path)
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	if len(all) > maxManifests {
		return fmt.Errorf("cannot apply %d objects at the start: more than %d", len(all), maxManifests)
	}
	writer, err := r.hubWriter()
	if err != nil {
		return err
	}
	for _, m := range all {
		if err := writer.apply(ctx, m.object); err != nil {
			return fmt.Errorf("cannot apply %s %s of %s to the hub: %w", m.object.GetKind(), m.object.GetName(), m.file, err)
		}
	}
	return nil
}

// readManifests reads a file, or all YAML and JSON files of a folder and the
// folders below it, ordered by name. A link that is named is followed; those in a
// folder are not.
func readManifests(path string) ([]manifest, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read manifests: %w", err)
	}
	var files []string
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Type().IsRegular() && (name == path || isManifest(name)) {
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read manifests: %w", err)
	}
	slices.Sort(files)
	var all []manifest
	for _, file := range files {
		found, err := readManifestFile(file)
		if err != nil {
			return nil, fmt.Errorf("cannot read manifests of %s: %w", file, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

func isManifest(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

func readManifestFile(file string) ([]manifest, error) {
	text, err := bounded.File(file, maxFile)
	if err != nil {
		return nil, err
	}
	var found []manifest
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		if len(object.Object) == 0 {
			continue
		}
		if object.GetKind() == "" || object.GetAPIVersion() == "" || object.GetName() == "" {
			return nil, errors.New("an object lacks apiVersion, kind or metadata.name")
		}
		found = append(found, manifest{object: object, file: file})
	}
}

// writer applies any kind to the hub.
type writer struct {
	client    dynamic.Interface
	kinds     *kinds
	namespace string
}

func (r *Running) hubWriter() (*writer, error) {
	config, err := r.HubConfig()
	if err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for the hub: %w", err)
	}
	disco, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for the hub: %w", err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco))
	return &writer{client: client, kinds: &kinds{mapper: mapper}, namespace: r.Fleet.Namespace}, nil
}

func (w *writer) apply(ctx context.Context, object *unstructured.Unstructured) error {
	mapping, err := w.kinds.mapping(ctx, object.GroupVersionKind())
	if err != nil {
		return err
	}
	resource := dynamic.ResourceInterface(w.client.Resource(mapping.Resource))
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		if object.GetNamespace() == "" {
			object.SetNamespace(w.namespace)
		}
		resource = w.client.Resource(mapping.Resource).Namespace(object.GetNamespace())
	}
	options := metav1.ApplyOptions{FieldManager: FieldManager, Force: true}
	if _, err = resource.Apply(ctx, object.GetName(), clean(object), options); err != nil {
		return err
	}
	w.kinds.note(object)
	return nil
}

// clean leaves out what only a server may write.
func clean(object *unstructured.Unstructured) *unstructured.Unstructured {
	copied := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(object.Object)}
	copied.SetManagedFields(nil)
	copied.SetResourceVersion("")
	unstructured.RemoveNestedField(copied.Object, "status")
	return copied
}
