package externalsecret_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// wanting is an ExternalSecret of the user's name, with more of its spec.
func wanting(name, more string) string {
	return fmt.Sprintf(`
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: %s}
spec:
  secretStoreRef: {name: values}
  refreshInterval: 1s
%s`, name, more)
}

const user = `  data: [{secretKey: user, remoteRef: {key: user}}]
`

const noUser = "- {key: user, value: ada}"

// withoutUser is a store that has no entry of the user any more.
var withoutUser = strings.Replace(values, noUser, "", 1)

func (p place) get(name string) (*corev1.Secret, error) {
	var secret corev1.Secret
	err := kube.Get(p.Context(), types.NamespacedName{Namespace: p.namespace, Name: name}, &secret)
	return &secret, err
}

// gone waits until there is no such Secret.
func (p place) gone(name string) {
	p.Helper()
	embeddedtest.Eventually(p, func(context.Context) error {
		if _, err := p.get(name); !apierrors.IsNotFound(err) {
			return fmt.Errorf("it is there: %w", err)
		}
		return nil
	})
}

// fetched waits until an ExternalSecret was fetched again.
func (p place) fetched(name string) {
	p.Helper()
	began := time.Now().Truncate(time.Second)
	embeddedtest.Eventually(p, func(ctx context.Context) error {
		var one esv1.ExternalSecret
		if err := kube.Get(ctx, types.NamespacedName{Namespace: p.namespace, Name: name}, &one); err != nil {
			return err
		}
		if !one.Status.RefreshTime.After(began) {
			return fmt.Errorf("refreshed at %s", one.Status.RefreshTime)
		}
		return nil
	})
}

// TestSecretsOfOthers: one Secret has one owner.
func TestSecretsOfOthers(t *testing.T) {
	p := newPlace(t)
	p.has(values)
	owner := &corev1.ConfigMap{ObjectMeta: metaOf(p.namespace, "owner")}
	p.put(owner)
	yes := true
	theirs := &corev1.Secret{ObjectMeta: metaOf(p.namespace, "theirs"), Data: map[string][]byte{"own": []byte("x")}}
	theirs.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, Controller: &yes}}
	p.put(theirs)
	p.has(wanting("taker", user+"  target: {name: theirs}\n"), wanting("first", user+"  target: {name: one}\n"))
	p.says("taker", "False", "SecretSyncedError", "kept by ConfigMap owner")
	p.secret("theirs", map[string]string{"own": "x"})
	p.secret("one", map[string]string{"user": "ada"})
	p.has(wanting("other", strings.Replace(user, "secretKey: user", "secretKey: login", 1)+"  target: {name: one}\n"))
	p.says("other", "False", "SecretSyncedError", "kept by ExternalSecret first")
	p.secret("one", map[string]string{"user": "ada"})
	p.has(wanting("nowhere", user+"  target: {name: nope, creationPolicy: Merge}\n"), wanting("none", user+"  target: {creationPolicy: None}\n"))
	p.says("nowhere", "False", "SecretSyncedError", "the Secret does not exist")
	p.says("none", "True", "SecretSynced", "")
	for _, name := range []string{"nope", "none"} {
		if _, err := p.get(name); !apierrors.IsNotFound(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSharedSecrets: what is nobody's by its controller is somebody's all the same.
func TestSharedSecrets(t *testing.T) {
	p := newPlace(t)
	p.has(values)
	owner := &corev1.ConfigMap{ObjectMeta: metaOf(p.namespace, "owner")}
	p.put(owner)
	theirs := &corev1.Secret{ObjectMeta: metaOf(p.namespace, "theirs"), Data: map[string][]byte{"own": []byte("x")}}
	theirs.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}}
	p.put(theirs)
	login := strings.Replace(user, "secretKey: user", "secretKey: login", 1)
	p.has(wanting("taker", user+"  target: {name: theirs}\n"), wanting("first", user+"  target: {name: one, creationPolicy: Orphan}\n"))
	p.says("taker", "False", "SecretSyncedError", "kept by ConfigMap owner")
	p.secret("theirs", map[string]string{"own": "x"})
	p.secret("one", map[string]string{"user": "ada"})
	p.has(wanting("second", login+"  target: {name: one, creationPolicy: Orphan}\n"), wanting("third", login+"  target: {name: one}\n"))
	p.says("second", "False", "SecretSyncedError", "kept by ExternalSecret first")
	p.says("third", "False", "SecretSyncedError", "kept by ExternalSecret first")
	p.fetched("first")
	p.secret("one", map[string]string{"user": "ada"})
	for _, name := range []string{"first", "third"} {
		if err := kube.Delete(t.Context(), &esv1.ExternalSecret{ObjectMeta: metaOf(p.namespace, name)}); err != nil {
			t.Fatal(err)
		}
	}
	p.label("second")
	p.secret("one", map[string]string{"login": "ada"})
}

