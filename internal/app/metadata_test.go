package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
)

// metadata creates a ClusterMetadata with the given spec.
func (e *engine) metadata(name, spec string) *causeway.ClusterMetadata {
	e.t.Helper()
	object := &causeway.ClusterMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.namespace}}
	if err := yaml.UnmarshalStrict([]byte(spec), &object.Spec); err != nil {
		e.t.Fatal(err)
	}
	if err := e.Create(e.t.Context(), object); err != nil {
		e.t.Fatal(err)
	}
	return object
}

func (e *engine) secret(name string) *corev1.Secret {
	e.t.Helper()
	s := &corev1.Secret{}
	if err := e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: name}, s); err != nil {
		e.t.Fatal(err)
	}
	return s
}

// untilAnnotated waits until a cluster Secret has these annotations; an empty
// value stands for none.
func (e *engine) untilAnnotated(name string, want map[string]string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(context.Context) error {
		have := e.secret(name).Annotations
		for k, v := range want {
			if have[k] != v {
				return fmt.Errorf("annotation %s is %q, want %q", k, have[k], v)
			}
		}
		return nil
	})
}

// untilProblem waits until a ClusterMetadata tells of a problem with words.
func (e *engine) untilProblem(name string, words ...string) {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		object := &causeway.ClusterMetadata{}
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: name}, object); err != nil {
			return err
		}
		text := fmt.Sprint(object.Status.Problems)
		for _, w := range words {
			if !strings.Contains(text, w) {
				return fmt.Errorf("the problems are %s: no %q", text, w)
			}
		}
		return nil
	})
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const tfState = `{"version":4,"outputs":{
 "vpc":{"value":{"id":"vpc-1","subnets":["a","b"]},"type":"dynamic"},
 "password":{"value":"hunter2","type":"string","sensitive":true}}}`

const sourcesOfMetadata = `
clusters: {names: [dev]}
values:
- {key: literal, value: "yes"}
- {key: region, from: {configMap: {name: network, key: region}}}
- {key: token, from: {secret: {name: private, key: token}}}
- {key: shown, from: {secret: {name: private, key: token, reveal: true}}}
- {key: vpc, from: {terraform: {secretSuffix: network, output: vpc.id}}}
- {key: subnets, from: {terraform: {secretSuffix: network, output: vpc.subnets}}}
- {key: password, from: {terraform: {secretSuffix: network, output: password}}}
- {key: address, from: {field: {apiVersion: v1, kind: Service, name: front, path: '{.spec.ports[0].port}'}}}
- {key: later, optional: true, from: {configMap: {name: network, key: later}}}
- {key: argocd.argoproj.io/secret-type, as: label, value: repository}
- {key: version, from: {fact: kubernetesVersion}}
`

