package kustomize

import (
	"context"
	"fmt"

	"github.com/Masterminds/sprig/v3"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/render/helm/engine"
)

// maxNameTemplate bounds the template of a name, in bytes.
const maxNameTemplate = 4096

// ofNames bounds what the template of a name does.
var ofNames = engine.Limits{Output: 4096, Produced: 1 << 20, Text: 64 << 10, Steps: 10_000, Keys: 1}

// templatedName executes the template of a release's name, with the functions that
// give the same each time.
func templatedName(ctx context.Context, text string) (string, error) {
	if len(text) > maxNameTemplate {
		return "", fmt.Errorf("it has more than %d bytes", maxNameTemplate)
	}
	if _, err := bounded.ParseTemplate("nameTemplate", text, maxNameTemplate, sprig.HermeticTxtFuncMap()); err != nil {
		return "", err
	}
	holder := &chart.Chart{
		Metadata:  &chart.Metadata{Name: "name"},
		Templates: []*common.File{{Name: "templates/nameTemplate", Data: []byte(text)}},
	}
	out, err := engine.New(engine.Options{Limits: ofNames}).Render(ctx, holder, common.Values{"Values": common.Values{}})
	if err != nil || len(out) == 0 {
		return "", err
	}
	return out[0].Text, nil
}
