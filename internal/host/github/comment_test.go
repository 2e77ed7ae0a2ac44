package github_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/host/github"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

const marker = "<!-- causeway:preview -->"

// talk is the pull request acme/app#7 with its comments, two on a page.
type talk struct {
	server *hosttest.Server
	bodies []string
}

func newTalk(t *testing.T, bodies ...string) *talk {
	k := &talk{server: hosttest.NewServer(t), bodies: bodies}
	k.server.Require("Authorization", "Bearer "+hosttest.Token)
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
	return fmt.Sprintf(`{"id":%d,"body":%q,"html_url":"https://github.com/acme/app/pull/7#issuecomment-%d"}`, id, k.bodies[id-1], id)
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
	if diff := cmp.Diff(want, k.bodies); diff != "" {
		t.Errorf("two runs make one comment (-want +got):\n%s", diff)
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