func TestClusterMetadataComesFromWhereItLives(t *testing.T) {
	e := start(t, nil)
	e.spoke("dev", "true", "unset")
	// Nobody holds the annotation any more, so that it can be taken.
	dev := e.secret("dev")
	delete(dev.Annotations, "region")
	network := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "network", Namespace: e.namespace}, Data: map[string]string{"region": "eu-1"}}
	for _, o := range []client.Object{
		network,
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "private", Namespace: e.namespace}, StringData: map[string]string{"token": "t0ken"}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "tfstate-default-network", Namespace: e.namespace}, Data: map[string][]byte{"tfstate": packed(t, tfState)}},
		&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "front", Namespace: e.namespace}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 8443}}}},
		e.addons(),
	} {
		if err := e.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Update(t.Context(), dev); err != nil {
		t.Fatal(err)
	}
	e.metadata("net", sourcesOfMetadata)
	want := map[string]string{
		"literal": "yes", "region": "eu-1", "token": "secret://private/token", "shown": "t0ken", "vpc": "vpc-1", "subnets": `["a","b"]`,
		"address": "8443", "password": "", "later": "",
	}
	e.untilAnnotated("dev", want)
	e.untilRegion("dev", "eu-1")
	e.untilProblem("net", "sensitive", "belongs to Kubernetes", "version")
	if got := e.secret("dev").Labels[v1alpha1.LabelSecretType]; got != v1alpha1.SecretTypeCluster {
		t.Errorf("the type of the Secret is %q", got)
	}

	// A change where the value lives reaches the application.
	network.Data["region"], network.Data["later"] = "eu-2", "now"
	if err := e.Update(t.Context(), network); err != nil {
		t.Fatal(err)
	}
	e.untilRegion("dev", "eu-2")
	e.untilAnnotated("dev", map[string]string{"later": "now"})

	// The trace names the source.
	inspector, err := inspect.Open(t.Context(), inspect.Config{Hub: e.cfg.Hub, Namespace: e.cfg.Namespace, Mirrors: e.cfg.Mirrors, Log: e.cfg.Log})
	if err != nil {
		t.Fatal(err)
	}
	defer inspector.Close()
	b, err := inspector.Bridge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	outline, err := inspector.Outline(t.Context())
	if err != nil || len(outline.Sets) != 1 || outline.Sets[0].Expansion.Applications[0].Spec.Source != nil {
		t.Errorf("to tell who reads what, Applications are held: %+v, %v", outline.Sets, err)
	}
	if diff := cmp.Diff(bridge.Overview(b.Clusters, b.Sets, nil), bridge.Overview(outline.Clusters, outline.Sets, nil)); diff != "" {
		t.Error(diff)
	}
	trace, err := bridge.TraceKey(t.Context(), b, "dev", bridge.Key{In: bridge.Annotation, Name: "region"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "ClusterMetadata net from ConfigMap " + e.namespace + "/network, key region"; trace.SetBy.Source != want {
		t.Errorf("the key comes from %q, want %q", trace.SetBy.Source, want)
	}
	if trace.SetBy.Manager != "causeway-metadata:net" || len(trace.Readers) != 1 || len(trace.Readers[0].Follow) != 1 || trace.Readers[0].Follow[0].Application != e.namespace+"-dev" {
		t.Errorf("the trace is %+v", trace)
	}

	// A value that is gone stays, and is told of; an optional one goes.
	if err := e.Delete(t.Context(), network); err != nil {
		t.Fatal(err)
	}
	e.untilProblem("net", "ConfigMap network does not exist", "keeps what it had")
	e.untilAnnotated("dev", map[string]string{"region": "eu-2", "later": ""})
}

// TestClusterMetadataReadsStatesInParts has a state that Terraform keeps in
// several Secrets, and writes one after the other.
func TestClusterMetadataReadsStatesInParts(t *testing.T) {
	e := start(t, nil)
	e.spoke("dev", "true", "unset")
	state := packed(t, tfState)
	first := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "tfstate-default-network", Namespace: e.namespace}, Data: map[string][]byte{"tfstate": state[:40]}}
	second := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "tfstate-default-network-part-1", Namespace: e.namespace}, Data: map[string][]byte{"tfstate": state[40:]}}
	if err := e.Create(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	e.metadata("net", "clusters: {names: [dev]}\nvalues: [{key: vpc, optional: true, from: {terraform: {secretSuffix: network, output: vpc.id}}}]\n")
	e.untilProblem("net", "Secret tfstate-default-network-part-1 does not exist", "wait for the end of terraform apply")
	if err := e.Create(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	e.untilAnnotated("dev", map[string]string{"vpc": "vpc-1"})

	// A new state is there when its last part is. Until then the key stays.
	state = packed(t, strings.Replace(tfState, "vpc-1", "vpc-2", 1))
	first.Data["tfstate"], second.Data["tfstate"] = state[:50], state[50:]
	if err := e.Update(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	e.untilProblem("net", "cannot unpack the Terraform state of 2 Secrets", "keeps what it had")
	e.untilAnnotated("dev", map[string]string{"vpc": "vpc-1"})
	if err := e.Update(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	e.untilAnnotated("dev", map[string]string{"vpc": "vpc-2"})
}

func TestClusterMetadataTakesNoKeyFromAnother(t *testing.T) {
	e := start(t, nil)
	e.spoke("dev", "true", "terraform's")
	one := e.metadata("one", "clusters: {matchAll: true}\nvalues: [{key: region, value: mine}, {key: own, value: one}, {key: shared, value: same}]\n")
	e.untilAnnotated("dev", map[string]string{"region": "terraform's", "own": "one"})
	e.untilProblem("one", "ClusterMetadata one", "two sources")
	e.metadata("two", "clusters: {matchAll: true}\nvalues: [{key: own, value: two}, {key: shared, value: same}, {key: other, value: two}]\n")
	e.untilAnnotated("dev", map[string]string{"own": "one", "other": "two"})
	e.untilProblem("two", "ClusterMetadata two and ClusterMetadata one")

	// What goes takes its own keys alone; what it held is free then.
	if err := e.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	e.untilAnnotated("dev", map[string]string{"own": "two", "shared": "same", "other": "two", "region": "terraform's"})
}

// aboutSecrets counts, by method, what an engine asks the API server about the cluster
// Secrets of its namespace besides its one watch.
type aboutSecrets struct {
	mu     sync.Mutex
	counts map[string]int
}

func (a *aboutSecrets) look(r *http.Request) *http.Response {
	_, resource, _ := strings.Cut(r.URL.Path, "/namespaces/")
	_, resource, _ = strings.Cut(resource, "/")
	q := r.URL.Query()
	watches := q.Has("watch") || q.Has("resourceVersion") || q.Has("limit") // of a cache
	if !watches && (resource == "secrets" || strings.HasPrefix(resource, "secrets/")) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.counts[r.Method]++
	}
	return nil
}

// take returns the counts since the last time.
func (a *aboutSecrets) take() map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.counts
	a.counts = map[string]int{}
	return out
}

// untilLooked changes each ClusterMetadata to other values and waits until
// the engine has told that it has seen them.
func (e *engine) untilLooked(names []string, values string) {
	e.t.Helper()
	for _, name := range names {
		embeddedtest.Eventually(e.t, func(ctx context.Context) error {
			object := &causeway.ClusterMetadata{}
			if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: name}, object); err != nil {
				return err
			}
			object.Spec.Values = nil
			if err := yaml.UnmarshalStrict([]byte(strings.ReplaceAll(values, "NAME", name)), &object.Spec.Values); err != nil {
				return err
			}
			return e.Update(ctx, object)
		})
	}
	for _, name := range names {
		embeddedtest.Eventually(e.t, func(ctx context.Context) error {
			object := &causeway.ClusterMetadata{}
			if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: name}, object); err != nil {
				return err
			}
			if object.Status.ObservedGeneration != object.Generation {
				return fmt.Errorf("generation %d of %s is not seen", object.Generation, name)
			}
			return nil
		})
	}
}

