package plugin

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// environment are a source's variables for a plugin's commands, as
// https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins
// has them; those without a value are left out, as there.
func environment(s *source.Source) ([]string, error) {
	var env []string
	for name, value := range buildEnvironment(s) {
		env = appendSet(env, name, value)
	}
	spec := s.Spec.Plugin
	if spec == nil {
		spec = &v1alpha1.ApplicationSourcePlugin{}
	}
	for _, e := range spec.Env {
		value, err := s.Expand(e.Value)
		if err != nil {
			return nil, err
		}
		env = appendSet(env, "ARGOCD_ENV_"+e.Name, value)
	}
	more, err := parameters(spec.Parameters)
	if err != nil {
		return nil, err
	}
	env = append(env, more...)
	byName(env)
	return env, nil
}

// byName sorts variables; those of one name stay in their order.
func byName(env []string) {
	slices.SortStableFunc(env, func(a, b string) int { return strings.Compare(name(a), name(b)) })
}

// ofSource reports whether environment may give a variable of that name.
func ofSource(name string) bool {
	for _, prefix := range []string{"ARGOCD_APP_", "ARGOCD_ENV_", "PARAM_", "KUBE_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func name(variable string) string {
	n, _, _ := strings.Cut(variable, "=")
	return n
}

// appendSet leaves out what no environment can hold.
func appendSet(env []string, name, value string) []string {
	if name == "" || value == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
		return env
	}
	return append(env, name+"="+value)
}

const revisionPrefix = "ARGOCD_APP_REVISION"

// buildEnvironment asks for each variable, and so ties the render to the
// revision: nobody knows what a plugin reads. Where the application says
// which paths its manifests depend on, it says that the revision is none of
// it; the plugin gets it all the same.
func buildEnvironment(s *source.Source) map[string]string {
	out := map[string]string{}
	for name, value := range s.Env {
		rest, isRevision := strings.CutPrefix(name, revisionPrefix)
		if !isRevision || s.GeneratePaths == "" {
			out[name] = value()
			continue
		}
		revision := s.Tree.Where("", 0).Revision
		length := map[string]int{"_SHORT": 7, "_SHORT_8": 8}[rest] //nolint:mnd // as the names say
		if length > 0 && length < len(revision) {
			revision = revision[:length]
		}
		out[name] = revision
	}
	return out
}

// parameters are the application's parameters, as one text of JSON and one
// by one.
func parameters(list []v1alpha1.ApplicationSourcePluginParameter) ([]string, error) {
	if list == nil {
		list = []v1alpha1.ApplicationSourcePluginParameter{}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	env := appendSet(nil, "ARGOCD_APP_PARAMETERS", string(text))
	for _, p := range list {
		base := "PARAM_" + escaped(p.Name)
		if p.String != nil {
			env = appendSet(env, base, *p.String)
		}
		for key, value := range p.Map {
			env = appendSet(env, base+"_"+escaped(key), value)
		}
		for i, value := range p.Array {
			env = appendSet(env, base+"_"+strconv.Itoa(i), value)
		}
	}
	return env, nil
}

var notInName = regexp.MustCompile(`[^A-Z0-9_]`)

func escaped(name string) string { return notInName.ReplaceAllString(strings.ToUpper(name), "_") }
