package custom

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe/expression"
	"github.com/causeway-gitops/causeway/internal/observe/sandbox"
)

// maxSize bounds the block, in bytes; a ConfigMap has no more.
const maxSize = 1 << 20

// entry is what is said of one kind, in the form of the block. The fields
// about comparisons are read only to refuse what cannot be read.
type entry struct {
	HealthLua             string       `json:"health.lua"`
	UseOpenLibs           bool         `json:"health.lua.useOpenLibs"`
	ReadyExpressions      string       `json:"readyExpressions"`
	Actions               string       `json:"actions"`
	IgnoreDifferences     string       `json:"ignoreDifferences"`
	IgnoreResourceUpdates string       `json:"ignoreResourceUpdates"`
	KnownTypeFields       []typedField `json:"knownTypeFields"`
}

type typedField struct {
	Field string `json:"field"`
	Type  string `json:"type"`
}

type ignored struct {
	JSONPointers []string `json:"jsonPointers"`
	JQ           []string `json:"jqPathExpressions"`
	Managers     []string `json:"managedFieldsManagers"`
}

// Parse reads the data of argocd-cm. It is taken whole or not at all, as Argo
// CD does: with an error, nothing of it counts.
func Parse(data map[string]string) (*Set, error) {
	entries := map[string]entry{}
	if err := readBlock(data[v1alpha1.SettingCustomizations], entries); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(data)) {
		if err := readKey(key, data[key], entries); err != nil {
			return nil, err
		}
	}
	if err := checkCompareOptions(data[v1alpha1.SettingCompareOptions]); err != nil {
		return nil, err
	}
	conditions, err := flag(v1alpha1.SettingConditions, data[v1alpha1.SettingConditions])
	if err != nil {
		return nil, err
	}
	s := &Set{health: map[string]*Health{}, actions: map[string]*Actions{}, Conditions: conditions}
	for _, kind := range slices.Sorted(maps.Keys(entries)) {
		if err := s.add(kind, entries[kind]); err != nil {
			return nil, err
		}
	}
	return s, s.index()
}

func invalid(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return gitops.Problemf(gitops.Invalid, "cannot use the customizations of kinds: %w", err).Do("correct ConfigMap argocd-cm")
}

func readBlock(text string, into map[string]entry) error {
	if len(text) > maxSize {
		return invalid("%s has more than %d bytes", v1alpha1.SettingCustomizations, maxSize)
	}
	if err := yaml.Unmarshal([]byte(text), &into); err != nil {
		return invalid("%s: %w", v1alpha1.SettingCustomizations, err)
	}
	for kind, e := range into {
		if err := checkIgnored(e.IgnoreDifferences, e.IgnoreResourceUpdates); err != nil {
			return invalid("%s: %s: %w", v1alpha1.SettingCustomizations, kind, err)
		}
	}
	return nil
}

// readKey takes resource.customizations.TYPE.GROUP_KIND.
func readKey(key, value string, into map[string]entry) error {
	rest, ours := strings.CutPrefix(key, v1alpha1.SettingCustomizations+".")
	what, groupKind, whole := strings.Cut(rest, ".")
	if !ours || !whole {
		return nil
	}
	kind, err := kindOf(groupKind)
	if err != nil {
		return invalid("%s: %w", key, err)
	}
	e := into[kind]
	if err := e.set(what, value); err != nil {
		return invalid("%s: %w", key, err)
	}
	into[kind] = e
	return nil
}

// kindOf reads GROUP_KIND, KIND for the core group, and all.
func kindOf(text string) (string, error) {
	if text == "all" {
		return "*/*", nil
	}
	parts := strings.Split(text, "_")
	switch {
	case len(parts) == 2:
		return parts[0] + "/" + parts[1], nil
	case len(parts) == 1 && text != "":
		return text, nil
	}
	return "", fmt.Errorf("%q is no kind: write GROUP_KIND, as in apps_Deployment, or KIND for the core group, without a version", text)
}

