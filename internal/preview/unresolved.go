package preview

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/preview/object"
)

// unresolvedParameter is the word of generators and renderers for a
// placeholder that nothing fills. What they say of each application is told
// here once for all clusters, with the line.
const unresolvedParameter = "UnresolvedParameter"

// noValue is what Go templates print for a parameter that is missing.
const noValue = "<no value>"

// placeholder is a parameter that no generator gave. What begins with a
// dollar is another tool's.
var placeholder = regexp.MustCompile(`(\$?)\{\{\s*([a-zA-Z][\w-]*(?:[./][\w./-]+)?)\s*\}\}`)

// left is a placeholder that stands in an Application as it is.
type left struct {
	key string
	// free tells that it stands in values of a chart, where templates of other
	// tools may stand, too: the legend of a dashboard, a step of a workflow.
	free bool
}

// sure reports whether a key can only be meant for a generator.
func (l left) sure() bool {
	return !l.free || strings.HasPrefix(l.key, "metadata.labels.") || strings.HasPrefix(l.key, "metadata.annotations.") ||
		strings.HasPrefix(l.key, "values.") || l.key == "path" || strings.HasPrefix(l.key, "path.")
}

// lack is a placeholder of a set, or of an Application that no set made.
type lack struct {
	subject ID
	key     string
}

// where a lack is felt.
type where struct {
	clusters []string
	sure     bool
	count    int
}

// unresolved has one finding for each placeholder of a set, for all clusters
// that lack it.
func (s *State) unresolved() []finding {
	found := map[lack]*where{}
	var order []lack
	add := func(subject ID, cluster string, app *v1alpha1.Application) {
		for _, l := range leftIn(app) {
			at := lack{subject, l.key}
			if found[at] == nil {
				found[at] = &where{}
				order = append(order, at)
			}
			found[at].sure = found[at].sure || l.sure()
			found[at].count++
			if cluster != "" {
				found[at].clusters = append(found[at].clusters, cluster)
			}
		}
	}
	made := map[ID]int{}
	for _, a := range s.Applications() {
		made[s.makerOf(a)]++
		add(s.makerOf(a), s.concerned(a), a.Application)
	}
	for _, set := range s.ApplicationSets() {
		if set.Expansion == nil {
			continue
		}
		for _, r := range set.Expansion.Rejected {
			if r.Application != nil && len(r.Params) == 1 {
				made[set.ID]++
				name, _ := r.Params[0]["name"].(string)
				add(set.ID, s.known(name), r.Application)
			}
		}
	}
	for _, set := range s.ApplicationSets() {
		s.refine(set, found, &order)
	}
	var out []finding
	for _, at := range order {
		// What only some Applications of a set have left, others had filled.
		if w := found[at]; w != nil && (w.sure || w.count < made[at.subject]) {
			out = append(out, s.lacking(at, w.clusters))
		}
	}
	return out
}

// refine adds what the generators know better: the clusters that a parameter
// was asked of, its name where a Go template printed none, and what never
// became an Application.
func (s *State) refine(set *Set, found map[lack]*where, order *[]lack) {
	if set.Expansion == nil {
		return
	}
	for _, w := range set.Expansion.Warnings {
		if w.Reason != unresolvedParameter || w.Key == "" {
			continue
		}
		at, silent := lack{set.ID, w.Key}, lack{set.ID, noValue}
		f := found[at]
		if f == nil && !set.Spec.GoTemplate && (!set.unseen() || !placeholder.MatchString("{{"+w.Key+"}}")) {
			continue // another tool's
		}
		if f == nil {
			f = &where{sure: left{key: w.Key, free: !set.Spec.GoTemplate}.sure()}
			*order = append(*order, at)
			found[at] = f
		}
		if set.Spec.GoTemplate {
			delete(found, silent)
		}
		var clusters []string
		for _, name := range slices.Concat(w.Clusters, w.Applications) {
			if s.known(name) != "" {
				clusters = append(clusters, name)
			}
		}
		if len(clusters) > 0 {
			f.clusters = clusters
		}
	}
}

// unseen reports whether the set gave something that never became an Application.
func (s *Set) unseen() bool {
	return s.Err != nil || slices.ContainsFunc(s.Expansion.Rejected, func(r generate.Rejected) bool { return r.Application == nil })
}

// retold reports whether what a generator says is told by line, for all
// clusters and sets: see unresolved and idle.
func retold(w gitops.Warning) bool {
	return w.Reason == unresolvedParameter || w.Reason == selectorMatchesNothing && strings.HasSuffix(w.Message, " matches no cluster")
}

// makerOf is the set of an application, or itself.
func (s *State) makerOf(a *App) ID {
	if s.Sets[a.Parent] != nil {
		return a.Parent
	}
	return a.ID
}

// known is the name if it is a cluster's.
func (s *State) known(name string) string {
	if _, ok := clusterOf(s, name); ok {
		return name
	}
	return ""
}

