package serve_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/render/sops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// What testdata/sealed has in its files, each a ConfigMap with a colour and a
// password, and a Secret with the password; age.key opens them.
const (
	sealedFirst  = "marlin-of-sops"
	sealedSecond = "swordfish-of-sops"
)

func sealed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/sealed/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What SOPS had encrypted gets to the cluster, and in no form to who looks: not
// as it is in Git, as it is in the cluster, as it differs, nor as it was.
func TestAPIShowsNothingDecrypted(t *testing.T) {
	keys, err := sops.ParseKeys(sealed(t, "age.key"))
	if err != nil {
		t.Fatal(err)
	}
	s := serveSite(t, map[string]string{"app/a.yaml": sealed(t, "first.yaml")}, func(c *app.Config) { c.Rendering.Keys = keys })
	s.App("app", "app", manual)
	v, heard := s.visitor(""), &overheard{}
	v.client.Transport = heard
	v.signIn(t)
	var token api.Token
	v.wants(t, http.StatusOK, http.MethodPost, "/session", api.Credentials{Username: "admin", Password: adminPassword}, &token)
	argo := &script{s, token.Token}
	at := "/applications/" + s.Namespace + "/" + s.ID("app")

	syncsSealed(t, s, v, at, "red", sealedFirst)
	looksEverywhere(t, s, v, argo, at, "red")
	s.Write("app/a.yaml", sealed(t, "second.yaml"))
	sees(t, v, at+"/diff", func(all *[]api.Difference) error {
		if len(*all) != 2 {
			return fmt.Errorf("%d objects differ", len(*all))
		}
		for _, d := range *all {
			if d.Desired == d.Live || d.Kind == "ConfigMap" && (!strings.Contains(d.Live, "red") || !strings.Contains(d.Desired, "blue")) {
				return fmt.Errorf("the difference is %+v", d)
			}
		}
		return nil
	})
	looksEverywhere(t, s, v, argo, at, "blue")
	syncsSealed(t, s, v, at, "blue", sealedSecond)
	looksEverywhere(t, s, v, argo, at, "blue")
	var syncs []struct{ ID string }
	sees(t, v, at+"/history", func(all *[]struct{ ID string }) error {
		syncs = *all
		if len(syncs) != 2 {
			return fmt.Errorf("%d syncs are kept", len(syncs))
		}
		return nil
	})
	sees(t, v, at+"/history/"+syncs[1].ID+"/compare/"+syncs[0].ID, func(all *[]api.Difference) error {
		if text := fmt.Sprint(*all); !strings.Contains(text, "red") || !strings.Contains(text, "blue") {
			return fmt.Errorf("what differs is %s", text)
		}
		return nil
	})
	v.wants(t, http.StatusOK, http.MethodGet, at+"/history/"+syncs[0].ID, nil, nil)
	v.wants(t, http.StatusOK, http.MethodGet, "/audit", nil, nil)
	heard.hears(t, unsealed()...)
}

// unsealed are the passwords in all forms in which an answer could have them.
func unsealed() []string {
	var out []string
	for _, text := range []string{sealedFirst, sealedSecond} {
		out = append(out, text, base64.StdEncoding.EncodeToString([]byte(text)))
	}
	return out
}

// syncsSealed syncs, and sees that the cluster has what was decrypted.
func syncsSealed(t *testing.T, s *site, v *visitor, at, colour, password string) {
	t.Helper()
	syncsByAPI(t, s, v, at, colour)
	embeddedtest.Eventually(t, func(context.Context) error {
		cm, err := s.ConfigMap("settings")
		if err == nil && cm.Data["password"] != password {
			err = fmt.Errorf("the password is %q", cm.Data["password"])
		}
		return err
	})
}

// looksEverywhere reads an Application by both APIs, and each of its objects.
// Git has a colour, by which one sees that what stands beside it is shown.
func looksEverywhere(t *testing.T, s *site, v *visitor, argo *script, at, colour string) {
	t.Helper()
	for _, kind := range []string{"ConfigMap/settings", "Secret/token"} {
		kind, name, _ := strings.Cut(kind, "/")
		query := url.Values{"version": {"v1"}, "kind": {kind}, "objectName": {name}, "objectNamespace": {s.Namespace}}
		sees(t, v, at+"/object?"+query.Encode(), func(o *api.Object) error {
			if o.Live == "" || o.Desired == "" || kind == "ConfigMap" && !strings.Contains(o.Desired, colour) {
				return fmt.Errorf("the object is %+v", o)
			}
			return nil
		})
	}
	for _, path := range []string{"", "/tree", "/diff", "/events", "/parameters", "/field?object=ConfigMap/settings&path=data"} {
		v.wants(t, http.StatusOK, http.MethodGet, at+path, nil, nil)
	}
	old := "/v1/applications/" + s.ID("app")
	for _, path := range []string{
		old, old + "/manifests", old + "/managed-resources", old + "/resource-tree", old + "/events",
		old + "/resource?version=v1&kind=ConfigMap&resourceName=settings&namespace=" + s.Namespace,
		old + "/resource?version=v1&kind=Secret&resourceName=token&namespace=" + s.Namespace,
	} {
		argo.hides(t, path, !strings.Contains(path, "?") && strings.Contains(path, "man"), colour)
	}
}

// hides sees that an answer has a colour, where it is to have it, and no password.
func (s *script) hides(t *testing.T, path string, coloured bool, colour string) {
	t.Helper()
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		code, text, err := s.asks(ctx, http.MethodGet, path, "")
		if err == nil && (code != http.StatusOK || coloured && !strings.Contains(string(text), colour)) {
			err = fmt.Errorf("%s: %d: %s", path, code, text)
		}
		if err != nil {
			return err
		}
		for _, secret := range unsealed() {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s has %q: %s", path, secret, text)
			}
		}
		return nil
	})
}
