package generate

import (
	"encoding/json"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
)

type listKind struct{}

func (listKind) template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.List == nil {
		return nil
	}
	return &g.List.Template
}

func (listKind) params(r *run, g *v1alpha1.ApplicationSetGenerator) ([]paramSet, error) {
	var out []paramSet
	for i, raw := range g.List.Elements {
		var element map[string]any
		if err := json.Unmarshal(raw.Raw, &element); err != nil {
			return nil, errorf("cannot read list element %d: %w", i, err)
		}
		p := Params(element)
		var err error
		if !r.set.Spec.GoTemplate {
			if p, err = elementTexts(element); err != nil {
				return nil, errorf("cannot use list element %d: %w", i, err)
			}
		}
		if out, err = r.keep(out, p, weigh(p)); err != nil {
			return nil, errorf("list element %d: %w", i, err)
		}
	}
	if g.List.ElementsYaml == "" {
		return out, nil
	}
	// Values of these are not checked in the fast mode: the placeholder of one
	// that is no text simply stays.
	var more []Params
	text := []byte(g.List.ElementsYaml)
	err := r.held.parse(text, func() error { return bounded.Unmarshal(text, &more) })
	if err != nil {
		return nil, errorf("cannot read elementsYaml as a list of maps: %w", err)
	}
	for i, p := range more {
		if out, err = r.keep(out, p, weigh(p)); err != nil {
			return nil, errorf("element %d of elementsYaml: %w", i, err)
		}
	}
	return out, nil
}

// elementTexts is an element in the fast mode: texts only, and one level of a
// map under the key values.
func elementTexts(element map[string]any) (Params, error) {
	out := make(Params, len(element))
	for k, v := range element {
		if k != "values" {
			if err := setText(out, k, v); err != nil {
				return nil, err
			}
			continue
		}
		values, ok := v.(map[string]any)
		if !ok {
			return nil, errorf("values is %s, make it a map of texts", typeOf(v))
		}
		for k, v := range values {
			if err := setText(out, "values."+k, v); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func setText(p Params, key string, value any) error {
	text, ok := value.(string)
	if !ok {
		return errorf("%q is %v, which is no text; put it in quotes, or use goTemplate", key, value)
	}
	p[key] = text
	return nil
}
