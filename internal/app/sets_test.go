package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// addons is a set over the clusters that switch the addon on, with a value
// out of each one's annotations.
func (e *engine) addons() *v1alpha1.ApplicationSet {
	e.t.Helper()
	set := &v1alpha1.ApplicationSet{}
	text := fmt.Sprintf(`
metadata: {name: addons, namespace: %s}
spec:
  generators:
    - clusters: {selector: {matchLabels: {enable_web: "true"}}}
  template:
    metadata: {name: '%s-{{name}}'}
    spec:
      project: default
      source:
        repoURL: %s
        path: app
        helm: {values: "region: {{metadata.annotations.region}}"}
      destination: {name: '{{name}}', namespace: default}
`, e.namespace, e.namespace, repoURL)
	if err := yaml.UnmarshalStrict([]byte(text), set); err != nil {
		e.t.Fatal(err)
	}
	return set
}

// spoke describes a cluster that nothing answers for: an ApplicationSet needs
// only its metadata.
func (e *engine) spoke(name, enabled, region string) *corev1.Secret {
	e.t.Helper()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: e.namespace,
			Labels:      map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "enable_web": enabled},
			Annotations: map[string]string{"region": region},
		},
		StringData: map[string]string{"name": name, "server": "https://127.0.0.1:1/" + name, "config": "{}"},
	}
	if err := e.Create(e.t.Context(), secret); err != nil {
		e.t.Fatal(err)
	}
	return secret
}

func (e *engine) generated(cluster string) (*v1alpha1.Application, error) {
	app := &v1alpha1.Application{}
	return app, e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: e.namespace + "-" + cluster}, app)
}

func (e *engine) untilRegion(cluster, region string) *v1alpha1.Application {
	e.t.Helper()
	var app *v1alpha1.Application
	embeddedtest.Eventually(e.t, func(context.Context) (err error) {
		if app, err = e.generated(cluster); err == nil && app.Spec.Source.Helm.Values != "region: "+region {
			err = fmt.Errorf("values are %q", app.Spec.Source.Helm.Values)
		}
		return err
	})
	return app
}

// describedAtLength adds 200 keys with 60 KB to what is known of a cluster.
func (e *engine) describedAtLength(s *corev1.Secret) {
	e.t.Helper()
	before := s.DeepCopy()
	for i := range 200 {
		s.Annotations[fmt.Sprintf("platform.example.com/key-%03d", i)] = strings.Repeat("x", 300)
	}
	if err := e.Patch(e.t.Context(), s, client.MergeFrom(before)); err != nil {
		e.t.Fatal(err)
	}
}

func TestClusterMetadataFlowsIntoApplications(t *testing.T) {
	e := start(t, nil)
	dev := e.spoke("dev", "true", "eu-1")
	e.describedAtLength(dev)
	e.spoke("prod", "true", "us-1")
	e.spoke("spare", "false", "us-2")
	if err := e.Create(t.Context(), e.addons()); err != nil {
		t.Fatal(err)
	}
	e.untilRegion("dev", "eu-1")
	prod := e.untilRegion("prod", "us-1")
	if _, err := e.generated("spare"); !apierrors.IsNotFound(err) {
		t.Errorf("an application was made for a cluster that the selector leaves out: %v", err)
	}

	before := dev.DeepCopy()
	dev.Annotations["region"] = "eu-2"
	if err := e.Patch(t.Context(), dev, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	e.untilRegion("dev", "eu-2")
	if now := e.untilRegion("prod", "us-1"); !reflect.DeepEqual(now.Spec, prod.Spec) {
		t.Error("the application of another cluster was changed, too")
	}

	before = dev.DeepCopy()
	dev.Labels["enable_web"] = "false"
	if err := e.Patch(t.Context(), dev, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		if app, err := e.generated("dev"); err == nil && app.DeletionTimestamp.IsZero() {
			return errors.New("the application of a switched-off addon is still there")
		}
		return nil
	})
}

