package externalsecret_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// TestWhatIsDeleted: only a Secret of its own, and only where the store says that all is gone.
func TestWhatIsDeleted(t *testing.T) {
	p := newPlace(t)
	p.has(values)
	p.put(&corev1.Secret{ObjectMeta: metaOf(p.namespace, "theirs"), Data: map[string][]byte{"own": []byte("x")}})
	p.has(
		wanting("own", user+"  target: {deletionPolicy: Delete}\n"), wanting("kept", user), wanting("emptied", user+"  target: {deletionPolicy: Merge}\n"),
		wanting("shared", user), wanting("merged", user+"  target: {name: theirs, creationPolicy: Merge, deletionPolicy: Merge}\n"),
	)
	for _, name := range []string{"own", "kept", "emptied", "shared"} {
		p.secret(name, map[string]string{"user": "ada"})
	}
	p.secret("theirs", map[string]string{"user": "ada", "own": "x"})
	p.has(withoutUser)
	p.has(wanting("second", user+"  target: {name: shared, deletionPolicy: Delete}\n"), wanting("third", user+"  target: {name: shared, creationPolicy: Merge, deletionPolicy: Delete}\n"))
	p.gone("own")
	p.says("own", "True", "SecretDeleted", "deletionPolicy is Delete")
	p.secret("emptied", map[string]string{})
	p.secret("theirs", map[string]string{"own": "x"})
	p.says("kept", "False", "SecretSyncedError", "Secret does not exist")
	p.says("second", "False", "SecretSyncedError", "belongs to somebody else")
	p.says("third", "False", "SecretSyncedError", "is for Secrets of the creationPolicy Owner")
	p.secret("kept", map[string]string{"user": "ada"})
	p.secret("shared", map[string]string{"user": "ada"})
	p.has(values)
	p.secret("own", map[string]string{"user": "ada"})
	p.secret("emptied", map[string]string{"user": "ada"})
}

// TestNothingIsNotGone: an entry without fields, and a spec without entries, are no word of the store that something is gone.
func TestNothingIsNotGone(t *testing.T) {
	p := newPlace(t)
	set := `  dataFrom: [{extract: {key: database}}]
`
	find := `  dataFrom: [{find: {name: {regexp: "^database$"}}}]
`
	policy := "  target: {deletionPolicy: Delete}\n"
	p.has(values, wanting("empty", set+policy), wanting("nothing", set+policy), wanting("found", find+policy))
	want := map[string]string{"host": "db.example", "password": "hunter22", "port": "5432"}
	p.secret("empty", want)
	p.secret("nothing", want)
	p.says("found", "True", "SecretSynced", "")
	p.has(wanting("nothing", policy))
	p.has(strings.Replace(values, `'{"host":"db.example","password":"hunter22","port":5432}'`, "'{}'", 1))
	for _, name := range []string{"empty", "nothing"} {
		p.says(name, "False", "SecretSyncedError", "does not say that an entry is gone")
		p.secret(name, want)
	}
	p.secret("found", map[string]string{"database": "{}"})
	p.has(strings.Replace(values, "key: database", "key: other", 1))
	p.gone("found")
	p.gone("empty")
}

// TestStoresThatAreAway: nothing is deleted or emptied for them, whatever the policy.
func TestStoresThatAreAway(t *testing.T) {
	p := newPlace(t)
	p.has(values)
	all := map[string]string{"delete": "Delete", "merge": "Merge", "retain": "Retain"}
	for name, policy := range all {
		p.has(wanting(name, user+"  target: {deletionPolicy: "+policy+"}\n"))
		p.secret(name, map[string]string{"user": "ada"})
	}
	is := func(provider string) string {
		return "\napiVersion: external-secrets.io/v1\nkind: SecretStore\nmetadata: {name: values}\nspec: {provider: {" + provider + "}}\n"
	}
	for _, store := range []string{is("broken: {}"), is("yandex: {}"), is("vault: {}, fake: {}"), is("fake: {data: hunter22}")} {
		p.has(store)
		for name := range all {
			p.says(name, "False", "SecretSyncedError", "")
			p.secret(name, map[string]string{"user": "ada"})
		}
	}
	if err := kube.Delete(t.Context(), &esv1.SecretStore{ObjectMeta: metaOf(p.namespace, "values")}); err != nil {
		t.Fatal(err)
	}
	p.has(wanting("delete", strings.Replace(user, "user,", "login,", 1)+"  target: {deletionPolicy: Delete}\n"))
	p.says("delete", "False", "SecretSyncedError", "the store does not exist")
	p.secret("delete", map[string]string{"user": "ada"})
}
