package compute

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/secrets/template"
	"github.com/causeway-gitops/causeway/internal/worker"
)

// Texts are templates by the field that each stands in, and what they see.
type Texts struct {
	Templates map[string]string `json:"templates"`
	// Values are maps and texts.
	Values map[string]any `json:"values"`
}

// run renders them all.
func (t Texts) run() (map[string]string, error) {
	out := make(map[string]string, len(t.Templates))
	for _, field := range slices.Sorted(maps.Keys(t.Templates)) {
		parsed, err := template.Parse(field, t.Templates[field])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field, err)
		}
		var text strings.Builder
		if err := parsed.Option("missingkey=error").Execute(&text, t.Values); err != nil {
			return nil, fmt.Errorf("%s: %w", field, err)
		}
		out[field] = text.String()
	}
	return out, nil
}

func (t Texts) failure(err error) string {
	return failure(err, t.secrets(), slices.Collect(maps.Values(t.Templates)))
}

// secrets are the texts among the values, which no error may show.
func (t Texts) secrets() (all []string) {
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case string:
			if len(v) >= leastHidden {
				all = append(all, v, base64.StdEncoding.EncodeToString([]byte(v)))
			}
		case map[string]any:
			for _, inner := range v {
				add(inner)
			}
		}
	}
	add(t.Values)
	return all
}

// Texts are what templates become, by their fields.
func (p *Pool) Texts(ctx context.Context, templates map[string]string, values map[string]any) (map[string]string, error) {
	order := Texts{templates, values}
	if p.workers == nil {
		out, err := order.run()
		if err != nil {
			return nil, errors.New(order.failure(err))
		}
		return out, nil
	}
	var said outcome
	err := p.workers.Do(ctx, func(c *worker.Conn) error {
		said = outcome{}
		if err := c.Send(request{Texts: &order}, nil); err != nil {
			return err
		}
		_, err := c.Receive(&said)
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot render the templates: %w", err)
	case said.Failure != "":
		return nil, errors.New(said.Failure)
	}
	return said.Texts, nil
}
