package object

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

const (
	oldSecret = "hunter2-old-Password-value"
	newSecret = "hunter3-new-Password-value"
)

func TestSecretsStayHidden(t *testing.T) {
	b64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	folded := func(text string) string { return b64(text)[:8] + "\n    " + b64(text)[8:] }
	cases := map[string]struct {
		reason string
		body   func(value string) string
	}{
		"data":       {"values of Secrets", func(v string) string { return wrap("v1", "Secret", "data: {p: "+b64(v)+"}") }},
		"stringData": {"the same, written plainly", func(v string) string { return wrap("v1", "Secret", "stringData: {p: "+v+"}") }},
		"no base64":  {"a mistake is no reason to show it", func(v string) string { return wrap("v1", "Secret", "data: {p: '"+v+"'}") }},
		"folded":     {"base64 over several lines", func(v string) string { return wrap("v1", "Secret", "data:\n  p: |\n    "+folded(v)) }},
		"in a List": {"Lists are opened", func(v string) string {
			return "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Secret, metadata: {name: x}, stringData: {p: " + v + "}}]"
		}},
		"in another": {"a Secret inside a custom resource", func(v string) string {
			return wrap("e.com/v1", "Object", "spec: {manifest: {apiVersion: v1, kind: Secret, data: {p: "+v+"}}}")
		}},
		"last applied": {"kubectl keeps a copy", func(v string) string {
			return "apiVersion: v1\nkind: Secret\nmetadata: {name: x, annotations: {kubectl.kubernetes.io/last-applied-configuration: '{\"data\": {\"p\": \"" + v + "\"}}'}}"
		}},
		"password": {"a key that says it", func(v string) string { return wrap("e.com/v1", "Db", "spec: {adminPassword: "+v+"}") }},
		"nested list": {"a list under such a key", func(v string) string {
			return wrap("e.com/v1", "Db", "spec: {tokens: [{name: a, value: "+v+"}, "+v+"]}")
		}},
		"environment": {"a variable that says it", func(v string) string {
			return wrap("v1", "Pod", "spec: {containers: [{name: a, env: [{name: DB_PASSWORD, value: "+v+"}]}]}")
		}},
		"argument": {"after a flag that says it", func(v string) string {
			return wrap("v1", "Pod", "spec: {containers: [{name: a, args: [--db-password, "+v+"]}]}")
		}},
		"flag": {"with a flag that says it", func(v string) string {
			return wrap("v1", "Pod", "spec: {containers: [{name: a, args: ['--db-password="+v+"']}]}")
		}},
		"inside a text": {"a file in a ConfigMap", func(v string) string {
			return wrap("v1", "ConfigMap", "data:\n  conf: |\n    user: a\n    password: \""+v+"\"\n    x: y")
		}},
		"block scalar": {"over several lines", func(v string) string {
			return wrap("v1", "ConfigMap", "data:\n  conf: |\n    password: |\n      "+v+"\n    x: y")
		}},
		"in an address": {"user and password", func(v string) string { return wrap("v1", "ConfigMap", "data: {url: 'postgres://me:"+v+"@db/x'}") }},
		"elsewhere, too": {"a Secret's value, known from there", func(v string) string {
			return wrap("v1", "Secret", "stringData: {password: "+v+"}") + "\n---\n" + wrap("v1", "ConfigMap", "data: {x: 'see "+v+"', y: "+b64(v)+"}")
		}},
		"private key": {"PEM", func(v string) string {
			return wrap("v1", "ConfigMap", "data:\n  pem: |\n    -----BEGIN RSA PRIVATE KEY-----\n    "+v+"\n    -----END RSA PRIVATE KEY-----")
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			old, head := manifests(t, c.body(oldSecret)), manifests(t, c.body(newSecret))
			if got := Compare(old, old, Options{}); len(got.Objects) > 0 {
				t.Errorf("%s: equal values count as changed", c.reason)
			}
			changed := Compare(old, head, Options{})
			if len(changed.Objects) == 0 || len(changed.Objects[0].Fields) == 0 || !changed.Objects[len(changed.Objects)-1].Fields[0].Masked {
				t.Errorf("%s: got %+v, want a masked change", c.reason, changed.Objects)
			}
			text, err := json.Marshal([]Comparison{changed, Compare(nil, old, Options{}), Compare(old, nil, Options{})})
			if err != nil {
				t.Fatal(err)
			}
			for _, leak := range []string{"hunter", b64(oldSecret)[:12], b64(newSecret)[:12], "Password-value"} {
				if strings.Contains(string(text), leak) {
					t.Errorf("%s: %q is in %s", c.reason, leak, text)
				}
			}
		})
	}
}

