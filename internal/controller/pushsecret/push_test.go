package pushsecret_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	generators "github.com/causeway-gitops/causeway/api/externalsecrets/generators/v1alpha1"
	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/pushsecret"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

var generatorsVersion = schema.GroupVersion{Group: "generators.external-secrets.io", Version: "v1alpha1"}

var values = map[string]string{"db-host": "planted-host", "db-port": "5432", "a_U002f_b": "slash"}

// TestWhatIsPushed: what each form of a spec writes.
func TestWhatIsPushed(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		spec   string
		want   map[string]string
		fails  string
	}{
		"value":     {"a key to an entry", `{data: [{match: {secretKey: db-host, remoteRef: {remoteKey: h}}}]}`, map[string]string{"h": "planted-host"}, ""},
		"property":  {"a key to a field", `{data: [{match: {secretKey: db-host, remoteRef: {remoteKey: h, property: p}}}]}`, map[string]string{"h#p": "planted-host"}, ""},
		"whole":     {"all of it", `{data: [{match: {remoteRef: {remoteKey: h}}}]}`, map[string]string{"h": `{"a_U002f_b":"slash","db-host":"planted-host","db-port":"5432"}`}, ""},
		"in one":    {"all of it as one field", `{data: [{match: {remoteRef: {remoteKey: h, property: p}}}]}`, map[string]string{"h#p": `{"a_U002f_b":"slash","db-host":"planted-host","db-port":"5432"}`}, ""},
		"reversed":  {"a key as it was before an ExternalSecret converted it", `{data: [{conversionStrategy: ReverseUnicode, match: {secretKey: a/b, remoteRef: {remoteKey: h}}}]}`, map[string]string{"h": "slash"}, ""},
		"no key":    {"one that there is not", `{data: [{match: {secretKey: nope, remoteRef: {remoteKey: h}}}]}`, nil, `has no key "nope"; it has [a_U002f_b db-host db-port]`},
		"template":  {"what a template makes", `{template: {data: {url: "{{ index . \"db-host\" }}:5432"}}, data: [{match: {secretKey: url, remoteRef: {remoteKey: h}}}]}`, map[string]string{"h": "planted-host:5432"}, ""},
		"replaced":  {"a template stands in place of the Secret", `{template: {data: {url: u}}, data: [{match: {secretKey: db-host, remoteRef: {remoteKey: h}}}]}`, nil, "it has [url]"},
		"wrong":     {"a template that fails shows no value", `{template: {data: {url: '{{ index . "db-host" | fail }}'}}, data: [{match: {secretKey: url, remoteRef: {remoteKey: h}}}]}`, nil, "template: "},
		"each":      {"each key to an entry", `{dataTo: [{storeRef: {name: s}, match: {regexp: ^db-}}]}`, map[string]string{"db-host": "planted-host", "db-port": "5432"}, ""},
		"rewrite":   {"by names that are no keys", `{dataTo: [{storeRef: {name: s}, match: {regexp: ^db-}, rewrite: [{regexp: {source: ^db-, target: ""}}, {transform: {template: "prod/{{ .value | upper }}"}}]}]}`, map[string]string{"prod/HOST": "planted-host", "prod/PORT": "5432"}, ""},
		"bundle":    {"many keys to one entry", `{dataTo: [{storeRef: {name: s}, remoteKey: all, match: {regexp: ^db-}}]}`, map[string]string{"all": `{"db-host":"planted-host","db-port":"5432"}`}, ""},
		"explicit":  {"data stand before dataTo", `{dataTo: [{storeRef: {name: s}, match: {regexp: ^db-}}], data: [{match: {secretKey: db-host, remoteRef: {remoteKey: own}}}]}`, map[string]string{"own": "planted-host", "db-port": "5432"}, ""},
		"none":      {"no key is no error", `{dataTo: [{storeRef: {name: s}, match: {regexp: ^x}}]}`, map[string]string{}, ""},
		"twice":     {"two keys and one entry", `{dataTo: [{storeRef: {name: s}, rewrite: [{regexp: {source: .+, target: one}}]}]}`, nil, "two keys get the same name"},
		"same":      {"data and dataTo and one entry", `{dataTo: [{storeRef: {name: s}, match: {regexp: port}}], data: [{match: {secretKey: db-host, remoteRef: {remoteKey: db-port}}}]}`, nil, `db-port is written by the key "db-host" and by the key "db-port"`},
		"both":      {"a bundle has no names", `{dataTo: [{storeRef: {name: s}, remoteKey: all, rewrite: [{regexp: {source: a, target: b}}]}]}`, nil, "leave one of remoteKey and rewrite out"},
		"pattern":   {"one that is none", `{dataTo: [{storeRef: {name: s}, match: {regexp: "("}}]}`, nil, "dataTo[0]: match.regexp"},
		"elsewhere": {"a store that the PushSecret does not name", `{dataTo: [{storeRef: {name: other}}]}`, nil, "secretStoreRefs names no such store"},
		"nowhere":   {"a store has to be named", `{dataTo: [{}]}`, nil, "dataTo[0].storeRef: set one of name and labelSelector"},
		"missing":   {"a store that there is not", `{secretStoreRefs: [{name: nope}], data: [{match: {remoteRef: {remoteKey: h}}}]}`, nil, "the store does not exist: SecretStore"},
		"no names":  {"a reference to nothing", `{secretStoreRefs: [{}]}`, nil, "secretStoreRefs[0]: set one of name and labelSelector"},
		"absent":    {"a Secret that there is not", `{selector: {secret: {name: nope}}, data: [{match: {remoteRef: {remoteKey: h}}}]}`, nil, "the Secret does not exist"},
		"nothing":   {"no source", `{selector: {secret: null}}`, nil, "set one of selector.secret and selector.generatorRef"},
	} {
		t.Run(name, func(t *testing.T) {
			namespace, m := setting(t, values)
			one := pushes(t, namespace, tc.spec)
			if tc.fails != "" {
				says(t, one, "False", tc.fails)
				if said := fmt.Sprint(one.Status); strings.Contains(said, "planted") || len(m.has()) > 0 {
					t.Errorf("%s: it says %s, and the store has %v", tc.reason, said, m.has())
				}
				return
			}
			says(t, one, "True", "PushSecret synced successfully")
			if got := m.has(); !maps.Equal(got, tc.want) {
				t.Errorf("%s: the store has %v, want %v", tc.reason, got, tc.want)
			}
			if n := len(one.Status.SyncedPushSecrets["SecretStore/s"]); n != len(tc.want) || strings.Contains(fmt.Sprint(one.Status), "planted") {
				t.Errorf("%s: it says %+v", tc.reason, one.Status)
			}
		})
	}
}