// concerned is the cluster that an application is for: an application that
// goes to the hub may be made for another one, which its name tells.
func (s *State) concerned(a *App) string {
	if a.Cluster.Name != "" && !a.Cluster.IsHub() {
		return a.Cluster.Name
	}
	best := ""
	for _, c := range s.Side.Roster.Clusters {
		if len(c.Name) > len(best) && object.ReplaceWord(a.Name, c.Name, "") != a.Name {
			best = c.Name
		}
	}
	return orElse(best, a.Cluster.Name)
}

func (s *State) lacking(at lack, clusters []string) finding {
	f := finding{subject: at.subject, reason: unresolvedParameter, clusters: clusters, same: at.subject.String() + "\n" + at.key}
	text := "{{" + at.key + "}} has no value and stays as it stands"
	set := s.Sets[at.subject]
	if set != nil && set.Spec.GoTemplate {
		text = "{{." + at.key + "}} has no value, so the template prints " + noValue
	}
	switch label, annotation, value := strings.TrimPrefix(at.key, "metadata.labels."), strings.TrimPrefix(at.key, "metadata.annotations."), strings.TrimPrefix(at.key, "values."); {
	case at.key == noValue:
		text = "a parameter is missing, so the template prints " + noValue + "; add it, or set goTemplateOptions to missingkey=error"
	case set == nil:
		text += "; only the template of an ApplicationSet has it filled"
	case label != at.key:
		text += fmt.Sprintf("; add the label %s to the cluster Secret", label)
	case annotation != at.key:
		text += fmt.Sprintf("; add the annotation %s to the cluster Secret", annotation)
	case value != at.key:
		text += fmt.Sprintf("; add %s to the values of the generator", value)
	default:
		text += "; no generator of the set gives it"
	}
	f.message = text
	if set != nil {
		f.origin = s.Side.lineWith(set.Repo, set.Place, asWritten(at.key))
		return f
	}
	if a := s.Apps[at.subject]; a != nil {
		f.origin = s.Side.lineWith(a.Repo, a.Place, asWritten(at.key))
	}
	return f
}

// asWritten matches a placeholder in a file, also one of a Go template.
func asWritten(key string) *regexp.Regexp {
	name := regexp.QuoteMeta(key)
	return regexp.MustCompile(`\{\{-?\s*` + name + `\s*-?\}\}|\{\{.*\.` + name + `($|[^\w.-])`)
}

// asked matches where a parameter is asked for: in a placeholder, through
// index, or as the key of a selector.
func asked(parameter string) *regexp.Regexp {
	name := parameter
	for _, prefix := range []string{"metadata.labels.", "metadata.annotations."} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = regexp.QuoteMeta(name)
	return regexp.MustCompile(`(^|[^\w./-])(\.?metadata\.(labels|annotations)\.)?["']?` + name + `($|[^\w./-])`)
}

// leftIn lists the placeholders that stand in an Application, each once.
func leftIn(a *v1alpha1.Application) []left {
	var out []left
	visit := func(text string, free bool) {
		if strings.Contains(text, noValue) {
			out = insert(out, left{key: noValue})
		}
		if !strings.Contains(text, "{{") {
			return
		}
		for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
			if m[1] == "" && !templateWords[m[2]] {
				out = insert(out, left{key: m[2], free: free})
			}
		}
	}
	visit(a.Name, false)
	texts(reflect.ValueOf(a.Labels), false, visit)
	texts(reflect.ValueOf(a.Annotations), true, visit) // notifications are templates, too
	texts(reflect.ValueOf(a.Spec), false, visit)
	return out
}

func insert(all []left, l left) []left {
	if i := slices.IndexFunc(all, func(o left) bool { return o.key == l.key }); i >= 0 {
		all[i].free = all[i].free && l.free
		return all
	}
	return append(all, l)
}

// templateWords may stand alone in a template of Helm.
var templateWords = map[string]bool{"end": true, "else": true, "break": true, "continue": true, "now": true, "uuidv4": true}

// freeFields hold texts of charts and tools.
var freeFields = map[string]bool{"Values": true, "ValuesObject": true, "Parameters": true, "Patches": true, "Jsonnet": true, "Info": true}

// texts visits all texts of a value.
func texts(v reflect.Value, free bool, visit func(text string, free bool)) {
	switch v.Kind() {
	case reflect.String:
		visit(v.String(), free)
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			texts(v.Elem(), free, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				texts(v.Field(i), free || freeFields[f.Name], visit)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			visit(string(v.Bytes()), free)
			return
		}
		for i := range v.Len() {
			texts(v.Index(i), free, visit)
		}
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			texts(i.Key(), free, visit)
			texts(i.Value(), free, visit)
		}
	default: // holds no text
	}
}

// lineWith is the first line from a place on that a pattern matches; the place
// itself when it is of another repository, or has no such line.
func (s Side) lineWith(repo string, p declared.Place, pattern *regexp.Regexp) gitops.Origin {
	at := gitops.Origin{RepoURL: repo, File: p.File, Line: p.Line}
	if repo != "" || p.File == "" || s.Repo == nil {
		return at
	}
	text, err := s.Repo.Tree.ReadFile(p.File)
	if err != nil {
		return at
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if n++; n >= p.Line && pattern.MatchString(line) {
			at.Line = n
			return at
		}
	}
	return at
}
