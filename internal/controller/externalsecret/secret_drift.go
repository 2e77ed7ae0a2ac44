package externalsecret

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

const (
	// annotationKeys names the keys that were written, to see that one is gone.
	annotationKeys = ownAnnotations + "keys"
	// annotationOrphanOf is the UID of the ExternalSecret that makes a Secret which it
	// does not own.
	annotationOrphanOf = ownAnnotations + "orphan-of"
	// ownAnnotations is what those begin with that are written here alone: the cache keeps them.
	ownAnnotations = esv1.Annotations
	// manager owns the fields that are written; the ExternalSecret's name follows it
	// where it writes into somebody else's Secret.
	manager = "causeway-secrets"
)

// damaged reports whether a Secret has to be made again: it is gone, or somebody
// wrote into it. One that no ExternalSecret owns is whoever's has it now: it is made
// again when its time has come, as External Secrets does.
func (r *Reconciler) damaged(one *esv1.ExternalSecret, there *corev1.Secret) bool {
	policy := one.Spec.Target.CreationPolicy
	if policy != "" && policy != esv1.CreateOwner || one.Spec.Target.Manifest != nil {
		return false
	}
	for _, c := range one.Status.Conditions {
		if c.Type == conditionReady && (c.Reason == reasonDeleted || c.Reason == reasonMissing) {
			return false
		}
	}
	if there == nil {
		return true
	}
	if !one.Periodic() && byOperator(one, there) {
		return false
	}
	r.mu.Lock()
	last, ok := r.written[nameOf(one)]
	r.mu.Unlock()
	if ok && last.version == there.ResourceVersion {
		return false
	}
	return there.Annotations[annotationKeys] != keysText(owned(there)) || !slices.Equal(owned(there), slices.Sorted(maps.Keys(there.Data)))
}

// byOperator reports whether a Secret is as External Secrets' operator left it:
// nothing tells whose its keys are, and nothing was ever written here.
func byOperator(one *esv1.ExternalSecret, there *corev1.Secret) bool {
	_, marked := there.Annotations[annotationKeys]
	return !marked && len(owned(there)) == 0 && metav1.IsControlledBy(there, one)
}

func keysText(keys []string) string { return strings.Join(keys, ",") }

// owned are the keys of a Secret that only this controller wrote.
func owned(secret *corev1.Secret) []string {
	var mine []string
	for _, entry := range secret.ManagedFields {
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply {
			mine = append(mine, keysOf(entry)...)
		}
	}
	slices.Sort(mine)
	return mine
}

// keysOf are the keys of the data that an entry is about.
func keysOf(entry metav1.ManagedFieldsEntry) []string {
	var fields struct {
		Data map[string]json.RawMessage `json:"f:data"`
	}
	if entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
		return nil
	}
	var keys []string
	for name := range fields.Data {
		if key, ok := strings.CutPrefix(name, "f:"); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// Transform leaves of a Secret, for the cache, what this controller looks at: no values.
func Transform(object any) (any, error) {
	secret, ok := object.(*corev1.Secret)
	if !ok {
		return object, nil
	}
	for key := range secret.Data {
		secret.Data[key] = nil
	}
	// Those of others may have values in them, as kubectl apply keeps what it applied there.
	maps.DeleteFunc(secret.Annotations, func(key, _ string) bool { return !strings.HasPrefix(key, ownAnnotations) })
	secret.ManagedFields = slices.DeleteFunc(secret.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return e.Manager != manager })
	return secret, nil
}

const sumSize = sha256.Size

// seal makes sums of what was written, which tell nobody else anything.
type seal struct{ key []byte }

func newSeal() seal {
	key := make([]byte, sumSize)
	_, _ = rand.Read(key) // it never fails
	return seal{key}
}

func (s seal) of(object map[string]any) (sum [sumSize]byte) {
	text, err := json.Marshal(object)
	if err != nil {
		return sum
	}
	h := hmac.New(sha256.New, s.key)
	_, _ = h.Write(bytes.TrimSpace(text))
	copy(sum[:], h.Sum(nil))
	return sum
}
