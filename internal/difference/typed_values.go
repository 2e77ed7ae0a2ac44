package difference

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// retyped writes an object as the Go type of its kind writes it, which
// settles how quantities and the like are written. What the type adds by
// itself is dropped again. An object with fields that the type does not have, or
// a quantity of more digits than anybody needs, and one of a kind that is not built
// in, stays as it is.
func retyped(o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the object: %w", err)
	}
	plain := &unstructured.Unstructured{}
	if err := json.Unmarshal(data, plain); err != nil {
		return nil, fmt.Errorf("cannot read the object: %w", err)
	}
	if !bounded.QuantitiesFit(plain.Object) {
		return plain, nil
	}
	typed, err := scheme.Scheme.New(plain.GroupVersionKind())
	if err != nil {
		return plain, nil //nolint:nilerr // a kind that is not built in
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(typed); err != nil {
		return plain, nil //nolint:nilerr // compared as it is written
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return plain, nil //nolint:nilerr // compared as it is written
	}
	return &unstructured.Unstructured{Object: trimmed(plain.Object, content)}, nil
}

var errQuantity = errors.New("a quantity is too large")

// rewritten is a value as a Go type writes it.
func rewritten(value any, as reflect.Type) (any, error) {
	if !bounded.QuantitiesFit(value) {
		return nil, errQuantity
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	typed := reflect.New(as).Interface()
	if err := json.Unmarshal(data, typed); err != nil {
		return nil, err
	}
	if data, err = json.Marshal(typed); err != nil {
		return nil, err
	}
	var out any
	return out, json.Unmarshal(data, &out)
}
