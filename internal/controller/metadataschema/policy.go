package metadataschema

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Kinds of what a schema becomes.
const (
	policyKind  = "ValidatingAdmissionPolicy"
	bindingKind = "ValidatingAdmissionPolicyBinding"
)

// Policies are of no namespace: these tell whose they are.
const (
	labelOf      = gitops.OwnPrefix + "metadata-schema-namespace"
	annotationOf = gitops.OwnPrefix + "metadata-schema"
)

// policyName is the name of a schema's policy and of its binding. The hash
// tells a-b/c from a/b-c.
func policyName(name types.NamespacedName) string {
	const longest = 200
	out := "causeway-metadata-" + name.Namespace + "-" + name.Name
	sum := sha256.Sum256([]byte(name.String()))
	return strings.TrimRight(out[:min(len(out), longest)], "-.") + "-" + hex.EncodeToString(sum[:8])
}

// write applies the policy, and then what puts it in force. A schema without a
// rule has none: the API server takes no policy that checks nothing.
func (r *Reconciler) write(ctx context.Context, object *causeway.MetadataSchema, schema bridge.Schema) error {
	name := types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
	rules := schema.Expressions()
	if len(rules) == 0 {
		return r.delete(ctx, name, policyName(name))
	}
	head := metav1.ObjectMeta{
		Name: policyName(name), Labels: map[string]string{labelOf: name.Namespace}, Annotations: map[string]string{annotationOf: name.Name},
	}
	fail, equivalent := admissionv1.Fail, admissionv1.Equivalent
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: head, Spec: admissionv1.ValidatingAdmissionPolicySpec{
		FailurePolicy: &fail,
		MatchConstraints: &admissionv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": name.Namespace}},
			ObjectSelector:    &metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
			MatchPolicy:       &equivalent,
			ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
				Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"secrets"}},
			}}},
		},
		MatchConditions: []admissionv1.MatchCondition{{Name: "concerned", Expression: schema.Condition()}},
	}}
	reason := metav1.StatusReasonInvalid
	for _, e := range rules {
		policy.Spec.Validations = append(policy.Spec.Validations, admissionv1.Validation{Expression: e.Expression, Message: e.Message, Reason: &reason})
	}
	if err := r.apply(ctx, name, policy, policyKind); err != nil {
		return err
	}
	action := admissionv1.Warn
	if schema.Deny {
		action = admissionv1.Deny
	}
	return r.apply(ctx, name, &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: head, Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: head.Name, ValidationActions: []admissionv1.ValidationAction{action},
	}}, bindingKind)
}

// apply writes an object by server-side apply; one that is so already costs no
// write in the store. One of that name that others made stays as it is.
func (r *Reconciler) apply(ctx context.Context, schema types.NamespacedName, object client.Object, kind string) error {
	live, err := r.live(ctx, kind, object.GetName())
	if err != nil {
		return err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(admissionv1.SchemeGroupVersion.WithKind(kind))
	unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(u.Object, "status")
	if live != nil {
		if !of(schema, live) {
			return gitops.Problemf(gitops.Invalid, "%s %s is there already, and is not of this MetadataSchema", kind, live.Name).Do("delete it")
		}
		u.SetResourceVersion(live.ResourceVersion) // as it was judged
	}
	return r.Hub.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(gitops.FieldManager), client.ForceOwnership)
}

// live reads the head of an object; nil for one that is not there.
func (r *Reconciler) live(ctx context.Context, kind, name string) (*metav1.PartialObjectMetadata, error) {
	o := &metav1.PartialObjectMetadata{}
	o.SetGroupVersionKind(admissionv1.SchemeGroupVersion.WithKind(kind))
	err := r.Hub.Get(ctx, client.ObjectKey{Name: name}, o)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // it is not there
	}
	return o, err
}

// of reports whether an object was made of a schema.
func of(schema types.NamespacedName, o client.Object) bool {
	return o.GetLabels()[labelOf] == schema.Namespace && o.GetAnnotations()[annotationOf] == schema.Name
}