// TestLooksAtClusterMetadataCostNothing counts the requests for cluster
// Secrets of looks at which there is nothing to write.
func TestLooksAtClusterMetadataCostNothing(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	requests := &aboutSecrets{counts: map[string]int{}}
	e.adjust = func(c *Config) {
		c.Hub = rest.CopyConfig(c.Hub)
		c.Hub.Wrap(func(next http.RoundTripper) http.RoundTripper { return roundTrips{next, requests.look} })
	}
	e.restart()
	const clusters = 8
	names := []string{"one", "two", "three", "four"}
	for i := range clusters {
		e.spoke(fmt.Sprintf("c%d", i), "true", "eu")
	}
	for _, name := range names {
		e.metadata(name, "clusters: {matchAll: true}\nvalues: [{key: "+name+", value: first}]\n")
	}
	all := map[string]string{"one": "first", "two": "first", "three": "first", "four": "first"}
	for i := range clusters {
		e.untilAnnotated(fmt.Sprintf("c%d", i), all)
	}
	// The last of what was written is known when a further look writes nothing.
	embeddedtest.Eventually(t, func(context.Context) error {
		requests.take()
		e.untilLooked(names, "[{key: NAME, value: first}, {key: NAME-none, optional: true, from: {configMap: {name: none, key: a}}}]")
		e.untilLooked(names, "[{key: NAME, value: first}]")
		if n := requests.take(); len(n) > 0 {
			return fmt.Errorf("looks at %d ClusterMetadata of %d clusters that change nothing ask for Secrets: %v", len(names), clusters, n)
		}
		return nil
	})
	e.untilLooked(names[:1], "[{key: NAME, value: second}]")
	all["one"] = "second"
	for i := range clusters {
		e.untilAnnotated(fmt.Sprintf("c%d", i), all)
	}
	if n := requests.take(); n[http.MethodPatch] < clusters || len(n) > 1 {
		t.Errorf("a value that changes is written to %d clusters by %v, want writes alone", clusters, n)
	}
}

// asTerraform applies annotations to a cluster Secret as the provider does: it
// takes over what others hold.
func (e *engine) asTerraform(name string, annotations map[string]string) (resourceVersion string) {
	e.t.Helper()
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.namespace, Annotations: annotations}}
	o.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		e.t.Fatal(err)
	}
	applied := &unstructured.Unstructured{Object: content}
	config := client.ApplyConfigurationFromUnstructured(applied)
	if err := e.Apply(e.t.Context(), config, client.FieldOwner("causeway-terraform"), client.ForceOwnership); err != nil {
		e.t.Fatal(err)
	}
	return e.secret(name).ResourceVersion
}

