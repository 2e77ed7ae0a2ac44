package redact

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// holder is how an object of External Secrets holds values, if it does. The others only name them.
type holder int

const (
	holdsNone holder = iota
	// holdsSome is a store or generator: a fake one has values, and a webhook may have them in what it sends.
	holdsSome
	// holdsData is the generator Fake, whose data are values.
	holdsData
)

const (
	groupSecrets    = "external-secrets.io"
	groupGenerators = "generators." + groupSecrets
)

// holderOf is how an object holds values.
func holderOf(object map[string]any) holder {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	group, _, _ := strings.Cut(version, "/")
	switch {
	case group == groupGenerators && kind == "Fake":
		return holdsData
	case group == groupGenerators, group == groupSecrets && (kind == "SecretStore" || kind == "ClusterSecretStore"):
		return holdsSome
	}
	return holdsNone
}

// holds reports whether all below a field of an object that holds values is one: a value of the provider fake, the data
// of the generator Fake, and what a webhook or the Vault is sent, which is often a password or token.
func (h holder) holds(in map[string]any, key string) bool {
	beside, sent := sends[key]
	switch {
	case h == holdsNone:
		return false
	case sent:
		_, request := in[beside]
		return request
	case key == "data":
		return h == holdsData
	}
	return key == "value" || key == "valueMap" || key == "fakeSpec"
}

// below is how an object holds values below a field: as elsewhere, except that tags, which stand beside their keys in
// each log of AWS, are none. To know their texts as secret would mask the names of clusters everywhere.
func (h holder) below(key string) holder {
	if key == sessionTags {
		return holdsNone
	}
	return h
}

const sessionTags = "sessionTags"

// HoldsAt reports whether what stands at a path of an object of External Secrets may be a value that it holds, or has one
// below it.
func HoldsAt(k gitops.Key, path []string, value any) bool {
	h := holderOf(map[string]any{"apiVersion": k.Group + "/", "kind": k.Kind})
	if h == holdsNone || slices.Contains(path, sessionTags) {
		return false
	}
	request := map[string]any{"url": nil, "path": nil} // who only knows the path takes each for one of a request
	if slices.ContainsFunc(path, func(step string) bool { return h.holds(request, step) }) {
		return true
	}
	return h.within(value)
}

// within reports whether a value has one below it that is held.
func (h holder) within(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			if h.holds(value, key) || h.below(key).within(v) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, h.within)
	}
	return false
}

// sends are fields with what a request sends, and what stands beside them where they are such: those of a webhook, and of
// a VaultDynamicSecret. What is sent may be a word that stands elsewhere, too.
var sends = map[string]string{"body": "url", "headers": "url", "parameters": "path", "getParameters": "path"}

// valuesHeld are the texts that a store or generator holds as values.
func valuesHeld(object map[string]any) (all []string) {
	h := holderOf(object)
	if h == holdsNone {
		return nil
	}
	var look func(h holder, value any, held bool)
	look = func(h holder, value any, held bool) {
		switch value := value.(type) {
		case map[string]any:
			for key, below := range value {
				_, sent := sends[key]
				look(h.below(key), below, held || !sent && h.holds(value, key))
			}
		case []any:
			for _, below := range value {
				look(h, below, held)
			}
		case string:
			if held {
				all = append(all, value)
			}
		case nil:
		default:
			if held {
				all = append(all, fmt.Sprint(value))
			}
		}
	}
	look(h, object["spec"], false)
	return all
}

// HeldMarks replaces what stores and generators of External Secrets hold by marks, on both sides of a difference. Equal
// values of one field have equal marks, whichever call makes them. The objects are not changed; either may be nil.
func HeldMarks(desired, live *unstructured.Unstructured) (_, _ *unstructured.Unstructured) {
	marks := fieldMarks{}
	return heldMarks(desired, marks), heldMarks(live, marks)
}

func heldMarks(o *unstructured.Unstructured, marks fieldMarks) *unstructured.Unstructured {
	if o == nil {
		return nil
	}
	h := holderOf(o.Object)
	if h == holdsNone {
		return o
	}
	var hide func(h holder, value any, path string, held bool) any
	hide = func(h holder, value any, path string, held bool) any {
		switch value := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) { // in an order, or marks would change places
				value[key] = hide(h.below(key), value[key], path+"\x00"+key, held || h.holds(value, key))
			}
			return value
		case []any:
			for i, below := range value {
				value[i] = hide(h, below, path, held) // without the place in the list: entries move
			}
			return value
		case string:
			if !held {
				return likely(value)
			}
			return marks.of(path, value)
		case nil:
			return nil
		}
		if held { // a number or a flag, as of a pin without quotes: it is still the one that somebody wrote
			return marks.of(path, fmt.Sprint(value))
		}
		return value
	}
	o = o.DeepCopy()
	if annotations := o.GetAnnotations(); annotations[gitops.AnnotationLastApplied] != "" {
		annotations[gitops.AnnotationLastApplied] = mark // a copy of all that is hidden
		o.SetAnnotations(annotations)
	}
	if spec, ok := o.Object["spec"]; ok {
		o.Object["spec"] = hide(h, spec, "", false)
	}
	return o
}

// fieldMarks are marks by paths of fields and by values. Those of one field are counted by themselves: a mark depends on
// nothing else that the object has, and does not tell that two fields have one value.
type fieldMarks map[string]map[string]string

func (m fieldMarks) of(path, value string) string {
	if m[path] == nil {
		m[path] = map[string]string{}
	}
	made, there := m[path][value]
	if !there {
		made = heldMark(len(m[path]))
		m[path][value] = made
	}
	return made
}

// heldMark is the mark of one of several values.
func heldMark(i int) string {
	if i == 0 {
		return mark
	}
	return fmt.Sprintf("%s (%d)", mark, i+1)
}
