package gitea_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/gitea"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

const marker = hosttest.Marker

// TestComment has a server that gives all comments at once and counts them,
// as Gitea does for one issue.
func TestComment(t *testing.T) {
	server := hosttest.NewServer(t)
	server.Require("Authorization", "token "+hosttest.Token)
	server.JSON("GET /api/v1/user", `{"id":1,"login":"ci"}`)
	bodies := []string{"first", "> " + marker + "\nquoted"}
	comment := func(id int) string {
		return fmt.Sprintf(`{"id":%d,"user":{"id":1},"body":%q,"html_url":"https://gitea.example.com/acme/app/pulls/7#issuecomment-%d"}`, id, bodies[id-1], id)
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

// TestPlanted has comments with the marker, each of another user.
func TestPlanted(t *testing.T) {
	forbidden := hosttest.Answer(403, `{"message":"token does not have at least one of required scope(s): [read:user]"}`)
	cases := map[string]struct {
		reason  string
		posters []int
		user    http.HandlerFunc
		edits   string
		fails   string
	}{
		"Other":   {"another's is nothing to us", []int{2, 3}, hosttest.Answer(200, `{"id":1}`), "new", ""},
		"After":   {"ours may come later", []int{2, 1}, hosttest.Answer(200, `{"id":1}`), "2", ""},
		"Actions": {"of a workflow", []int{2, -2}, forbidden, "2", ""},
		"Scope":   {"a token that does not tell its user", []int{1}, forbidden, "", "read:user"},
		"Outage":  {"no guess is made", []int{-2}, hosttest.Answer(500, ""), "", "500"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := hosttest.NewServer(t)
			server.Handle("GET /api/v1/user", tc.user)
			var all []string
			for i, poster := range tc.posters {
				all = append(all, fmt.Sprintf(`{"id":%d,"user":{"id":%d},"body":%q}`, i+1, poster, marker+"\nold"))
			}
			server.Handle("GET /api/v1/repos/acme/app/issues/7/comments", hosttest.Answer(200, "["+strings.Join(all, ",")+"]", "X-Total-Count", strconv.Itoa(len(all))))
			wrote := ""
			server.Handle("POST /api/v1/repos/acme/app/issues/7/comments", func(w http.ResponseWriter, _ *http.Request) {
				wrote = "new"
				fmt.Fprint(w, `{"id":9}`)
			})
			server.Handle("PATCH /api/v1/repos/acme/app/issues/comments/{id}", func(w http.ResponseWriter, r *http.Request) {
				wrote = r.PathValue("id")
				fmt.Fprint(w, `{"id":9}`)
			})
			_, err := open(t, server, gitea.Options{API: server.URL, Repository: "app", Number: 7}).Comment(t.Context(), marker, "new")
			var p *gitops.Problem
			errors.As(err, &p)
			if (err != nil) != (tc.fails != "") || tc.fails != "" && !strings.Contains(p.What+p.Fix, tc.fails) {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if wrote != tc.edits {
				t.Errorf("%s: wrote %q, want %q", tc.reason, wrote, tc.edits)
			}
		})
	}
}
