package charts_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// generatorValues are the chart's for what generate asks, by name.
func generatorValues() values {
	return values{
		"secrets":    []any{"git-host", "plugin"},
		"configMaps": []any{"authorities", "plugin", "decisions"},
		"resources":  []any{values{"apiGroups": []any{"mallard.io"}, "resources": []any{"ducks"}}},
	}
}

const asked = `
- {apiVersion: v1, kind: Secret, metadata: {name: git-host}, stringData: {token: s3cret}}
- {apiVersion: v1, kind: Secret, metadata: {name: plugin}, stringData: {token: s3cret}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: plugin}, data: {baseUrl: '%[1]s', token: '$plugin:token'}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: decisions}, data: {apiVersion: mallard.io/v1beta1, kind: ducks, statusListKey: decisions, matchKey: clusterName}}
- {apiVersion: mallard.io/v1beta1, kind: Duck, metadata: {name: quak, labels: {duck: spotted}}, status: {decisions: [{clusterName: in-cluster, zone: a}]}}
- apiVersion: argoproj.io/v1alpha1
  kind: ApplicationSet
  metadata: {name: asking}
  spec:
    generators:
    - matrix:
        generators:
        - pullRequest:
            gitlab: {project: '1', api: '%[2]s', tokenRef: {secretName: git-host, key: token}, caRef: {configMapName: authorities, key: ca}}
        - plugin: {configMapRef: {name: plugin}}
    - matrix:
        generators:
        - list: {elements: [{number: by-label, color: any}]}
        - clusterDecisionResource: {configMapRef: decisions, labelSelector: {matchLabels: {duck: spotted}}}
    - matrix:
        generators:
        - list: {elements: [{number: by-name, color: any}]}
        - clusterDecisionResource: {configMapRef: decisions, name: quak}
    template:
      metadata: {name: 'asked-{{number}}-{{color}}'}
      spec:
        project: default
        source: {repoURL: ` + repoURL + `, path: web, targetRevision: HEAD}
        destination: {name: in-cluster, namespace: default}
`

const duckCRD = `
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: ducks.mallard.io}
  spec:
    group: mallard.io
    names: {kind: Duck, plural: ducks, singular: duck, listKind: DuckList}
    scope: Namespaced
    versions:
      - name: v1beta1
        served: true
        storage: true
        schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// generate makes the engine read all that ApplicationSets may name besides Git
// and the fleet, and refresh a set.
func (c *cluster) generate() {
	c.t.Helper()
	plugin := httptest.NewServer(http.HandlerFunc(answerPlugin))
	host := httptest.NewTLSServer(http.HandlerFunc(answerGitLab))
	c.t.Cleanup(plugin.Close)
	c.t.Cleanup(host.Close)
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: host.Certificate().Raw}))
	text, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "authorities"}, "data": map[string]any{"ca": authority},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.createAll(duckCRD)
	c.createAll("- " + string(text) + fmt.Sprintf(asked, plugin.URL, host.URL))
	for _, name := range []string{"asked-4-blue", "asked-by-label-any", "asked-by-name-any"} {
		c.until(name, func(*v1alpha1.Application) error { return nil })
	}
	c.refresh("asking")
}

// createAll creates a list of objects. Their kinds may be new to the API server.
func (c *cluster) createAll(text string) {
	c.t.Helper()
	var all []map[string]any
	if err := yaml.Unmarshal([]byte(text), &all); err != nil {
		c.t.Fatalf("%v in\n%s", err, text)
	}
	for _, content := range all {
		o := &unstructured.Unstructured{Object: content}
		if o.GetKind() != "CustomResourceDefinition" {
			o.SetNamespace(c.namespace)
		}
		embeddedtest.Eventually(c.t, func(ctx context.Context) error {
			return client.IgnoreAlreadyExists(c.Create(ctx, o.DeepCopy()))
		})
	}
}

// refresh asks for a refresh of a set, and waits until the request is withdrawn.
func (c *cluster) refresh(name string) {
	c.t.Helper()
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: name}}
	c.annotate(set, v1alpha1.AnnotationApplicationSetRefresh)
	embeddedtest.Eventually(c.t, func(ctx context.Context) error {
		err := c.Get(ctx, client.ObjectKeyFromObject(set), set)
		if _, waits := set.Annotations[v1alpha1.AnnotationApplicationSetRefresh]; waits && err == nil {
			return errors.New("the set was not refreshed yet")
		}
		return err
	})
}

func (c *cluster) annotate(o client.Object, annotation string) {
	c.t.Helper()
	o.SetNamespace(c.namespace)
	patch := fmt.Sprintf(`{"metadata": {"annotations": {%q: "true"}}}`, annotation)
	if err := c.Patch(c.t.Context(), o, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		c.t.Fatal(err)
	}
}

func answerPlugin(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer s3cret" {
		http.Error(w, "no", http.StatusForbidden)
		return
	}
	_, _ = io.WriteString(w, `{"output": {"parameters": [{"color": "blue"}]}}`)
}

func answerGitLab(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("Private-Token") != "s3cret" || !strings.HasSuffix(r.URL.Path, "/projects/1/merge_requests") {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_, _ = fmt.Fprintf(w, `[{"iid": 4, "title": "t", "author": {"username": "ann"}, "source_branch": "feature", "target_branch": "main", "sha": %q}]`, strings.Repeat("e", 40))
}
