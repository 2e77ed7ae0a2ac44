package vault

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// issuer speaks what Vault's HTTP API has of dynamic credentials: logins, leases that end with their token, and a clock.
type issuer struct {
	*httptest.Server

	mu     sync.Mutex
	now    time.Time
	tokens map[string]*time.Time // until when, by token; nil for ever
	leases map[string]*issued
	n      int
	asked  []string

	// lease and most are how long one counts, and at most; token how long a login does.
	lease, most, token time.Duration
	fixed, batch       bool
	// instead answers in place of Vault, if it answers.
	instead func(w http.ResponseWriter, r *http.Request) bool
}

type issued struct {
	token     string
	made, end time.Time
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	s := &issuer{
		now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), tokens: map[string]*time.Time{"given": nil}, leases: map[string]*issued{},
		lease: time.Hour, most: 24 * time.Hour, token: 100 * time.Hour,
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *issuer) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// pass has time go by: what ends then is gone.
func (s *issuer) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
	for token, end := range s.tokens {
		if end != nil && !s.now.Before(*end) {
			s.end(token)
		}
	}
	for id, one := range s.leases {
		if !s.now.Before(one.end) {
			delete(s.leases, id)
		}
	}
}

func (s *issuer) end(token string) {
	delete(s.tokens, token)
	for id, one := range s.leases {
		if one.token == token {
			delete(s.leases, id)
		}
	}
}

func (s *issuer) change(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// has reports which leases there are, and how many tokens of logins.
func (s *issuer) has() (leases []string, tokens int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.leases {
		leases = append(leases, id)
	}
	slices.Sort(leases)
	return leases, len(s.tokens) - 1
}

func (s *issuer) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	s.asked = append(s.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
	if s.instead != nil && s.instead(w, r) {
		return
	}
	var said struct {
		LeaseID   string `json:"lease_id"`
		Increment int    `json:"increment"`
	}
	_ = json.Unmarshal(body, &said)
	token, path := r.Header.Get("X-Vault-Token"), strings.TrimPrefix(r.URL.Path, "/v1/")
	if path == "auth/userpass/login/ada" {
		s.n++
		token = fmt.Sprint("login-", s.n)
		end := s.now.Add(s.token)
		s.tokens[token] = &end
		auth := map[string]any{"client_token": token, "lease_duration": int(s.token.Seconds()), "renewable": !s.batch}
		if !s.batch {
			auth["accessor"] = fmt.Sprint("accessor-", s.n)
		}
		say(w, http.StatusOK, map[string]any{"auth": auth})
		return
	}
	end, known := s.tokens[token]
	if !known {
		say(w, http.StatusForbidden, map[string]any{"errors": []string{"permission denied"}})
		return
	}
	switch path {
	case "auth/token/renew-self":
		*end = s.now.Add(s.token)
		say(w, http.StatusOK, map[string]any{"auth": map[string]any{"client_token": token, "accessor": "a", "lease_duration": int(s.token.Seconds()), "renewable": true}})
	case "auth/token/revoke-self":
		s.end(token)
		w.WriteHeader(http.StatusNoContent)
	case "sys/leases/renew":
		s.renew(w, said.LeaseID, time.Duration(said.Increment)*time.Second)
	case "sys/leases/revoke":
		delete(s.leases, said.LeaseID)
		w.WriteHeader(http.StatusNoContent)
	case "database/creds/app":
		s.n++
		id := fmt.Sprint("database/creds/app/", s.n)
		s.leases[id] = &issued{token, s.now, s.now.Add(s.lease)}
		say(w, http.StatusOK, map[string]any{
			"lease_id": id, "lease_duration": int(s.lease.Seconds()), "renewable": !s.fixed,
			"data": map[string]any{"username": fmt.Sprint("v-app-", s.n), "password": fmt.Sprint("planted-", s.n)},
		})
	default:
		s.others(w, r, path)
	}
}

func (s *issuer) renew(w http.ResponseWriter, id string, increment time.Duration) {
	one := s.leases[id]
	if one == nil {
		say(w, http.StatusBadRequest, map[string]any{"errors": []string{"lease not found"}})
		return
	}
	one.end = s.now.Add(increment)
	if last := one.made.Add(s.most); one.end.After(last) {
		one.end = last
	}
	say(w, http.StatusOK, map[string]any{"lease_id": id, "lease_duration": int(one.end.Sub(s.now).Seconds()), "renewable": true})
}

func (s *issuer) others(w http.ResponseWriter, r *http.Request, path string) {
	switch path {
	case "kv/app":
		say(w, http.StatusOK, map[string]any{"lease_duration": 2764800, "data": map[string]any{
			"text": "a", "number": json.Number("12345678901234567890"), "list": []string{"b"}, "none": nil, "query": r.URL.RawQuery,
		}})
	case "auth/token/create":
		say(w, http.StatusOK, map[string]any{"auth": map[string]any{"client_token": "child", "accessor": "c", "lease_duration": 60, "renewable": true}})
	case "empty":
		w.WriteHeader(http.StatusNoContent)
	default:
		say(w, http.StatusNotFound, map[string]any{"errors": []string{}})
	}
}
