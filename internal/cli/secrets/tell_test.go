package secrets

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/secrets/usage"
)

// made is an ExternalSecret of the namespace shop that was looked at half an hour ago.
func made(change func(*esv1.ExternalSecret)) *esv1.ExternalSecret {
	one := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db"}}
	one.Spec.SecretStoreRef.Name = "vault"
	one.Status.RefreshTime = metav1.NewTime(clitest.Noon.Add(-30 * time.Minute))
	one.Status.Conditions = []esv1.Condition{{Type: "Ready", Status: "True", Reason: reasonSynced}}
	change(one)
	return one
}

func there(annotations map[string]string) map[types.NamespacedName]*metav1.PartialObjectMetadata {
	one := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db", Annotations: annotations, CreationTimestamp: metav1.NewTime(clitest.Noon.Add(-24 * time.Hour))}}
	return map[types.NamespacedName]*metav1.PartialObjectMetadata{{Namespace: "shop", Name: "db"}: one}
}

// TestTell: what a list says of an ExternalSecret, by what the cluster has.
func TestTell(t *testing.T) {
	nothing := func(*esv1.ExternalSecret) {}
	failed := func(e *esv1.ExternalSecret) {
		e.Status.Conditions = []esv1.Condition{{Type: "Ready", Status: "False", Reason: "SecretSyncedError", Message: "refused"}}
	}
	changed := map[string]string{esv1.AnnotationChanged: "2026-01-01T09:00:00Z", esv1.AnnotationVersions: `{"a":"3","b":"4"}`}
	for name, c := range map[string]struct {
		reason                string
		change                func(*esv1.ExternalSecret)
		secrets               map[types.NamespacedName]*metav1.PartialObjectMetadata
		status, age, next, vs string
		needy                 bool
	}{
		"Ready":     {"it is as it should be", nothing, there(changed), "Ready", "3h", "in 28m", "", false},
		"Unwritten": {"the Secret's own age stands for that of its values", nothing, there(nil), "Ready", "24h", "in 28m", "", false},
		"Missing":   {"it was made, and is not there", nothing, nil, "Missing", "-", "in 28m", "", true},
		"None":      {"nothing is to be made", func(e *esv1.ExternalSecret) { e.Spec.Target.CreationPolicy = esv1.CreateNone }, nil, "Ready", "-", "in 28m", "", false},
		"Failed":    {"the Secret is as it was", failed, there(changed), "Stale 30m", "3h", "retried", "", true},
		"Never": {"no Secret was ever made", func(e *esv1.ExternalSecret) {
			failed(e)
			e.Status.RefreshTime = metav1.Time{}
		}, nil, "Error", "-", "retried", "", true},
		"Pending": {"nobody looked", func(e *esv1.ExternalSecret) { e.Status = esv1.ExternalSecretStatus{} }, nil, "Pending", "-", "-", "", true},
		"Deleted": {"the store has nothing, and the policy deletes", func(e *esv1.ExternalSecret) { e.Status.Conditions[0].Reason = "SecretDeleted" }, nil, "SecretDeleted", "-", "in 28m", "", false},
		"Once":    {"it is never fetched again", func(e *esv1.ExternalSecret) { e.Spec.RefreshPolicy = esv1.RefreshCreatedOnce }, there(nil), "Ready", "24h", "never", "", false},
		"Change":  {"a change brings the next", func(e *esv1.ExternalSecret) { e.Spec.RefreshPolicy = esv1.RefreshOnChange }, there(nil), "Ready", "24h", "on change", "", false},
		"Overdue": {"nobody refreshes it", func(e *esv1.ExternalSecret) { e.Status.RefreshTime = metav1.NewTime(clitest.Noon.Add(-5 * time.Hour)) }, there(nil), "Ready", "24h", "overdue 4h1m", "", false},
		"Versions": {"each entry has its own", func(e *esv1.ExternalSecret) {
			e.Spec.Data = []esv1.ExternalSecretData{{SecretKey: "x", RemoteRef: esv1.RemoteRef{Key: "a"}}, {SecretKey: "y", RemoteRef: esv1.RemoteRef{Key: "a", Property: "p"}}}
			e.Spec.DataFrom = []esv1.ExternalSecretDataFrom{{Extract: &esv1.RemoteRef{Key: "b"}}}
		}, there(changed), "Ready", "3h", "in 28m", "a 3, b 4", false},
		"Version": {"one is said alone", func(e *esv1.ExternalSecret) {
			e.Spec.Data = []esv1.ExternalSecretData{{SecretKey: "x", RemoteRef: esv1.RemoteRef{Key: "a"}}}
		}, there(changed), "Ready", "3h", "in 24m", "3", false},
		"Unreadable": {"what somebody else wrote is no error", nothing, there(map[string]string{esv1.AnnotationChanged: "x", esv1.AnnotationVersions: "["}), "Ready", "24h", "in 28m", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := (&content{secrets: c.secrets}).tell(made(c.change))
			got := []string{s.Status(clitest.Noon), s.Age(clitest.Noon), s.Due(clitest.Noon), s.VersionText()}
			if diff := cmp.Diff([]string{c.status, c.age, c.next, c.vs}, got); diff != "" || s.Needy() != c.needy {
				t.Errorf("%s: needs somebody %t, %s", c.reason, s.Needy(), diff)
			}
		})
	}
}

