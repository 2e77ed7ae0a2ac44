package externalsecret

import (
	"crypto/sha3"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// left is a Secret as this controller left it, with keys that it owns and others.
func left(owned string, keys ...string) *corev1.Secret {
	secret := &corev1.Secret{Data: map[string][]byte{}}
	secret.Annotations = map[string]string{annotationKeys: owned}
	var fields []string
	for key := range strings.SplitSeq(owned, ",") {
		fields = append(fields, fmt.Sprintf(`"f:%s":{}`, key))
	}
	secret.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(`{"f:data":{` + strings.Join(fields, ",") + `}}`),
	}}
	for _, key := range keys {
		secret.Data[key] = nil
	}
	return secret
}

// operators is a Secret as External Secrets' operator left it.
func operators() *corev1.Secret {
	yes := true
	secret := &corev1.Secret{Data: map[string][]byte{"a": nil}}
	secret.OwnerReferences = []metav1.OwnerReference{{Kind: esv1.ExternalSecretKind, Name: "x", Controller: &yes}}
	return secret
}

func immutable(secret *corev1.Secret) *corev1.Secret {
	yes := true
	secret.Immutable = &yes
	return secret
}

func TestDue(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		change func(*esv1.ExternalSecret)
		there  *corev1.Secret
		now    bool
		in     time.Duration
	}{
		"fresh":    {"what was fetched a minute ago is fetched in an hour", nil, left("a", "a"), false, 59 * time.Minute},
		"never":    {"what was never fetched is", func(e *esv1.ExternalSecret) { e.Status = esv1.ExternalSecretStatus{} }, nil, true, 0},
		"over":     {"after its interval", func(e *esv1.ExternalSecret) { e.Spec.RefreshInterval = &metav1.Duration{Duration: time.Minute} }, left("a", "a"), true, 0},
		"ahead":    {"when another clock says that it was fetched tomorrow", func(e *esv1.ExternalSecret) { e.Status.RefreshTime = metav1.NewTime(now.Add(24 * time.Hour)) }, left("a", "a"), true, 0},
		"just now": {"but not when this one says so", func(e *esv1.ExternalSecret) { e.Status.RefreshTime = metav1.NewTime(now) }, left("a", "a"), false, time.Hour},
		"ahead, once": {"and not where the time does not matter", func(e *esv1.ExternalSecret) {
			e.Spec.RefreshPolicy, e.Status.RefreshTime = esv1.RefreshCreatedOnce, metav1.NewTime(now.Add(time.Hour))
		}, left("a", "a"), false, -1},
		"changed":       {"when its spec changed", func(e *esv1.ExternalSecret) { e.Generation++ }, left("a", "a"), true, 0},
		"metadata":      {"or its metadata", func(e *esv1.ExternalSecret) { e.Annotations = map[string]string{"force-sync": "1"} }, left("a", "a"), true, 0},
		"gone":          {"when the Secret is gone", nil, nil, true, 0},
		"key gone":      {"or a key of it", nil, left("a,b", "a"), true, 0},
		"key more":      {"or somebody put one in", nil, left("a", "a", "b"), true, 0},
		"key taken":     {"or somebody wrote into one", nil, func() *corev1.Secret { s := left("a", "a", "b"); s.Annotations[annotationKeys] = "a,b"; return s }(), true, 0},
		"not marked":    {"or the annotation is gone", nil, func() *corev1.Secret { s := left("a", "a"); s.Annotations = nil; return s }(), true, 0},
		"once":          {"CreatedOnce does not look at the interval", func(e *esv1.ExternalSecret) { e.Spec.RefreshPolicy = esv1.RefreshCreatedOnce; e.Generation++ }, left("a", "a"), false, -1},
		"once, gone":    {"but at the Secret", func(e *esv1.ExternalSecret) { e.Spec.RefreshPolicy = esv1.RefreshCreatedOnce }, nil, true, 0},
		"on change":     {"OnChange neither", func(e *esv1.ExternalSecret) { e.Spec.RefreshPolicy = esv1.RefreshOnChange }, left("a", "a"), false, -1},
		"zero":          {"no interval is never again", func(e *esv1.ExternalSecret) { e.Spec.RefreshInterval = &metav1.Duration{} }, left("a", "a"), false, -1},
		"zero, changed": {"whatever changes", func(e *esv1.ExternalSecret) { e.Spec.RefreshInterval = &metav1.Duration{}; e.Generation++ }, left("a", "a"), false, -1},
		"zero, on change": {"unless OnChange says otherwise", func(e *esv1.ExternalSecret) {
			e.Spec.RefreshInterval, e.Spec.RefreshPolicy = &metav1.Duration{}, esv1.RefreshOnChange
			e.Generation++
		}, left("a", "a"), true, 0},
		"taken over": {"what the operator made is fetched", func(e *esv1.ExternalSecret) { e.Status.SyncedResourceVersion = operatorsVersion(e) }, operators(), true, 0},
		"taken over, once": {"but for what is made once", func(e *esv1.ExternalSecret) {
			e.Spec.RefreshPolicy, e.Status.SyncedResourceVersion = esv1.RefreshCreatedOnce, "1-of-another-release"
		}, operators(), false, -1},
		"taken over, zero": {"in either way", func(e *esv1.ExternalSecret) {
			e.Spec.RefreshInterval, e.Status.SyncedResourceVersion = &metav1.Duration{}, operatorsVersion(e)
		}, operators(), false, -1},
		"taken over, on change": {"or when something changes", func(e *esv1.ExternalSecret) {
			e.Spec.RefreshPolicy, e.Status.SyncedResourceVersion = esv1.RefreshOnChange, operatorsVersion(e)
		}, operators(), false, -1},
		"taken over, changed": {"until something does", func(e *esv1.ExternalSecret) {
			e.Spec.RefreshPolicy, e.Status.SyncedResourceVersion = esv1.RefreshOnChange, operatorsVersion(e)
			e.Labels = map[string]string{"a": "b"}
		}, operators(), true, 0},
		"taken over, not its own": {"a Secret of nobody is not the operator's", func(e *esv1.ExternalSecret) { e.Spec.RefreshPolicy = esv1.RefreshCreatedOnce }, func() *corev1.Secret { s := operators(); s.OwnerReferences = nil; return s }(), true, 0},
		"none":                    {"without a Secret nothing can be gone", func(e *esv1.ExternalSecret) { e.Spec.Target.CreationPolicy = esv1.CreateNone }, nil, false, 59 * time.Minute},
		"merge":                   {"nor where it is somebody else's", func(e *esv1.ExternalSecret) { e.Spec.Target.CreationPolicy = esv1.CreateMerge }, nil, false, 59 * time.Minute},
		"orphan, gone":            {"nor where nothing owns it", func(e *esv1.ExternalSecret) { e.Spec.Target.CreationPolicy = esv1.CreateOrphan }, nil, false, 59 * time.Minute},
		"orphan, written":         {"whoever writes into it", func(e *esv1.ExternalSecret) { e.Spec.Target.CreationPolicy = esv1.CreateOrphan }, left("a,b", "a"), false, 59 * time.Minute},
		"orphan, over": {"before its interval is over", func(e *esv1.ExternalSecret) {
			e.Spec.Target.CreationPolicy, e.Spec.RefreshInterval = esv1.CreateOrphan, &metav1.Duration{Duration: time.Minute}
		}, left("a,b", "a"), true, 0},
		"immutable":          {"what nobody can change is not fetched, whatever changes", func(e *esv1.ExternalSecret) { e.Spec.Target.Immutable = true; e.Generation++ }, immutable(left("a,b", "a")), false, -1},
		"immutable, gone":    {"until it is gone", func(e *esv1.ExternalSecret) { e.Spec.Target.Immutable = true }, nil, true, 0},
		"immutable, not yet": {"or before it is", func(e *esv1.ExternalSecret) { e.Spec.Target.Immutable = true; e.Generation++ }, left("a", "a"), true, 0},
		"immutable, no more": {"or where the spec does not say so any more, which is an error", func(e *esv1.ExternalSecret) { e.Generation++ }, immutable(left("a", "a")), true, 0},
		"other kind":         {"nor where it is no Secret", func(e *esv1.ExternalSecret) { e.Spec.Target.Manifest = &esv1.ManifestReference{} }, nil, false, 59 * time.Minute},
		"deleted": {"nor where the store has nothing", func(e *esv1.ExternalSecret) {
			e.Status.Conditions = []esv1.Condition{{Type: conditionReady, Reason: reasonDeleted}}
		}, nil, false, 59 * time.Minute},
		"was missing": {"or never had", func(e *esv1.ExternalSecret) {
			e.Status.Conditions = []esv1.Condition{{Type: conditionReady, Reason: reasonMissing}}
		}, nil, false, 59 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			r := New(Options{Now: func() time.Time { return now }})
			one := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "ns", Generation: 1}}
			one.Status.RefreshTime, one.Status.SyncedResourceVersion = metav1.NewTime(now.Add(-time.Minute)), syncedVersion(one)
			if tc.change != nil {
				tc.change(one)
			}
			due, at := r.due(one, tc.there)
			if due != tc.now || !due && (tc.in < 0) != at.IsZero() || !due && tc.in > 0 && !at.Equal(one.NextRefresh()) {
				t.Errorf("%s: due %v, at %s", tc.reason, due, at)
			}
			if wait := r.again(at).RequeueAfter; !at.IsZero() && wait < time.Second {
				t.Errorf("%s: again in %s", tc.reason, wait)
			}
		})
	}
}

