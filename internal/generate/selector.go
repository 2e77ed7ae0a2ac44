package generate

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// requirement is one condition on flattened parameters.
type requirement struct {
	key      string
	operator metav1.LabelSelectorOperator
	values   []string
	// known are the values, for as many as there may be.
	known map[string]bool
}

func newRequirement(key string, operator metav1.LabelSelectorOperator, values []string) requirement {
	known := make(map[string]bool, len(values))
	for _, v := range values {
		known[v] = true
	}
	return requirement{key, operator, values, known}
}

// parameterSelector reads the selector beside a generator; nil keeps every
// set. Unlike a selector on labels, its values may be any text; its keys must
// be valid label keys all the same, so path[0] is not possible.
func parameterSelector(s *metav1.LabelSelector) ([]requirement, error) {
	if s == nil {
		return nil, nil
	}
	var out []requirement
	for k, v := range s.MatchLabels {
		out = append(out, newRequirement(k, metav1.LabelSelectorOpIn, []string{v}))
	}
	for _, e := range s.MatchExpressions {
		out = append(out, newRequirement(e.Key, e.Operator, e.Values))
	}
	for _, r := range out {
		if err := r.valid(); err != nil {
			return nil, errorf("cannot use the generator's selector: %w", err)
		}
	}
	return out, nil
}

func (r requirement) valid() error {
	if wrong := validation.IsQualifiedName(r.key); len(wrong) > 0 {
		return errorf("key %q: %s", r.key, word(strings.Join(wrong, "; ")))
	}
	switch r.operator {
	case metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn:
		if len(r.values) == 0 {
			return errorf("key %q: %s needs values", r.key, word(r.operator))
		}
	case metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist:
		if len(r.values) > 0 {
			return errorf("key %q: %s takes no values", r.key, word(r.operator))
		}
	default:
		return errorf("key %q: unknown operator %q, use In, NotIn, Exists or DoesNotExist", r.key, string(r.operator))
	}
	return nil
}

func (r requirement) matches(p Params) bool {
	value, has := p.leaf(r.key)
	switch r.operator {
	case metav1.LabelSelectorOpIn:
		return has && r.known[value]
	case metav1.LabelSelectorOpNotIn:
		return !has || !r.known[value]
	case metav1.LabelSelectorOpExists:
		return has
	default:
		return !has
	}
}

func (r *run) selected(sets []paramSet, keep []requirement) ([]paramSet, error) {
	if len(keep) == 0 {
		return sets, nil
	}
	for _, k := range keep {
		r.lacks.choose(k.key)
	}
	out, err := r.chosen(sets, keep)
	if err != nil {
		return nil, err
	}
	r.chose(textOfAll(keep), "keeps none of its results", len(sets), len(out))
	return out, nil
}

// chosen are the sets that meet all requirements. A set may name as many of these as
// there are sets, so the time is looked at between them.
func (r *run) chosen(sets []paramSet, keep []requirement) ([]paramSet, error) {
	out := make([]paramSet, 0, len(sets))
	for _, p := range sets {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(keep, func(r requirement) bool { return !r.matches(p.Params) }) {
			out = append(out, p)
		}
	}
	return out, nil
}

// String is how the requirement is told to people.
func (r requirement) String() string {
	text := r.key + " " + string(r.operator)
	if len(r.values) > 0 {
		text += fmt.Sprintf(" %q", r.values)
	}
	return text
}

func textOfAll(keep []requirement) string {
	var texts []string
	for _, r := range keep {
		texts = append(texts, r.String())
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

// choice is what a selector at one place chose, over all the times that the
// generator was asked there.
type choice struct {
	position, selector, effect string
}

type chosenOf struct {
	from, chosen int
	// veiled tells that the selector may have what a cluster says.
	veiled bool
}

// chose counts what a selector chose; the effect says what it means when that
// is nothing.
func (r *run) chose(selector, effect string, from, chosen int) {
	c := choice{position: r.at(), selector: selector, effect: effect}
	count, known := r.choices[c]
	if !known {
		count = &chosenOf{veiled: !r.tells() && r.isVeiled()}
		r.choices[c] = count
		_ = r.held.take(perRepo + len(selector)) // what is beyond the bound, the next to take says
		r.choiceOrder = append(r.choiceOrder, c)
	}
	count.from += from
	count.chosen += chosen
}

// unmatched warns of selectors that chose nothing of something.
func (r *run) unmatched() []gitops.Warning {
	var out []gitops.Warning
	for _, c := range r.choiceOrder {
		count := r.choices[c]
		if count.chosen > 0 || count.from == 0 {
			continue
		}
		w := gitops.Warning{
			Reason:  "SelectorMatchesNothing",
			Message: r.ofSet(fmt.Sprintf("the selector (%s) of %s %s", c.selector, c.position, c.effect)),
		}
		if count.veiled {
			w.Bare, w.Fleet = r.ofSet(fmt.Sprintf("a selector of %s %s", c.position, c.effect)), true
		}
		out = append(out, w)
	}
	return out
}
