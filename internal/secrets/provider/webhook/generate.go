package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// plainPath is a JSONPath of names and numbers, which takes no longer than the answer is.
// Others are expressions, which workers evaluate, and generators have none.
var plainPath = regexp.MustCompile(`^\$?(\.[A-Za-z0-9_\-]+|\[[0-9]{1,6}\]|\["[^"\\]*"\])*$`)

// Generate is a generator.Maker: the fields of the JSON object that a server says.
func Generate(ctx context.Context, spec json.RawMessage, around store.Around) (map[string][]byte, error) {
	p, err := open(ctx, spec, around, provider.Bounded)
	if err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	texts, err := p.render(ctx, p.templates(), p.values(provider.Ref{}))
	if err != nil {
		return nil, err
	}
	path := texts[fieldPath]
	if !plainPath.MatchString(path) { // before the server is asked: it may make something each time
		return nil, fmt.Errorf("spec.result.jsonPath %q: a generator takes names and numbers alone, such as $.credentials[0]", path)
	}
	body, err := p.ask(ctx, texts)
	if err != nil {
		return nil, err
	}
	values, err := entry.Answer(body, path).Map("")
	if err == nil && len(values) == 0 { // it would empty a Secret
		err = errors.New("the server says an object without fields")
	}
	return values, err
}
