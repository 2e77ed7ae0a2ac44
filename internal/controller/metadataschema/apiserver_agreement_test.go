package metadataschema

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

var hub *rest.Config

func TestMain(m *testing.M) { os.Exit(embeddedtest.Main(m, &hub)) }

// objects is a cache with one schema in it; nil for one that is gone.
type objects struct {
	client.Reader

	schema *causeway.MetadataSchema
}

func (o *objects) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	to, ok := into.(*causeway.MetadataSchema)
	if o.schema == nil || !ok {
		return apierrors.NewNotFound(causeway.GroupVersion.WithResource("metadataschemas").GroupResource(), key.Name)
	}
	o.schema.DeepCopyInto(to)
	return nil
}

// quiet takes status patches of a schema that the hub does not have.
type quiet struct{ client.Client }

func (quiet) Status() client.SubResourceWriter { return noStatus{} }

// silent has nobody who reads events.
type silent struct{}

func (silent) Event(client.Object, string, string, string) {}

type noStatus struct{ client.SubResourceWriter }

func (noStatus) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return nil
}

const agreed = `
keys:
- {key: environment, in: label, required: true, enum: [dev, prod]}
- {key: enable_web, in: label, type: boolean}
- {key: replicas, type: integer}
- {key: share, type: number}
- {key: home, type: url}
- {key: role, type: arn, description: "the role's \"ARN\""}
- {key: network, type: cidr}
- {key: more, type: json}
- {key: example.com/name, pattern: '[a-z]+(-[a-z]+)*'}
- {key: either, pattern: 'a|bc'}
closed: true
selector: {matchExpressions: [{key: tier, operator: NotIn, values: [none]}]}
`

// deliberate are the cases in which the API server takes what Go does not,
// with the reason.
var deliberate = map[string]string{
	"json that is only nearly": "expressions cannot parse JSON: the API server sees its brackets alone, lint and the status see the rest",
}

func casesOfAgreement() map[string][2]map[string]string {
	out := map[string][2]map[string]string{}
	label := func(name string, l map[string]string) { out[name] = [2]map[string]string{l, nil} }
	annotation := func(name, key, value string) {
		out[name] = [2]map[string]string{{"environment": "dev"}, {key: value}}
	}
	label("nothing", nil)
	label("all that is required", map[string]string{"environment": "prod"})
	label("an empty required label", map[string]string{"environment": ""})
	label("not of the enum", map[string]string{"environment": "staging"})
	label("a boolean", map[string]string{"environment": "dev", "enable_web": "true"})
	label("an empty boolean", map[string]string{"environment": "dev", "enable_web": ""})
	label("a word for a boolean", map[string]string{"environment": "dev", "enable_web": "yes"})
	label("a capital boolean", map[string]string{"environment": "dev", "enable_web": "True"})
	label("an unknown label", map[string]string{"environment": "dev", "environments": "dev"})
	label("a label of Kubernetes", map[string]string{"environment": "dev", "app.kubernetes.io/name": "x"})
	label("a label that ends like Kubernetes'", map[string]string{"environment": "dev", "notkubernetes.io/name": "x"})
	label("not concerned", map[string]string{"tier": "none"})
	label("concerned, by another value", map[string]string{"tier": "one", "environment": "dev"})
	for name, values := range map[string][]string{
		"replicas":         {"3", "-3", "+3", "3.0", "", " 3", "3\n", "1234567890123456789", "0x3"},
		"share":            {"0.5", ".5", "5.", "1e3", "1e999", "NaN", "-1"},
		"home":             {"https://a.example.com/b?c#d", "a.example.com", "https://", "https://a b", "git+ssh://a"},
		"role":             {"arn:aws:iam::123456789012:role/x", "arn:aws-cn:s3:::bucket", "arn:aws:iam::aws:policy/x", "role/x", "arn:aws:iam::12:role/x"},
		"network":          {"10.0.0.0/16", "10.0.0.1/16", "fd00::/8", "10.0.0.0", "10.0.0.0/33", "::ffff:10.0.0.0/104", "010.0.0.0/8", "fe80::1%eth0/64"},
		"more":             {`{"a":[1]}`, ` [1, 2] `, `"text"`, "3", "{"},
		"example.com/name": {"web", "web-front", "Web", "web-", "web\nfront"},
		"either":           {"a", "bc", "abc", "ac"},
		"unknown":          {"x"},
		"managed-by":       {"argocd.argoproj.io"},
		"a.argoproj.io/x":  {"x"},
	} {
		for _, value := range values {
			annotation(name+" = "+fmt.Sprintf("%q", value), name, value)
		}
	}
	annotation("json that is only nearly", "more", `{"a":}`)
	return out
}

