package externalsecret_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestTemplatesStayAtTheirObject: the engine may write anywhere, and who writes an ExternalSecret may not.
func TestTemplatesStayAtTheirObject(t *testing.T) {
	p, other := newPlace(t), newPlace(t)
	p.has(values)
	at := func(target, literal string) string {
		return user + fmt.Sprintf("  target: {template: {templateFrom: [{target: %q, literal: %q}]}}\n", target, literal)
	}
	manifest := func(version, kind string) string {
		return user + fmt.Sprintf("  target: {manifest: {apiVersion: %s, kind: %s}, template: {templateFrom: [{target: roleRef, literal: '{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}'}]}}\n", version, kind)
	}
	for name, more := range map[string]string{
		"namespace": at("metadata.namespace", other.namespace), "name": at("metadata.name", "somebody-elses"), "kind": at("kind", "ConfigMap"),
		"version": at("apiVersion", "apps/v1"), "metadata": at("metadata", "hunter22"),
		"cluster": manifest("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"), "role": manifest("rbac.authorization.k8s.io/v1", "RoleBinding"),
		"account": manifest("v1", "ServiceAccount"), "itself": manifest("external-secrets.io/v1", "ExternalSecret"),
	} {
		p.has(wanting(name, more))
		p.says(name, "False", "SecretSyncedError", "")
		if _, err := p.get(name); !apierrors.IsNotFound(err) {
			t.Errorf("%s: there is a Secret: %v", name, err)
		}
	}
	p.says("namespace", "False", "SecretSyncedError", "the object is not the ExternalSecret's")
	var all corev1.SecretList
	if err := kube.List(t.Context(), &all, client.InNamespace(other.namespace)); err != nil || len(all.Items) > 0 {
		t.Errorf("%v, %d Secrets in another namespace", err, len(all.Items))
	}
	p.has(wanting("config", user+"  target: {manifest: {apiVersion: v1, kind: ConfigMap}}\n"))
	p.says("config", "True", "SecretSynced", "")
	var config corev1.ConfigMap
	if err := kube.Get(t.Context(), types.NamespacedName{Namespace: p.namespace, Name: "config"}, &config); err != nil || config.Data["user"] != "ada" {
		t.Errorf("%v, %v", err, config.Data)
	}
}

const planted = "hunter22-of-prod"

// TestValuesAreInNoCondition: conditions are read by many who may not read Secrets.
func TestValuesAreInNoCondition(t *testing.T) {
	p := newPlace(t)
	p.has(strings.Replace(values, noUser, `- {key: user, value: `+planted+`}
      - {key: object, value: '{"password":"`+planted+`","nested":{"a":"`+planted+`"}}'}
      - {key: starred, value: "*`+planted+`"}`, 1))
	all := `  dataFrom: [{extract: {key: object}}]
`
	template := func(text string) string { return "  target: {template: {data: {out: '" + text + "'}}}\n" }
	literal := func(target, text string) string {
		return fmt.Sprintf("  target: {template: {templateFrom: [{target: %q, literal: %q}]}}\n", target, text)
	}
	p.put(&corev1.Secret{ObjectMeta: metaOf(p.namespace, "templates"), Data: map[string][]byte{"out": []byte(`{{ hunter22 "hunter22" }}`)}})
	cases := map[string]string{
		"range":       "  data: [{secretKey: object, remoteRef: {key: object}}]\n" + template("{{ range (fromJson .object).password }}{{ end }}"),
		"of-a-secret": all + "  target: {template: {templateFrom: [{secret: {name: templates, items: [{key: out}]}}]}}\n",
		"fail":        all + template("{{ fail .password }}"), "encoded": all + template("{{ fail (b64enc .password) }}"), "pattern": all + template(`{{ mustRegexMatch (print "(" .password) "x" }}`),
		"map": all + literal("Data", "{{ .password }}"), "alias": "  data: [{secretKey: password, remoteRef: {key: starred}}]\n" + literal("Data", "x: {{ .password }}"),
		"inner-map": all + literal("data.x", "y: {{ .password }}"), "list": all + literal("data", "- {{ .password }}"), "no-base64": all + literal("data.x", "{{ .password }}"),
		"label": all + "  target: {template: {metadata: {labels: {x: 'not a label: {{ .password }}'}}}}\n", "labels": all + literal("metadata.labels.x", "y: {{ .password }}"),
		"immutable": all + literal("immutable", "{{ .password }}"), "type": all + literal("type", "a: {{ .password }}"), "key": all + literal("Data", "'a/{{ .nested }}': x"),
		"string-data": all + literal("stringData", "a: {b: {{ .password }}}"), "unknown": all + literal("spec", "a: {b: {{ .password }}}"), "owners": all + literal("metadata.ownerReferences", "a: {{ .password }}"),
		"base64": "  data: [{secretKey: user, remoteRef: {key: user, decodingStrategy: Base64}}]\n", "property": "  data: [{secretKey: user, remoteRef: {key: user, property: a}}]\n",
		"extract": "  dataFrom: [{extract: {key: user}}]\n", "merge": "  dataFrom: [{find: {name: {regexp: user}}, rewrite: [{merge: {}}]}]\n",
		"name": all + strings.Replace(literal("Data", "x: y"), "target: {template", "target: {name: 'No Name', template", 1),
	}
	for name, more := range cases {
		p.has(wanting(name, more))
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(planted))[:12]
	for name := range cases {
		var one esv1.ExternalSecret
		embeddedtest.Eventually(p, func(ctx context.Context) error {
			if err := kube.Get(ctx, types.NamespacedName{Namespace: p.namespace, Name: name}, &one); err != nil {
				return err
			}
			if len(one.Status.Conditions) == 0 {
				return errors.New("nothing is said yet")
			}
			return nil
		})
		text := fmt.Sprintf("%+v", one.Status)
		if strings.Contains(text, "hunter22") || strings.Contains(text, encoded) {
			t.Errorf("%s: %s", name, text)
		}
		if one.Status.Conditions[0].Status == "True" && name != "string-data" && name != "unknown" && name != "immutable" {
			secret, _ := p.get(name)
			t.Logf("%s: it was made, with %d values", name, len(secret.Data))
		}
	}
}
