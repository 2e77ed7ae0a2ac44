package gitea_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/host/gitea"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

const marker = "<!-- causeway:preview -->"

// TestComment has a server that gives all comments at once and counts them,
// as Gitea does for one issue.
func TestComment(t *testing.T) {
	server := hosttest.NewServer(t)
	server.Require("Authorization", "token "+hosttest.Token)
	bodies := []string{"first", "> " + marker + "\nquoted"}
	comment := func(id int) string {
		return fmt.Sprintf(`{"id":%d,"body":%q,"html_url":"https://gitea.example.com/acme/app/pulls/7#issuecomment-%d"}`, id, bodies[id-1], id)
	}
	write := func(w http.ResponseWriter, r *http.Request, id int) {
		var sent struct{ Body string }
		_ = json.NewDecoder(r.Body).Decode(&sent)
		bodies[id-1] = sent.Body
		fmt.Fprint(w, comment(id))
	}
	server.Handle("GET /api/v1/repos/acme/app/issues/7/comments", func(w http.ResponseWriter, _ *http.Request) {
		var all []string
		for i := range bodies {
			all = append(all, comment(i+1))
		}
		w.Header().Set("X-Total-Count", strconv.Itoa(len(all)))
		fmt.Fprintf(w, "[%s]", strings.Join(all, ","))
	})
	server.Handle("POST /api/v1/repos/acme/app/issues/7/comments", func(w http.ResponseWriter, r *http.Request) {
		bodies = append(bodies, "")
		w.WriteHeader(http.StatusCreated)
		write(w, r, len(bodies))
	})
	server.Handle("PATCH /api/v1/repos/acme/app/issues/comments/3", func(w http.ResponseWriter, r *http.Request) { write(w, r, 3) })

	c := open(t, server, gitea.Options{API: server.URL + "/api/v1", Repository: "app", Number: 7}) // as in a CI's environment
	for _, text := range []string{"one", "two"} {
		got, err := c.Comment(t.Context(), marker, text)
		if err != nil || got != "https://gitea.example.com/acme/app/pulls/7#issuecomment-3" {
			t.Fatalf("%s: %q, %v", text, got, err)
		}
	}
	if diff := cmp.Diff([]string{"first", "> " + marker + "\nquoted", marker + "\ntwo"}, bodies); diff != "" {
		t.Errorf("two runs make one comment (-want +got):\n%s", diff)
	}
	server.Fail(hosttest.Answer(500, ""))
	if _, err := c.Comment(t.Context(), marker, "three"); err == nil || len(bodies) != 3 {
		t.Errorf("without the comments that are there, none is written: %v", err)
	}
}
