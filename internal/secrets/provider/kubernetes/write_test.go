package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// namespace is one with Secrets, as an API server has them: what is written is of the version that was read.
type namespace struct {
	typedcorev1.SecretInterface

	all    map[string]*corev1.Secret
	writes int
	// conflicts are how many writes somebody else comes before.
	conflicts int
	refuses   error
}

func (n *namespace) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Secret, error) {
	if one := n.all[name]; one != nil {
		return one.DeepCopy(), nil
	}
	return nil, apierrors.NewNotFound(corev1.Resource("secrets"), name)
}

func (n *namespace) Create(_ context.Context, one *corev1.Secret, _ metav1.CreateOptions) (*corev1.Secret, error) {
	return n.write(one)
}

func (n *namespace) Update(_ context.Context, one *corev1.Secret, _ metav1.UpdateOptions) (*corev1.Secret, error) {
	return n.write(one)
}

func (n *namespace) write(one *corev1.Secret) (*corev1.Secret, error) {
	if n.refuses != nil {
		return nil, n.refuses
	}
	if n.conflicts > 0 {
		n.conflicts--
		return nil, apierrors.NewConflict(corev1.Resource("secrets"), one.Name, errors.New("the object has been modified"))
	}
	n.writes++
	one = one.DeepCopy()
	one.UID = "made"
	n.all[one.Name] = one
	return one, nil
}

func (n *namespace) Delete(_ context.Context, name string, o metav1.DeleteOptions) error {
	if o.Preconditions == nil || o.Preconditions.UID == nil {
		return errors.New("it is deleted whatever it is")
	}
	delete(n.all, name)
	return nil
}

