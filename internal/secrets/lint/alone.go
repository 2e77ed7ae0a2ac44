package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/admission"
	"github.com/causeway-gitops/causeway/internal/secrets/template"
)

// Providers are those of which the engine reads stores.
var Providers = []string{"aws", "azurekv", "fake", "gcpsm", "kubernetes", "vault", "webhook"}

// provider tells of a store that does not name one provider, or another one than the engine has.
func (o *Object) provider(spec map[string]any) {
	if controller, _, _ := unstructured.NestedString(spec, "controller"); controller != "" && controller != esv1.EngineClass {
		return // whoever serves it knows what that is
	}
	given, _, _ := unstructured.NestedMap(spec, "provider")
	named := esv1.SecretStoreSpec{Provider: map[string]apiextensionsv1.JSON{}}
	for name := range given {
		named.Provider[name] = apiextensionsv1.JSON{}
	}
	name, _, err := admission.Provider(named)
	switch {
	case err != nil:
		o.mistake(Mistake{Reason: Provider, Message: "spec.provider " + err.Error()})
	case !slices.Contains(Providers, name):
		o.mistake(Mistake{Reason: Provider, later: true, Message: fmt.Sprintf(
			"this engine has no provider %s; it has %s. Without External Secrets' own operator, nobody serves the store", name, strings.Join(Providers, ", "))})
	}
}

// interval tells of a refreshInterval that is no duration, which the API server refuses.
func (o *Object) interval(place string, spec map[string]any) {
	given, there := spec["refreshInterval"]
	if !there || given == nil {
		return
	}
	text, ok := given.(string)
	if !ok {
		o.mistake(Mistake{Reason: Interval, Message: fmt.Sprintf("%s.refreshInterval is %v, and has to be a text, such as \"1h\" or \"0\": put it in quotes", place, given)})
		return
	}
	if _, err := time.ParseDuration(text); err != nil {
		o.mistake(Mistake{Reason: Interval, Message: fmt.Sprintf("%s.refreshInterval %q is no duration; write it in hours, minutes or seconds, such as 24h, 30m or 1h30m", place, text)})
	}
}

func (o *Object) policies(place string, spec *esv1.ExternalSecretSpec) {
	for _, p := range []struct {
		field, value, there string
		known               bool
	}{
		{"refreshPolicy", string(spec.RefreshPolicy), "Periodic, OnChange and CreatedOnce", spec.RefreshPolicy.Known()},
		{"target.creationPolicy", string(spec.Target.CreationPolicy), "Owner, Orphan, Merge and None", spec.Target.CreationPolicy.Known()},
		{"target.deletionPolicy", string(spec.Target.DeletionPolicy), "Retain, Delete and Merge", spec.Target.DeletionPolicy.Known()},
	} {
		if !p.known {
			o.mistake(Mistake{Reason: Policy, later: true, Message: fmt.Sprintf("%s.%s is %q; there are %s", place, p.field, p.value, p.there)})
		}
	}
}

// keys tells of entries of data that give the same key: the last one counts.
func (o *Object) keys(place string, spec *esv1.ExternalSecretSpec) {
	first, told := map[string]int{}, map[string]bool{}
	for i := range spec.Data {
		key := spec.Data[i].SecretKey
		at, again := first[key]
		if !again {
			first[key] = i
			continue
		}
		if !told[key] {
			told[key] = true
			o.mistake(Mistake{Reason: SecretKey, Message: fmt.Sprintf("%s.data[%d] and data[%d] both give the key %s; the last one counts", place, at, i, key)})
		}
	}
}

// templates tells of those that do not parse, or look up what nothing gives.
func (o *Object) templates(place string, spec *esv1.ExternalSecretSpec) {
	all := spec.Target.Template
	if all == nil || all.EngineVersion != "" && all.EngineVersion != "v2" {
		return
	}
	place += ".target.template"
	known := names(spec)
	for _, part := range []struct {
		field string
		texts map[string]string
	}{{"data", all.Data}, {"metadata.labels", all.Metadata.Labels}, {"metadata.annotations", all.Metadata.Annotations}} {
		for _, key := range slices.Sorted(maps.Keys(part.texts)) {
			o.template(place+"."+part.field+"["+key+"]", key, part.texts[key], known)
		}
	}
	for i, from := range all.TemplateFrom {
		if from.Literal != nil {
			o.template(fmt.Sprintf("%s.templateFrom[%d].literal", place, i), "literal", *from.Literal, known)
		}
	}
}

// names are the values that templates see; nil where they are not known before somebody asks the store.
func names(spec *esv1.ExternalSecretSpec) []string {
	if len(spec.DataFrom) > 0 || len(spec.Data) == 0 {
		return nil
	}
	out := make([]string, 0, len(spec.Data))
	for i := range spec.Data {
		out = append(out, spec.Data[i].SecretKey)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (o *Object) template(place, key, text string, known []string) {
	needs, err := template.Needs(key, text)
	if err != nil {
		function := strings.Contains(err.Error(), "function ") && strings.HasSuffix(err.Error(), " not defined")
		o.mistake(Mistake{Reason: Template, Message: fmt.Sprintf("%s: %v", place, err), later: function})
		return
	}
	if known == nil {
		return
	}
	for _, name := range needs {
		if !slices.Contains(known, name) {
			o.mistake(Mistake{Reason: TemplateKey, Message: fmt.Sprintf("%s looks up .%s, and no secretKey of data gives that; there are %s", place, name, listed(known))})
		}
	}
}

// mostListed bounds how many names a message has.
const mostListed = 8

func listed(all []string) string {
	if len(all) <= mostListed {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:mostListed], ", "), len(all)-mostListed)
}