// TestStoreOf: a store is told of without credentials, and one that is not there as such.
func TestStoreOf(t *testing.T) {
	provider := func(name, text string) map[string]apiextensionsv1.JSON {
		return map[string]apiextensionsv1.JSON{name: {Raw: []byte(text)}}
	}
	for name, c := range map[string]struct {
		provider map[string]apiextensionsv1.JSON
		want     string
	}{
		"Vault":      {provider("vault", `{"server": "https://me:pass@vault.example.com:8200/x?token=t"}`), "vault at https://vault.example.com:8200"},
		"Webhook":    {provider("webhook", `{"url": "https://{{ .secret }}.example.com/{{ .key }}"}`), "webhook"},
		"Kubernetes": {provider("kubernetes", `{"server": {"url": "https://other:6443", "caBundle": "x"}}`), "kubernetes at https://other:6443"},
		"Region":     {provider("aws", `{"region": "eu-central-1"}`), "aws at eu-central-1"},
		"Fake":       {provider("fake", `{"data": [{"key": "a", "value": "secret"}]}`), "fake"},
		"Broken":     {provider("vault", `[`), "vault"},
		"Two":        {map[string]apiextensionsv1.JSON{"a": {}, "b": {}}, "a, b"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Store{Kind: "SecretStore", Name: "s"}
			s.Provider, s.Address = describe(c.provider)
			if got, want := s.Whole(), "SecretStore/s ("+c.want+")"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	one := made(func(e *esv1.ExternalSecret) { e.Spec.SecretStoreRef.Kind = esv1.ClusterSecretStoreKind })
	shared := &content{stores: map[types.NamespacedName]Store{{Name: "vault"}: {Provider: "vault"}}}
	for want, c := range map[string]*content{
		"ClusterSecretStore/vault (vault)":                       shared,
		"ClusterSecretStore/vault (does not exist)":              {},
		"ClusterSecretStore/vault (cannot be read: not for you)": {storesUnread: errors.New("not for you")},
	} {
		if s := c.store(one); s.Whole() != want {
			t.Errorf("got %s, want %s", s.Whole(), want)
		}
	}
}

// TestKeysOf: each line of the spec, in words.
func TestKeysOf(t *testing.T) {
	path := "team"
	spec := esv1.ExternalSecretSpec{
		Data: []esv1.ExternalSecretData{
			{SecretKey: "a", RemoteRef: esv1.RemoteRef{Key: "db", Property: "user", Version: "2"}},
			{SecretKey: "b", RemoteRef: esv1.RemoteRef{Key: "db", MetadataPolicy: "Fetch"}, SourceRef: &esv1.StoreSourceRef{SecretStoreRef: esv1.SecretStoreRef{Name: "other", Kind: esv1.ClusterSecretStoreKind}}},
		},
		DataFrom: []esv1.ExternalSecretDataFrom{
			{Extract: &esv1.RemoteRef{Key: "all"}},
			{Find: &esv1.Find{Name: &esv1.FindName{RegExp: "^x"}, Path: &path, Tags: map[string]string{"k": "v"}}},
			{Find: &esv1.Find{}},
			{SourceRef: &esv1.StoreGeneratorSourceRef{GeneratorRef: &esv1.GeneratorRef{Kind: "Password", Name: "long"}}},
		},
	}
	s := Secret{Keys: keysOf(&spec)}
	want := "a: entry db, property user, version 2, which the spec pins; b: entry db, its labels or tags, of ClusterSecretStore/other; entry all; " +
		"entries found by name ^x, path team, tag k=v; entries found by everything; generator Password/long"
	if diff := cmp.Diff(want, s.ReadsAll()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("db, all, find name ^x, path team, tag k=v, find everything, Password/long", s.Reads()); diff != "" {
		t.Error(diff)
	}
}

// TestRestartOf: the workload decides before the ExternalSecret, and that before the stores, of which one is enough.
func TestRestartOf(t *testing.T) {
	const silent = "-"
	object := func(said string) metav1.Object {
		if said == silent {
			return &metav1.ObjectMeta{}
		}
		return &metav1.ObjectMeta{Annotations: map[string]string{esv1.AnnotationRestart: said}}
	}
	for name, c := range map[string]struct{ reason, workload, external, store, ofKey, ofAll, want string }{
		"Workload":  {"its own word comes first", "false", "true", "true", silent, silent, "false of Deployment/web"},
		"Empty":     {"an empty word is a no", "", "true", "true", silent, silent, "false of Deployment/web"},
		"Other":     {"what is not true is a no", "yes", "true", "true", silent, silent, "false of Deployment/web"},
		"Made":      {"then comes the ExternalSecret's", silent, "true", "false", silent, silent, "true of ExternalSecret/db"},
		"MadeEmpty": {"also where it is empty", silent, "", "true", silent, silent, "false of ExternalSecret/db"},
		"Store":     {"then the store's", silent, silent, "true", silent, silent, "true of SecretStore/vault"},
		"No":        {"who says no is named as well", silent, silent, silent, "no", silent, "false of SecretStore/other"},
		"Key":       {"the store of one key is heard", silent, silent, "false", "true", "false", "true of SecretStore/other"},
		"All":       {"and that of many", silent, silent, silent, silent, "true", "true of ClusterSecretStore/vault"},
		"Nobody":    {"nobody says anything", silent, silent, silent, silent, silent, " of "},
	} {
		one := made(func(e *esv1.ExternalSecret) {
			e.Annotations = object(c.external).GetAnnotations()
			e.Spec.Data = []esv1.ExternalSecretData{{SourceRef: &esv1.StoreSourceRef{SecretStoreRef: esv1.SecretStoreRef{Name: "other"}}}}
			e.Spec.DataFrom = []esv1.ExternalSecretDataFrom{{SourceRef: &esv1.StoreGeneratorSourceRef{SecretStoreRef: &esv1.SecretStoreRef{Kind: esv1.ClusterSecretStoreKind, Name: "vault"}}}}
		})
		all := &content{
			workloads: []workload{{"Deployment", "shop", "web", restartOf(object(c.workload)), usage.Ways{"db": {usage.ByEnv}}}, {"Deployment", "other", "web", "", usage.Ways{"db": {usage.ByEnv}}}},
			stores: map[types.NamespacedName]Store{
				{Namespace: "shop", Name: "vault"}: {Provider: "vault", restart: restartOf(object(c.store))},
				{Namespace: "shop", Name: "other"}: {Provider: "fake", restart: restartOf(object(c.ofKey))},
				{Name: "vault"}:                    {Provider: "vault", restart: restartOf(object(c.ofAll))},
			},
		}
		s := all.tell(one)
		if len(s.UsedBy) != 1 || s.UsedBy[0].Restart+" of "+s.UsedBy[0].RestartBy != c.want {
			t.Errorf("%s: %s: got %+v, want %s", name, c.reason, s.UsedBy, c.want)
		}
	}
}

// TestNamespacesOfAName: Secrets count before ExternalSecrets of that name.
func TestNamespacesOfAName(t *testing.T) {
	external := []esv1.ExternalSecret{*made(func(*esv1.ExternalSecret) {}), *made(func(e *esv1.ExternalSecret) { e.Namespace, e.Spec.Target.Name = "b", "made" })}
	secret := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "db"}}
	for name, c := range map[string]struct {
		name  string
		there []metav1.PartialObjectMetadata
		want  []string
	}{
		"Both":   {"db", []metav1.PartialObjectMetadata{secret}, []string{"a", "shop"}},
		"Target": {"made", nil, []string{"b"}},
		"None":   {"x", nil, nil},
	} {
		if got := namespaces(external, c.there, c.name); !cmp.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	if got := namespaces(external[1:], nil, "db"); !cmp.Equal(got, []string{"b"}) {
		t.Errorf("the name of an ExternalSecret alone is not found: %v", got)
	}
}
