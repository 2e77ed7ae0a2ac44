package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// read makes objects of documents, all of the application "Application argocd/a" in the namespace shop, in the wave that
// an annotation says. A document may begin with the name of another application: "# of b".
func read(t *testing.T, text string) (all []Object) {
	t.Helper()
	for i, document := range strings.Split(text, "---\n") {
		text, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			t.Fatalf("document %d: %v", i, err)
		}
		manifest := &unstructured.Unstructured{}
		if err := manifest.UnmarshalJSON(text); err != nil {
			t.Fatalf("document %d: %v", i, err)
		}
		o, ok := Read(manifest, "shop")
		if !ok {
			continue
		}
		o.App = "Application argocd/a"
		if of, is := strings.CutPrefix(document, "# of "); is {
			name, _, _ := strings.Cut(of, "\n")
			o.App = "Application argocd/" + name
		}
		_, _ = fmt.Sscan(manifest.GetAnnotations()["wave"], &o.Wave)
		_, _ = fmt.Sscan(manifest.GetAnnotations()["stage"], &o.Stage)
		all = append(all, o)
	}
	return all
}

func told(found []Found) []string {
	out := []string{}
	for _, f := range found {
		out = append(out, f.Reason+" "+f.Message)
	}
	return out
}

// external is an ExternalSecret of v1 with a name and a spec.
func external(name, spec string) string {
	return "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: " + name + "}\nspec: " + spec + "\n"
}

func storeOf(kind, name, spec string) string {
	return "apiVersion: external-secrets.io/v1\nkind: " + kind + "\nmetadata: {name: " + name + "}\nspec: " + spec + "\n"
}

const fake = "{provider: {fake: {data: [{key: k, value: planted-value}]}}}"

const operator = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: eso, namespace: eso, labels: {app.kubernetes.io/name: external-secrets}}\nspec: {}\n"

