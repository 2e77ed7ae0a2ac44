package github_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/host/github"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

const (
	marker = hosttest.Marker
	self   = `{"id":1,"login":"ci","type":"User"}`
	other  = `{"id":2,"login":"mallory","type":"User"}`
	app    = `{"id":3,"login":"github-actions[bot]","type":"Bot"}`
	person = `{"id":4,"login":"github-actions","type":"User"}`
)

// talk is the pull request acme/app#7 with its comments, two on a page.
type talk struct {
	server *hosttest.Server
	bodies []string
	// others wrote the comments of these numbers, as JSON of a user.
	others map[int]string
	// user answers who we are.
	user http.HandlerFunc
}

func newTalk(t *testing.T, bodies ...string) *talk {
	k := &talk{server: hosttest.NewServer(t), bodies: bodies, user: hosttest.Answer(200, self)}
	k.server.Require("Authorization", "Bearer "+hosttest.Token)
	k.server.Handle("GET /api/v3/user", func(w http.ResponseWriter, r *http.Request) { k.user(w, r) })
	k.server.Handle("GET /api/v3/repos/acme/app/issues/7/comments", k.list)
	k.server.Handle("POST /api/v3/repos/acme/app/issues/7/comments", func(w http.ResponseWriter, r *http.Request) {
		k.bodies = append(k.bodies, "")
		w.WriteHeader(http.StatusCreated)
		k.write(w, r, len(k.bodies))
	})
	k.server.Handle("PATCH /api/v3/repos/acme/app/issues/comments/{id}", func(w http.ResponseWriter, r *http.Request) {
		var id int
		_, _ = fmt.Sscan(r.PathValue("id"), &id)
		k.write(w, r, id)
	})
	return k
}

func (k *talk) list(w http.ResponseWriter, r *http.Request) {
	page := 1
	_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
	all := []string{}
	for i := (page - 1) * 2; i < min(page*2, len(k.bodies)); i++ {
		all = append(all, k.comment(i+1))
	}
	if page*2 < len(k.bodies) {
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=%d>; rel="next"`, k.server.URL, r.URL.Path, page+1))
	}
	fmt.Fprintf(w, "[%s]", strings.Join(all, ","))
}

func (k *talk) write(w http.ResponseWriter, r *http.Request, id int) {
	var sent struct{ Body string }
	_ = json.NewDecoder(r.Body).Decode(&sent)
	k.bodies[id-1] = sent.Body
	fmt.Fprint(w, k.comment(id))
}

func (k *talk) comment(id int) string {
	user := cmp.Or(k.others[id], self)
	return fmt.Sprintf(`{"id":%d,"user":%s,"body":%q,"html_url":"https://github.com/acme/app/pull/7#issuecomment-%d"}`, id, user, k.bodies[id-1], id)
}

func (k *talk) client(t *testing.T) *github.Client {
	return open(t, k.server, github.Options{Owner: "acme", Repository: "app", Number: 7})
}

func TestComment(t *testing.T) {
	k := newTalk(t, "first", "second", "> "+marker+"\nquoted", "fourth")
	for _, text := range []string{"one", "two"} {
		got, err := k.client(t).Comment(t.Context(), marker, text)
		if err != nil || got != "https://github.com/acme/app/pull/7#issuecomment-5" {
			t.Fatalf("%s: %q, %v", text, got, err)
		}
	}
	want := []string{"first", "second", "> " + marker + "\nquoted", "fourth", marker + "\ntwo"}
	if d := diff.Diff(want, k.bodies); d != "" {
		t.Errorf("two runs make one comment (-want +got):\n%s", d)
	}
}

// TestPlanted tells that a marker that somebody else wrote is nothing to us.
func TestPlanted(t *testing.T) {
	forbidden := hosttest.Answer(403, `{"message":"Resource not accessible by integration"}`)
	cases := map[string]struct {
		reason string
		others map[int]string
		app    bool
		want   []string
	}{
		"Other":     {"a person's stays, and ours is made", map[int]string{1: other, 2: other}, false, []string{marker + "\nbad", "text", marker + "\nnew"}},
		"OursAfter": {"the first is a person's, the second ours", map[int]string{1: other}, false, []string{marker + "\nbad", marker + "\nnew"}},
		"App":       {"a workflow's token writes as a bot", map[int]string{1: other, 2: app}, true, []string{marker + "\nbad", marker + "\nnew"}},
		"NoApp":     {"a person with the name of a bot is none", map[int]string{1: person, 2: other, 3: app}, true, []string{marker + "\nbad", "text", marker + "\nnew"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, marker+"\nbad", "text")
			if len(tc.want) == 2 {
				k.bodies[1] = marker + "\nold"
			}
			k.others = tc.others
			if tc.app {
				k.user = forbidden
			}
			if _, err := k.client(t).Comment(t.Context(), marker, "new"); err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if d := diff.Diff(tc.want, k.bodies); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
	k := newTalk(t, marker+"\nold")
	k.user = hosttest.Answer(500, "")
	if _, err := k.client(t).Comment(t.Context(), marker, "new"); err == nil || len(k.bodies) != 1 {
		t.Errorf("without knowing the user nothing is written: %v", err)
	}
}

func TestCommentFails(t *testing.T) {
	k := newTalk(t)
	if _, err := k.client(t).Comment(t.Context(), marker, strings.Repeat("x", 65536)); err == nil || !strings.Contains(err.Error(), "the host takes 65536") {
		t.Errorf("too long: %v", err)
	}
	k.server.Fail(hosttest.Answer(200, "[]"), hosttest.Answer(502, ""))
	if _, err := k.client(t).Comment(t.Context(), marker, "text"); err == nil || !strings.Contains(err.Error(), "cannot write to GitHub repository acme/app") {
		t.Errorf("outage: %v", err)
	}
	k.server.Fail(hosttest.Answer(500, ""))
	if _, err := k.client(t).Comment(t.Context(), marker, "text"); err == nil {
		t.Error("without the comments that are there, none is written")
	}
	if len(k.bodies) != 0 {
		t.Errorf("nothing was written: %q", k.bodies)
	}
}
