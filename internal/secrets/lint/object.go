package lint

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/admission"
	"github.com/causeway-gitops/causeway/internal/secrets/usage"
)

// Object is as much of a manifest as counts here.
type Object struct {
	// App is the application that makes it.
	App string
	// Stage and Wave are when a sync does: the lower ones first.
	Stage, Wave int
	// Namespace is empty for what has none.
	Kind, Namespace, Name string

	labels   labels.Set // of a Namespace
	operator bool       // a Deployment of External Secrets' own operator

	conditions []esv1.StoreCondition
	secret     *secret
	// mistakes are those that it makes alone.
	mistakes []Mistake
}

// secret is what an ExternalSecret says of others, or what uses stores like one.
type secret struct {
	stores []esv1.SecretStoreRef
	// kind and target are what it makes; empty where that is not known.
	kind, target string
	policy       esv1.CreationPolicy
	// everywhere are the namespaces of a ClusterExternalSecret.
	everywhere *esv1.ClusterExternalSecretSpec
}

const pushSecretKind = "PushSecret"

// Read is what counts of a manifest; false where nothing does. The namespace is that of objects that name none.
func Read(manifest *unstructured.Unstructured, namespace string) (Object, bool) {
	o := Object{Kind: manifest.GetKind(), Namespace: manifest.GetNamespace(), Name: manifest.GetName()}
	if o.Namespace == "" {
		o.Namespace = namespace
	}
	gvk := manifest.GroupVersionKind()
	switch {
	case gvk.Group == esv1.Group:
		return o.external(manifest, gvk.Version)
	case gvk.Group == "" && o.Kind == "Secret":
		return o, true
	case gvk.Group == "" && o.Kind == "Namespace":
		o.Namespace, o.labels = "", manifest.GetLabels()
		return o, true
	case gvk.Group == "apps" && o.Kind == "Deployment" && manifest.GetLabels()[esv1.LabelOperator] == esv1.OperatorName:
		replicas, there, err := unstructured.NestedInt64(manifest.Object, "spec", "replicas")
		o.operator = !there || err != nil || replicas > 0
		return o, o.operator
	}
	return Object{}, false
}

// External reports whether it is of one of External Secrets' kinds.
func (o Object) External() bool {
	return o.secret != nil || o.Kind == esv1.SecretStoreKind || o.Kind == esv1.ClusterSecretStoreKind
}

// Namespace is one that a sync makes with labels, beside those of manifests.
func Namespace(name string, set map[string]string) Object {
	return Object{Kind: "Namespace", Name: name, labels: set}
}

// external reads the kinds of External Secrets. What v1alpha1 says means something else: only that it is there counts.
func (o Object) external(manifest *unstructured.Unstructured, version string) (Object, bool) {
	spec, _, _ := unstructured.NestedMap(manifest.Object, "spec")
	if o.Kind == pushSecretKind { // it never left v1alpha1
		o.push(spec)
		return o, true
	}
	read := version == "v1" || version == "v1beta1"
	switch o.Kind {
	case esv1.SecretStoreKind:
	case esv1.ClusterSecretStoreKind, esv1.ClusterExternalSecretKind:
		o.Namespace = ""
	case esv1.ExternalSecretKind:
	default:
		return Object{}, false
	}
	if !read {
		return o, true
	}
	switch o.Kind {
	case esv1.SecretStoreKind, esv1.ClusterSecretStoreKind:
		o.store(spec)
	case esv1.ExternalSecretKind:
		o.externalSecret("spec", spec)
	case esv1.ClusterExternalSecretKind:
		inner, _, _ := unstructured.NestedMap(spec, "externalSecretSpec")
		o.externalSecret("spec.externalSecretSpec", inner)
		o.everywhere(spec)
	}
	return o, true
}

func (o *Object) push(spec map[string]any) {
	o.secret = &secret{}
	refs, _, _ := unstructured.NestedSlice(spec, "secretStoreRefs")
	for _, ref := range refs {
		fields, _ := ref.(map[string]any)
		name, _, _ := unstructured.NestedString(fields, "name")
		kind, _, _ := unstructured.NestedString(fields, "kind")
		if name != "" { // else it selects by labels
			o.secret.stores = append(o.secret.stores, esv1.SecretStoreRef{Name: name, Kind: kind})
		}
	}
}

// everywhere notes where a ClusterExternalSecret makes ExternalSecrets. Their names are not those of what they make.
func (o *Object) everywhere(spec map[string]any) {
	if o.secret == nil {
		return
	}
	where := &esv1.ClusterExternalSecretSpec{}
	fields := map[string]any{}
	for _, name := range []string{"namespaceSelector", "namespaceSelectors", "namespaces"} {
		fields[name] = spec[name]
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, where); err != nil {
		o.mistake(Mistake{Reason: Unreadable, Message: fmt.Sprintf("the namespaces of spec cannot be read: %v", err)})
	}
	o.secret.kind, o.secret.target, o.secret.everywhere = "", "", where
}

// store reads what a store says of its provider's name and of namespaces, and nothing of what it tells the provider.
func (o *Object) store(spec map[string]any) {
	var read esv1.SecretStoreSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"conditions": spec["conditions"]}, &read); err != nil {
		o.mistake(Mistake{Reason: Unreadable, Message: fmt.Sprintf("spec.conditions cannot be read: %v", err)})
		return
	}
	o.conditions = read.Conditions
	if _, err := admission.Admits(read.Conditions, "", nil); err != nil {
		o.mistake(Mistake{Reason: Unreadable, Message: err.Error()})
	}
	o.provider(spec)
}

func (o *Object) mistake(m Mistake) { o.mistakes = append(o.mistakes, m) }

// externalSecret reads what an ExternalSecret says, below a place of the manifest.
func (o *Object) externalSecret(place string, spec map[string]any) {
	o.secret = &secret{}
	o.interval(place, spec)
	delete(spec, "refreshInterval") // it is a copy; what it says wrong is told
	delete(spec, "syncWindows")
	one := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name}}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(spec, &one.Spec); err != nil {
		o.mistake(Mistake{Reason: Unreadable, Message: fmt.Sprintf("%s cannot be read: %v", place, err)})
		return
	}
	o.secret.stores = usage.Stores(one)
	o.secret.kind, o.secret.target, o.secret.policy = "Secret", one.SecretName(), one.Spec.Target.CreationPolicy
	if m := one.Spec.Target.Manifest; m != nil {
		o.secret.kind = m.Kind
	}
	o.policies(place, &one.Spec)
	o.keys(place, &one.Spec)
	o.templates(place, &one.Spec)
}