// TestNothingIsWrittenTwice: what is in the store is not written again, and what somebody changed there is.
func TestNothingIsWrittenTwice(t *testing.T) {
	namespace, m := setting(t, values)
	one := pushes(t, namespace, `{refreshInterval: 1s, data: [{match: {secretKey: db-host, remoteRef: {remoteKey: h}}}]}`)
	says(t, one, "True", "")
	first := one.Status.RefreshTime
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := kube.Get(ctx, client.ObjectKeyFromObject(one), one); err != nil || !one.Status.RefreshTime.After(first.Time) {
			return fmt.Errorf("it was pushed at %s (%w)", one.Status.RefreshTime, err)
		}
		return nil
	})
	m.mu.Lock()
	if m.writes != 1 {
		t.Errorf("it was written %d times", m.writes)
	}
	m.mu.Unlock()
	m.put("h", "by hand")
	m.hold(t, map[string]string{"h": "planted-host"})
	patch(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "source"}}, `{"stringData":{"db-host":"other"}}`)
	m.hold(t, map[string]string{"h": "other"})
}

// TestIfNotExists: what is there stays, and is never taken for the PushSecret's own.
func TestIfNotExists(t *testing.T) {
	namespace, m := setting(t, values)
	m.put("h", "theirs")
	one := pushes(t, namespace, `{updatePolicy: IfNotExists, deletionPolicy: Delete, data: [{match: {secretKey: db-host, remoteRef: {remoteKey: h}}}, {match: {secretKey: db-port, remoteRef: {remoteKey: p}}}]}`)
	says(t, one, "True", "")
	m.hold(t, map[string]string{"h": "theirs", "p": "5432"})
	patch(t, one, `{"metadata":{"annotations":{"force-sync":"1"}}}`)
	if err := kube.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	gone(t, one)
	m.hold(t, map[string]string{"h": "theirs"})
}