// looksAgain has a ClusterMetadata be looked at anew, and waits until that is done.
func (e *engine) looksAgain(name string) {
	e.t.Helper()
	object := &causeway.ClusterMetadata{}
	err := e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: name}, object)
	if err == nil {
		was := object.DeepCopy() // the engine writes its status at any time
		object.Spec.Values = append(object.Spec.Values, causeway.MetadataValue{Key: fmt.Sprintf("look-%d", object.Generation), Optional: true, From: &causeway.MetadataOrigin{
			ConfigMap: &causeway.KeyReference{Name: "none", Key: "none"},
		}})
		err = e.Patch(e.t.Context(), object, client.MergeFrom(was))
	}
	if err != nil {
		e.t.Fatal(err)
	}
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		now := &causeway.ClusterMetadata{}
		if err := e.Get(ctx, client.ObjectKeyFromObject(object), now); err != nil {
			return err
		}
		if now.Status.ObservedGeneration != object.Generation {
			return errors.New("it has not been looked at")
		}
		return nil
	})
}

// TestClusterMetadataAndTerraformOnOneKey has both give a key a value, each
// after the other: Terraform's stays, the status names both, and neither
// writes what the other wrote back.
func TestClusterMetadataAndTerraformOnOneKey(t *testing.T) {
	e := start(t, nil)
	e.spoke("dev", "true", "unset")
	e.asTerraform("dev", map[string]string{"first": "terraform's", "same": "both"})
	e.metadata("net", "clusters: {names: [dev]}\nvalues: [{key: first, value: mine}, {key: same, value: both}, {key: second, value: mine}]\n")
	e.untilAnnotated("dev", map[string]string{"first": "terraform's", "same": "both", "second": "mine"})
	e.untilProblem("net", "two sources give it different values", "ClusterMetadata net", "Terraform (field manager causeway-terraform)", "take it out of one of them")

	all := map[string]string{"first": "terraform's", "same": "both", "second": "terraform's"}
	settled := e.asTerraform("dev", all)
	e.untilProblem("net", "{first dev", "{second dev")
	quiet := func(reason string) {
		t.Helper()
		e.looksAgain("net")
		if v := e.asTerraform("dev", all); v != settled {
			t.Errorf("%s: the Secret was written again", reason)
		}
		e.untilAnnotated("dev", all)
	}
	quiet("nobody changed what they want")
	quiet("and again")

	// Terraform lets go of what ClusterMetadata gives: the one is there at once,
	// the other was never away.
	delete(all, "second")
	delete(all, "same")
	e.asTerraform("dev", all)
	e.untilAnnotated("dev", map[string]string{"first": "terraform's", "same": "both", "second": "mine"})
	settled = e.secret("dev").ResourceVersion
	quiet("one conflict is left")
}

func TestLabelsThatGoWithClusterMetadataDeleteNoFleet(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	stop := e.restart()
	const clusters = 6
	for i := range clusters {
		s := e.spoke(fmt.Sprintf("c%d", i), "true", "eu")
		delete(s.Labels, "enable_web")
		if err := e.Update(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	object := e.metadata("switch", "clusters: {matchAll: true}\nvalues: [{key: enable_web, as: label, value: 'true'}]\n")
	set := e.addons()
	// Labels go from one Secret after the other: the limit is for each of them.
	set.Annotations = map[string]string{gitops.AnnotationDeletionGuard: "10% min 1"}
	if err := e.Create(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	for i := range clusters {
		e.untilRegion(fmt.Sprintf("c%d", i), "eu")
	}
	// It is deleted while nobody is there to see it.
	stop()
	if err := e.Delete(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	e.restart()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		for i := range clusters {
			if s := e.secret(fmt.Sprintf("c%d", i)); s.Labels["enable_web"] != "" {
				return fmt.Errorf("%s still has the label", s.Name)
			}
		}
		set := &v1alpha1.ApplicationSet{}
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: "addons"}, set); err != nil {
			return err
		}
		for _, c := range set.Status.Conditions {
			if c.Type == v1alpha1.ApplicationSetConditionDeletionHeld && c.Status == v1alpha1.ApplicationSetConditionStatusTrue {
				return nil
			}
		}
		return fmt.Errorf("no deletion is held: %+v", set.Status.Conditions)
	})
	var left v1alpha1.ApplicationList
	if err := e.List(t.Context(), &left, client.InNamespace(e.namespace)); err != nil {
		t.Fatal(err)
	}
	if len(left.Items) != clusters {
		t.Errorf("%d of %d applications are left", len(left.Items), clusters)
	}
}