func TestAlone(t *testing.T) {
	data := "data: [{secretKey: a, remoteRef: {key: k}}, {secretKey: b, remoteRef: {key: k}}]"
	for name, tc := range map[string]struct {
		reason, text string
		want         []string
	}{
		"good": {
			"nothing is wrong", external("x", "{secretStoreRef: {name: s}, refreshInterval: 1h30m, refreshPolicy: OnChange, target: {creationPolicy: Merge, deletionPolicy: Delete, template: "+
				"{data: {u: '{{ .a | upper }}', w: '{{ if .c }}{{ end }}'}}}, data: [{secretKey: a, remoteRef: {key: k}}, {secretKey: c, remoteRef: {key: k}}]}"), nil,
		},
		"interval": {
			"days are no unit of durations", external("x", "{refreshInterval: 1d, "+data+"}"),
			[]string{`BrokenRefreshInterval ExternalSecret shop/x: spec.refreshInterval "1d" is no duration; write it in hours, minutes or seconds, such as 24h, 30m or 1h30m`},
		},
		"number": {
			"a number is refused by the API server", external("x", "{refreshInterval: 0, "+data+"}"),
			[]string{`BrokenRefreshInterval ExternalSecret shop/x: spec.refreshInterval is 0, and has to be a text, such as "1h" or "0": put it in quotes`},
		},
		"policies": {
			"words that no policy has", external("x", "{refreshPolicy: Always, target: {creationPolicy: owner, deletionPolicy: Keep}, "+data+"}"), []string{
				`UnknownPolicy ExternalSecret shop/x: spec.refreshPolicy is "Always"; there are Periodic, OnChange and CreatedOnce`,
				`UnknownPolicy ExternalSecret shop/x: spec.target.creationPolicy is "owner"; there are Owner, Orphan, Merge and None`,
				`UnknownPolicy ExternalSecret shop/x: spec.target.deletionPolicy is "Keep"; there are Retain, Delete and Merge`,
			},
		},
		"later policies": {"a later release of the operator may have them", operator + "---\n" + external("x", "{target: {creationPolicy: CreateOrMerge}, "+data+"}"), nil},
		"operator off": {
			"an operator without pods serves nobody", strings.Replace(operator, "spec: {}", "spec: {replicas: 0}", 1) + "---\n" + external("x", "{target: {creationPolicy: CreateOrMerge}, "+data+"}"),
			[]string{`UnknownPolicy ExternalSecret shop/x: spec.target.creationPolicy is "CreateOrMerge"; there are Owner, Orphan, Merge and None`},
		},
		"twice": {
			"the key is told once, however often it is given", external("x", "{data: [{secretKey: a, remoteRef: {key: k}}, {secretKey: a, remoteRef: {key: l}}, {secretKey: a, remoteRef: {key: m}}]}"),
			[]string{"DuplicateSecretKey ExternalSecret shop/x: spec.data[0] and data[1] both give the key a; the last one counts"},
		},
		"syntax": {
			"a template that is not closed", external("x", "{target: {template: {data: {u: '{{ .a'}}}, "+data+"}"),
			[]string{`BrokenSecretTemplate ExternalSecret shop/x: spec.target.template.data[u]: template: u:1: unclosed action`},
		},
		"function": {
			"a function that there is not, in a label and in a text of its own",
			external("x", "{target: {template: {metadata: {labels: {l: '{{ nope .a }}'}}, templateFrom: [{literal: '{{ nope }}'}]}}, "+data+"}"), []string{
				`BrokenSecretTemplate ExternalSecret shop/x: spec.target.template.metadata.labels[l]: template: l:1: function "nope" not defined`,
				`BrokenSecretTemplate ExternalSecret shop/x: spec.target.template.templateFrom[0].literal: template: literal:1: function "nope" not defined`,
			},
		},
		"their function": {"the operator may have it", operator + "---\n" + external("x", "{target: {template: {data: {u: '{{ getSecretKey .a }}'}}}, "+data+"}"), nil},
		"key": {
			"nothing gives the value", external("x", "{target: {template: {data: {u: '{{ .a }}{{ .pasword }}'}}}, "+data+"}"),
			[]string{"UnknownTemplateKey ExternalSecret shop/x: spec.target.template.data[u] looks up .pasword, and no secretKey of data gives that; there are a, b"},
		},
		"keys of a store": {"what an entry has is not known", external("x", "{target: {template: {data: {u: '{{ .c }}'}}}, dataFrom: [{extract: {key: k}}], "+data+"}"), nil},
		"old engine":      {"templates of another engine are not read", external("x", "{target: {template: {engineVersion: v1, data: {u: '{{ .c | nope }}'}}}, "+data+"}"), nil},
		"old version":     {"fields of v1alpha1 mean something else", strings.Replace(external("x", "{refreshInterval: 1d}"), "io/v1", "io/v1alpha1", 1), nil},
		"beta":            {"v1beta1 is read as v1 is", strings.Replace(external("x", "{refreshInterval: x}"), "io/v1", "io/v1beta1", 1), []string{`BrokenRefreshInterval ExternalSecret shop/x: spec.refreshInterval "x" is no duration; write it in hours, minutes or seconds, such as 24h, 30m or 1h30m`}},
		"types": {
			"a field of another type", external("x", "{data: {secretKey: a}}"),
			[]string{"UnreadableExternalSecret ExternalSecret shop/x: spec cannot be read: cannot restore slice from map"},
		},
		"template of many": {
			"a ClusterExternalSecret holds the same", "apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: x}\nspec: {externalSecretSpec: {refreshInterval: 1d}}\n",
			[]string{`BrokenRefreshInterval ClusterExternalSecret x: spec.externalSecretSpec.refreshInterval "1d" is no duration; write it in hours, minutes or seconds, such as 24h, 30m or 1h30m`},
		},
		"no provider": {
			"a store of nothing, and one of two", storeOf("SecretStore", "s", "{}") + "---\n" + storeOf("ClusterSecretStore", "c", "{provider: {vault: {}, fake: {data: [{value: planted-value}]}}}"), []string{
				"UnknownProvider SecretStore shop/s: spec.provider has to name one provider, and names 0 ()",
				"UnknownProvider ClusterSecretStore c: spec.provider has to name one provider, and names 2 (fake, vault)",
			},
		},
		"other provider": {
			"one that the engine does not have, in one line", storeOf("SecretStore", "s", "{provider: {doppler: {}}}"),
			[]string{"UnknownProvider SecretStore shop/s: this engine has no provider doppler; it has " + strings.Join(Providers, ", ") + ". Without External Secrets' own operator, nobody serves the store"},
		},
		"their provider": {"the operator has others", operator + "---\n" + storeOf("SecretStore", "s", "{provider: {doppler: {}}}"), nil},
		"their store":    {"whoever serves it knows what that is", storeOf("SecretStore", "s", "{controller: other, provider: {}}"), nil},
		"conditions": {
			"a pattern that is none", storeOf("ClusterSecretStore", "c", "{provider: {fake: {}}, conditions: [{namespaceRegexes: ['(']}]}"),
			[]string{"UnreadableExternalSecret ClusterSecretStore c: spec.conditions[0]: namespaceRegexes: error parsing regexp: missing closing ): `(`"},
		},
		"condition types": {
			"conditions of another type", storeOf("ClusterSecretStore", "c", "{provider: {fake: {}}, conditions: {a: b}}"),
			[]string{"UnreadableExternalSecret ClusterSecretStore c: spec.conditions cannot be read: cannot restore slice from map"},
		},
		"others": {"other kinds are no matter", "apiVersion: external-secrets.io/v1\nkind: Other\nmetadata: {name: x}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := told(Find(read(t, tc.text), true))
			if diff := cmp.Diff(append([]string{}, tc.want...), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if strings.Contains(strings.Join(got, "\n"), "planted-value") {
				t.Error("a value is told")
			}
		})
	}
}