// TestDeletionPolicy: what is named no longer goes, and all of it with the PushSecret; a store that fails keeps it until it does
// not any more.
func TestDeletionPolicy(t *testing.T) {
	namespace, m := setting(t, values)
	m.put("other", "theirs")
	one := pushes(t, namespace, `{deletionPolicy: Delete, data: [{match: {secretKey: db-host, remoteRef: {remoteKey: h}}}, {match: {secretKey: db-port, remoteRef: {remoteKey: p, property: q}}}]}`)
	m.hold(t, map[string]string{"h": "planted-host", "p#q": "5432", "other": "theirs"})
	says(t, one, "True", "")
	if one.Finalizers[0] != pushsecret.Finalizer || one.Status.SyncedPushSecrets["SecretStore/s"]["p/q"].Match.SecretKey != "db-port" {
		t.Errorf("it is %+v", one)
	}
	patch(t, one, `{"spec":{"data":[{"match":{"secretKey":"db-host","remoteRef":{"remoteKey":"h"}}}]}}`)
	m.hold(t, map[string]string{"h": "planted-host", "other": "theirs"})
	m.failing("the server is away")
	patch(t, one, `{"spec":{"data":[{"match":{"secretKey":"db-host","remoteRef":{"remoteKey":"moved"}}}]}}`)
	says(t, one, "False", "the server is away")
	if _, kept := one.Status.SyncedPushSecrets["SecretStore/s"]["h"]; !kept {
		t.Errorf("it forgot what is in the store: %+v", one.Status)
	}
	if err := kube.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	says(t, one, "False", "cannot delete h, which is pushed no longer")
	m.failing("")
	gone(t, one)
	m.hold(t, map[string]string{"other": "theirs"})
}

// TestNone: without a policy all stays, and nothing waits for the store.
func TestNone(t *testing.T) {
	namespace, m := setting(t, values)
	one := pushes(t, namespace, `{data: [{match: {secretKey: db-host, remoteRef: {remoteKey: h}}}]}`)
	says(t, one, "True", "")
	if len(one.Finalizers) > 0 {
		t.Errorf("it has %v", one.Finalizers)
	}
	patch(t, one, `{"spec":{"data":[]}}`)
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := kube.Get(ctx, client.ObjectKeyFromObject(one), one); err != nil || len(one.Status.SyncedPushSecrets) > 0 {
			return fmt.Errorf("it says %+v (%w)", one.Status, err)
		}
		return nil
	})
	m.failing("away")
	if err := kube.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	gone(t, one)
	m.hold(t, map[string]string{"h": "planted-host"})
}

// TestStoreThatIsGone keeps nobody waiting: its namespace may go as a whole.
func TestStoreThatIsGone(t *testing.T) {
	namespace, m := setting(t, values)
	one := pushes(t, namespace, `{deletionPolicy: Delete, data: [{match: {secretKey: db-host, remoteRef: {remoteKey: h}}}]}`)
	says(t, one, "True", "")
	if err := kube.Delete(t.Context(), &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "s"}}); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error { // the cache has seen it
		patch(t, one, fmt.Sprintf(`{"metadata":{"annotations":{"force-sync":"%d"}}}`, time.Now().UnixNano()))
		if err := kube.Get(ctx, client.ObjectKeyFromObject(one), one); err != nil || one.Status.Conditions[0].Status != "False" {
			return fmt.Errorf("it says %+v (%w)", one.Status, err)
		}
		return nil
	})
	if err := kube.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	gone(t, one)
	m.hold(t, map[string]string{"h": "planted-host"})
}

