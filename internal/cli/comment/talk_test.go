package comment

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

// talk is the pull request acme/fleet#7 at one of the hosts.
type talk struct {
	*hosttest.Server

	mu     sync.Mutex
	bodies []string
}

// talks starts a server that speaks a host's API for comments.
var talks = map[string]func(*testing.T) *talk{
	"github": func(t *testing.T) *talk {
		k := newTalk(t, "Authorization", "Bearer "+hosttest.Token)
		k.JSON("GET /api/v3/user", `{"id":1}`)
		k.serve("/api/v3/repos/acme/fleet/issues/7/comments", "PATCH /api/v3/repos/acme/fleet/issues/comments/{id}")
		return k
	},
	"gitlab": func(t *testing.T) *talk {
		k := newTalk(t, "Private-Token", hosttest.Token)
		k.JSON("GET /api/v4/user", `{"id":1}`)
		const request = "/api/v4/projects/acme%2Ffleet/merge_requests/7"
		k.JSON("GET "+request, `{"iid":7,"web_url":"https://gitlab.com/acme/fleet/-/merge_requests/7"}`)
		k.serve(request+"/notes", "PUT "+request+"/notes/{id}")
		return k
	},
	"gitea": func(t *testing.T) *talk {
		k := newTalk(t, "Authorization", "token "+hosttest.Token)
		k.JSON("GET /api/v1/user", `{"id":1}`)
		k.serve("/api/v1/repos/acme/fleet/issues/7/comments", "PATCH /api/v1/repos/acme/fleet/issues/comments/{id}")
		return k
	},
}

func newTalk(t *testing.T, header, value string) *talk {
	k := &talk{Server: hosttest.NewServer(t), bodies: []string{"looks good"}}
	k.Require(header, value)
	return k
}

// serve answers listings and new comments at a path, and changed comments by
// their number.
func (k *talk) serve(list, edit string) {
	k.Handle("GET "+list, func(w http.ResponseWriter, _ *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		all := make([]string, 0, len(k.bodies))
		for i := range k.bodies {
			all = append(all, k.comment(i+1))
		}
		w.Header().Set("X-Total-Count", strconv.Itoa(len(all)))
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, "[%s]", strings.Join(all, ","))
	})
	k.Handle("POST "+list, func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.bodies = append(k.bodies, "")
		w.WriteHeader(http.StatusCreated)
		k.put(w, r, len(k.bodies))
	})
	k.Handle(edit, func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		id, _ := strconv.Atoi(r.PathValue("id"))
		k.put(w, r, id)
	})
}

func (k *talk) put(w http.ResponseWriter, r *http.Request, id int) {
	var sent struct{ Body string }
	_ = json.NewDecoder(r.Body).Decode(&sent)
	k.bodies[id-1] = sent.Body
	_, _ = fmt.Fprint(w, k.comment(id))
}

func (k *talk) comment(id int) string {
	return fmt.Sprintf(`{"id":%d,"user":{"id":1},"author":{"id":1},"body":%q,"html_url":"https://example.com/acme/fleet/7#%d"}`, id, k.bodies[id-1], id)
}

// all are the comments as they are now.
func (k *talk) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.bodies...)
}