// TestVersionOfTheOperator has the version by External Secrets' own code: a hash of how Go prints this struct.
func TestVersionOfTheOperator(t *testing.T) {
	type meta struct{ annotations, labels map[string]string }
	for name, one := range map[string]meta{
		"nothing": {}, "labels": {labels: map[string]string{"b": "2", "a": "1"}}, "both": {map[string]string{"x": "y z"}, map[string]string{"a": ""}},
	} {
		want := fmt.Sprintf("7-%x", sha3.Sum224(fmt.Appendf(nil, "%+v", one)))
		got := operatorsVersion(&esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Generation: 7, Labels: one.labels, Annotations: one.annotations}})
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestShared(t *testing.T) {
	for every, want := range map[time.Duration]time.Duration{0: 0, 10 * time.Second: time.Second, time.Hour: mostShared, -time.Hour: 0} {
		one := &esv1.ExternalSecret{}
		one.Spec.RefreshInterval = &metav1.Duration{Duration: every}
		if got := shared(one); got != want {
			t.Errorf("%s: got %s, want %s", every, got, want)
		}
	}
	if got := shared(&esv1.ExternalSecret{}); got != mostShared {
		t.Errorf("no interval: got %s", got)
	}
}

// TestKnownPolicies: the definitions of a later release admit more than there is here.
func TestKnownPolicies(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		target esv1.ExternalSecretTarget
		want   string
	}{
		"none":     {"none means Owner and Retain", esv1.ExternalSecretTarget{}, ""},
		"here":     {"what there is", esv1.ExternalSecretTarget{CreationPolicy: esv1.CreateNone, DeletionPolicy: esv1.DeleteKeys}, ""},
		"creation": {"it would be an Orphan", esv1.ExternalSecretTarget{CreationPolicy: "CreateOrMerge"}, `target.creationPolicy "CreateOrMerge"`},
		"deletion": {"keys would be removed", esv1.ExternalSecretTarget{DeletionPolicy: "Later"}, `target.deletionPolicy "Later"`},
	} {
		one := &esv1.ExternalSecret{Spec: esv1.ExternalSecretSpec{Target: tc.target}}
		err := known(one)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
		}
		if tc.want == "" {
			continue
		}
		if _, err := New(Options{}).refresh(t.Context(), one, nil); !errors.Is(err, errPolicy) {
			t.Errorf("%s: it was fetched: %v", name, err)
		}
	}
}