// TestSourceThatIsGone: with deletionPolicy Delete, what was pushed goes with the Secret, and comes with it; else it stays.
func TestSourceThatIsGone(t *testing.T) {
	for policy, want := range map[string]map[string]string{"Delete": {}, "None": {"h": "planted-host"}} {
		t.Run(policy, func(t *testing.T) {
			namespace, m := setting(t, values)
			one := pushes(t, namespace, `{refreshInterval: 1s, deletionPolicy: `+policy+`, data: [{match: {secretKey: db-host, remoteRef: {remoteKey: h}}}]}`)
			says(t, one, "True", "")
			if err := kube.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "source"}}); err != nil {
				t.Fatal(err)
			}
			says(t, one, "False", "the Secret does not exist")
			m.hold(t, want)
			create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "source"}, StringData: values})
			says(t, one, "True", "")
			m.hold(t, map[string]string{"h": "planted-host"})
		})
	}
}

// TestErrorsShowNoValue: also where a server repeats what it was told, however it writes that.
func TestErrorsShowNoValue(t *testing.T) {
	namespace, m := setting(t, map[string]string{"db-host": "planted-host\n", "lines": "planted one\nplanted \"two\" & three"})
	m.failing("400: $VALUE is no JSON")
	one := pushes(t, namespace, `{data: [{match: {secretKey: db-host, remoteRef: {remoteKey: h}}}]}`)
	says(t, one, "False", `cannot write the key "db-host" to SecretStore `+namespace+`/s as h: 400: [masked]`)
	fails := func(text string) { // at once, however long ago the last try was
		m.failing(text)
		patch(t, one, fmt.Sprintf(`{"metadata":{"annotations":{"force-sync":"%d"}}}`, time.Now().UnixNano()))
	}
	fails("400: planted-host is no JSON")
	says(t, one, "False", "400: [masked] is no JSON")
	patch(t, one, `{"spec":{"data":[{"match":{"remoteRef":{"remoteKey":"h"}}}]}}`)
	for text, want := range map[string]string{
		`near planted one planted "two" & three: no`:          "near [masked]: no",
		`in planted one\nplanted \"two\" \u0026 three: no`:    "in [masked]: no",
		`as {\"lines\":\"planted one\\nplanted \\\"two: no`:   `as {\"lines\":\"[masked]: no`,
		`of cGxhbnRlZC1ob3N0Cg==, {"db-host":"planted-host\n`: `of [masked], [masked]`,
	} {
		fails(text)
		says(t, one, "False", "cannot write the whole Secret to SecretStore "+namespace+"/s as h: "+want)
		if said := fmt.Sprint(one.Status); strings.Contains(said, "planted") {
			t.Errorf("it says %s", said)
		}
	}
	fails("")
	says(t, one, "True", "")
	m.hold(t, map[string]string{"h": `{"db-host":"planted-host\n","lines":"planted one\nplanted \"two\" & three"}`})
}

// TestPartly: what could be written is noted although something else could not, and another store is written to.
func TestPartly(t *testing.T) {
	namespace, m := setting(t, values)
	newStore(t, namespace, "first", namespace+"-first", map[string]string{"push": "yes"})
	newStore(t, namespace, "second", namespace+"-second", map[string]string{"push": "yes"})
	first, second := memoryOf(namespace+"-first"), memoryOf(namespace+"-second")
	first.failing("denied")
	one := pushes(t, namespace, `{secretStoreRefs: [{labelSelector: {matchLabels: {push: "yes"}}}], data: [{match: {secretKey: db-port, remoteRef: {remoteKey: p}}}]}`)
	says(t, one, "False", "SecretStore "+namespace+"/first as p: denied")
	second.hold(t, map[string]string{"p": "5432"})
	if _, noted := one.Status.SyncedPushSecrets["SecretStore/second"]["p"]; !noted || len(one.Status.SyncedPushSecrets) != 1 || len(m.has()) > 0 {
		t.Errorf("it says %+v", one.Status)
	}
	first.failing("")
	says(t, one, "True", "")
	first.hold(t, map[string]string{"p": "5432"})
}

