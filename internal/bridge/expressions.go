package bridge

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Expression is a rule as an API server checks it: an expression of CEL that is
// true where the rule holds.
type Expression struct {
	Expression string
	Message    string
}

// Condition is the expression that reports whether the schema is for a Secret.
func (s Schema) Condition() string {
	parts := []string{valueText("object", Key{Label, v1alpha1.LabelSecretType}) + " == " + quote(v1alpha1.SecretTypeCluster)}
	requirements, _ := s.selector.Requirements()
	for _, r := range requirements {
		parts = append(parts, requirementText(r))
	}
	return strings.Join(parts, " && ")
}

func requirementText(r labels.Requirement) string {
	k := Key{Label, r.Key()}
	var allowed []string
	for _, v := range r.Values().List() {
		allowed = append(allowed, quote(v))
	}
	in := hasText("object", k) + " && " + valueText("object", k) + " in [" + strings.Join(allowed, ", ") + "]"
	switch r.Operator() {
	case selection.Exists:
		return "(" + hasText("object", k) + ")"
	case selection.DoesNotExist:
		return "!(" + hasText("object", k) + ")"
	case selection.NotIn, selection.NotEquals:
		return "!(" + in + ")"
	default:
		return "(" + in + ")"
	}
}

// Expressions are the rules of the schema. A value that a Secret had before is
// let through: who changes something else must not have to mend it first.
func (s Schema) Expressions() []Expression {
	var out []Expression
	for _, r := range s.rules {
		value := valueText("object", r.key)
		add := func(holds, message string) {
			if r.Description != "" {
				message += ": " + r.Description
			}
			out = append(out, Expression{
				Expression: "(" + holds + ") || " + asBefore(r.key),
				Message:    fmt.Sprintf("%s %s (MetadataSchema %s)", r.key, message, s.Name),
			})
		}
		if r.Required {
			add(value+" != ''", "is required")
		}
		if text := typeText(Type(r.Type), value); text != "" {
			add(value+" == '' || "+text, fmt.Sprintf("must be %s", r.Type))
		}
		if len(r.Enum) > 0 {
			add(value+" == '' || "+value+" in "+list(r.Enum), "must be one of "+strings.Join(r.Enum, ", "))
		}
		if r.pattern != nil {
			add(value+" == '' || "+matches(value, r.pattern.Regexp), "must match "+r.Pattern)
		}
	}
	if s.closed {
		out = append(out, s.closedTo(Label), s.closedTo(Annotation))
	}
	return out
}

func (s Schema) closedTo(in Place) Expression {
	field := "object.metadata." + fieldOf(in)
	old := strings.Replace(field, "object", "oldObject", 1)
	before := "(oldObject != null && has(" + old + ") && k in " + old + ")"
	known := "k in " + list(s.names(in)) + " || k == 'managed-by' || k.matches(" + quote(reservedForm) + ")"
	return Expression{
		Expression: "!has(" + field + ") || " + field + ".all(k, " + known + " || " + before + ")",
		Message:    fmt.Sprintf("%s must be named by MetadataSchema %s, which is closed", fieldOf(in), s.Name),
	}
}

// reservedForm matches the keys that Reserved does, but for one without a domain.
var reservedForm = func() string {
	var domains []string
	for _, d := range reservedDomains {
		domains = append(domains, regexp.QuoteMeta(d))
	}
	return `^([^/]+\.)?(` + strings.Join(domains, "|") + `)/`
}()

func fieldOf(in Place) string {
	if in == Label {
		return "labels"
	}
	return "annotations"
}

// hasText reports whether an object has a key.
func hasText(object string, k Key) string {
	field := object + ".metadata." + fieldOf(k.In)
	return "has(" + field + ") && " + quote(k.Name) + " in " + field
}

// valueText is the value of a key, empty where there is none.
func valueText(object string, k Key) string {
	field := object + ".metadata." + fieldOf(k.In)
	return "(" + hasText(object, k) + " ? " + field + "[" + quote(k.Name) + "] : '')"
}

func asBefore(k Key) string {
	return "(oldObject != null && " + valueText("oldObject", k) + " == " + valueText("object", k) + ")"
}

// typeText reports whether a value has a type; empty for a type that any value has.
func typeText(t Type, value string) string {
	switch t {
	case TypeBoolean:
		return value + " in ['true', 'false']"
	case TypeInteger:
		return matches(value, integerForm)
	case TypeNumber:
		return matches(value, numberForm)
	case TypeURL:
		return matches(value, urlForm)
	case TypeARN:
		return matches(value, arnForm)
	case TypeJSON:
		return matches(value, jsonForm)
	case TypeCIDR:
		return "isCIDR(" + value + ")"
	case TypeString:
	}
	return ""
}

func matches(value string, form *regexp.Regexp) string {
	return value + ".matches(" + quote(form.String()) + ")"
}

func list(all []string) string {
	quoted := make([]string, 0, len(all))
	for _, text := range all {
		quoted = append(quoted, quote(text))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quote writes a text as CEL reads it, which takes Go's escapes.
func quote(text string) string { return strconv.Quote(text) }