func TestWithoutObject(t *testing.T) {
	object := map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "secret-name"}, "data": map[string]any{"a": "aHVudGVyMjI=", "l": []any{"hunter33"}, "s": "abc"}}
	status := func(message string, causes ...metav1.StatusCause) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonInvalid, Message: message, Details: &metav1.StatusDetails{Causes: causes}}}
	}
	for name, tc := range map[string]struct {
		reason string
		err    error
		want   string
	}{
		"cause":   {"a cause without its message", status(`"hunter22" is no label`, metav1.StatusCause{Type: "FieldValueInvalid", Field: "metadata.labels", Message: "hunter22"}), "Invalid: [FieldValueInvalid metadata.labels]"},
		"key":     {"and without a key, which may be made of a value", status("", metav1.StatusCause{Type: "X", Field: "data[hunter22]"}), "Invalid: [X data]"},
		"quoted":  {"a value is masked", status("expected string, got hunter22"), "expected string, got [masked]"},
		"encoded": {"also in base64", status("got aHVudGVyMjI="), "got [masked]"},
		"in list": {"wherever it stands", status("got hunter33"), "got [masked]"},
		"name":    {"names are not", status("Secret secret-name: abc"), "Secret secret-name: abc"},
		"rights":  {"what forbids says so", apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "x", errors.New("no")), `secrets "x" is forbidden: no`},
		"other":   {"an error of the connection stays", errors.New("connection refused"), "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := withoutObject(tc.err, object).Error(); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestMessages(t *testing.T) {
	one := &esv1.ExternalSecret{}
	long := errors.New(strings.Repeat("é", 2000))
	if got := stale(one, long); len(got) > longestMessage+10 || !strings.HasSuffix(got, "…") || strings.Contains(got, "as it was") {
		t.Errorf("got %d bytes", len(got))
	}
	one.Status.RefreshTime = metav1.NewTime(now)
	if got := stale(one, errors.New("no")); got != "no; the Secret is as it was at 2026-01-01T12:00:00Z" {
		t.Errorf("got %q", got)
	}
}

