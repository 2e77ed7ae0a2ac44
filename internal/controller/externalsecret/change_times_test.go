package externalsecret_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

const versions = `
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: values}
spec:
  provider:
    fake:
      data:
      - {key: user, value: ada, version: v1}
      - {key: user, value: ada, version: v2}
      - {key: user, value: eve, version: v3}
`

func versioned(name, version, more string) string {
	return wanting(name, strings.Replace(user, "key: user}", "key: user, version: "+version+"}", 1)+more)
}

// of waits until a Secret is made of a version.
func (p place) of(name, version string) *corev1.Secret {
	p.Helper()
	var secret *corev1.Secret
	embeddedtest.Eventually(p, func(context.Context) (err error) {
		if secret, err = p.get(name); err != nil {
			return err
		}
		if got := secret.Annotations[esv1.AnnotationVersions]; got != fmt.Sprintf(`{"user":%q}`, version) {
			return fmt.Errorf("the versions are %q", got)
		}
		return nil
	})
	return secret
}

func (p place) changed(secret *corev1.Secret) time.Time {
	p.Helper()
	at, err := time.Parse(time.RFC3339, secret.Annotations[esv1.AnnotationChanged])
	if err != nil {
		p.Fatal(err)
	}
	return at
}

// TestChangesAreTold: a Secret says since when it has its values, and of which versions they are. A version with the same values is no change, and a
// refresh with the same version writes nothing.
func TestChangesAreTold(t *testing.T) {
	p := newPlace(t)
	p.has(versions)
	for name, more := range map[string]string{"owned": "", "orphan": "  target: {creationPolicy: Orphan}\n"} {
		p.has(versioned(name, "v1", more))
		first := p.of(name, "v1")
		began := p.changed(first)
		p.fetched(name)
		if now := p.of(name, "v1"); now.ResourceVersion != first.ResourceVersion {
			t.Errorf("%s: a refresh with the same values wrote the Secret", name)
		}
		p.has(versioned(name, "v2", more))
		if now := p.changed(p.of(name, "v2")); !now.Equal(began) {
			t.Errorf("%s: another version with the same values: changed at %s, before at %s", name, now, began)
		}
		p.has(versioned(name, "v3", more))
		if now := p.changed(p.of(name, "v3")); !now.After(began) {
			t.Errorf("%s: other values: changed at %s, before at %s", name, now, began)
		}
	}
}

// TestMadeAgainIsNoChange: who deletes a Secret, or puts a key into it, changes none of its values.
func TestMadeAgainIsNoChange(t *testing.T) {
	p := newPlace(t)
	p.has(versions, versioned("owned", "v1", ""))
	first := p.of("owned", "v1")
	began := p.changed(first)
	embeddedtest.Eventually(p, func(context.Context) error {
		if left := time.Until(began.Add(2 * time.Second)); left > 0 { // times have whole seconds
			return fmt.Errorf("another time is %s ahead", left)
		}
		return nil
	})
	if err := kube.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		now, err := p.get("owned")
		if err != nil || now.UID == first.UID {
			return fmt.Errorf("it is not made again (%w)", err)
		}
		if at := p.changed(now); !at.Equal(began) {
			t.Fatalf("made again: changed at %s, before at %s", at, began)
		}
		return nil
	})
	now, err := p.get("owned")
	if err != nil {
		t.Fatal(err)
	}
	now.Data["others"] = []byte("x")
	if err := kube.Update(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		now, err := p.get("owned")
		if err != nil || now.Data["others"] != nil {
			return fmt.Errorf("the key of others is there (%w)", err)
		}
		if at := p.changed(now); !at.Equal(began) {
			t.Fatalf("a key of others: changed at %s, before at %s", at, began)
		}
		return nil
	})
}

// TestTakenOverIsNoChange: the operator's Secret with the same values is as old as it was.
func TestTakenOverIsNoChange(t *testing.T) {
	p := newPlace(t)
	others := strings.Replace(values, "spec:", "spec:\n  controller: operator", 1)
	same := `  data: [{secretKey: user, remoteRef: {key: user}}, {secretKey: gone, remoteRef: {key: gone}}]
`
	p.has(others, wanting("same", same), wanting("other", user))
	p.ofOperator("same")
	p.ofOperator("other")
	p.has(strings.Replace(values, noUser, "- {key: user, value: old}\n      - {key: gone, value: x}", 1))
	p.taken("same")
	p.taken("other")
	if now := p.secret("same", map[string]string{"user": "old", "gone": "x"}); now.Annotations[esv1.AnnotationChanged] != "" {
		t.Errorf("taken over with the same values: %v", now.Annotations)
	}
	p.changed(p.secret("other", map[string]string{"user": "old"}))
}