// TestUnresolvedParameterIsTold: a placeholder that nothing fills stays as it is,
// as in Argo CD, and the set says so for as long as that is so.
func TestUnresolvedParameterIsTold(t *testing.T) {
	e := start(t, nil)
	e.spoke("prod", "true", "us-1")
	dev := e.spoke("dev", "true", "unset")
	annotate := func(region *string) {
		t.Helper()
		text, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{"region": region}}})
		if err == nil {
			err = e.Patch(t.Context(), dev, client.RawPatch(types.MergePatchType, text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	annotate(nil)
	if err := e.Create(t.Context(), e.addons()); err != nil {
		t.Fatal(err)
	}
	e.untilRegion("dev", "{{metadata.annotations.region}}")
	told := *warningIn(e.untilSet("addons", func(s *v1alpha1.ApplicationSet) bool { return warningIn(s) != nil }))
	if told.Status != v1alpha1.ApplicationSetConditionStatusTrue || !strings.Contains(told.Message, "{{metadata.annotations.region}};") || strings.Contains(told.Message, "dev") {
		t.Errorf("the condition is %+v", told)
	}

	// Neither another expansion nor one that fails changes it.
	e.spoke("spare", "true", "us-2")
	e.untilRegion("spare", "us-2")
	clusters := "- clusters: {selector: {matchLabels: {enable_web: 'true'}}}\n"
	e.generators("addons", clusters+"- git: {repoURL: https://git.example.com/nothing/here, revision: "+strings.Repeat("d", 40)+", directories: [{path: '*'}]}\n")
	same := func(s *v1alpha1.ApplicationSet) {
		t.Helper()
		// An expansion that has not seen yet that it is told may move its time.
		if diff := cmp.Diff(&told, warningIn(s), cmpopts.IgnoreFields(told, "LastTransitionTime")); diff != "" {
			t.Errorf("the condition has changed: %s", diff)
		}
	}
	same(e.untilSet("addons", func(s *v1alpha1.ApplicationSet) bool { return !isUpToDate(s) }))
	e.generators("addons", clusters)
	same(e.untilSet("addons", isUpToDate))

	region := "eu-1"
	annotate(&region)
	e.untilRegion("dev", "eu-1")
	set := e.untilSet("addons", func(s *v1alpha1.ApplicationSet) bool { return warningIn(s) == nil })

	// Of Applications that cannot be made no name is told, which is a cluster's.
	before := set.DeepCopy()
	set.Spec.Template.Name = "{{name}} !"
	if err := e.Patch(t.Context(), set, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	e.untilSet("addons", func(s *v1alpha1.ApplicationSet) bool {
		return slices.ContainsFunc(s.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
			return strings.Contains(c.Message, "cannot create 3 of 3 applications: 3 times: generator 1: Application \"…\" is not valid: metadata.name: ") && !strings.Contains(c.Message, "spare")
		})
	})
}

func warningIn(set *v1alpha1.ApplicationSet) *v1alpha1.ApplicationSetCondition {
	i := slices.IndexFunc(set.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
		return c.Type == v1alpha1.ApplicationSetConditionParameterWarning
	})
	if i < 0 {
		return nil
	}
	return &set.Status.Conditions[i]
}

func TestSetWithAnErrorKeepsItsApplications(t *testing.T) {
	e := start(t, nil)
	e.spoke("dev", "true", "eu-1")
	set := e.addons()
	if err := e.Create(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	e.untilRegion("dev", "eu-1")
	before := set.DeepCopy()
	set.Spec.Generators = append(set.Spec.Generators, v1alpha1.ApplicationSetGenerator{Git: &v1alpha1.GitGenerator{
		RepoURL: "https://git.example.com/nothing/here", Revision: strings.Repeat("d", 40),
		Directories: []v1alpha1.GitDirectoryGeneratorItem{{Path: "*"}},
	}})
	if err := e.Patch(t.Context(), set, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		now := &v1alpha1.ApplicationSet{}
		if err := e.Get(ctx, client.ObjectKeyFromObject(set), now); err != nil {
			return err
		}
		for _, c := range now.Status.Conditions {
			if c.Type == v1alpha1.ApplicationSetConditionErrorOccurred && c.Status == v1alpha1.ApplicationSetConditionStatusTrue && strings.Contains(c.Message, "git.example.com/nothing/here") {
				return nil
			}
		}
		return fmt.Errorf("conditions are %v", now.Status.Conditions)
	})
	e.untilRegion("dev", "eu-1")
}

// TestSetTakesNothingOfAnotherProject has a set make an Application that
// somebody else has by that name, in a project of its own: who chooses the names
// of what a set makes gets nothing by them.
func TestSetTakesNothingOfAnotherProject(t *testing.T) {
	const one, both = "[{list: {elements: [{name: other}]}}]", "[{list: {elements: [{name: other}, {name: shop}]}}]"
	e := start(t, map[string]string{"app/Chart.yaml": chartYAML, "app/templates/cm.yaml": chartTemplate})
	for _, project := range []string{"red", "blue"} {
		e.project(project, func(*v1alpha1.AppProjectSpec) {})
	}
	before := e.app("", "app", in("blue"), func(a *v1alpha1.Application) {
		a.Name, a.Spec.Source.Helm = e.namespace+"-shop", &v1alpha1.ApplicationSourceHelm{Values: "shows: mine"}
	})
	e.setOf("red", "greedy", both, "{{name}}", "a")
	e.untilSetFails("greedy", `of project "blue"`)
	e.untilShows("other", "a")
	left := func() {
		t.Helper()
		now, err := e.generated("shop")
		if err != nil || !reflect.DeepEqual(now.Spec, before.Spec) || len(now.OwnerReferences) > 0 || !now.DeletionTimestamp.IsZero() {
			t.Errorf("the application of the other project is not as it was: %+v, %v", now, err)
		}
	}
	left()
	e.generators("greedy", one)
	set := e.untilSet("greedy", isUpToDate)
	if len(set.Status.Resources) != 1 {
		t.Errorf("the set lists %v, which are not all its own", set.Status.Resources)
	}
	left()

	e.generators("greedy", both)
	e.untilSetFails("greedy", `of project "blue"`)
	agreed := client.RawPatch(types.MergePatchType, []byte(`{"spec": {"project": "red"}}`))
	if err := e.Patch(t.Context(), before.DeepCopy(), agreed); err != nil {
		t.Fatal(err)
	}
	e.untilShows("shop", "a")
	e.untilSet("greedy", isUpToDate)
}

// generators changes what a set is made of.
func (e *engine) generators(set, generators string) {
	e.t.Helper()
	s := &v1alpha1.ApplicationSet{}
	if err := e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: set}, s); err != nil {
		e.t.Fatal(err)
	}
	before := s.DeepCopy()
	s.Spec.Generators = nil
	if err := yaml.UnmarshalStrict([]byte(generators), &s.Spec.Generators); err != nil {
		e.t.Fatal(err)
	}
	if err := e.Patch(e.t.Context(), s, client.MergeFrom(before)); err != nil {
		e.t.Fatal(err)
	}
}

func isUpToDate(set *v1alpha1.ApplicationSet) bool {
	return slices.ContainsFunc(set.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
		return c.Type == v1alpha1.ApplicationSetConditionErrorOccurred && c.Status == v1alpha1.ApplicationSetConditionStatusFalse
	})
}
