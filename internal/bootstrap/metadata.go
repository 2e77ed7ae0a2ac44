package bootstrap

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Metadata are labels and annotations of a cluster's Secret: switches
// (enable_x) are labels, everything else may be an annotation.
type Metadata struct {
	Labels, Annotations map[string]string
}

// metadataFile is what is read: labels and annotations by themselves, or a
// manifest that has them.
type metadataFile struct {
	Labels      written `yaml:"labels"`
	Annotations written `yaml:"annotations"`
	Metadata    struct {
		Labels      written `yaml:"labels"`
		Annotations written `yaml:"annotations"`
	} `yaml:"metadata"`
}

// written are values as a file has them.
type written map[string]yamlv3.Node

// ReadMetadata reads labels and annotations: by themselves, or of a manifest.
func ReadMetadata(name string, text []byte) (Metadata, error) {
	var f metadataFile
	if err := bounded.Decode(text, &f); err != nil {
		return Metadata{}, gitops.Problemf(gitops.Invalid, "cannot read the metadata of %s: %w", name, err).Do("write mappings labels and annotations")
	}
	var out Metadata
	var err error
	if out.Labels, err = texts("labels", f.Labels, f.Metadata.Labels); err == nil {
		out.Annotations, err = texts("annotations", f.Annotations, f.Metadata.Annotations)
	}
	if err == nil && len(out.Labels)+len(out.Annotations) == 0 {
		err = errors.New("it has neither labels nor annotations")
	}
	if err == nil {
		err = out.Check()
	}
	if err != nil {
		return Metadata{}, gitops.Problemf(gitops.Invalid, "cannot use the metadata of %s: %w", name, err).Do("correct the file")
	}
	return out, nil
}

// texts takes values as texts. Switches are "true" and "false", as everywhere in a
// fleet's metadata, however YAML has them written; a number is what is written there:
// a leading zero of an account and a last one of a version are part of it.
func texts(what string, all ...written) (map[string]string, error) {
	out := map[string]string{}
	for _, one := range all {
		for key := range one {
			value, ok := textOf(one[key])
			if !ok {
				return nil, fmt.Errorf("%s: the value of %s is no text", what, key)
			}
			out[key] = value
		}
	}
	return out, nil
}

// textOf is the text of a value; false where it is none.
func textOf(n yamlv3.Node) (string, bool) {
	if n.Kind == yamlv3.AliasNode {
		n = *n.Alias
	}
	if n.Kind != yamlv3.ScalarNode || n.ShortTag() == "!!null" {
		return "", false
	}
	if n.Style == 0 { // without quotes
		var value any
		if yaml.Unmarshal([]byte(n.Value), &value) == nil {
			if b, ok := value.(bool); ok {
				return strconv.FormatBool(b), true
			}
		}
	}
	return n.Value, true
}

// Add writes KEY=VALUE into labels or annotations; the last one wins.
func Add(into map[string]string, pairs []string) error {
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return gitops.Problemf(gitops.Invalid, "cannot read %q", pair).Do("write KEY=VALUE, as in environment=prod")
		}
		into[key] = value
	}
	return nil
}

// Over returns the metadata with that of over on top.
func (m Metadata) Over(over Metadata) Metadata {
	out := Metadata{Labels: map[string]string{}, Annotations: map[string]string{}}
	for _, one := range []Metadata{m, over} {
		maps.Copy(out.Labels, one.Labels)
		maps.Copy(out.Annotations, one.Annotations)
	}
	return out
}

// maxAnnotations is what the API server takes, in bytes.
const maxAnnotations = 256 << 10

// Check tells what the API server would refuse.
func (m Metadata) Check() error {
	var errs []error
	bytes := 0
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		for _, text := range append(validation.IsQualifiedName(key), validation.IsValidLabelValue(m.Labels[key])...) {
			errs = append(errs, fmt.Errorf("label %s: %s", key, text))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m.Annotations)) {
		for _, text := range validation.IsQualifiedName(strings.ToLower(key)) {
			errs = append(errs, fmt.Errorf("annotation %s: %s", key, text))
		}
		bytes += len(key) + len(m.Annotations[key])
	}
	if bytes > maxAnnotations {
		errs = append(errs, fmt.Errorf("the annotations have %d KiB, which is more than 256 KiB", bytes>>10))
	}
	return errors.Join(errs...)
}
