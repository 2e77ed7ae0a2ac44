package charts_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

type values = map[string]any

// render makes the chart's objects as `helm install causeway` would, and the notes.
func render(t *testing.T, namespace string, given values) (objects []*unstructured.Unstructured, notes string) {
	t.Helper()
	objects, notes, err := tryRender(namespace, given)
	if err != nil {
		t.Fatal(err)
	}
	return objects, notes
}

func tryRender(namespace string, given values) (objects []*unstructured.Unstructured, notes string, err error) {
	ch, err := loader.LoadDir("causeway")
	if err != nil {
		return nil, "", err
	}
	release := common.ReleaseOptions{Name: "causeway", Namespace: namespace, IsInstall: true, Revision: 1}
	top, err := util.ToRenderValues(ch, given, release, common.DefaultCapabilities)
	if err != nil {
		return nil, "", err
	}
	files, err := engine.Engine{Strict: true}.Render(ch, top)
	if err != nil {
		return nil, "", err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, "NOTES.txt") {
			notes = files[name]
			continue
		}
		more, err := decode(files[name])
		if err != nil {
			return nil, "", errors.Join(errors.New(name), err)
		}
		objects = append(objects, more...)
	}
	return objects, notes, nil
}

func decode(text string) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(text), 4096)
	for {
		o := &unstructured.Unstructured{}
		err := decoder.Decode(&o.Object)
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		case len(o.Object) > 0:
			out = append(out, o)
		}
	}
}

// find returns the objects of a kind, typed.
func find[T any](t *testing.T, objects []*unstructured.Unstructured, kind string) []T {
	t.Helper()
	var out []T
	for _, o := range objects {
		if o.GetKind() != kind {
			continue
		}
		var typed T
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, &typed, true); err != nil {
			t.Fatalf("%s %s: %v", kind, o.GetName(), err)
		}
		out = append(out, typed)
	}
	return out
}
