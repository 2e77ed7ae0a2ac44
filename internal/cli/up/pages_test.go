package up

import (
	"net"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/serve/listener"
)

// taken is an address where somebody listens.
func taken(t *testing.T, address string) string {
	t.Helper()
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", address)
	if err != nil && address == pagesAddress {
		return address // by somebody else
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// TestPagesThatFindTheirAddressTaken: only that which nobody has chosen gives way to another.
func TestPagesThatFindTheirAddressTaken(t *testing.T) {
	chosen := &upFlags{serve: taken(t, "127.0.0.1:0")}
	if _, err := chosen.pages(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "cannot serve pages at "+chosen.serve+": ") || !strings.HasSuffix(err.Error(), "choose another address with --serve, or none with --serve ''") {
		t.Errorf("whoever has chosen it looks there: %v", err)
	}
	usual := &upFlags{serve: taken(t, pagesAddress)}
	l, err := usual.pages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if at := l.Addr().String(); at == pagesAddress || !strings.HasPrefix(at, "127.0.0.1:") {
		t.Errorf("they are at %s", at)
	}
}

// TestPagesThatNobodyWants open nothing, and ask the hub for nothing.
func TestPagesThatNobodyWants(t *testing.T) {
	for reason, u := range map[string]*upFlags{"there is no address": {}, "the fleet stops at once": {serve: "127.0.0.1:0", once: true}} {
		s, _ := sessionOf(t, u)
		if at, err := s.serving(t.Context(), nil); err != nil || at.Listener != nil || !at.First.IsZero() {
			t.Errorf("%s: %+v, %v", reason, at, err)
		}
	}
}

// TestPagesLetInTheSameFromStartToStart, unless the account has a password of its own since; that is written nowhere.
func TestPagesLetInTheSameFromStartToStart(t *testing.T) {
	secret := &corev1.Secret{}
	d := clitest.NewDesk(t, map[string]any{"GET /api/v1/namespaces/argocd/secrets/argocd-secret": secret})
	s, _ := sessionOf(t, &upFlags{serve: "127.0.0.1:0"})
	start := func() (listener.At, local.SignIn) {
		t.Helper()
		at, err := s.serving(t.Context(), &rest.Config{Host: d.URL, BearerToken: clitest.Token})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = at.Listener.Close() })
		in, err := s.home.SignIn()
		if err != nil || in == nil || in.URL != "http://"+at.Listener.Addr().String() || at.First.Verify(in.Password) == (in.Password == "") {
			t.Fatalf("written is %+v, %v", in, err)
		}
		return at, *in
	}
	_, first := start()
	at, again := start()
	if first.Password == "" || again.Password != first.Password || at.First.IsZero() {
		t.Errorf("at first %+v, then %+v", first, again)
	}
	secret.Data = map[string][]byte{"admin.password": []byte("a digest of another")}
	at, own := start()
	if own.Password != "" || !at.First.IsZero() || own.Own == "" || strings.Contains(own.Own, "digest") {
		t.Errorf("it has its own, and %+v is told", own)
	}
}

// TestAHubThatDoesNotTellOfPasswords has none that is written over.
func TestAHubThatDoesNotTellOfPasswords(t *testing.T) {
	for status, wrong := range map[int]string{http.StatusNotFound: "", http.StatusForbidden: "cannot read Secret argocd-secret of the hub, which may have a password of admin: "} {
		d := clitest.NewDesk(t, map[string]any{"/": clitest.Refusal{Status: status}})
		own, err := ownPassword(t.Context(), &rest.Config{Host: d.URL, BearerToken: clitest.Token}, "argocd")
		if own != "" || (err == nil) != (wrong == "") || err != nil && !strings.HasPrefix(err.Error(), wrong) {
			t.Errorf("%d: %q, %v", status, own, err)
		}
	}
}
