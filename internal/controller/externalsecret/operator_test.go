package externalsecret_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/report"
)

// byOperator is what the operator's status says of what a Secret was made of.
const byOperator = "1-0123456789abcdef0123456789abcdef0123456789abcdef01234567"

// ofOperator is a Secret as External Secrets' operator left it, with the status of its ExternalSecret.
func (p place) ofOperator(name string) *corev1.Secret {
	p.Helper()
	var one esv1.ExternalSecret
	if err := kube.Get(p.Context(), types.NamespacedName{Namespace: p.namespace, Name: name}, &one); err != nil {
		p.Fatal(err)
	}
	yes := true
	secret := &corev1.Secret{ObjectMeta: metaOf(p.namespace, name), Data: map[string][]byte{"user": []byte("old"), "gone": []byte("x")}}
	secret.Labels = map[string]string{"reconcile.external-secrets.io/managed": "true"}
	secret.Annotations = map[string]string{"reconcile.external-secrets.io/data-hash": "0123"}
	secret.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "external-secrets.io/v1", Kind: "ExternalSecret", Name: name, UID: one.UID, Controller: &yes, BlockOwnerDeletion: &yes,
	}}
	status := one.DeepCopy()
	status.Status = esv1.ExternalSecretStatus{
		RefreshTime: metav1.NewTime(time.Now()), SyncedResourceVersion: byOperator,
		Conditions: []esv1.Condition{{Type: "Ready", Status: "True", Reason: "SecretSynced", LastTransitionTime: metav1.Now()}},
	}
	if err := kube.Status().Patch(p.Context(), status, report.StatusFrom(&one)); err != nil {
		p.Fatal(err)
	}
	if err := kube.Create(p.Context(), secret, client.FieldOwner("externalsecrets.external-secrets.io/"+name)); err != nil {
		p.Fatal(err)
	}
	return secret
}

// label changes a label of an ExternalSecret, which is looked at for it.
func (p place) label(name string) *esv1.ExternalSecret {
	p.Helper()
	one := &esv1.ExternalSecret{ObjectMeta: metaOf(p.namespace, name)}
	again := fmt.Appendf(nil, `{"metadata":{"labels":{"begun":"%d"}}}`, time.Now().UnixNano())
	if err := kube.Patch(p.Context(), one, client.RawPatch(types.MergePatchType, again)); err != nil {
		p.Fatal(err)
	}
	return one
}

// taken waits until an ExternalSecret of the operator is the engine's.
func (p place) taken(name string) {
	p.Helper()
	embeddedtest.Eventually(p, func(ctx context.Context) error {
		var one esv1.ExternalSecret
		if err := kube.Get(ctx, types.NamespacedName{Namespace: p.namespace, Name: name}, &one); err != nil {
			return err
		}
		if one.Status.SyncedResourceVersion == byOperator {
			return errors.New("it is still as the operator left it")
		}
		return nil
	})
}

// TestSecretsOfTheOperator: what the operator made is gone on with in place, as soon as its store is the engine's; with creationPolicy None, and where
// it is made once, it is left as it is.
func TestSecretsOfTheOperator(t *testing.T) {
	p := newPlace(t)
	others := strings.Replace(values, "spec:", "spec:\n  controller: operator", 1)
	zero := strings.Replace(wanting("zero", user), "1s", `"0"`, 1)
	p.has(others, wanting("once", user+"  refreshPolicy: CreatedOnce\n"), zero, wanting("taken", user), wanting("kept", user+"  target: {creationPolicy: None}\n"))
	unchanged := map[string]*corev1.Secret{"once": p.ofOperator("once"), "zero": p.ofOperator("zero"), "kept": p.ofOperator("kept")}
	taken := p.ofOperator("taken")
	p.secret("taken", map[string]string{"user": "old", "gone": "x"})
	ours := strings.NewReplacer("name: values", "name: ours", "{name: values}", "{name: ours}")
	p.has(ours.Replace(values), ours.Replace(wanting("last", user)))
	p.secret("last", map[string]string{"user": "ada"}) // by now the engine has seen what the operator says of the others

	p.has(values)
	p.taken("taken")
	p.taken("kept")
	p.secret("taken", map[string]string{"user": "ada"})
	now, err := p.get("taken")
	if err != nil || now.UID != taken.UID || len(now.OwnerReferences) != 1 || now.OwnerReferences[0].UID != taken.OwnerReferences[0].UID {
		t.Errorf("%v: the Secret is another one, or its owner is: %+v", err, now.ObjectMeta)
	}
	for name, was := range unchanged {
		if now, err = p.get(name); err != nil || now.ResourceVersion != was.ResourceVersion {
			t.Errorf("%v: the Secret %s was written: %+v", err, name, now.ObjectMeta)
		}
	}
}

// TestMadeOnce: a password is made once, also where the engine ends before it says so.
func TestMadeOnce(t *testing.T) {
	p := newPlace(t)
	for _, policy := range []string{"Owner", "Orphan"} {
		p.has(wanting(strings.ToLower(policy), "  refreshPolicy: CreatedOnce\n  target: {creationPolicy: "+policy+"}\n"+`  dataFrom: [{sourceRef: {generatorRef: {kind: Password, name: p}}}]
`))
		p.says(strings.ToLower(policy), "False", "SecretSyncedError", "")
	}
	generator := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "generators.external-secrets.io/v1alpha1", "kind": "Password", "spec": map[string]any{"length": int64(24)},
	}}
	generator.SetName("p")
	generator.SetNamespace(p.namespace)
	if err := kube.Create(t.Context(), generator); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"owner", "orphan"} {
		p.label(name)
		p.says(name, "True", "SecretSynced", "")
		was, err := p.get(name)
		if err != nil || len(was.Data["password"]) != 24 {
			t.Fatalf("%s: %v, %d values", name, err, len(was.Data))
		}
		embeddedtest.Eventually(t, func(ctx context.Context) error { // the engine may write it meanwhile
			one := &esv1.ExternalSecret{}
			if err := kube.Get(ctx, client.ObjectKey{Namespace: p.namespace, Name: name}, one); err != nil {
				return err
			}
			before := one.DeepCopy()
			one.Status = esv1.ExternalSecretStatus{}
			return kube.Status().Patch(ctx, one, report.StatusFrom(before))
		})
		p.label(name)
		p.says(name, "True", "SecretSynced", "")
		if now, err := p.get(name); err != nil || now.ResourceVersion != was.ResourceVersion || !maps.EqualFunc(now.Data, was.Data, bytes.Equal) {
			t.Errorf("%s: %v: the password was made again", name, err)
		}
	}
}
