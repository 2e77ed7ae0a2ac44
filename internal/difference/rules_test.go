package difference

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestRulesFor(t *testing.T) {
	own := v1alpha1.IgnoreDifferences{{Group: "*", Kind: "Deploy*", Namespace: "shop", JSONPointers: []string{"/spec/replicas"}, ManagedFieldsManagers: []string{"hpa"}}}
	cases := map[string]struct {
		reason      string
		own         v1alpha1.IgnoreDifferences
		data        map[string]string
		annotations map[string]string
		want        gitops.Ignore
	}{
		"Silence": {reason: "the status alone does not count", want: gitops.Ignore{JSONPointers: []string{"/status"}}},
		"Own":     {reason: "group and kind are globs", own: own, want: gitops.Ignore{JSONPointers: []string{"/spec/replicas", "/status"}, Managers: []string{"hpa"}}},
		"Annotation": {
			reason: "an object may say it itself", annotations: map[string]string{AnnotationIgnore: "jsonPointers: [/spec/paused]"},
			want: gitops.Ignore{JSONPointers: []string{"/spec/paused", "/status"}},
		},
		"AnnotationBroken": {
			reason: "what cannot be read says nothing", annotations: map[string]string{AnnotationIgnore: "{"},
			want: gitops.Ignore{JSONPointers: []string{"/status"}},
		},
		"Installation": {
			reason: "both forms of argocd-cm count",
			data: map[string]string{
				"resource.customizations":                       "apps/Deployment:\n  ignoreDifferences: |\n    jqPathExpressions: [.spec.paused]\n",
				"resource.customizations.ignoreDifferences.all": "managedFieldsManagers: [kubectl]",
				"resource.compareoptions":                       "ignoreResourceStatusField: none",
			},
			want: gitops.Ignore{JQ: []string{".spec.paused"}, Managers: []string{"kubectl"}},
		},
		"SplitWins": {
			reason: "the newer form is newer",
			data: map[string]string{
				"resource.customizations":                                   "apps/Deployment:\n  ignoreDifferences: |\n    jsonPointers: [/a]\n",
				"resource.customizations.ignoreDifferences.apps_Deployment": "jsonPointers: [/b]",
			},
			want: gitops.Ignore{JSONPointers: []string{"/status", "/b"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			settings, err := ParseSettings(tc.data)
			if err != nil {
				t.Fatal(err)
			}
			rules, err := NewRules("red", tc.own, settings)
			if err != nil {
				t.Fatal(err)
			}
			o := sample()
			o.SetAnnotations(tc.annotations)
			if diff := cmp.Diff(tc.want, rules.For(o)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWhatSettingsTakeForEqual compares by what For tells of an object, as an
// engine does that asks for no dry run.
func TestWhatSettingsTakeForEqual(t *testing.T) {
	const role = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}, aggregationRule: {}, rules: [%s]}`
	const widget = `{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {list: [{resources: {limits: {cpu: %s}}}]}}`
	types := map[string]string{"resource.customizations.knownTypeFields.example.com_Widget": "[{field: spec.list.resources, type: core/v1/ResourceRequirements}]"}
	roles := map[string]string{"resource.compareoptions": "ignoreAggregatedRoles: true"}
	cases := map[string]struct {
		reason, object, desired, live string
		data                          map[string]string
		modified                      bool
	}{
		"Typed":       {"a quantity is what it means", widget, "1000m", `"1"`, types, false},
		"TypedOther":  {"another quantity is a difference", widget, "1000m", `"2"`, types, true},
		"TypedNot":    {"nobody said that it is a quantity", widget, "1000m", `"1"`, nil, true},
		"TypeUnknown": {"a type that is none says nothing", widget, "1000m", `"1"`, map[string]string{"resource.customizations.knownTypeFields.example.com_Widget": "[{field: spec.list, type: core/v1/None}]"}, true},
		"Roles":       {"a controller fills in the rules", role, "", "{verbs: [get]}", roles, false},
		"RolesCount":  {"they count where nobody says so", role, "", "{verbs: [get]}", nil, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			settings, err := ParseSettings(tc.data)
			if err != nil {
				t.Fatal(err)
			}
			all, err := NewRules("red", nil, settings)
			if err != nil {
				t.Fatal(err)
			}
			desired, live := parsed(t, fmt.Sprintf(tc.object, tc.desired)), parsed(t, fmt.Sprintf(tc.object, tc.live))
			own, err := Only(t.Context(), all.For(desired))
			if err != nil {
				t.Fatal(err)
			}
			for which, rules := range map[string]*Rules{"all": all, "own": own} {
				got, err := Of(context.Background(), Input{Desired: desired, Live: live, Rules: rules})
				if err != nil || got.Modified != tc.modified {
					t.Errorf("%s: by %s rules got %v, %v", tc.reason, which, got.Modified, err)
				}
			}
		})
	}
}

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestSettingsThatCannotBeRead(t *testing.T) {
	cases := map[string]struct {
		reason, key, value, want string
	}{
		"NoYAML":    {"nobody knows what it ignores", "resource.customizations.ignoreDifferences.apps_Deployment", "{", "apps_Deployment"},
		"NoJQ":      {"the expression is told", "resource.customizations.ignoreDifferences.apps_Deployment", "jqPathExpressions: ['.a[']", ".a["},
		"NoKind":    {"a key has one underscore", "resource.customizations.ignoreDifferences.a_b_c", "{}", "GROUP_KIND"},
		"NoOptions": {"options are YAML", "resource.compareoptions", "[", "resource.compareoptions"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			settings, err := ParseSettings(map[string]string{tc.key: tc.value})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if _, err := NewRules("red", nil, settings); err == nil {
				t.Error("rules on settings that cannot be read are an error")
			}
		})
	}
}

func TestEndlessJQ(t *testing.T) {
	for _, text := range []string{"[limit(infinite; repeat(1))] | .a", "def f: f; f"} {
		q, err := ParseJQ(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = q.Delete(context.Background(), sample().Object)
		var p *gitops.Problem
		if !errors.As(err, &p) || !strings.Contains(err.Error(), "did not end") {
			t.Errorf("%s: got %v, want that it did not end", text, err)
		}
	}
}

func TestParseJQTellsOfWhatWasWritten(t *testing.T) {
	_, err := ParseJQ(t.Context(), ".spec[")
	if err == nil || strings.Contains(err.Error(), `")"`) || strings.Contains(err.Error(), "del(") {
		t.Error(err)
	}
}

// TestDistinctOfMany joins lists that are too long to compare each text with each other.
func TestDistinctOfMany(t *testing.T) {
	var list, want []string
	for i := range 20_000 {
		list, want = append(list, strconv.Itoa(i)), append(want, strconv.Itoa(i))
	}
	list = append(list, list...)
	for i := range 20_000 {
		list = append(list, strconv.Itoa(i+10_000))
	}
	for i := range 10_000 {
		want = append(want, strconv.Itoa(i+20_000))
	}
	if got := distinct(list); !slices.Equal(got, want) {
		t.Errorf("there are %d texts, want %d in their order", len(got), len(want))
	}
	if got := distinct([]string{"a", "b", "a", "b"}); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("few texts: %q", got)
	}
}

// TestRulesAreBounded holds an Application's rules to what fits many times into
// the longest that are known: each is held against each object.
func TestRulesAreBounded(t *testing.T) {
	many := func(n, size int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("/%0*d", size-1, i))
		}
		return list
	}
	cases := map[string]struct {
		reason string
		own    v1alpha1.IgnoreDifferences
		refuse bool
	}{
		"Most":      {"a thousand pointers of 30 bytes", v1alpha1.IgnoreDifferences{{Group: "*", Kind: "*", JSONPointers: many(1000, 30)}}, false},
		"More":      {"one more", v1alpha1.IgnoreDifferences{{Group: "*", Kind: "*", JSONPointers: many(1001, 5)}}, true},
		"Managers":  {"managers count, too", v1alpha1.IgnoreDifferences{{JSONPointers: many(500, 5), ManagedFieldsManagers: many(501, 5)}}, true},
		"JQ":        {"and expressions", v1alpha1.IgnoreDifferences{{JSONPointers: many(500, 5), JQPathExpressions: slices.Repeat([]string{"."}, 501)}}, true},
		"Long":      {"text counts", v1alpha1.IgnoreDifferences{{JSONPointers: many(100, 400)}}, true},
		"LongNames": {"that of patterns and names, too", v1alpha1.IgnoreDifferences{{Group: strings.Repeat("a", 9000), Kind: strings.Repeat("a", 9000), Name: strings.Repeat("a", 9000), Namespace: strings.Repeat("a", 9000)}}, true},
		"JQLong":    {"and that of expressions by itself", v1alpha1.IgnoreDifferences{{JQPathExpressions: slices.Repeat([]string{strings.Repeat(".", 2) + strings.Repeat(" ", 1000)}, 25)}}, true},
		"JQShort":   {"short ones take more than their text", v1alpha1.IgnoreDifferences{{JQPathExpressions: slices.Repeat([]string{"."}, 250)}}, true},
		"JQMost":    {"many of them", v1alpha1.IgnoreDifferences{{JQPathExpressions: slices.Repeat([]string{"."}, 240)}}, false},
		"Empty":     {"and rules that ignore nothing", slices.Repeat(v1alpha1.IgnoreDifferences{{Kind: "*"}}, 1001), true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := NewRules("red", tc.own, nil)
			if (err != nil) != tc.refuse {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			var p *gitops.Problem
			if tc.refuse && (!errors.As(err, &p) || p.Fix == "" || !strings.Contains(p.What, "spec.ignoreDifferences has") || !strings.Contains(p.What, "the most")) {
				t.Errorf("%s: got %v, want the field, its bounds and what to do", tc.reason, err)
			}
		})
	}
}

// TestRulesKeepNothingCompiled holds many rules of long expressions, which take
// 250 times their text when they are compiled.
func TestRulesKeepNothingCompiled(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var all []*Rules
	for i := range 40 {
		var own v1alpha1.IgnoreDifferences
		for k := range 16 {
			own = append(own, v1alpha1.ResourceIgnoreDifferences{JQPathExpressions: []string{strings.Repeat(".//", 330) + fmt.Sprintf(".a%d_%d", i, k)}})
		}
		rules, err := NewRules("red", own, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rules)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	const most = 24 << 20 // with what stays compiled of one project
	if took := int64(after.HeapAlloc) - int64(before.HeapAlloc); took > most {
		t.Errorf("%d rules take %d MiB", len(all), took>>20)
	}
	runtime.KeepAlive(all)
}