func TestTogether(t *testing.T) {
	uses := func(name, store string) string {
		return external(name, "{secretStoreRef: "+store+", dataFrom: [{extract: {key: k}}]}")
	}
	wave := func(text, at string) string {
		return strings.Replace(text, "metadata: {", "metadata: {annotations: {"+at+"}, ", 1)
	}
	namespace := func(name, labels string) string {
		return "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + ", labels: " + labels + "}\n"
	}
	many := func(spec string) string {
		return "apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: m}\nspec: {externalSecretSpec: {secretStoreRef: {name: c, kind: ClusterSecretStore}}, " + spec + "}\n"
	}
	secret := "# of b\napiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {p: planted-value}\n"
	only := func(conditions string) string {
		return storeOf("ClusterSecretStore", "c", "{provider: {fake: {}}, conditions: ["+conditions+"]}")
	}
	inC := uses("x", "{name: c, kind: ClusterSecretStore}")
	for name, tc := range map[string]struct {
		reason string
		texts  []string
		want   []string
	}{
		"there":         {"a store of the namespace, by another application", []string{uses("x", "{name: s}"), "# of b\n" + storeOf("SecretStore", "s", fake)}, nil},
		"none from Git": {"where applications make no stores, they come from elsewhere", []string{uses("x", "{name: s}"), inC}, nil},
		"misspelt": {
			"stores of this kind are made, and not this one", []string{uses("x", "{name: t}"), storeOf("SecretStore", "s", fake)},
			[]string{"UnknownStore ExternalSecret shop/x names SecretStore shop/t, which no application of the cluster makes; of this kind they make SecretStore shop/s"},
		},
		"other kinds": {"stores of the other kind tell nothing of those for the whole cluster", []string{inC, storeOf("SecretStore", "s", fake)}, nil},
		"kind": {
			"the kind is left out", []string{uses("x", "{name: c}"), storeOf("ClusterSecretStore", "c", fake)},
			[]string{"UnknownStore ExternalSecret shop/x names SecretStore shop/c, which no application of the cluster makes; there is ClusterSecretStore c"},
		},
		"kind of the namespace": {
			"the kind is the wrong one", []string{inC, storeOf("SecretStore", "c", fake)},
			[]string{"UnknownStore ExternalSecret shop/x names ClusterSecretStore c, which no application of the cluster makes; there is SecretStore shop/c"},
		},
		"no kind": {
			"a kind that is none", []string{uses("x", "{name: c, kind: Store}")},
			[]string{`UnknownStore ExternalSecret shop/x: the kind "Store" of the store c is neither SecretStore nor ClusterSecretStore`},
		},
		"of keys": {
			"keys may name stores of their own", []string{external("x", "{data: [{secretKey: a, remoteRef: {key: k}, sourceRef: {storeRef: {name: t}}}]}"), storeOf("SecretStore", "s", fake)},
			[]string{"UnknownStore ExternalSecret shop/x names SecretStore shop/t, which no application of the cluster makes; of this kind they make SecretStore shop/s"},
		},
		"pushed": {
			"a PushSecret names stores, or selects them", []string{
				"apiVersion: external-secrets.io/v1alpha1\nkind: PushSecret\nmetadata: {name: p}\nspec: {secretStoreRefs: [{name: t}, {name: s}, {labelSelector: {}}]}\n", storeOf("SecretStore", "s", fake),
			},
			[]string{"UnknownStore PushSecret shop/p names SecretStore shop/t, which no application of the cluster makes; of this kind they make SecretStore shop/s"},
		},
		"many": {
			"a ClusterExternalSecret names one", []string{many("namespaces: [shop]"), storeOf("ClusterSecretStore", "d", fake)},
			[]string{"UnknownStore ClusterExternalSecret m names ClusterSecretStore c, which no application of the cluster makes; of this kind they make ClusterSecretStore d"},
		},
		"permitted":     {"the name is admitted", []string{inC, only("{namespaces: [shop]}")}, nil},
		"by expression": {"so is a pattern", []string{inC, only("{namespaceRegexes: ['^sh']}")}, nil},
		"forbidden": {
			"neither is", []string{inC, only("{namespaces: [other], namespaceRegexes: ['^x']}")},
			[]string{"StoreNotPermitted ExternalSecret shop/x: spec.conditions of ClusterSecretStore c do not admit the namespace shop"},
		},
		"labels unknown": {"nobody knows the labels of the namespace", []string{inC, only("{namespaceSelector: {matchLabels: {team: a}}}")}, nil},
		"labels": {
			"an application says which labels it has", []string{inC, only("{namespaceSelector: {matchLabels: {team: a}}}"), namespace("shop", "{team: b}")},
			[]string{"StoreNotPermitted ExternalSecret shop/x: spec.conditions of ClusterSecretStore c do not admit the namespace shop"},
		},
		"labels of two": {"another application adds some", []string{inC, only("{namespaceSelector: {matchLabels: {team: a}}}"), namespace("shop", "{}"), "# of b\n" + namespace("shop", "{team: a}")}, nil},
		"own label":     {"the API server labels each with its name", []string{inC, only("{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}}"), namespace("shop", "{}")}, nil},
		"many forbidden": {
			"in some of the namespaces of a ClusterExternalSecret", []string{many("namespaces: [shop, other], namespaceSelectors: [{matchLabels: {team: a}}]"), only("{namespaces: [other]}"), namespace("third", "{team: a}"), namespace("fourth", "{}")},
			[]string{"StoreNotPermitted ClusterExternalSecret m: spec.conditions of ClusterSecretStore c do not admit the namespace shop, third"},
		},
		"two of a name": {"which one counts is not known", []string{inC, only("{namespaces: [other]}"), "# of b\n" + only("{namespaces: [other]}")}, nil},
		"later": {
			"a sync waits for what cannot be made", []string{uses("x", "{name: s}"), wave(storeOf("SecretStore", "s", fake), "wave: '1'")},
			[]string{"StoreInLaterWave ExternalSecret shop/x is in wave 0, and SecretStore shop/s in wave 1 of the same application: a sync waits until this is Ready before it makes the store; give the store an earlier wave"},
		},
		"hook": {
			"hooks run before the rest", []string{wave(uses("x", "{name: s}"), "stage: '-1', wave: '5'"), storeOf("SecretStore", "s", fake)},
			[]string{"StoreInLaterWave ExternalSecret shop/x is a hook that runs before SecretStore shop/s is there of the same application: a sync waits until this is Ready before it makes the store; give the store an earlier wave"},
		},
		"earlier":           {"as it is meant", []string{uses("x", "{name: s}"), wave(storeOf("SecretStore", "s", fake), "wave: '-1'")}, nil},
		"later elsewhere":   {"applications do not wait for one another", []string{uses("x", "{name: s}"), "# of b\n" + wave(storeOf("SecretStore", "s", fake), "wave: '1'")}, nil},
		"of an application": {"a Secret that an application makes", []string{external("x", "{}"), secret}, []string{"SecretMadeTwice ExternalSecret shop/x makes Secret shop/x, and Application argocd/b makes it as well: each writes over the other. Give target.name another name, or set creationPolicy: Merge"}},
		"merged":            {"that is what Merge is for", []string{external("x", "{target: {creationPolicy: Merge}}"), secret}, nil},
		"other namespace":   {"a Secret elsewhere", []string{external("x", "{}"), strings.Replace(secret, "{name: x}", "{name: x, namespace: other}", 1)}, nil},
		"two owners": {
			"two make one", []string{external("x", "{}"), external("w", "{target: {name: x}}"), external("z", "{target: {name: x, creationPolicy: Merge}}")},
			[]string{"SecretMadeTwice ExternalSecret shop/w makes Secret shop/x, and ExternalSecret x makes it as well: only one of them can own it. Give target.name another name, or set creationPolicy: Merge"},
		},
		"other objects": {"a ConfigMap and a Secret of one name", []string{external("x", "{}"), external("w", "{target: {name: x, manifest: {apiVersion: v1, kind: ConfigMap}}}")}, nil},
		"shared":        {"two applications make the same ExternalSecret, which is told otherwise", []string{external("x", "{}"), "# of b\n" + external("x", "{}")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			objects := read(t, strings.Join(tc.texts, "---\n"))
			got := told(Find(objects, true))
			if diff := cmp.Diff(append([]string{}, tc.want...), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			for _, line := range told(Find(objects, false)) {
				if strings.Contains(line, "no application of the cluster makes") {
					t.Errorf("where not all is known, it says %q", line)
				}
			}
		})
	}
}
