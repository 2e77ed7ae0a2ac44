package compute

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/key"
	"github.com/causeway-gitops/causeway/internal/secrets/rewrite"
	"github.com/causeway-gitops/causeway/internal/secrets/template"
	"github.com/causeway-gitops/causeway/internal/secrets/value"
)

// run is what a job makes, and the values that it made it of, also where it fails.
func run(job Job) (Made, map[string][]byte, error) {
	c := collection{job: job, data: map[string][]byte{}}
	err := c.collect()
	if err != nil {
		return Made{}, c.data, err
	}
	made, err := c.make()
	return made, c.data, err
}

func (c *collection) make() (Made, error) {
	job, made := c.job, Made{Missing: c.missing}
	if len(c.data) == 0 && !job.Bare {
		return made, nil
	}
	object := &unstructured.Unstructured{Object: job.Object}
	if job.Template == nil || job.Template.KeepValues {
		if err := fill(object, c.data); err != nil {
			return Made{}, err
		}
	}
	made.Object = object.Object
	if job.Template == nil {
		return made, nil
	}
	for _, one := range job.Template.Requests {
		if err := template.Apply(one.Request, c.data, object); err != nil {
			return Made{}, fmt.Errorf("%s: %w", one.Place, err)
		}
	}
	return made, nil
}

// collection are the values of a job by their keys.
type collection struct {
	job     Job
	data    map[string][]byte
	missing []string
}

func (c *collection) collect() error {
	for _, set := range c.job.From {
		named, err := set.named()
		if c.passes(set.Place, err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", set.Place, err)
		}
		maps.Copy(c.data, named)
	}
	for _, one := range c.job.Values {
		text, err := one.Entry.Value(one.Property)
		if c.passes(one.Place, err) {
			continue
		}
		if err == nil {
			text, err = value.Decode(one.Decoding, text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", one.Place, err)
		}
		c.data[one.Key] = text
	}
	return nil
}

// passes reports whether an error is that an entry has not what is asked of it,
// which the job allows.
func (c *collection) passes(place string, err error) bool {
	if !c.job.Lenient || !errors.Is(err, entry.ErrNotFound) {
		return false
	}
	c.missing = append(c.missing, place)
	return true
}

// named are the values of a set by the keys that they get.
func (s Set) named() (data map[string][]byte, err error) {
	data = s.Data
	if s.Entry != nil {
		if data, err = s.Entry.Map(s.Property); err != nil {
			return nil, err
		}
	}
	if s.Found {
		if data, err = key.Convert(s.Conversion, data); err != nil {
			return nil, err
		}
	}
	if data, err = rewrite.Apply(s.Rewrite, data); err != nil {
		return nil, err
	}
	if s.Remote {
		return data, nil
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