func TestSchemaConformanceOfTheAPIServer(t *testing.T) {
	const recorded = 64
	e := newFixture(t, agreed)
	schema, err := bridge.NewSchema(e.schema)
	if err != nil {
		t.Fatal(err)
	}
	e.untilRefused(map[string]string{"environment": "none"}, nil)
	agree, cases := 0, casesOfAgreement()
	for name, c := range cases {
		secret := e.secret(c[0], c[1])
		broken := schema.Check(clustersecret.Describe(secret))
		err := e.Create(t.Context(), secret, client.DryRunAll)
		if err != nil && !apierrors.IsInvalid(err) {
			t.Fatalf("%s: %v", name, err)
		}
		refused := err != nil
		if refused == (len(broken) > 0) {
			agree++
			continue
		}
		if deliberate[name] == "" {
			t.Errorf("%s: the API server says %v, Go says %v", name, err, broken)
		}
	}
	t.Logf("%d of %d cases agree; deliberate: %v", agree, len(cases), deliberate)
	if agree < recorded || agree+len(deliberate) != len(cases) {
		t.Errorf("%d of %d cases agree, fewer than recorded (%d)", agree, len(cases), recorded)
	}
}

func TestOldValuesMayStay(t *testing.T) {
	e := newFixture(t, agreed)
	old := e.secret(map[string]string{"environment": "dev"}, nil)
	old.Name, old.Labels["tier"] = "old", "none"
	if err := e.Create(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	e.untilRefused(map[string]string{"environment": "none"}, nil)
	// The rules begin to count for it with a value that breaks one of them.
	before := old.DeepCopy()
	delete(old.Labels, "tier")
	old.Labels["environment"] = "staging"
	if err := e.Patch(t.Context(), old, client.MergeFrom(before), client.DryRunAll); !apierrors.IsInvalid(err) {
		t.Errorf("a new value that breaks a rule is taken: %v", err)
	}
	e.schema.Spec.Enforcement = causeway.EnforceWarn
	e.reconcile()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		return e.Create(ctx, e.secret(map[string]string{"environment": "none"}, nil), client.DryRunAll)
	})
	bad := e.secret(map[string]string{"environment": "staging"}, nil)
	bad.Name = "bad"
	if err := e.Create(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	e.schema.Spec.Enforcement = causeway.EnforceDeny
	e.reconcile()
	e.untilRefused(map[string]string{"environment": "none"}, nil)
	before = bad.DeepCopy()
	bad.Annotations = map[string]string{"replicas": "3"}
	if err := e.Patch(t.Context(), bad, client.MergeFrom(before)); err != nil {
		t.Errorf("who changes something else has to mend an old value: %v", err)
	}
}

func TestPolicyGoesWithItsSchema(t *testing.T) {
	e := newFixture(t, agreed)
	e.untilRefused(map[string]string{"environment": "none"}, nil)
	name := policyName(types.NamespacedName{Namespace: e.schema.Namespace, Name: e.schema.Name})
	rung := []string{}
	e.r.Ring = func(n types.NamespacedName) { rung = append(rung, n.Name) }
	if err := e.r.Start(t.Context()); err != nil || len(rung) != 1 || rung[0] != e.schema.Name {
		t.Errorf("at the start %v is looked at, %v", rung, err)
	}
	e.cache.schema = nil
	e.reconcile()
	for _, o := range []client.Object{&admissionv1.ValidatingAdmissionPolicy{}, &admissionv1.ValidatingAdmissionPolicyBinding{}} {
		if err := e.Get(t.Context(), types.NamespacedName{Name: name}, o); !apierrors.IsNotFound(err) {
			t.Errorf("%T: %v", o, err)
		}
	}
}

func TestPolicyNamesAreUnambiguous(t *testing.T) {
	long := strings.Repeat("a", 178) + ".b" // cut after the dot
	seen := map[string]types.NamespacedName{}
	for _, name := range []types.NamespacedName{{Namespace: "a", Name: "b-c"}, {Namespace: "a-b", Name: "c"}, {Namespace: "x", Name: long}, {Namespace: "x", Name: long + "c"}} {
		got := policyName(name)
		if other, taken := seen[got]; taken || len(validation.IsDNS1123Subdomain(got)) > 0 {
			t.Errorf("the policy of %s is called %s; so is that of %s", name, got, other)
		}
		seen[got] = name
	}
}

// heads are the policy and the binding of a name.
func heads(name string, labels, annotations map[string]string) []client.Object {
	head := metav1.ObjectMeta{Name: name, Labels: labels, Annotations: annotations}
	fail := admissionv1.Fail
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: head, Spec: admissionv1.ValidatingAdmissionPolicySpec{
		FailurePolicy: &fail,
		MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Create}, Rule: admissionv1.Rule{APIGroups: []string{"none"}, APIVersions: []string{"v1"}, Resources: []string{"none"}},
		}}}},
		Validations: []admissionv1.Validation{{Expression: "true"}},
	}}
	return []client.Object{policy, &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: head, Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
	}}}
}

