package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/key"
)

// chest is a keyring in memory, with a key of reader and one of other.
type chest struct{ keys []KeptKey }

func newChest() *chest {
	c := &chest{}
	for _, name := range []string{"reader", "other"} {
		c.put(&auth.User{Name: name, Via: auth.Local}, name+"s", key.Scope{ReadOnly: true}, 1)
	}
	return c
}

func (c *chest) put(u *auth.User, name string, s key.Scope, days int) string {
	k, text := key.New(name, key.OwnerOf(u, "", time.Now()), s, time.Now(), time.Duration(days)*24*time.Hour)
	k.ID = name
	c.keys = append(c.keys, KeptKey{APIKey{ID: k.ID, Name: k.Name, Owner: u.Name, Via: u.Via, Scope: s, Created: k.Created, Expires: k.Expires}, k.Owner})
	return text
}

func (c *chest) Keys(context.Context) ([]KeptKey, error) { return append([]KeptKey{}, c.keys...), nil }

func (c *chest) Create(_ context.Context, u *auth.User, want *NewKey) (*APIKey, string, error) {
	text := c.put(u, want.Name, want.Scope, want.Days)
	return &c.keys[len(c.keys)-1].APIKey, text, nil
}

func (c *chest) Revoke(_ context.Context, _ *auth.User, k *KeptKey) error {
	for i := range c.keys {
		if c.keys[i].ID == k.ID {
			c.keys = append(c.keys[:i], c.keys[i+1:]...)
			break
		}
	}
	return nil
}

// names of the keys that somebody is shown.
func names(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var all []APIKey
	if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	var out []string
	for _, k := range all {
		out = append(out, k.Name)
	}
	return strings.Join(out, " ")
}

func TestKeysAreTheirOwners(t *testing.T) {
	h := newWorld().handler()
	for user, want := range map[string]string{"reader": "readers", "other": "others", "writer": ""} {
		if got := names(t, send(t, h, user, "GET", "/keys", "")); got != want {
			t.Errorf("%s is shown the keys %q, want %q", user, got, want)
		}
	}
	for user, want := range map[string]string{"reader": "readers", "other": "others", "writer": "readers others"} {
		if got := names(t, send(t, h, user, "GET", "/keys?all=true", "")); got != want {
			t.Errorf("of all, %s is shown %q, want %q", user, got, want)
		}
	}
	for _, step := range []struct {
		user, id string
		want     int
	}{{"other", "readers", 404}, {"reader", "none", 404}, {"reader", "readers", 204}, {"reader", "readers", 404}, {"writer", "others", 204}} {
		if w := send(t, h, step.user, "DELETE", "/keys/"+step.id, ""); w.Code != step.want {
			t.Errorf("%s ends the key %s: %d, want %d: %s", step.user, step.id, w.Code, step.want, w.Body)
		}
	}
}

func TestKeyIsShownOnce(t *testing.T) {
	h := newWorld().handler()
	w := send(t, h, "reader", "POST", "/keys", `{"name":"ci","scope":{"rules":[{"resource":"applications","action":"sync","project":"shop"}]}}`)
	var made MadeKey
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != http.StatusCreated || !key.Is(made.Token) {
		t.Fatalf("%d, %v: %s", w.Code, err, w.Body)
	}
	if life := made.Expires.Sub(made.Created); life != key.Days*24*time.Hour {
		t.Errorf("it lasts %s", life)
	}
	_, secret, _ := key.Split(made.Token)
	list := send(t, h, "reader", "GET", "/keys", "").Body.String()
	if strings.Contains(list, secret) || strings.Contains(list, "hash") || !strings.Contains(list, `"ci"`) {
		t.Errorf("the list has %s", list)
	}
}

func TestKeysThatAreNotMade(t *testing.T) {
	h := newWorld().handler()
	good := `{"name":"ci","scope":{"readOnly":true}}`
	for body, want := range map[string]string{
		`{"name":"ci","scope":{}}`:                                                                 "say readOnly",
		`{"name":"c\ni","scope":{"readOnly":true}}`:                                                "use up to 63 letters",
		`{"name":"ci","scope":{"readOnly":true},"days":366}`:                                       "days",
		`{"name":"ci","scope":{"readOnly":true},"days":-1}`:                                        "days",
		`{"name":"ci","scope":{"readOnly":true},"owner":"admin"}`:                                  "owner",
		`{"name":"ci","scope":{"rules":[{"resource":"applications","action":"[","project":"*"}]}}`: "rules[0].action",
	} {
		if w := send(t, h, "reader", "POST", "/keys", body); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	program := &auth.User{Name: "reader", Program: true, Key: "ci"}
	account := &auth.User{Name: "system:serviceaccount:a:b", Via: auth.Kubernetes}
	for _, step := range []struct {
		user         *auth.User
		method, path string
		want         int
	}{
		{program, "POST", "/keys", 403},
		{program, "GET", "/keys", 403},
		{program, "DELETE", "/keys/readers", 403},
		{account, "POST", "/keys", 403},
		{account, "GET", "/keys", 200},
	} {
		body := ""
		if step.method == http.MethodPost {
			body = good
		}
		if w := sendAs(t, h, step.user, step.method, step.path, body); w.Code != step.want {
			t.Errorf("%s %s by %s: %d, want %d: %s", step.method, step.path, step.user.Name, w.Code, step.want, w.Body)
		}
	}
}

// sendAs sends a request of somebody of whom more is known than a name.
func sendAs(t *testing.T, h http.Handler, u *auth.User, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(auth.With(t.Context(), u), method, Prefix+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
