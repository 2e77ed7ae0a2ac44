package generate

import (
	"encoding/json"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// literals are the texts that stand in a set as they are, templates and keys among
// them: who reads the set knows them. They are read when something went wrong.
type literals struct {
	set   *v1alpha1.ApplicationSet
	texts map[string]bool
}

func (l *literals) have(text string) bool {
	if l.texts == nil {
		l.texts = map[string]bool{"": true}
		var spec any
		if raw, err := json.Marshal(l.set.Spec); err == nil && json.Unmarshal(raw, &spec) == nil {
			l.add(spec)
		}
	}
	return l.texts[text]
}

func (l *literals) add(value any) {
	switch v := value.(type) {
	case string:
		l.texts[v] = true
	case []any:
		for _, inner := range v {
			l.add(inner)
		}
	case map[string]any:
		for key, inner := range v {
			l.texts[key] = true
			l.add(inner)
		}
	}
}

// about is an error that may be told whole where all that it is about stands in the set.
func (l *literals) about(err error, texts ...string) error {
	for _, text := range texts {
		if !l.have(text) {
			return err
		}
	}
	return &whole{err}
}