// TestClusterStores: their conditions hold, whether they are named or selected; a provider that cannot be written to says so.
func TestClusterStores(t *testing.T) {
	namespace, _ := setting(t, values)
	for name, spec := range map[string]esv1.SecretStoreSpec{
		"open":   {Provider: map[string]apiextensionsv1.JSON{"memory": {Raw: []byte(`{"name":"` + namespace + `-open"}`)}}},
		"closed": {Provider: map[string]apiextensionsv1.JSON{"memory": {Raw: []byte(`{"name":"` + namespace + `-closed"}`)}}, Conditions: []esv1.StoreCondition{{Namespaces: []string{"other"}}}},
		"reads":  {Provider: map[string]apiextensionsv1.JSON{"readonly": {Raw: []byte(`{}`)}}},
		"others": {Provider: map[string]apiextensionsv1.JSON{"memory": {Raw: []byte(`{}`)}}, Controller: "operator"},
	} {
		one := &esv1.ClusterSecretStore{ObjectMeta: metav1.ObjectMeta{Name: namespace + "-" + name, Labels: map[string]string{"of": namespace, "is": name}}, Spec: spec}
		create(t, one)
		t.Cleanup(func() { _ = kube.Delete(context.WithoutCancel(t.Context()), one) })
	}
	to := func(ref string) *v1alpha1.PushSecret {
		return pushes(t, namespace, `{secretStoreRefs: [`+ref+`], data: [{match: {secretKey: db-port, remoteRef: {remoteKey: p}}}]}`)
	}
	next := func(one *v1alpha1.PushSecret) {
		if err := kube.Delete(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		gone(t, one)
	}
	one := to(`{kind: ClusterSecretStore, name: ` + namespace + `-closed}`)
	says(t, one, "False", "the store does not admit the namespace")
	next(one)
	one = to(`{kind: ClusterSecretStore, name: ` + namespace + `-reads}`)
	says(t, one, "False", "the provider cannot be written to: ClusterSecretStore "+namespace+"-reads is of the provider readonly")
	next(one)
	one = to(`{kind: ClusterSecretStore, labelSelector: {matchExpressions: [{key: of, operator: In, values: [` + namespace + `]}, {key: is, operator: NotIn, values: [reads]}]}}`)
	says(t, one, "True", "")
	memoryOf(namespace+"-open").hold(t, map[string]string{"p": "5432"})
	if got := memoryOf(namespace + "-closed").has(); len(got) > 0 || len(one.Status.SyncedPushSecrets) != 1 {
		t.Errorf("the store that does not admit the namespace has %v; it says %+v", got, one.Status)
	}
	next(one)
	one = to(`{kind: ClusterSecretStore, name: ` + namespace + `-others}`)
	embeddedtest.Never(t, time.Second, func(ctx context.Context) error {
		if err := kube.Get(ctx, client.ObjectKeyFromObject(one), one); err != nil || len(one.Status.Conditions) == 0 {
			return fmt.Errorf("nothing is said (%w)", err)
		}
		return nil
	})
}

// TestStoreThatAdmitsNoLonger: what was written stays, and the PushSecret goes.
func TestStoreThatAdmitsNoLonger(t *testing.T) {
	namespace, _ := setting(t, values)
	of := &esv1.ClusterSecretStore{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Spec: esv1.SecretStoreSpec{
		Provider: map[string]apiextensionsv1.JSON{"memory": {Raw: []byte(`{"name":"` + namespace + `-shared"}`)}},
	}}
	create(t, of)
	t.Cleanup(func() { _ = kube.Delete(context.WithoutCancel(t.Context()), of) })
	one := pushes(t, namespace, `{deletionPolicy: Delete, refreshInterval: 1s, secretStoreRefs: [{kind: ClusterSecretStore, name: `+namespace+`}], data: [{match: {secretKey: db-port, remoteRef: {remoteKey: p}}}]}`)
	says(t, one, "True", "")
	patch(t, of, `{"spec":{"conditions":[{"namespaces":["other"]}]}}`)
	says(t, one, "False", "the store does not admit the namespace")
	if err := kube.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	gone(t, one)
	memoryOf(namespace+"-shared").hold(t, map[string]string{"p": "5432"})
}

// TestGenerators: values are made anew each time, unless what is there is to stay.
func TestGenerators(t *testing.T) {
	namespace, m := setting(t, nil)
	password := &generators.Password{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "g"}}
	password.Spec = apiextensionsv1.JSON{Raw: []byte(`{"length":20}`)}
	create(t, password)
	one := pushes(t, namespace, `{selector: {generatorRef: {kind: Password, name: g}}, updatePolicy: IfNotExists, refreshInterval: 1s, data: [{match: {secretKey: password, remoteRef: {remoteKey: h}}}]}`)
	says(t, one, "True", "")
	first := m.has()["h"]
	embeddedtest.Never(t, 2*time.Second, func(context.Context) error {
		if now := m.has()["h"]; len(now) != 20 || now == first {
			return fmt.Errorf("it is %d bytes, as before: %v", len(now), now == first)
		}
		return nil
	})
	patch(t, one, `{"spec":{"updatePolicy":"Replace"}}`)
	embeddedtest.Eventually(t, func(context.Context) error {
		if m.has()["h"] == first {
			return errors.New("it is not rotated")
		}
		return nil
	})
}

