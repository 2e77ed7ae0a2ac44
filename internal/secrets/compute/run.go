package compute

import (
	"encoding/base64"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/secrets/key"
	"github.com/causeway-gitops/causeway/internal/secrets/rewrite"
	"github.com/causeway-gitops/causeway/internal/secrets/template"
	"github.com/causeway-gitops/causeway/internal/secrets/value"
)

// run is the object that a job makes.
func run(job Job) (map[string]any, error) {
	data, err := collect(job)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: job.Object}
	if job.Template == nil || job.Template.KeepValues {
		if err := fill(object, data); err != nil {
			return nil, err
		}
	}
	if job.Template == nil {
		return object.Object, nil
	}
	for _, one := range job.Template.Requests {
		if err := template.Apply(one.Request, data, object); err != nil {
			return nil, fmt.Errorf("%s: %w", one.Place, err)
		}
	}
	return object.Object, nil
}

func collect(job Job) (map[string][]byte, error) {
	data := map[string][]byte{}
	for _, set := range job.From {
		named, err := set.named()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set.Place, err)
		}
		maps.Copy(data, named)
	}
	for _, one := range job.Values {
		decoded, err := value.Decode(one.Decoding, one.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.Place, err)
		}
		data[one.Key] = decoded
	}
	return data, nil
}

// named are the values of a set by the keys that they get.
func (s Set) named() (data map[string][]byte, err error) {
	data = s.Data
	if s.Found {
		if data, err = key.Convert(s.Conversion, data); err != nil {
			return nil, err
		}
	}
	if data, err = rewrite.Apply(s.Rewrite, data, template.Functions()); err != nil {
		return nil, err
	}
	if len(s.Rewrite) == 0 && !s.Found {
		if data, err = key.Convert(s.Conversion, data); err != nil {
			return nil, err
		}
	}
	if err := key.Validate(data); err != nil {
		return nil, err
	}
	return value.DecodeAll(s.Decoding, data)
}

func fill(object *unstructured.Unstructured, data map[string][]byte) error {
	for name, v := range data {
		text := string(v)
		if template.IsSecret(object) {
			text = base64.StdEncoding.EncodeToString(v)
		}
		if err := unstructured.SetNestedField(object.Object, text, "data", name); err != nil {
			return fmt.Errorf("cannot set data.%s: %w", name, err)
		}
	}
	return nil
}
