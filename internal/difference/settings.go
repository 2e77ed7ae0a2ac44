package difference

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Settings are what argocd-cm says of comparisons. They do not change.
type Settings struct {
	// AggregatedRoles lets the rules of aggregated roles not count.
	AggregatedRoles bool
	// Tracking is how objects are marked.
	Tracking gitops.Tracking

	rules    []rule
	managers map[string][]string // by "group/kind", or "*/*"
	known    map[groupKind][]gitops.TypedField
	err      error
}

type groupKind struct{ group, kind string }

// customization is what one kind's customizations say of comparisons.
type customization struct {
	ignore gitops.Ignore
	known  []gitops.TypedField
}

type ignoreText struct {
	JSONPointers []string `json:"jsonPointers"`
	JQ           []string `json:"jqPathExpressions"`
	Managers     []string `json:"managedFieldsManagers"`
}

func (t ignoreText) ignore() gitops.Ignore {
	return gitops.Ignore{JSONPointers: t.JSONPointers, JQ: t.JQ, Managers: t.Managers}
}

// everything is the key of customizations for all kinds.
const everything = "*/*"

// defaultSettings are those of an installation that says nothing.
var defaultSettings = sync.OnceValue(func() *Settings {
	s, _ := ParseSettings(nil)
	return s
})

// ParseSettings reads the data of argocd-cm. Settings of which a part cannot
// be read come with the error, and refuse every comparison: what they would
// have ignored is not known.
func ParseSettings(data map[string]string) (*Settings, error) {
	s := &Settings{Tracking: gitops.Tracking{
		Method: gitops.TrackingMethod(data[v1alpha1.SettingTracking]),
		Label:  data[v1alpha1.SettingInstanceLabel],
	}}
	if s.err = s.parse(data); s.err != nil {
		return s, s.err
	}
	return s, nil
}

func (s *Settings) parse(data map[string]string) error {
	all := map[string]customization{}
	if err := readJoined(data[v1alpha1.SettingCustomizations], all); err != nil {
		return err
	}
	if err := readSplit(data, all); err != nil {
		return err
	}
	if err := s.options(data[v1alpha1.SettingCompareOptions], all); err != nil {
		return err
	}
	s.managers, s.known = map[string][]string{}, map[groupKind][]gitops.TypedField{}
	for _, key := range sortedKeys(all) {
		if err := s.customize(key, all[key]); err != nil {
			return err
		}
	}
	s.knowRollouts()
	return nil
}

func (s *Settings) customize(key string, c customization) error {
	group, kind, ok := strings.Cut(key, "/")
	if !ok {
		group, kind = "", key
	}
	if strings.Contains(kind, "/") {
		return nil // no kind has such a name
	}
	r, err := newRule("", group, kind, c.ignore)
	if err != nil {
		return fmt.Errorf("ConfigMap argocd-cm, customizations of %s: %w", key, err)
	}
	if !c.ignore.Empty() {
		s.rules = append(s.rules, r)
	}
	s.managers[key] = c.ignore.Managers
	for _, field := range c.known {
		s.know(groupKind{group, kind}, field)
	}
	return nil
}

// managersOf looks kinds up by their names: no pattern but the one for all.
func (s *Settings) managersOf(of groupKind) []string {
	return distinct(slices.Concat(s.managers[of.group+"/"+of.kind], s.managers[everything]))
}

// readJoined reads the old form: one key with the customizations of all kinds.
func readJoined(text string, all map[string]customization) error {
	var byKind map[string]struct {
		Ignore string              `json:"ignoreDifferences"`
		Known  []gitops.TypedField `json:"knownTypeFields"`
	}
	if err := yaml.Unmarshal([]byte(text), &byKind); err != nil {
		return gitops.UnreadableSetting(v1alpha1.SettingCustomizations, err)
	}
	for key, value := range byKind {
		var ignore ignoreText
		if err := yaml.Unmarshal([]byte(value.Ignore), &ignore); err != nil {
			return gitops.UnreadableSetting(v1alpha1.SettingCustomizations+", "+key, err)
		}
		all[key] = customization{ignore: ignore.ignore(), known: value.Known}
	}
	return nil
}

// readSplit reads the keys resource.customizations.TYPE.GROUP_KIND, which win
// over the joined form.
func readSplit(data map[string]string, all map[string]customization) error {
	for _, key := range sortedKeys(data) {
		rest, ok := strings.CutPrefix(key, v1alpha1.SettingCustomizations+".")
		if !ok {
			continue
		}
		what, kind, ok := strings.Cut(rest, ".")
		if !ok {
			continue
		}
		kind, err := kindOfKey(key, kind)
		if err != nil {
			return err
		}
		c := all[kind]
		switch what {
		case "ignoreDifferences":
			var ignore ignoreText
			err = yaml.Unmarshal([]byte(data[key]), &ignore)
			c.ignore = ignore.ignore()
		case "knownTypeFields":
			c.known = nil
			err = yaml.Unmarshal([]byte(data[key]), &c.known)
		default:
			continue // of health, actions and updates: others read them
		}
		if err != nil {
			return gitops.UnreadableSetting(key, err)
		}
		all[kind] = c
	}
	return nil
}

// kindOfKey turns the end of a key, GROUP_KIND, into group/kind.
func kindOfKey(key, text string) (string, error) {
	parts := strings.Split(text, "_")
	switch {
	case text == "" || len(parts) > 2:
		return "", gitops.Problemf(gitops.Invalid, "cannot read the key %s of ConfigMap argocd-cm: it ends neither in a kind nor in GROUP_KIND", key).
			Do("write it as in resource.customizations.ignoreDifferences.apps_Deployment")
	case text == "all":
		return everything, nil
	}
	return strings.Join(parts, "/"), nil
}

// options reads resource.compareoptions.
func (s *Settings) options(text string, all map[string]customization) error {
	var value struct {
		AggregatedRoles bool `json:"ignoreAggregatedRoles"`
		Status          any  `json:"ignoreResourceStatusField"`
	}
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		return gitops.UnreadableSetting(v1alpha1.SettingCompareOptions, err)
	}
	s.AggregatedRoles = value.AggregatedRoles
	kind := everything
	switch fmt.Sprint(value.Status) {
	case "crd":
		kind = "apiextensions.k8s.io/CustomResourceDefinition"
	case "none", "off", "false":
		return nil
	}
	c := all[kind]
	c.ignore.JSONPointers = append(c.ignore.JSONPointers, "/status")
	all[kind] = c
	return nil
}
