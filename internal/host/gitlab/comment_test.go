package gitlab_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/host/gitlab"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

const (
	marker = hosttest.Marker
	notes  = "/api/v4/projects/acme%2Fapp/merge_requests/7/notes"
)

// talk is the merge request acme/app!7 with its notes, two on a page. Notes
// of the system name commits and may hold anything.
type talk struct {
	server *hosttest.Server
	bodies []string
	// others wrote the notes of these numbers.
	others map[int]int
}

func newTalk(t *testing.T, bodies ...string) *talk {
	k := &talk{server: hosttest.NewServer(t), bodies: bodies}
	k.server.Require("Private-Token", hosttest.Token)
	k.server.JSON("GET /api/v4/projects/acme%2Fapp/merge_requests/7", `{"iid":7,"web_url":"https://gitlab.com/acme/app/-/merge_requests/7"}`)
	k.server.JSON("GET /api/v4/user", `{"id":1,"username":"ci"}`)
	paged(k.server, notes, func(*http.Request) []string {
		pages := []string{}
		for i := 0; i == 0 || i < len(k.bodies); i += 2 {
			var page []string
			for j := i; j < min(i+2, len(k.bodies)); j++ {
				page = append(page, k.note(j+1))
			}
			pages = append(pages, "["+strings.Join(page, ",")+"]")
		}
		return pages
	})
	k.server.Handle("POST "+notes, func(w http.ResponseWriter, r *http.Request) {
		k.bodies = append(k.bodies, "")
		w.WriteHeader(http.StatusCreated)
		k.write(w, r, len(k.bodies))
	})
	k.server.Handle("PUT "+notes+"/{id}", func(w http.ResponseWriter, r *http.Request) {
		var id int
		_, _ = fmt.Sscan(r.PathValue("id"), &id)
		k.write(w, r, id)
	})
	return k
}

func (k *talk) write(w http.ResponseWriter, r *http.Request, id int) {
	var sent struct{ Body string }
	_ = json.NewDecoder(r.Body).Decode(&sent)
	k.bodies[id-1] = sent.Body
	fmt.Fprint(w, k.note(id))
}

func (k *talk) note(id int) string {
	return fmt.Sprintf(`{"id":%d,"author":{"id":%d},"body":%q,"system":%t}`, id, max(1, k.others[id]), k.bodies[id-1], strings.Contains(k.bodies[id-1], "added 1 commit"))
}

func (k *talk) client(t *testing.T) *gitlab.Client {
	return open(t, k.server, gitlab.Options{Project: "acme/app", Number: 7})
}

func TestComment(t *testing.T) {
	k := newTalk(t, "first", marker+"\nadded 1 commit", "> "+marker+"\nquoted", "fourth")
	for _, text := range []string{"one", "two"} {
		got, err := k.client(t).Comment(t.Context(), marker, text)
		if err != nil || got != "https://gitlab.com/acme/app/-/merge_requests/7#note_5" {
			t.Fatalf("%s: %q, %v", text, got, err)
		}
	}
	want := []string{"first", marker + "\nadded 1 commit", "> " + marker + "\nquoted", "fourth", marker + "\ntwo"}
	if diff := cmp.Diff(want, k.bodies); diff != "" {
		t.Errorf("two runs make one note (-want +got):\n%s", diff)
	}
}

// TestPlanted tells that a marker that somebody else wrote is nothing to us.
func TestPlanted(t *testing.T) {
	k := newTalk(t, marker+"\nbad")
	k.others = map[int]int{1: 2}
	for _, text := range []string{"one", "two"} {
		if _, err := k.client(t).Comment(t.Context(), marker, text); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{marker + "\nbad", marker + "\ntwo"}, k.bodies); diff != "" {
		t.Errorf("another's stays as it is (-want +got):\n%s", diff)
	}
}

func TestCommentFails(t *testing.T) {
	k := newTalk(t)
	if _, err := k.client(t).Comment(t.Context(), marker, strings.Repeat("x", 1_000_000)); err == nil || !strings.Contains(err.Error(), "the host takes 1000000") {
		t.Errorf("too long: %v", err)
	}
	k.server.Fail(hosttest.Answer(404, `{"message":"404 Not found"}`))
	if _, err := k.client(t).Comment(t.Context(), marker, "text"); err == nil || !strings.Contains(err.Error(), "GitLab project acme/app") {
		t.Errorf("no such merge request: %v", err)
	}
	if len(k.bodies) != 0 {
		t.Errorf("nothing was written: %q", k.bodies)
	}
}