var types = []string{"actions", "health", "ignoreDifferences", "ignoreResourceUpdates", "knownTypeFields", "readyExpressions", "useOpenLibs"}

func (e *entry) set(what, value string) (err error) {
	switch what {
	case "health":
		e.HealthLua = value
	case "useOpenLibs":
		e.UseOpenLibs, err = strconv.ParseBool(value)
	case "readyExpressions":
		e.ReadyExpressions = value
	case "actions":
		e.Actions = value
	case "ignoreDifferences", "ignoreResourceUpdates":
		err = checkIgnored(value)
	case "knownTypeFields":
		err = yaml.Unmarshal([]byte(value), &e.KnownTypeFields)
	default:
		err = fmt.Errorf("there is no customization %q: it is one of %s", what, strings.Join(types, ", "))
	}
	return err
}

func checkIgnored(texts ...string) error {
	for _, text := range texts {
		if err := yaml.Unmarshal([]byte(text), &ignored{}); err != nil {
			return err
		}
	}
	return nil
}

func checkCompareOptions(text string) error {
	var options struct {
		IgnoreAggregatedRoles    bool `json:"ignoreAggregatedRoles"`
		IgnoreResourceStatus     any  `json:"ignoreResourceStatusField"`
		IgnoreDifferencesUpdates bool `json:"ignoreDifferencesOnResourceUpdates"`
	}
	if err := yaml.Unmarshal([]byte(text), &options); err != nil {
		return invalid("%s: %w", v1alpha1.SettingCompareOptions, err)
	}
	return nil
}

func flag(key, text string) (bool, error) {
	if text == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, invalid("%s is %q: write true or false", key, text)
	}
	return on, nil
}

// add makes programs of what is said of a kind.
func (s *Set) add(kind string, e entry) error {
	switch {
	case e.HealthLua != "" && e.ReadyExpressions != "":
		return invalid("%s has both health and readyExpressions: remove one of them", kind)
	case e.HealthLua != "":
		p := program(e.HealthLua, e.UseOpenLibs)
		if err := p.Check(); err != nil {
			s.Warnings = append(s.Warnings, fmt.Sprintf("the health check of %s cannot be compiled: %v", kind, err))
		}
		s.health[kind] = &Health{Script: p}
	case e.ReadyExpressions != "":
		rules, err := expression.Parse(e.ReadyExpressions)
		if err != nil {
			return invalid("readyExpressions of %s: %w", kind, err)
		}
		s.health[kind] = &Health{Expressions: rules}
	}
	if e.Actions == "" {
		return nil
	}
	actions, err := parseActions(e.Actions, e.UseOpenLibs)
	if err != nil {
		return invalid("actions of %s: %w", kind, err)
	}
	s.actions[kind] = actions
	return nil
}

func program(source string, open bool) *sandbox.Program {
	if open {
		return sandbox.NewOpen(source)
	}
	return sandbox.New(source)
}

// parseActions reads discovery.lua, definitions and mergeBuiltinActions.
func parseActions(text string, open bool) (*Actions, error) {
	var raw struct {
		Discovery   string `json:"discovery.lua"`
		Definitions []struct {
			Name   string `json:"name"`
			Action string `json:"action.lua"`
		} `json:"definitions"`
		Merge bool `json:"mergeBuiltinActions"`
	}
	if err := yaml.Unmarshal([]byte(text), &raw); err != nil {
		return nil, err
	}
	a := &Actions{Discovery: program(raw.Discovery, open), Scripts: map[string]*sandbox.Program{}, Merge: raw.Merge}
	for _, d := range raw.Definitions {
		if d.Name == "" {
			return nil, errors.New("a definition has no name")
		}
		if a.Scripts[d.Name] == nil {
			a.Scripts[d.Name] = program(d.Action, open)
		}
	}
	return a, nil
}
