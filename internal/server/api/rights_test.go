package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Rights are told by project where they are of projects.
func TestOwnRights(t *testing.T) {
	h := newWorld().handler()
	for user, want := range map[string]map[string]Right{
		"reader": {"get": {Resource: "applications", Action: "get", Projects: []string{"shop"}, Some: true}, "sync": {Resource: "applications", Action: "sync"}},
		"writer": {"get": {Resource: "applications", Action: "get", Projects: []string{"shop"}, Some: true}, "sync": {Resource: "applications", Action: "sync", Projects: []string{"shop"}, Some: true}},
	} {
		var got OwnRights
		if err := json.Unmarshal(send(t, h, user, "GET", "/session/rights", "").Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		for _, r := range got.Rights {
			if w, ok := want[r.Action]; ok && r.Resource == "applications" {
				if d := cmp.Diff(w, r); d != "" {
					t.Errorf("%s (-want +got):\n%s", user, d)
				}
			}
		}
	}
}

// A right that nobody can use is told with the reason: terminals are off.
func TestRightsThatAreOff(t *testing.T) {
	for _, on := range []bool{true, false} {
		world := newWorld()
		if !on {
			world.room.shells = nil
		}
		var got OwnRights
		if err := json.Unmarshal(send(t, world.handler(), "writer", "GET", "/session/rights", "").Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		for _, r := range got.Rights {
			if off := strings.Contains(r.Off, "terminals are switched off"); off != (!on && r.Resource == "exec") {
				t.Errorf("with terminals on: %t, of %s it is said: %q", on, r.Resource, r.Off)
			}
		}
	}
}

// What is shown tells what may be done with it, so that pages offer nothing else.
func TestCan(t *testing.T) {
	h := newWorld().handler()
	for path, want := range map[string]map[string]string{
		"/applications/argocd/web-dev": {"reader": "", "writer": "sync override update delete"},
		"/projects/shop":               {"reader": "", "writer": "update delete"},
	} {
		for user, can := range want {
			var got struct{ Can []string }
			w := send(t, h, user, "GET", path, "")
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatalf("%s of %s: %v: %s", path, user, err, w.Body)
			}
			if got.Can == nil || strings.Join(got.Can, " ") != can {
				t.Errorf("%s tells %s that they can %q, want %q", path, user, got.Can, can)
			}
		}
	}
}

// Where the chain is broken is told; and many who ask are told one answer.
func TestAuditProof(t *testing.T) {
	world := newWorld()
	world.book.broken = &audit.Broken{Sequence: 4, Why: "it is missing"}
	h := world.handler()
	for range 3 {
		var got AuditProof
		if err := json.Unmarshal(send(t, h, "reader", "GET", "/audit/verify", "").Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if got.Holds || got.Broken != 4 || got.Why != "it is missing" {
			t.Errorf("got %+v", got)
		}
	}
	if world.book.verified != 1 {
		t.Errorf("the chain was read %d times", world.book.verified)
	}
}