func TestPut(t *testing.T) {
	source := provider.Source{Type: "kubernetes.io/tls", Labels: map[string]string{"from": "source"}, Annotations: map[string]string{"note": "n"}}
	one := func(key, property, metadata string) provider.Push {
		return provider.Push{Target: provider.Target{Key: key, Property: property}, Value: []byte("v"), Metadata: []byte(metadata), Source: source}
	}
	whole := one("db", "", "")
	whole.Fields = map[string][]byte{"x": []byte("1"), "y": []byte("2")}
	const merged = "map[app:db from:source]"
	for name, tc := range map[string]struct {
		reason               string
		push                 provider.Push
		data, labels, typeOf string
		writes               int
		err                  string
	}{
		"new":     {"a Secret that there is not", one("fresh", "k", ""), "map[k:v]", "map[from:source]", "kubernetes.io/tls", 1, ""},
		"beside":  {"a key beside others, whose type stays", one("db", "k", ""), "map[a:1 k:v]", merged, "Opaque", 1, ""},
		"whole":   {"all keys, in place of those that there are", whole, "map[x:1 y:2]", merged, "Opaque", 1, ""},
		"same":    {"what is there", provider.Push{Target: provider.Target{Key: "db", Property: "a"}, Value: []byte("1")}, "map[a:1]", "map[app:db]", "Opaque", 0, ""},
		"ignore":  {"labels that are to stay", one("db", "k", `{"targetMergePolicy":"Ignore"}`), "map[a:1 k:v]", "map[app:db]", "Opaque", 1, ""},
		"replace": {"labels that are to be these", one("db", "k", `{"targetMergePolicy":"Replace","labels":{"own":"x"}}`), "map[a:1 k:v]", "map[from:source own:x]", "Opaque", 1, ""},
		"own":     {"the PushSecret's own in place of the source's", one("db", "k", `{"apiVersion":"kubernetes.external-secrets.io/v1alpha1","kind":"PushSecretMetadata","spec":{"sourceMergePolicy":"Replace","labels":{"own":"x"}}}`), "map[a:1 k:v]", "map[app:db own:x]", "Opaque", 1, ""},
		"no key":  {"a value without a key", one("db", "", ""), "", "", "", 0, "set match.remoteRef.property"},
		"policy":  {"a policy that there is not", one("db", "k", `{"targetMergePolicy":"Other"}`), "", "", "", 0, "there are Merge, Replace and Ignore"},
		"field":   {"a field that there is not", one("db", "k", `{"lables":{}}`), "", "", "", 0, `does not know the field "lables"`},
		"leads":   {"another namespace", one("db", "k", `{"remoteNamespace":"kube-system"}`), "", "", "", 0, "remoteNamespace is not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			n := &namespace{all: map[string]*corev1.Secret{"db": {
				ObjectMeta: metav1.ObjectMeta{Name: "db", UID: "u", Labels: map[string]string{"app": "db"}}, Type: "Opaque", Data: map[string][]byte{"a": []byte("1")},
			}}, conflicts: 2}
			p := Provider{secrets: n, namespace: "remote"}
			for range 2 {
				err := p.Put(t.Context(), tc.push)
				if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("%s: %v", tc.reason, err)
				}
			}
			if n.writes != tc.writes {
				t.Errorf("%s: %d writes, want %d", tc.reason, n.writes, tc.writes)
			}
			if tc.err != "" {
				return
			}
			now := n.all[tc.push.Key]
			texts := map[string]string{}
			for key, value := range now.Data {
				texts[key] = string(value)
			}
			if diff := cmp.Diff([]string{tc.data, tc.labels, tc.typeOf}, []string{fmt.Sprint(texts), fmt.Sprint(now.Labels), string(now.Type)}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPutOfFewerKeys: a key that is taken out of the Secret that is pushed does not stay in the other one.
func TestPutOfFewerKeys(t *testing.T) {
	n := &namespace{all: map[string]*corev1.Secret{}}
	p := Provider{secrets: n, namespace: "remote"}
	for _, fields := range []map[string][]byte{{"a": []byte("1"), "revoked": []byte("2")}, {"a": []byte("1")}, {}} {
		if err := p.Put(t.Context(), provider.Push{Target: provider.Target{Key: "db"}, Fields: fields}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fields, n.all["db"].Data); diff != "" {
			t.Error(diff)
		}
	}
}

// TestPutThatIsRefused: an API server quotes of a Secret what it refuses.
func TestPutThatIsRefused(t *testing.T) {
	refused := apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Secret").GroupKind(), "db", field.ErrorList{field.Invalid(field.NewPath("data"), "planted-hunter22", "no JSON")})
	for _, err := range []error{refused, apierrors.NewForbidden(corev1.Resource("secrets"), "db", errors.New("no rights"))} {
		p := Provider{secrets: &namespace{all: map[string]*corev1.Secret{}, refuses: err}, namespace: "remote"}
		got := p.Put(t.Context(), provider.Push{Target: provider.Target{Key: "db", Property: "k"}, Value: []byte("planted-hunter22")})
		no := (*provider.Refused)(nil)
		if got == nil || strings.Contains(got.Error(), "planted") || !strings.Contains(got.Error(), "cannot write Secret remote/db") || errors.As(got, &no) != apierrors.IsForbidden(err) {
			t.Errorf("got %v", got)
		}
	}
}

func TestDeleteAndExists(t *testing.T) {
	n := &namespace{all: map[string]*corev1.Secret{"db": {ObjectMeta: metav1.ObjectMeta{Name: "db", UID: "u"}, Data: map[string][]byte{"a": nil, "b": nil}}}}
	p := Provider{secrets: n, namespace: "remote"}
	for target, want := range map[provider.Target]bool{{Key: "db"}: true, {Key: "db", Property: "a"}: true, {Key: "db", Property: "c"}: false, {Key: "nope"}: false} {
		if is, err := p.Exists(t.Context(), target); err != nil || is != want {
			t.Errorf("%s: %v, %v", target, is, err)
		}
	}
	for i, target := range []provider.Target{{Key: "nope"}, {Key: "db", Property: "c"}, {Key: "db", Property: "a"}, {Key: "db", Property: "b"}} {
		if err := p.Delete(t.Context(), target); err != nil {
			t.Errorf("%s: %v", target, err)
		}
		if (n.all["db"] == nil) != (i == 3) {
			t.Errorf("after %s it is %v", target, n.all["db"])
		}
	}
}
