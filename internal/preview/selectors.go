package preview

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
)

// selectorMatchesNothing is the word for selectors without effect.
const selectorMatchesNothing = "SelectorMatchesNothing"

// demand is what a selector asks of one label; no values stand for any.
type demand struct {
	key    string
	values []string
}

// wish is what selectors ask of a label, and no cluster has.
type wish struct {
	key    string
	values []string
	sets   []*Set
}

// idle has one finding for each label that selectors ask for in a way that no
// cluster has it. That an addon is switched on nowhere is how repositories are
// meant to work, and none.
func (s *State) idle() []finding {
	if len(s.Side.Roster.Clusters) == 0 {
		return nil // nothing is known of any cluster
	}
	asked, wishes := map[string]bool{}, map[string]*wish{}
	var order []string
	for _, set := range s.ApplicationSets() {
		for _, sel := range selectors(set.Spec.Generators) {
			for _, d := range demands(sel) {
				asked[d.key] = true
				if s.met(d) || implied[d.key] || s.switchedOff(d) {
					continue
				}
				if wishes[d.key] == nil {
					wishes[d.key] = &wish{key: d.key}
					order = append(order, d.key)
				}
				wishes[d.key].add(d, set)
			}
		}
	}
	var out []finding
	for _, key := range order {
		w := wishes[key]
		text := s.wishText(w, asked)
		if text == "" {
			continue
		}
		first := w.sets[0]
		out = append(out, finding{
			reason: selectorMatchesNothing, same: key + "=" + strings.Join(w.values, ","), message: text + "; " + askedBy(w.sets),
			origin: s.Side.lineWith(first.Repo, first.Place, regexp.MustCompile(`(^|[\s"'{,])`+regexp.QuoteMeta(key)+`($|[\s"':},])`)),
		})
	}
	return out
}

func (w *wish) add(d demand, set *Set) {
	for _, v := range d.values {
		if !slices.Contains(w.values, v) {
			w.values = append(w.values, v)
		}
	}
	slices.Sort(w.values)
	if !slices.Contains(w.sets, set) {
		w.sets = append(w.sets, set)
	}
}

// met reports whether any cluster has a label as it is demanded.
func (s *State) met(d demand) bool {
	return slices.ContainsFunc(s.Side.Roster.Clusters, func(c roster.Cluster) bool {
		v, ok := c.Labels[d.key]
		return ok && (len(d.values) == 0 || slices.Contains(d.values, v))
	})
}

// switchedOff reports whether a switch is there, and in the other position.
func (s *State) switchedOff(d demand) bool {
	return onOff(d.values) && s.met(demand{key: d.key})
}

// askedBy names sets, but no more than a person reads.
func askedBy(sets []*Set) string {
	const most = 3
	var names []string
	for _, s := range sets {
		names = append(names, s.Name)
	}
	return "asked for by ApplicationSet " + gitops.Listed(slices.Compact(names), most)
}

// wishText says what clusters have instead; empty for a switch that no
// cluster has, unless it is misspelled.
func (s *State) wishText(w *wish, asked map[string]bool) string {
	has, near := map[string]bool{}, map[string]bool{}
	for _, c := range s.Side.Roster.Clusters {
		for k, v := range c.Labels {
			if k == w.key {
				has[v] = true
			}
			near[k] = near[k] || !asked[k] && alike(k, w.key)
		}
	}
	maps.DeleteFunc(near, func(_ string, yes bool) bool { return !yes })
	switch {
	case len(has) > 0:
		return fmt.Sprintf("no cluster has the label %s=%s: there are %s", w.key, strings.Join(w.values, ", "), strings.Join(slices.Sorted(maps.Keys(has)), ", "))
	case len(near) > 0:
		return fmt.Sprintf("no cluster has the label %s, but there is %s", w.key, strings.Join(slices.Sorted(maps.Keys(near)), ", "))
	case onOff(w.values):
		return ""
	}
	return "no cluster has the label " + w.key
}

// onOff reports whether values are those of a switch.
func onOff(values []string) bool {
	switches := []string{"true", "false", "enabled", "disabled", "yes", "no", "on", "off"}
	return len(values) > 0 && !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(switches, strings.ToLower(v)) })
}

// alike reports whether two keys are the same but for how words are joined, or
// for one letter.
func alike(a, b string) bool {
	join := strings.NewReplacer("_", "", "-", "", ".", "")
	x, y := strings.ToLower(join.Replace(a)), strings.ToLower(join.Replace(b))
	if x == y {
		return true
	}
	const short = 5 // letters; of shorter ones many differ by one
	return min(len(x), len(y)) > short && oneApart(x, y)
}

// oneApart reports whether a letter that is changed, added or left out makes
// one text of another.
func oneApart(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i == len(a) || a[i+1:] == b[i+1:]
	}
	return a[i:] == b[i+1:]
}

// implied labels are on every cluster Secret, whether a fleet file says so or not.
var implied = map[string]bool{v1alpha1.LabelSecretType: true}

// demands are what a selector asks of labels that have to be there. Those with
// placeholders are known only later.
func demands(sel metav1.LabelSelector) []demand {
	var out []demand
	for k, v := range sel.MatchLabels {
		out = append(out, demand{k, []string{v}})
	}
	for _, e := range sel.MatchExpressions {
		switch e.Operator {
		case metav1.LabelSelectorOpIn:
			out = append(out, demand{e.Key, e.Values})
		case metav1.LabelSelectorOpExists:
			out = append(out, demand{key: e.Key})
		case metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpDoesNotExist:
		}
	}
	out = slices.DeleteFunc(out, func(d demand) bool { return strings.Contains(d.key+strings.Join(d.values, ""), "{{") })
	slices.SortFunc(out, func(a, b demand) int { return strings.Compare(a.key, b.key) })
	return out
}

// selectors are those of all clusters generators, however deep.
func selectors(all []v1alpha1.ApplicationSetGenerator) []metav1.LabelSelector {
	text, err := json.Marshal(all)
	if err != nil {
		return nil
	}
	var tree any
	if json.Unmarshal(text, &tree) != nil {
		return nil
	}
	var out []metav1.LabelSelector
	collect(tree, &out)
	return out
}

func collect(v any, out *[]metav1.LabelSelector) {
	switch x := v.(type) {
	case []any:
		for _, below := range x {
			collect(below, out)
		}
	case map[string]any:
		if g, ok := x["clusters"].(map[string]any); ok {
			text, err := json.Marshal(g["selector"])
			var sel metav1.LabelSelector
			if err == nil && json.Unmarshal(text, &sel) == nil {
				*out = append(*out, sel)
			}
		}
		for _, name := range []string{"matrix", "merge", "generators"} {
			collect(x[name], out)
		}
	}
}