// TestMergeLeavesTheRest: of somebody else's Secret it writes values, labels and annotations, whatever templates say.
func TestMergeLeavesTheRest(t *testing.T) {
	p := newPlace(t)
	p.has(values)
	theirs := &corev1.Secret{ObjectMeta: metaOf(p.namespace, "theirs"), Data: map[string][]byte{"own": []byte("x")}}
	p.put(theirs)
	merge := func(template string) string {
		return user + "  target: {name: theirs, creationPolicy: Merge, template: " + template + "}\n"
	}
	from := func(target, literal string) string {
		return merge(fmt.Sprintf("{templateFrom: [{target: %q, literal: %q}]}", target, literal))
	}
	for name, tc := range map[string]struct{ more, names string }{
		"owners":     {from("metadata.ownerReferences", "[{apiVersion: v1, kind: ConfigMap, name: no, uid: no}]"), "metadata.ownerReferences"},
		"immutable":  {from("immutable", "true"), "immutable"},
		"texts":      {from("stringData", "{own: y}"), "stringData"},
		"finalizers": {merge("{metadata: {finalizers: [example.com/x]}}"), "metadata.finalizers"},
	} {
		p.has(wanting(name, tc.more))
		p.says(name, "False", "SecretSyncedError", "sets "+tc.names)
	}
	if now, err := p.get("theirs"); err != nil || now.ResourceVersion != theirs.ResourceVersion {
		t.Errorf("%v: the Secret was written: %+v", err, now)
	}
	long := strings.Repeat("n", 200)
	p.has(wanting(long, merge("{type: Opaque, metadata: {labels: {by: '{{ .user }}'}}, data: {user: '{{ .user }}'}}")))
	if now := p.secret("theirs", map[string]string{"own": "x", "user": "ada"}); now.Labels["by"] != "ada" || len(now.OwnerReferences) > 0 {
		t.Errorf("labels %v, owners %v", now.Labels, now.OwnerReferences)
	}
	p.says(long, "True", "SecretSynced", "")
}

// TestRefreshPolicies has when values are fetched again.
func TestRefreshPolicies(t *testing.T) {
	p := newPlace(t)
	p.has(values)
	at := func(name, policy, more string) string {
		return wanting(name, user+"  refreshPolicy: "+policy+"\n"+more)
	}
	once := at("once", "CreatedOnce", "")
	p.has(once, at("change", "OnChange", ""), strings.Replace(wanting("zero", user), "1s", `"0"`, 1), at("often", "Periodic", ""), at("orphan", "Periodic", "  target: {creationPolicy: Orphan}\n"), at("fixed", "Periodic", "  target: {immutable: true}\n"))
	for _, name := range []string{"once", "change", "zero", "often", "orphan", "fixed"} {
		p.secret(name, map[string]string{"user": "ada"})
	}
	p.has(strings.Replace(values, "value: ada", "value: eve", 1))
	p.secret("often", map[string]string{"user": "eve"})
	p.secret("orphan", map[string]string{"user": "eve"})
	p.says("fixed", "True", "SecretSynced", "")
	for _, name := range []string{"once", "change", "zero", "fixed"} {
		p.secret(name, map[string]string{"user": "ada"})
	}
	p.has(strings.Replace(at("change", "OnChange", ""), "name: change", "name: change, annotations: {again: please}", 1), strings.Replace(once, "name: once", "name: once, annotations: {again: please}", 1))
	p.secret("change", map[string]string{"user": "eve"})
	p.secret("once", map[string]string{"user": "ada"})
	if secret, err := p.get("orphan"); err != nil || len(secret.OwnerReferences) > 0 {
		t.Errorf("%v: an orphan has owners %v", err, secret.OwnerReferences)
	}
}

// TestLargeAndBinaryValues: what a Secret may have arrives as it is; what it may not is no reason to change it.
func TestLargeAndBinaryValues(t *testing.T) {
	p := newPlace(t)
	blob := base64.StdEncoding.EncodeToString([]byte{0, 1, 255, 254, '\n'})
	store := func(text string) string {
		return strings.Replace(values, noUser, "- {key: user, value: "+text+"}", 1)
	}
	p.has(store(blob), wanting("blob", "  data: [{secretKey: user, remoteRef: {key: user, decodingStrategy: Base64}}]\n"), wanting("large", user))
	p.secret("blob", map[string]string{"user": "\x00\x01\xff\xfe\n"})
	most := strings.Repeat("x", 700_000)
	p.has(store(most))
	p.secret("large", map[string]string{"user": most})
	p.has(wanting("large", `  dataFrom: [{extract: {key: database}}]
  target: {template: {data: {a: '{{ repeat 1100000 "x" }}'}}}
`))
	p.says("large", "False", "SecretSyncedError", "the Secret is as it was at")
	p.secret("large", map[string]string{"user": most})
}

// TestKeysThatGo: a key that is not described any more goes, and labels follow.
func TestKeysThatGo(t *testing.T) {
	p := newPlace(t)
	p.has(values, wanting("app", user+"  dataFrom: [{extract: {key: database}}]\n"))
	p.secret("app", map[string]string{"user": "ada", "host": "db.example", "password": "hunter22", "port": "5432"})
	p.has(strings.Replace(wanting("app", user), "name: app", "name: app, labels: {team: x}", 1))
	p.secret("app", map[string]string{"user": "ada"})
	p.fetched("app")
	secret, err := p.get("app")
	if err != nil || secret.Labels["team"] != "x" {
		t.Errorf("%v, labels %v", err, secret.Labels)
	}
	version := secret.ResourceVersion
	p.fetched("app")
	if secret, _ = p.get("app"); secret.ResourceVersion != version {
		t.Errorf("a Secret that did not change was written: %s", cmp.Diff(version, secret.ResourceVersion))
	}
}
