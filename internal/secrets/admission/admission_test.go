package admission

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

func TestAdmits(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, conditions string
		selects, want      bool
		says               string
	}{
		"none":       {"without conditions, all may", `[]`, false, true, ""},
		"name":       {"a name", `[{namespaces: [other]}, {namespaces: [shop]}]`, false, true, ""},
		"other name": {"another name", `[{namespaces: [shopping]}]`, false, false, ""},
		"labels":     {"a selector", `[{namespaceSelector: {matchLabels: {team: a}}}]`, true, true, ""},
		"no labels":  {"another team", `[{namespaceSelector: {matchLabels: {team: b}}}]`, true, false, ""},
		"pattern":    {"a pattern matches anywhere", `[{namespaceRegexes: [ho]}]`, false, true, ""},
		"anchored":   {"unless it says where", `[{namespaceRegexes: [^ho]}]`, false, false, ""},
		"empty":      {"a condition that says nothing admits nobody", `[{}]`, false, false, ""},
		"no pattern": {"what is no pattern is told with its place", `[{}, {namespaceRegexes: ['(']}]`, false, false, "spec.conditions[1]: namespaceRegexes"},
		"operator":   {"so is what is no selector", `[{namespaceSelector: {matchExpressions: [{key: a, operator: Like}]}}]`, true, false, "spec.conditions[0]: namespaceSelector"},
	} {
		var conditions []esv1.StoreCondition
		if err := yaml.UnmarshalStrict([]byte(tc.conditions), &conditions); err != nil {
			t.Fatal(err)
		}
		if got := Selects(conditions); got != tc.selects {
			t.Errorf("%s: %s: it asks for labels: %t", name, tc.reason, got)
		}
		ok, err := Admits(conditions, "shop", labels.Set{"team": "a"})
		if ok != tc.want || (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %s: %t, %v", name, tc.reason, ok, err)
		}
	}
}

func TestProvider(t *testing.T) {
	spec := func(names ...string) esv1.SecretStoreSpec {
		all := map[string]apiextensionsv1.JSON{}
		for _, name := range names {
			all[name] = apiextensionsv1.JSON{Raw: []byte(`{"of": "` + name + `"}`)}
		}
		return esv1.SecretStoreSpec{Provider: all}
	}
	if name, config, err := Provider(spec("vault")); name != "vault" || string(config) != `{"of": "vault"}` || err != nil {
		t.Errorf("it is %s with %s, %v", name, config, err)
	}
	for _, names := range [][]string{nil, {"vault", "aws"}} {
		if _, _, err := Provider(spec(names...)); err == nil || !strings.Contains(err.Error(), "has to name one provider") {
			t.Errorf("of %v the error is %v", names, err)
		}
	}
}