// TestGeneratedAlready: what is named no longer goes also where nothing is generated any more.
func TestGeneratedAlready(t *testing.T) {
	namespace, m := setting(t, nil)
	password := &generators.Password{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "g"}}
	password.Spec = apiextensionsv1.JSON{Raw: []byte(`{"length":20}`)}
	create(t, password)
	one := pushes(t, namespace, `{selector: {generatorRef: {kind: Password, name: g}}, updatePolicy: IfNotExists, deletionPolicy: Delete, data: [{match: {secretKey: password, remoteRef: {remoteKey: a}}}, {match: {secretKey: password, remoteRef: {remoteKey: b}}}]}`)
	says(t, one, "True", "")
	a := m.has()["a"]
	patch(t, one, `{"spec":{"data":[{"match":{"secretKey":"password","remoteRef":{"remoteKey":"a"}}}]}}`)
	m.hold(t, map[string]string{"a": a})
}

// TestOneStoreOfOthers: what is in a store that another controller has by now keeps nothing from what is in other stores.
func TestOneStoreOfOthers(t *testing.T) {
	namespace, m := setting(t, values)
	newStore(t, namespace, "b", namespace+"-b", nil)
	one := pushes(t, namespace, `{deletionPolicy: Delete, secretStoreRefs: [{name: s}, {name: b}], data: [{match: {secretKey: db-port, remoteRef: {remoteKey: p}}}]}`)
	says(t, one, "True", "")
	patch(t, &esv1.SecretStore{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "b"}}, `{"spec":{"controller":"operator"}}`)
	patch(t, one, `{"spec":{"data":[{"match":{"secretKey":"db-host","remoteRef":{"remoteKey":"h"}}}]}}`)
	m.hold(t, map[string]string{"h": "planted-host"})
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		patch(t, one, fmt.Sprintf(`{"metadata":{"annotations":{"force-sync":"%d"}}}`, time.Now().UnixNano())) // the cache has seen the store
		if err := kube.Get(ctx, client.ObjectKeyFromObject(one), one); err != nil || len(one.Status.SyncedPushSecrets) != 1 || one.Status.SyncedPushSecrets["SecretStore/s"]["h"].Match.SecretKey == "" {
			return fmt.Errorf("it says %+v (%w)", one.Status, err)
		}
		return nil
	})
	if err := kube.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	gone(t, one)
	m.hold(t, map[string]string{})
	if got := memoryOf(namespace + "-b").has(); got["p"] != "5432" {
		t.Errorf("the store of the other controller has %v", got)
	}
}