// TestTransform: no value is in the cache.
func TestTransform(t *testing.T) {
	secret := left("a", "a", "b")
	secret.Data["a"] = []byte("hunter22")
	secret.Annotations[corev1.LastAppliedConfigAnnotation] = `{"stringData": {"a": "hunter22"}}`
	secret.ManagedFields = append(secret.ManagedFields, metav1.ManagedFieldsEntry{Manager: "kubectl"})
	secret.Annotations[annotationOrphanOf] = "uid"
	got, err := Transform(secret)
	if err != nil || strings.Contains(fmt.Sprintf("%+v", got), "hunter22") || len(secret.Data) != 2 || len(secret.ManagedFields) != 1 || secret.Annotations[annotationKeys] != "a" {
		t.Errorf("%v, %+v", err, got)
	}
	if diff := cmp.Diff([]string{"a"}, owned(secret)); diff != "" {
		t.Error(diff)
	}
	if secret.Annotations[annotationKeys] != "a" || secret.Annotations[annotationOrphanOf] != "uid" {
		t.Errorf("it does not tell any more whose it is: %v", secret.Annotations)
	}
	if other, err := Transform("x"); err != nil || other != "x" {
		t.Errorf("%v, %v", other, err)
	}
}

func TestUses(t *testing.T) {
	store, all := &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "s"}}, &esv1.ClusterSecretStore{ObjectMeta: metav1.ObjectMeta{Name: "s"}}
	ref := esv1.SecretStoreRef{Name: "s"}
	clustered := esv1.SecretStoreRef{Name: "s", Kind: esv1.ClusterSecretStoreKind}
	for name, tc := range map[string]struct {
		reason     string
		spec       esv1.ExternalSecretSpec
		own, ofAll bool
	}{
		"main":      {"the store of all values", esv1.ExternalSecretSpec{SecretStoreRef: ref}, true, false},
		"cluster":   {"one for all namespaces", esv1.ExternalSecretSpec{SecretStoreRef: clustered}, false, true},
		"one":       {"that of one value", esv1.ExternalSecretSpec{Data: []esv1.ExternalSecretData{{}, {SourceRef: &esv1.StoreSourceRef{SecretStoreRef: ref}}}}, true, false},
		"set":       {"that of a set", esv1.ExternalSecretSpec{DataFrom: []esv1.ExternalSecretDataFrom{{}, {SourceRef: &esv1.StoreGeneratorSourceRef{SecretStoreRef: &clustered}}}}, false, true},
		"generator": {"a generator is no store", esv1.ExternalSecretSpec{DataFrom: []esv1.ExternalSecretDataFrom{{SourceRef: &esv1.StoreGeneratorSourceRef{GeneratorRef: &esv1.GeneratorRef{Name: "s"}}}}}, false, false},
		"nothing":   {"no store at all", esv1.ExternalSecretSpec{}, false, false},
	} {
		one := &esv1.ExternalSecret{Spec: tc.spec}
		if uses(one, store) != tc.own || uses(one, all) != tc.ofAll {
			t.Errorf("%s: %s: %v, %v", name, tc.reason, uses(one, store), uses(one, all))
		}
	}
}
