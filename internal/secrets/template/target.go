package template

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// target is a place in an object that values go to by their keys.
type target interface {
	set(key string, value []byte) error
}

// wholeTarget is a place that takes a map as it is, with all that is in it.
type wholeTarget interface {
	merge(text []byte) error
}

// Names of places, which are known in any case.
const (
	targetData        = "data"
	targetLabels      = "labels"
	targetAnnotations = "annotations"
	targetSpec        = "spec"
)

func targetOf(name string, scope esv1.TemplateScope, object *unstructured.Unstructured) (target, error) {
	switch strings.ToLower(name) {
	case "", targetData:
		if IsSecret(object) {
			return secretData{object}, nil
		}
		return texts{object, []string{targetData}}, nil
	case targetLabels, targetAnnotations:
		return texts{object, []string{"metadata", strings.ToLower(name)}}, nil
	case targetSpec:
		if scope != esv1.ScopeKeysAndValues {
			return texts{object, []string{targetSpec}}, nil
		}
	}
	steps, err := stepsOf(name)
	if err != nil {
		return nil, fmt.Errorf("target %q: %w", name, err)
	}
	return place{object, name, steps}, nil
}

// IsSecret reports whether an object is one whose data are encoded.
func IsSecret(object *unstructured.Unstructured) bool {
	return object.GetKind() == "Secret" && object.GetAPIVersion() == "v1"
}

// secretData are the values of a Secret.
type secretData struct{ object *unstructured.Unstructured }

func (d secretData) set(key string, value []byte) error {
	return unstructured.SetNestedField(d.object.Object, base64.StdEncoding.EncodeToString(value), targetData, key)
}

// texts are a map of texts.
type texts struct {
	object *unstructured.Unstructured
	at     []string
}

func (t texts) set(key string, value []byte) error {
	return unstructured.SetNestedField(t.object.Object, string(value), append(append([]string{}, t.at...), key)...)
}

// place is anywhere else in an object.
type place struct {
	object *unstructured.Unstructured
	name   string
	steps  []step
}

// set puts what a text is as YAML; keys are of no meaning there.
func (p place) set(_ string, text []byte) error {
	v, err := parsed(text)
	if err != nil {
		return fmt.Errorf("target %q: %w", p.name, err)
	}
	return p.put(v)
}

// merge puts the fields of a map beside those that are there.
func (p place) merge(text []byte) error {
	v, err := parsed(text)
	if err != nil {
		return fmt.Errorf("target %q: %w", p.name, err)
	}
	fields, isMap := v.(map[string]any)
	there, found := lookUp(p.object.Object, p.steps)
	if old, ok := there.(map[string]any); isMap && found && ok {
		for key, field := range fields {
			old[key] = field
		}
		return nil
	}
	return p.put(v)
}

func (p place) put(v any) error {
	if err := put(p.object.Object, p.steps, v); err != nil {
		return fmt.Errorf("target %q: %w", p.name, err)
	}
	return nil
}

// parsed is what a text is as YAML 1.1, with whole numbers as such.
func parsed(text []byte) (any, error) {
	inJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, withoutValue(err)
	}
	var v any
	if err := utiljson.Unmarshal(inJSON, &v); err != nil {
		return nil, withoutValue(err)
	}
	return v, nil
}

// pairsOf are the keys and values of a text that is a map in YAML 1.1: what is
// bare and no text becomes the text of what it is.
func pairsOf(text string) (map[string]string, error) {
	pairs := map[string]string{}
	if err := yaml.Unmarshal([]byte(text), &pairs); err != nil {
		return nil, fmt.Errorf("the text is no map of keys and values: %w", withoutValue(err))
	}
	return pairs, nil
}

// quoted is from the first quotation mark of an error to the last: YAML's parser
// quotes anchors and scalars, such as a password that begins with an asterisk.
var quoted = regexp.MustCompile("(?s)[`'\"].*[`'\"]")

// withoutValue keeps the kinds that an error tells of, and drops what it quotes.
func withoutValue(err error) error {
	var kind *json.UnmarshalTypeError
	if asError(err, &kind) {
		return fmt.Errorf("cannot unmarshal %s into Go value of type %s", strings.SplitN(kind.Value, " ", 2)[0], kind.Type)
	}
	return errors.New(quoted.ReplaceAllLiteralString(err.Error(), redact.Mask))
}
