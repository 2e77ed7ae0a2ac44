package difference

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// AnnotationIgnore lists JSON pointers of one object whose differences do not
// count: {jsonPointers: [/spec/replicas]}.
const AnnotationIgnore = gitops.AnnotationPrefix + "ignore-differences"

// Rules say which differences of an application's objects do not count: its
// own rules, joined with the installation's. They do not change.
type Rules struct {
	settings *Settings
	list     []rule
	types    []gitops.TypedField
}

// rule is one entry of ignoreDifferences, ready to be used.
type rule struct {
	group, kind     pattern
	name, namespace string
	ignore          gitops.Ignore
}

// NewRules joins the rules of an application of a project with the settings of the installation,
// which may be nil. An expression that cannot be read is an error, and so are
// more rules than anybody means.
func NewRules(project string, own v1alpha1.IgnoreDifferences, settings *Settings) (*Rules, error) {
	if settings == nil {
		settings = defaultSettings()
	}
	if settings.err != nil {
		return nil, settings.err
	}
	if err := checkSize(own); err != nil {
		return nil, err
	}
	r := &Rules{settings: settings, list: make([]rule, 0, len(own))}
	for i, o := range own {
		next, err := newRule(project, o.Group, o.Kind, gitops.Ignore{JSONPointers: o.JSONPointers, JQ: o.JQPathExpressions, Managers: o.ManagedFieldsManagers})
		if err != nil {
			return nil, fmt.Errorf("spec.ignoreDifferences[%d]: %w", i, err)
		}
		next.name, next.namespace = o.Name, o.Namespace
		r.list = append(r.list, next)
	}
	return r, nil
}

// Only are rules that ignore the same in every object, and no more than the
// status besides.
func Only(ctx context.Context, ignore gitops.Ignore) (*Rules, error) {
	r, err := newRule(jq.Project(ctx), "*", "*", ignore)
	if err != nil {
		return nil, err
	}
	settings := *defaultSettings()
	settings.known = nil // the action says which
	if ignore.CountStatus {
		settings.rules = nil
	}
	return &Rules{settings: &settings, list: []rule{r}, types: ignore.Types}, nil
}

// defaultRules are those of an installation and an application that say nothing.
func defaultRules() *Rules { return &Rules{settings: defaultSettings()} }

// newRule holds no compiled expressions: rules are kept, and compiled they are
// 250 times as large.
func newRule(project, group, kind string, ignore gitops.Ignore) (rule, error) {
	for _, expression := range ignore.JQ {
		if _, err := parseJQ(project, expression); err != nil {
			return rule{}, err
		}
	}
	return rule{group: newPattern(group), kind: newPattern(kind), ignore: ignore}, nil
}

func (r *rule) match(k gitops.Key) bool { return r.named(k) && r.ofKind(k.Group, k.Kind) }

func (r *rule) ofKind(group, kind string) bool { return r.group.match(group) && r.kind.match(kind) }

func (r *rule) named(k gitops.Key) bool {
	return (r.name == "" || r.name == k.Name) && (r.namespace == "" || r.namespace == k.Namespace)
}

// For joins the rules that concern an object. Its annotation counts, too.
func (r *Rules) For(o *unstructured.Unstructured) gitops.Ignore {
	k := gitops.KeyOf(o)
	return r.Ignore(r.Concern(r.OfKind(k.Group, k.Kind), o))
}

func withoutManagers(i gitops.Ignore) gitops.Ignore {
	i.Managers = nil
	return i
}

func add(to *gitops.Ignore, more gitops.Ignore) {
	to.JSONPointers = append(to.JSONPointers, more.JSONPointers...)
	to.JQ = append(to.JQ, more.JQ...)
	to.Managers = append(to.Managers, more.Managers...)
}

// fewTexts are looked through faster than a set of them is made.
const fewTexts = 16

// distinct takes out, in place, what a list has had before: it may be as long as
// whoever writes an Application or an object likes.
func distinct(list []string) []string {
	if len(list) > fewTexts {
		known := make(map[string]bool, len(list))
		return slices.DeleteFunc(list, func(s string) bool {
			before := known[s]
			known[s] = true
			return before
		})
	}
	kept := list[:0]
	for _, s := range list {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// with adds the rule that an object's annotation makes for it.
func (r *Rules) with(desired *unstructured.Unstructured) *Rules {
	if desired == nil {
		return r
	}
	pointers := ownPointers(desired)
	if len(pointers) == 0 {
		return r
	}
	k := gitops.KeyOf(desired)
	own := rule{
		group: newPattern(k.Group), kind: newPattern(k.Kind), name: k.Name, namespace: k.Namespace,
		ignore: gitops.Ignore{JSONPointers: pointers},
	}
	return &Rules{settings: r.settings, list: append(slices.Clone(r.list), own), types: r.types}
}

// ownPointers reads the annotation of an object; what cannot be read says nothing.
func ownPointers(o *unstructured.Unstructured) []string { return pointersIn(ownText(o)) }

// ownText is the annotation of an object, or nothing where it is too long: in
// manifests that is refused.
func ownText(o *unstructured.Unstructured) string {
	text, _, _ := unstructured.NestedString(o.Object, "metadata", "annotations", AnnotationIgnore)
	if len(text) > gitops.MaxSteering {
		return ""
	}
	return text
}

func pointersIn(text string) []string {
	if text == "" {
		return nil
	}
	var value struct {
		JSONPointers []string `json:"jsonPointers"`
	}
	if bounded.Unmarshal([]byte(text), &value) != nil {
		return nil
	}
	return value.JSONPointers
}

// managersOf are the managers whose fields do not count for an object.
func (r *Rules) managersOf(o *unstructured.Unstructured) []string { return r.For(o).Managers }

// forget takes out of an object what does not count, in place. A path that is
// not there and an expression that does not fit are skipped.
func (r *Rules) forget(ctx context.Context, o *unstructured.Unstructured) error {
	k := gitops.KeyOf(o)
	content := o.Object
	lists := [][]rule{r.list, r.settings.rules}
	for _, list := range lists {
		for i := range list {
			if !list[i].match(k) {
				continue
			}
			for _, pointer := range list[i].ignore.JSONPointers {
				ForgetPointer(content, pointer)
			}
			var err error
			if content, err = ForgetJQ(ctx, content, list[i].ignore.JQ); err != nil {
				return err
			}
		}
	}
	o.Object = content
	return nil
}