// TestClusterMetadataThatIsNotReadyMakesAnEvent names a cluster that is not there.
func TestClusterMetadataThatIsNotReadyMakesAnEvent(t *testing.T) {
	e := start(t, nil)
	e.spoke("dev", "dev", "eu")
	object := e.metadata("names", "{clusters: {names: [dev, nosuch]}, values: [{key: literal, value: 'yes'}]}")
	e.untilProblem("names", "nosuch", "there is no cluster Secret of this name")
	e.untilAnnotated("dev", map[string]string{"literal": "yes"})
	schema := &causeway.MetadataSchema{ObjectMeta: metav1.ObjectMeta{Name: "fleet", Namespace: e.namespace}}
	schema.Spec.Keys = []causeway.MetadataRule{{Key: "region", In: causeway.PlaceAnnotation, Pattern: "(["}}
	if err := e.Create(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		var events corev1.EventList
		if err := e.List(ctx, &events, client.InNamespace(e.namespace)); err != nil {
			return err
		}
		said := map[string]string{}
		for i := range events.Items {
			said[events.Items[i].InvolvedObject.Kind] = events.Items[i].Message
		}
		if !strings.Contains(said[causeway.ClusterMetadataKind], "nosuch") || !strings.Contains(said[causeway.MetadataSchemaKind], "region") {
			return fmt.Errorf("the events say %v", said)
		}
		return nil
	})
	if err := e.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
	if c := meta.FindStatusCondition(object.Status.Conditions, causeway.ConditionReady); c == nil || strings.Contains(c.Message, "1 problems") || !strings.Contains(c.Message, "nosuch") {
		t.Errorf("the condition is %+v", c)
	}
}

func TestSchemasAreEnforcedAndCounted(t *testing.T) {
	e := start(t, nil)
	e.spoke("dev", "perhaps", "eu")
	schema := &causeway.MetadataSchema{ObjectMeta: metav1.ObjectMeta{Name: "fleet", Namespace: e.namespace}}
	schema.Spec.Keys = []causeway.MetadataRule{{Key: "enable_web", In: causeway.PlaceLabel, Type: causeway.TypeBoolean}}
	if err := e.Create(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	count := func(want int32) {
		t.Helper()
		embeddedtest.Eventually(t, func(ctx context.Context) error {
			if err := e.Get(ctx, client.ObjectKeyFromObject(schema), schema); err != nil {
				return err
			}
			if schema.Status.Violations != want || len(schema.Status.Conditions) != 2 {
				return fmt.Errorf("%d violations, conditions %v", schema.Status.Violations, schema.Status.Conditions)
			}
			return nil
		})
	}
	count(1)
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		bad := e.secret("dev")
		bad.Name, bad.ResourceVersion, bad.UID = "bad", "", ""
		err := e.Create(ctx, bad, client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), "label enable_web must be boolean") {
			return fmt.Errorf("a Secret that breaks the rule is taken: %w", errors.Join(err, errors.New("no rule")))
		}
		return nil
	})
	dev := e.secret("dev")
	dev.Labels["enable_web"] = "true"
	if err := e.Update(t.Context(), dev); err != nil {
		t.Fatal(err)
	}
	count(0)
	if err := e.Delete(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		bad := e.secret("dev")
		bad.Name, bad.ResourceVersion, bad.UID, bad.Labels["enable_web"] = "bad", "", "", "perhaps"
		return e.Create(ctx, bad, client.DryRunAll)
	})
}

// TestSchemaWithoutRulesChecksNothing takes the rules from a schema that names
// its keys still.
func TestSchemaWithoutRulesChecksNothing(t *testing.T) {
	e := start(t, nil)
	schema := &causeway.MetadataSchema{ObjectMeta: metav1.ObjectMeta{Name: "fleet", Namespace: e.namespace}}
	schema.Spec.Keys = []causeway.MetadataRule{{Key: "enable_web", In: causeway.PlaceLabel, Type: causeway.TypeBoolean}}
	if err := e.Create(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	bad := func(ctx context.Context) error {
		return e.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Name: "bad", Namespace: e.namespace, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, "enable_web": "perhaps"},
		}}, client.DryRunAll)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if bad(ctx) == nil {
			return errors.New("a Secret that breaks the rule is taken")
		}
		return nil
	})
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := e.Get(ctx, client.ObjectKeyFromObject(schema), schema); err != nil {
			return err
		}
		schema.Spec.Keys = []causeway.MetadataRule{{Key: "enable_web", In: causeway.PlaceLabel}}
		return e.Update(ctx, schema)
	})
	embeddedtest.Eventually(t, bad)
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := e.Get(ctx, client.ObjectKeyFromObject(schema), schema); err != nil {
			return err
		}
		if schema.Status.ObservedGeneration != schema.Generation || !meta.IsStatusConditionTrue(schema.Status.Conditions, causeway.ConditionReady) {
			return fmt.Errorf("the status is %+v", schema.Status)
		}
		return nil
	})
}