// TestNamespaceThatGoesWithCredentials: nothing waits for those that a ClusterSecretStore takes from it.
func TestNamespaceThatGoesWithCredentials(t *testing.T) {
	namespace, _ := setting(t, values)
	config := `{"name":"` + namespace + `-shared","secretRef":{"name":"login","key":"token"}`
	of := &esv1.ClusterSecretStore{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Spec: esv1.SecretStoreSpec{
		Provider: map[string]apiextensionsv1.JSON{"memory": {Raw: []byte(config + `}`)}},
	}}
	create(t, of)
	t.Cleanup(func() { _ = kube.Delete(context.WithoutCancel(t.Context()), of) })
	login := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "login"}, StringData: map[string]string{"token": "t"}}
	create(t, login)
	one := pushes(t, namespace, `{deletionPolicy: Delete, secretStoreRefs: [{kind: ClusterSecretStore, name: `+namespace+`}], data: [{match: {secretKey: db-port, remoteRef: {remoteKey: p}}}]}`)
	says(t, one, "True", "")
	if err := kube.Delete(t.Context(), login); err != nil {
		t.Fatal(err)
	}
	patch(t, of, `{"spec":{"provider":{"memory":`+config+`,"again":true}}}}`) // it is opened anew
	if err := kube.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	says(t, one, "False", "Secret "+namespace+"/login does not exist")
	if err := kube.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		t.Fatal(err)
	}
	gone(t, one)
	memoryOf(namespace+"-shared").hold(t, map[string]string{"p": "5432"})
}

// TestSecretsByLabels: each is pushed, and two that have the same entry are told.
func TestSecretsByLabels(t *testing.T) {
	namespace, m := setting(t, nil)
	for _, name := range []string{"one", "two"} {
		create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"push": "yes"}}, StringData: map[string]string{"of-" + name: name}})
	}
	one := pushes(t, namespace, `{selector: {secret: {selector: {matchLabels: {push: "yes"}}}}, dataTo: [{storeRef: {name: s}}]}`)
	says(t, one, "True", "")
	m.hold(t, map[string]string{"of-one": "one", "of-two": "two"})
	patch(t, one, `{"spec":{"dataTo":[{"storeRef":{"name":"s"},"remoteKey":"all"}]}}`)
	says(t, one, "False", "all is written by the whole Secret and by the whole Secret")
}

// TestMadeByAnExternalSecret: a Secret that an ExternalSecret makes is pushed when it changes.
func TestMadeByAnExternalSecret(t *testing.T) {
	namespace, m := setting(t, nil)
	from := memoryOf(namespace + "-from")
	from.put("k", "first")
	newStore(t, namespace, "from", namespace+"-from", nil)
	es := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "source"}, Spec: esv1.ExternalSecretSpec{
		SecretStoreRef: esv1.SecretStoreRef{Name: "from"}, RefreshInterval: &metav1.Duration{Duration: time.Second},
		Data: []esv1.ExternalSecretData{{SecretKey: "k", RemoteRef: esv1.RemoteRef{Key: "k"}}},
	}}
	create(t, es)
	one := pushes(t, namespace, `{data: [{match: {secretKey: k, remoteRef: {remoteKey: copy}}}]}`)
	says(t, one, "True", "")
	m.hold(t, map[string]string{"copy": "first"})
	from.put("k", "second")
	m.hold(t, map[string]string{"copy": "second"})
}

// TestSecretsOfManyBytes: what labels select is read until it is too much.
func TestSecretsOfManyBytes(t *testing.T) {
	namespace, m := setting(t, nil)
	labels := map[string]string{"push": "yes"}
	for i := range 18 {
		create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("s-%d", i), Labels: labels}, Data: map[string][]byte{strconv.Itoa(i): bytes.Repeat([]byte("x"), 1_000_000)}})
	}
	one := pushes(t, namespace, `{selector: {secret: {selector: {matchLabels: {push: "yes"}}}}, dataTo: [{storeRef: {name: s}}]}`)
	says(t, one, "False", "have more than 16 MiB")
	for i := range 6 {
		gone := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("s-%d", i)}}
		if err := kube.Delete(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
	}
	says(t, one, "True", "")
	if n := len(m.has()); n != 12 {
		t.Errorf("%d entries are written, want 12 of two pages", n)
	}
}
