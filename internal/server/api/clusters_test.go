package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/auth"
)

// enrolled are the clusters of a world: one of a project each.
type enrolled struct{ world *world }

func (enrolled) All(context.Context) ([]Member, error) {
	return []Member{
		{ID: "dev", Version: "7", MemberFields: MemberFields{Name: "dev", Server: "https://dev", Project: "shop"}},
		{ID: "prod", Version: "8", MemberFields: MemberFields{Name: "prod", Server: "https://prod", Project: "shop"}},
		{ID: "others", Version: "9", MemberFields: MemberFields{Name: "others", Server: "https://others", Project: "platform"}},
	}, nil
}

func (e enrolled) Put(_ context.Context, u *auth.User, _ *Member, want MemberWish) (*Member, error) {
	e.world.asked = append(e.world.asked, "put "+want.Name+" by "+u.Name)
	return &Member{MemberFields: want.MemberFields, Credentials: []string{}, Can: []string{}}, nil
}

func (e enrolled) Remove(_ context.Context, u *auth.User, old *Member) error {
	e.world.asked = append(e.world.asked, "delete "+old.Name+" by "+u.Name)
	return nil
}

func (enrolled) Probe(context.Context, *auth.User, *Member, MemberWish) (*MemberProbed, error) {
	return &MemberProbed{Version: "v1.33.0"}, nil
}

func (e enrolled) Check(_ context.Context, _ *Member, want MemberWish) error {
	e.world.asked = append(e.world.asked, "check "+want.Name)
	unfit := &Unfit{}
	if want.Server == "prod" {
		unfit.Add("server", "begin it with https://")
	}
	return unfit.Err()
}

// What does not fit is told without asking a cluster.
func TestCheckOfAClusterAsksNone(t *testing.T) {
	world := newWorld()
	h := world.handler()
	for server, want := range map[string]int{"https://prod": http.StatusOK, "prod": http.StatusUnprocessableEntity} {
		w := send(t, h, "writer", "POST", "/clusters/test", `{"check":true,"name":"dev","server":"`+server+`","project":"shop"}`)
		if w.Code != want || want != http.StatusOK && !strings.Contains(w.Body.String(), "body.server") {
			t.Errorf("%s: %d %s", server, w.Code, w.Body)
		}
	}
	if diff := cmp.Diff([]string{"check dev", "check dev"}, world.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if w := send(t, h, "reader", "POST", "/clusters/test", `{"check":true,"name":"dev","server":"https://prod","project":"shop"}`); w.Code != http.StatusForbidden {
		t.Errorf("who may connect none: %d %s", w.Code, w.Body)
	}
}

func TestClustersByRights(t *testing.T) { knocks(t, clusterKnocks()) }

func clusterKnocks() map[string]knock {
	const at, mine = "/clusters/dev", `{"name":"dev","server":"https://dev","project":"shop"}`
	return map[string]knock{
		"get":         {"GET", at, "", [4]int{401, 200, 200, 404}},
		"deletion":    {"GET", at + "/deletion", "", [4]int{401, 403, 200, 404}},
		"create":      {"POST", "/clusters", mine, [4]int{401, 403, 201, 403}},
		"change":      {"PUT", at, mine, [4]int{401, 403, 200, 404}},
		"move":        {"PUT", at, `{"name":"dev","server":"https://dev","project":"platform"}`, [4]int{401, 403, 403, 404}},
		"unconfirmed": {"DELETE", at, "", [4]int{401, 403, 409, 404}},
		"test":        {"POST", "/clusters/test", mine, [4]int{401, 403, 200, 403}},
		"test stored": {"POST", "/clusters/test", `{"name":"dev","server":"https://dev","project":"shop","id":"dev"}`, [4]int{401, 403, 200, 404}},
		"unknown":     {"GET", "/clusters/none", "", [4]int{401, 404, 404, 404}},
		"no address":  {"POST", "/clusters", `{"name":"x"}`, [4]int{401, 422, 422, 422}},
	}
}

// A deletion does no more than was shown: what goes is confirmed by its digest.
func TestDeletionOfAClusterIsConfirmed(t *testing.T) {
	w := newWorld()
	h := w.handler()
	shown := func() *MemberDeletion {
		var d MemberDeletion
		answer := send(t, h, "writer", "GET", "/clusters/prod/deletion", "")
		if err := json.Unmarshal(answer.Body.Bytes(), &d); err != nil {
			t.Fatal(err, answer.Body)
		}
		return &d
	}
	first := shown()
	if len(first.Left) != 1 || first.Left[0].Name != "web-prod" || !first.Others {
		t.Errorf("shown is %+v", first)
	}
	if again := shown(); again.Confirm == first.Confirm {
		t.Error("by the text that confirms, Applications could be guessed that are not shown")
	}
	w.put("new", "shop", "prod", "Synced", "Healthy")
	if a := send(t, h, "writer", "DELETE", "/clusters/prod?confirm="+first.Confirm, ""); a.Code != 409 || !strings.Contains(a.Body.String(), "deletion") {
		t.Errorf("what was confirmed is not what goes: %d %s", a.Code, a.Body)
	}
	if a := send(t, h, "writer", "DELETE", "/clusters/prod?confirm="+shown().Confirm, ""); a.Code != 204 || len(w.asked) != 1 {
		t.Errorf("confirmed: %d %s, asked %v", a.Code, a.Body, w.asked)
	}
}