// TestPoliciesOfOthersStay has a policy of the schema's name that was made by
// hand, and one that an earlier version made under another name.
func TestPoliciesOfOthersStay(t *testing.T) {
	e := newFixture(t, agreed)
	schema := types.NamespacedName{Namespace: e.schema.Namespace, Name: "other"}
	old := "causeway-metadata-" + schema.Namespace + "-" + schema.Name
	foreign := heads(policyName(schema), nil, nil)
	outdated := heads(old, map[string]string{labelOf: schema.Namespace}, map[string]string{annotationOf: schema.Name})
	neighbours := heads("causeway-metadata-"+schema.Namespace+"-neighbour", map[string]string{labelOf: schema.Namespace}, map[string]string{annotationOf: "neighbour"})
	for _, o := range slices.Concat(foreign, outdated, neighbours) {
		if err := e.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Delete(context.WithoutCancel(t.Context()), o) })
	}
	there := func(o client.Object) bool {
		t.Helper()
		err := e.Get(t.Context(), client.ObjectKeyFromObject(o), o)
		if client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
		return err == nil
	}
	e.schema.Name = schema.Name
	_, err := e.r.Reconcile(t.Context(), reconcile.Request{NamespacedName: schema})
	if err == nil || !strings.Contains(err.Error(), policyName(schema)) || !there(outdated[0]) {
		t.Errorf("a policy of others is in the way, and that is told as %v", err)
	}
	for _, o := range foreign {
		if !there(o) || len(o.GetLabels()) > 0 {
			t.Errorf("%T of others was changed: %v", o, o.GetLabels())
		}
		if err := e.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	e.reconcile()
	if there(outdated[0]) || there(outdated[1]) {
		t.Error("what has an outdated name is there still")
	}
	if !there(foreign[0]) || !there(neighbours[0]) || !there(neighbours[1]) {
		t.Error("a policy is gone that is wanted, or another schema's")
	}
	// One that others took over stays when the schema goes.
	before := foreign[0].DeepCopyObject().(client.Object) //nolint:forcetypeassert // it is one
	foreign[0].SetLabels(nil)
	if err := e.Patch(t.Context(), foreign[0], client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	e.cache.schema = nil
	e.reconcile()
	if !there(foreign[0]) || there(foreign[1]) || !there(neighbours[0]) {
		t.Error("with the schema another policy went than its own")
	}
}

type fixture struct {
	client.Client

	t      *testing.T
	r      *Reconciler
	cache  *objects
	schema *causeway.MetadataSchema
}

func newFixture(t *testing.T, spec string) *fixture {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), causeway.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(hub, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	schema := &causeway.MetadataSchema{ObjectMeta: metav1.ObjectMeta{Name: "fleet", Namespace: embeddedtest.Namespace(t, hub)}}
	if err := yaml.UnmarshalStrict([]byte(spec), &schema.Spec); err != nil {
		t.Fatal(err)
	}
	cache := &objects{schema: schema}
	r := New(Options{
		Objects: cache, Hub: quiet{c}, Namespace: schema.Namespace, Log: slog.New(slog.DiscardHandler),
		Clusters: func() []gitops.Cluster { return nil }, Events: silent{},
	})
	f := &fixture{Client: c, t: t, r: r, cache: cache, schema: schema}
	f.reconcile()
	t.Cleanup(func() {
		cache.schema = nil
		_ = r.remove(context.WithoutCancel(t.Context()), types.NamespacedName{Namespace: schema.Namespace, Name: schema.Name})
	})
	return f
}

func (f *fixture) reconcile() {
	f.t.Helper()
	name := types.NamespacedName{Namespace: f.schema.Namespace, Name: f.schema.Name}
	if _, err := f.r.Reconcile(f.t.Context(), reconcile.Request{NamespacedName: name}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) secret(labels, annotations map[string]string) *corev1.Secret {
	all := map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}
	maps.Copy(all, labels)
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "cluster", Namespace: f.schema.Namespace, Labels: all, Annotations: annotations},
		StringData: map[string]string{"name": "cluster", "server": "https://127.0.0.1:1"},
	}
}

// untilRefused waits until the policy is in force: API servers take a moment.
func (f *fixture) untilRefused(labels, annotations map[string]string) {
	f.t.Helper()
	embeddedtest.Eventually(f.t, func(ctx context.Context) error {
		err := f.Create(ctx, f.secret(labels, annotations), client.DryRunAll)
		if apierrors.IsInvalid(err) && strings.Contains(err.Error(), "MetadataSchema fleet") {
			return nil
		}
		return fmt.Errorf("the Secret is not refused by the schema: %w", errors.Join(err, errors.New("no rule")))
	})
}
