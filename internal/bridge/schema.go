package bridge

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Schema is a MetadataSchema that can be used.
type Schema struct {
	Name     string
	Deny     bool
	selector labels.Selector
	rules    []rule
	closed   bool
}

type rule struct {
	causeway.MetadataRule

	key     Key
	pattern *bounded.Expression
}

// maxSize bounds a pattern with its repeats written out. A value that it is
// held against is an annotation, of 256 KiB at most.
const maxSize = 10_000

// Violation is a value, or the lack of one, that a rule forbids.
type Violation struct {
	Schema  string
	Cluster string
	Key     Key
	// Message says what is wrong, without the key.
	Message string
	// Deny tells that an API server refuses such a Secret.
	Deny bool
}

func (v Violation) String() string {
	return fmt.Sprintf("cluster %s: %s %s (MetadataSchema %s)", v.Cluster, v.Key, v.Message, v.Schema)
}

// NewSchema reads a MetadataSchema. What is wrong with it is a *gitops.Problem.
func NewSchema(s *causeway.MetadataSchema) (Schema, error) {
	out := Schema{Name: s.Name, Deny: s.Spec.Enforcement != causeway.EnforceWarn, closed: s.Spec.Closed, selector: labels.Everything()}
	invalid := func(format string, args ...any) error {
		return gitops.Problemf(gitops.Invalid, "cannot use MetadataSchema %s: "+format, append([]any{s.Name}, args...)...)
	}
	if s.Spec.Selector != nil {
		selector, err := metav1.LabelSelectorAsSelector(s.Spec.Selector)
		if err != nil {
			return out, invalid("its selector: %w", err)
		}
		out.selector = selector
	}
	seen := map[Key]bool{}
	for _, r := range s.Spec.Keys {
		made, err := newRule(r)
		if err != nil {
			return out, invalid("key %s: %w", r.Key, err)
		}
		if seen[made.key] {
			return out, invalid("%s stands twice", made.key)
		}
		seen[made.key] = true
		out.rules = append(out.rules, made)
	}
	return out, nil
}

func newRule(r causeway.MetadataRule) (rule, error) {
	out := rule{MetadataRule: r, key: Key{Place(r.In), r.Key}}
	if r.In == "" {
		out.key.In = Annotation
	}
	if !slices.Contains([]Type{TypeString, TypeBoolean, TypeInteger, TypeNumber, TypeURL, TypeJSON, TypeARN, TypeCIDR, ""}, Type(r.Type)) {
		return out, fmt.Errorf("there is no type %q", r.Type)
	}
	for _, allowed := range r.Enum {
		if !Type(r.Type).Is(allowed) {
			return out, fmt.Errorf("%q of its enum is no %s", allowed, r.Type)
		}
	}
	if r.Pattern == "" {
		return out, nil
	}
	// Alone first: errors repeat what was written, and nothing else.
	_, err := bounded.CompileUpTo(r.Pattern, maxSize)
	if err == nil {
		out.pattern, err = bounded.CompileUpTo(whole(r.Pattern), maxSize)
	}
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		return out, fmt.Errorf("its pattern %q is no regular expression of RE2: %s in %q", r.Pattern, wrong.Code, wrong.Expr)
	}
	return out, err
}

// whole is a pattern that the whole value matches.
func whole(pattern string) string { return `^(?:` + pattern + `)$` }

// Check tells what a cluster breaks.
func (s Schema) Check(c gitops.Cluster) []Violation {
	if !s.Concerns(c) {
		return nil
	}
	described := Cluster{Cluster: c}
	var out []Violation
	add := func(k Key, message string) {
		out = append(out, Violation{Schema: s.Name, Cluster: c.Name, Key: k, Message: message, Deny: s.Deny})
	}
	known := map[Key]bool{}
	for _, r := range s.rules {
		known[r.key] = true
		value, there := described.Value(r.key)
		if message := r.check(value, there); message != "" {
			add(r.key, message)
		}
	}
	if !s.closed {
		return out
	}
	for _, k := range described.Keys() {
		if known[k] || Reserved(k.Name) {
			continue
		}
		near := ""
		if len(out) < maxNear {
			near = gitops.DidYouMean(k.Name, s.names(k.In))
		}
		add(k, "is not in the schema"+near)
	}
	return out
}

// maxNear bounds the violations of one cluster that tell what may have been meant:
// each is compared with all keys of the schema.
const maxNear = 100

// Concerns reports whether the schema is for a cluster.
func (s Schema) Concerns(c gitops.Cluster) bool {
	return c.Secret != "" && s.selector.Matches(withType(c.Labels))
}

// withType has the label that is on every cluster Secret.
func withType(l map[string]string) labels.Set {
	return labels.Set(with(l, v1alpha1.LabelSecretType, v1alpha1.SecretTypeCluster))
}

func (s Schema) names(in Place) []string {
	var out []string
	for _, r := range s.rules {
		if r.key.In == in {
			out = append(out, r.key.Name)
		}
	}
	return out
}

// check says what is wrong with a value; empty when nothing is.
func (r rule) check(value string, there bool) string {
	var text string
	switch {
	case r.Required && value == "":
		text = "is required"
	case !there || value == "" && !r.Required:
		return ""
	case !Type(r.Type).Is(value):
		text = fmt.Sprintf("must be %s", r.Type)
	case len(r.Enum) > 0 && !slices.Contains(r.Enum, value):
		text = "must be one of " + strings.Join(r.Enum, ", ")
	case r.pattern != nil && !r.pattern.MatchString(value):
		text = "must match " + r.Pattern
	default:
		return ""
	}
	if r.Description != "" {
		text += ": " + r.Description
	}
	return text
}

// Reserved keys are those of Kubernetes, Argo CD and the engine: a closed
// schema does not have to name them.
func Reserved(name string) bool {
	domain, _, ok := strings.Cut(name, "/")
	if !ok {
		return bookkeeping(name)
	}
	for _, own := range reservedDomains {
		if domain == own || strings.HasSuffix(domain, "."+own) {
			return true
		}
	}
	return false
}

var reservedDomains = []string{"kubernetes.io", "k8s.io", "argoproj.io", "causeway.io"}

// typeOf is the type that a schema gives a key; the schema's name is empty
// where none does.
func typeOf(schemas []Schema, c gitops.Cluster, k Key) (t Type, schema string) {
	for _, s := range schemas {
		if !s.Concerns(c) {
			continue
		}
		for _, r := range s.rules {
			if r.key == k {
				if r.Type == "" {
					return TypeString, s.Name
				}
				return Type(r.Type), s.Name
			}
		}
	}
	return TypeString, ""
}

func problemsByKey(schemas []Schema, c gitops.Cluster) map[Key]string {
	out := map[Key]string{}
	for _, s := range schemas {
		for _, v := range s.Check(c) {
			out[v.Key] = v.Message
		}
	}
	return out
}