func TestSameSecretInAnotherForm(t *testing.T) {
	plain := manifests(t, wrap("v1", "Secret", "stringData: {p: abc}"))
	encoded := manifests(t, wrap("v1", "Secret", "data: {p: YWJj}"))
	if got := Compare(plain, encoded, Options{}); len(got.Objects) > 0 {
		t.Errorf("the API server keeps the same, but got %+v", got.Objects)
	}
}

func TestNamesOfSecretsAreShown(t *testing.T) {
	cases := map[string][2]string{
		"external secret": {wrap("external-secrets.io/v1", "ExternalSecret", "spec: {data: [{secretKey: a, remoteRef: {key: b}}]}"), wrap("external-secrets.io/v1", "ExternalSecret", "spec: {data: [{secretKey: a, remoteRef: {key: c}}]}")},
		"reference":       {wrap("v1", "Pod", "spec: {volumes: [{name: a, secret: {secretName: a}}], automountServiceAccountToken: true}"), wrap("v1", "Pod", "spec: {volumes: [{name: a, secret: {secretName: b}}], automountServiceAccountToken: false}")},
		"existing":        {wrap("e.com/v1", "Db", "spec: {existingSecret: a}"), wrap("e.com/v1", "Db", "spec: {existingSecret: b}")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, o := range Compare(manifests(t, c[0]), manifests(t, c[1]), Options{}).Objects {
				for _, f := range o.Fields {
					if f.Masked {
						t.Errorf("%s is masked", f.Path)
					}
				}
			}
		})
	}
}

func TestHiddenInObjects(t *testing.T) {
	object := func(value string) []gitops.Manifest {
		return []gitops.Manifest{{Object: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c", "annotations": map[string]any{"note": value}},
		}}}}
	}
	o := Options{Hidden: []string{"swordfish"}}
	for _, before := range [][]gitops.Manifest{nil, object("another")} {
		if got := fmt.Sprint(Compare(before, object("is swordfish"), o)); strings.Contains(got, "swordfish") || !strings.Contains(got, redact.Mask) {
			t.Errorf("got %s", got)
		}
	}
}

// Annotations that are named are masked in Secrets, and there alone: in what comes, what
// goes and what differs.
func TestAnnotationsOfSecretsStayHidden(t *testing.T) {
	object := func(kind, value string) []gitops.Manifest {
		return []gitops.Manifest{{Object: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": "c", "annotations": map[string]any{"team.example.com/note": value, "colour": "blue"}},
		}}}}
	}
	o := Options{Annotations: []string{"team.example.com/note"}}
	for kind, hides := range map[string]bool{"Secret": true, "ConfigMap": false} {
		a, b := object(kind, "swordfish"), object(kind, "marlin")
		for name, sides := range map[string][2][]gitops.Manifest{"new": {nil, a}, "gone": {a, nil}, "changed": {b, a}} {
			c := Compare(sides[0], sides[1], o)
			got := fmt.Sprint(c)
			if len(c.Objects) != 1 || hides == (strings.Contains(got, "swordfish") || strings.Contains(got, "marlin")) {
				t.Errorf("%s %s: %s", name, kind, got)
			}
			if name != "changed" && !strings.Contains(got, "blue") {
				t.Errorf("%s %s: another annotation is hidden: %s", name, kind, got)
			}
		}
	}
}
