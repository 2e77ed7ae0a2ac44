package app

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// setOnHub gives each cluster an application on the hub with the given values.
func (e *engine) setOnHub(name, values string) *v1alpha1.ApplicationSet {
	e.t.Helper()
	set := &v1alpha1.ApplicationSet{}
	text := fmt.Sprintf(`
metadata: {name: %[2]s, namespace: %[1]s}
spec:
  generators:
    - clusters: {selector: {matchLabels: {enable_web: "true"}}}
  template:
    metadata: {name: '%[2]s-{{name}}'}
    spec:
      project: default
      source: {repoURL: %[3]s, path: app, helm: {values: '%[4]s'}}
      destination: {server: https://kubernetes.default.svc, namespace: %[1]s}
      syncPolicy: {automated: {}}
`, e.namespace, name, repoURL, values)
	if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
		e.t.Fatal(err)
	}
	return set
}

func (e *engine) untilHas(name, region string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		cm := &corev1.ConfigMap{}
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: name}, cm); err != nil {
			return err
		}
		if cm.Data["region"] != region {
			return fmt.Errorf("%s has the region %q, want %q", name, cm.Data["region"], region)
		}
		return nil
	})
}

// untilAll waits until each application is there, synced and rendered.
func (e *engine) untilAll(count int) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		var list v1alpha1.ApplicationList
		if err := e.List(ctx, &list, client.InNamespace(e.namespace)); err != nil {
			return err
		}
		ok := 0
		for i := range list.Items {
			if good(&list.Items[i]) {
				ok++
			}
		}
		if ok != count || len(list.Items) != count {
			return fmt.Errorf("%d of %d applications are synced and healthy", ok, len(list.Items))
		}
		return nil
	})
}

// TestAKeyRendersWhatReadsIt is exact: one key of one cluster renders the
// applications that read it, and none besides.
func TestAKeyRendersWhatReadsIt(t *testing.T) {
	const clusters = 30
	e := start(t, map[string]string{
		"app/Chart.yaml":        "{apiVersion: v2, name: app, version: 1.0.0}\n",
		"app/templates/cm.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: '{{ .Release.Name }}'}, data: {region: '{{ .Values.region }}'}}\n",
	})
	var secrets []*corev1.Secret
	for i := range clusters {
		secrets = append(secrets, e.spoke(fmt.Sprintf("c%02d", i), "true", "eu"))
	}
	for _, set := range []*v1alpha1.ApplicationSet{
		e.setOnHub("one", "region: {{metadata.annotations.region}}"),
		e.setOnHub("two", "region: x{{metadata.annotations.region}}"),
		e.setOnHub("none", "region: fixed"),
	} {
		if err := e.Create(t.Context(), set); err != nil {
			t.Fatal(err)
		}
	}
	e.untilAll(3 * clusters)
	for round := 0; ; round++ {
		facts := e.factsOfHub()
		rendered := e.changeKeys(secrets, fmt.Sprintf("r%d", round))
		if d := cmp.Diff(facts, e.factsOfHub()); d != "" && round < 3 {
			continue // kinds of an earlier test went meanwhile, which charts may ask for
		}
		if rendered != 6 {
			t.Errorf("three changes of a key that two applications of each cluster read rendered %d times, want 6", rendered)
		}
		return
	}
}

func (e *engine) factsOfHub() gitops.Facts {
	e.t.Helper()
	facts, err := e.fleet.Hub().Facts(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	return facts
}

// changeKeys changes a key of three clusters that is read, and between them
// one that nobody reads; it tells how often something was rendered.
func (e *engine) changeKeys(secrets []*corev1.Secret, region string) uint64 {
	e.t.Helper()
	annotate := func(s *corev1.Secret, key, value string) {
		was := s.DeepCopy()
		s.Annotations[key] = value
		if err := e.Patch(e.t.Context(), s, client.MergeFrom(was)); err != nil {
			e.t.Fatal(err)
		}
	}
	before := e.render.Stats().Rendered
	for i, s := range []*corev1.Secret{secrets[7], secrets[14], secrets[21]} {
		annotate(s, "region", region)
		e.untilHas("one-"+s.Name, region)
		e.untilHas("two-"+s.Name, "x"+region)
		annotate(secrets[i], "owner", region)
	}
	e.untilAll(3 * len(secrets))
	return e.render.Stats().Rendered - before
}
