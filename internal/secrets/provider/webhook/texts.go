package webhook

import (
	"fmt"
	"strings"
	texttemplate "text/template"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/template"
)

// Path is the JSONPath of an answer, whose template sees what is asked for.
func Path(text string, ref provider.Ref) (string, error) {
	return render("result.jsonPath", text, values(ref, nil))
}

// values are what the templates of a request see: .remoteRef, and the Secrets
// that the store names.
func values(ref provider.Ref, secrets map[string]map[string]string) map[string]any {
	all := map[string]any{"remoteRef": map[string]string{
		"key": ref.Key, "property": ref.Property, "version": ref.Version,
	}}
	for name, secret := range secrets {
		all[name] = secret
	}
	return all
}

func render(field, text string, values map[string]any) (string, error) {
	parsed, err := texttemplate.New(field).Option("missingkey=error").Funcs(template.Functions()).Parse(text)
	if err != nil {
		return "", fmt.Errorf("template of %s: %w", field, err)
	}
	var out strings.Builder
	if err := parsed.Execute(&out, values); err != nil {
		return "", fmt.Errorf("template of %s: %w", field, err)
	}
	return out.String(), nil
}
