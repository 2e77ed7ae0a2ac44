package kustomize

import (
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// mostExpression is the size of an expression, and the length of one that is
// none: the library compiles both.
const mostExpression = bounded.MostSize / 10

// expressions takes up the texts that the library takes for regular
// expressions. One that is large or broken is an error.
func (s *sum) expressions(k *types.Kustomization) error {
	for _, i := range k.Images {
		s.names += len(i.Name) + nameCost
	}
	for _, e := range expressions(k) {
		size, err := expressionSize(e)
		if err != nil {
			return err
		}
		s.sizes += size
	}
	return nil
}

func expressions(k *types.Kustomization) []string {
	var out []string
	for _, i := range k.Images {
		out = append(out, i.Name)
	}
	for _, p := range slices.Concat(k.Patches, k.PatchesJson6902) { //nolint:staticcheck // users write the deprecated field
		if t := p.Target; t != nil {
			out = append(out, t.Group, t.Version, t.Kind, t.Name, t.Namespace)
		}
	}
	return out
}

// expressionSize is one for what matches character by character: that ends where
// a text differs.
func expressionSize(text string) (int, error) {
	if len(text) > mostExpression {
		return 0, errOdd
	}
	if !strings.ContainsAny(text, `*+?{|()[\^`) {
		return min(len(text), 1), nil
	}
	size, err := bounded.Size(text)
	if err == nil && size > mostExpression {
		err = errOdd
	}
	return size, err
}
