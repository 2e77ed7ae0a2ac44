package template

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/value"
)

// Request is a set of templates, and where in an object their texts go.
type Request struct {
	// Templates by the key that each has.
	Templates map[string]string `json:"templates,omitempty"`
	// Scope is what a text is: a value or a map of them.
	Scope esv1.TemplateScope `json:"scope,omitempty"`
	// Target is Data, Labels, Annotations, Spec or a path; Data when it is empty.
	Target string `json:"target,omitempty"`
	// Decoding of what was rendered.
	Decoding esv1.DecodingStrategy `json:"decoding,omitempty"`
	// Hidden has errors quote nothing of the templates, which are values of a Secret.
	Hidden bool `json:"hidden,omitempty"`
}

// Apply renders the templates of a request with the values, which templates see
// as texts by their keys, and puts the results into the object. The object is as
// the API server has it: the data of a Secret are base64.
func Apply(r Request, data map[string][]byte, object *unstructured.Unstructured) error {
	target, err := targetOf(r.Target, r.Scope, object)
	if err != nil {
		return err
	}
	values := make(map[string]string, len(data))
	for key, v := range data {
		values[key] = string(v)
	}
	switch r.Scope {
	case "", esv1.ScopeValues, esv1.ScopeKeysAndValues:
	default:
		return fmt.Errorf("unknown scope '%s': use %s or %s", r.Scope, esv1.ScopeValues, esv1.ScopeKeysAndValues)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Templates)) {
		text, err := render(name, r.Templates[name], values)
		if err == nil {
			err = r.put(target, name, text)
		}
		if err != nil && r.Hidden {
			err = hidden(name, err)
		}
		if err != nil {
			return fmt.Errorf("template of the key %q: %w", name, err)
		}
	}
	return nil
}

// line is what text/template says first, behind the name of the template.
var line = regexp.MustCompile(`^:(\d+):`)

// hidden is an error of a template that nobody is shown: in which line it is, if that
// is known.
func hidden(name string, err error) error {
	rest, _ := strings.CutPrefix(err.Error(), "template: "+name)
	if at := line.FindStringSubmatch(rest); at != nil {
		return fmt.Errorf("line %s: what is wrong there is not shown, as the template is a value of a Secret", at[1])
	}
	return errors.New("what is wrong with it is not shown, as the template is a value of a Secret")
}

// missingIsAnError has a template fail for a key that there is not.
const missingIsAnError = "missingkey=error"

// render is the text of one template. Other keys' templates are not known to it.
func render(name, text string, values map[string]string) (string, error) {
	parsed, err := Parse(name, text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	if err := parsed.Option(missingIsAnError).Execute(&out, values); err != nil {
		return "", err
	}
	return out.String(), nil
}

func (r Request) put(target target, name, text string) error {
	if r.Scope != esv1.ScopeKeysAndValues {
		return r.set(target, name, text)
	}
	if whole, ok := target.(wholeTarget); ok {
		return whole.merge([]byte(text))
	}
	pairs, err := pairsOf(text)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		if err := r.set(target, key, pairs[key]); err != nil {
			return err
		}
	}
	return nil
}

func (r Request) set(target target, key, text string) error {
	decoded, err := value.Decode(r.Decoding, []byte(text))
	if err != nil {
		return err
	}
	return target.set(key, decoded)
}
