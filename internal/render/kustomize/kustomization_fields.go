package kustomize

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// kustomization takes up a kustomization without deprecated fields that have
// others now, and says why it is not plain.
func (s *sum) kustomization(k *types.Kustomization, text []byte) string {
	if odd := oddFields(k, text); odd != "" {
		return odd
	}
	s.bytes, s.values = s.bytes+len(text), s.values+bounded.Values(text)
	s.said, s.spread = s.said+len(text), s.spread+len(text)
	s.objects += len(k.ConfigMapGenerator) + len(k.SecretGenerator) + objectsIn(text)
	if err := s.expressions(k); err != nil {
		return "it has a regular expression that is large or broken"
	}
	s.labels(k)
	s.generators(k)
	return s.inline(k)
}

// oddFields are those that are not plain, whatever their size.
func oddFields(k *types.Kustomization, text []byte) string {
	switch {
	case len(k.Replacements) > 0, len(k.Vars) > 0: //nolint:staticcheck // users write the deprecated field
		return "values are copied from one object to another"
	case len(k.OpenAPI) > 0:
		return "it brings its own schema"
	case len(k.Transformers)+len(k.Generators)+len(k.Validators)+len(k.Configurations)+len(k.Crds) > 0:
		return "it has plugins, or their configuration"
	case bounded.Repeats(text), encoded(text):
		return "parts of it are used again"
	case patched(k) && copies(text):
		return "a patch copies"
	case slices.Contains(k.BuildMetadata, types.TransformerAnnotations):
		return "each object lists what changes it"
	}
	if said, err := json.Marshal(k); err != nil || tellsOrigins(said) { // without escapes of what is in names
		return tellingOrigins
	}
	return ""
}

const tellingOrigins = "it says where objects come from"

// tellsOrigins reports whether a text may set an annotation that the library
// reads as YAML.
func tellsOrigins(text []byte) bool {
	return slices.ContainsFunc([]string{originAnnotation, transformationAnnotation}, func(name string) bool {
		return bytes.Contains(text, []byte(name)) || bytes.Contains(text, []byte(strings.ReplaceAll(name, "/", "~1")))
	})
}

func patched(k *types.Kustomization) bool {
	return len(k.Patches)+len(k.PatchesJson6902)+len(k.PatchesStrategicMerge) > 0 //nolint:staticcheck // users write the deprecated fields
}

// labels takes up what is set by keys. Each field that a label names has all
// of its pairs.
func (s *sum) labels(k *types.Kustomization) {
	s.keys.all += len(k.CommonAnnotations)
	for _, l := range k.Labels {
		long := 0
		for key, value := range l.Pairs {
			long += len(key) + len(value)
		}
		for _, f := range l.FieldSpecs {
			s.deepest = max(s.deepest, strings.Count(f.Path, "/"))
		}
		s.keys.all += len(l.Pairs) * (1 + len(l.FieldSpecs))
		s.said, s.spread = s.said+long*len(l.FieldSpecs), s.spread+long*len(l.FieldSpecs)
	}
}

// generators takes up the keys of what is generated; those of files of
// variables are counted when they are read.
func (s *sum) generators(k *types.Kustomization) {
	take := func(o *types.GeneratorOptions) {
		if o != nil {
			s.keys.made += len(o.Labels) + len(o.Annotations)
		}
	}
	take(k.GeneratorOptions)
	for _, g := range k.ConfigMapGenerator {
		s.keys.made += len(g.LiteralSources) + len(g.FileSources)
		take(g.Options)
	}
	for _, g := range k.SecretGenerator {
		s.keys.made += len(g.LiteralSources) + len(g.FileSources)
		take(g.Options)
	}
}

// inline takes up patches: those with a target are for all that it finds.
func (s *sum) inline(k *types.Kustomization) string {
	for _, p := range slices.Concat(k.Patches, k.PatchesJson6902) { //nolint:staticcheck // users write the deprecated field
		if p.Target != nil {
			s.turns, s.patches = s.turns+1, s.patches+1
		}
		if odd := s.inPlace(p.Patch, p.Target == nil); odd != "" {
			return odd
		}
	}
	for _, p := range k.PatchesStrategicMerge { //nolint:staticcheck // users write the deprecated field
		if odd := s.inPlace(string(p), true); odd != "" {
			return odd
		}
	}
	return s.odd()
}

// inPlace takes up the text of a patch, which is a part of its kustomization's.
func (s *sum) inPlace(text string, ofOne bool) string {
	s.spread -= len(text) // patch adds it, if it is for all
	return s.patch([]byte(text), ofOne)
}
