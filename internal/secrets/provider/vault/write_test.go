package vault

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// takes has the server take what is written, as its documentation says: versions with check-and-set, and custom metadata.
func (s *server) takes(w http.ResponseWriter, r *http.Request) bool {
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	mount, rest, _ := strings.Cut(path, "/")
	what, key, _ := strings.Cut(rest, "/")
	if !s.tokens[r.Header.Get("X-Vault-Token")] || mount != "secret" && mount != "old" {
		return false
	}
	switch {
	case r.Method == http.MethodGet && mount == "secret" && what == "metadata" && s.second[key] == nil && s.tags[key] != nil:
		say(w, http.StatusOK, map[string]any{"data": map[string]any{"custom_metadata": s.tags[key], "current_version": 0}})
		return true
	case r.Method == http.MethodDelete:
		delete(s.second, key)
		delete(s.tags, key)
		delete(s.first, rest)
		w.WriteHeader(http.StatusNoContent)
		return true
	case r.Method != http.MethodPut && r.Method != http.MethodPost:
		return false
	}
	var said struct {
		Data    map[string]any `json:"data"`
		Custom  map[string]any `json:"custom_metadata"`
		Options struct {
			CAS *int `json:"cas"`
		} `json:"options"`
	}
	decoder := json.NewDecoder(r.Body)
	decoder.UseNumber()
	switch {
	case mount == "old":
		var fields map[string]any
		if err := decoder.Decode(&fields); err != nil {
			return false
		}
		s.first[rest] = fields
	case decoder.Decode(&said) != nil:
		return false
	case what == "metadata":
		s.tags[key] = said.Custom
	case said.Options.CAS == nil || *said.Options.CAS != len(s.second[key]):
		say(w, http.StatusBadRequest, map[string]any{"errors": []string{"check-and-set parameter did not match the current version"}})
		return true
	default:
		s.second[key] = append(s.second[key], said.Data)
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}

func push(key, property, value string) provider.Push {
	return provider.Push{Target: provider.Target{Key: key, Property: property}, Value: []byte(value)}
}

// TestPut: an entry is made with its mark, a field is put beside the others, and what is there or somebody else's is not written.
func TestPut(t *testing.T) {
	ours := map[string]any{"managed-by": "external-secrets", "team": "a"}
	for name, tc := range map[string]struct {
		reason string
		push   provider.Push
		want   []map[string]any
		tags   map[string]any
		err    string
	}{
		"new":      {"an entry that there is not", push("fresh", "", `{"a":"b","n":12345678901234567890}`), []map[string]any{{"a": "b", "n": json.Number("12345678901234567890")}}, map[string]any{"managed-by": "external-secrets"}, ""},
		"field":    {"a field of a new one", push("fresh", "p", "v"), []map[string]any{{"p": "v"}}, map[string]any{"managed-by": "external-secrets"}, ""},
		"beside":   {"a field beside others", push("ours", "p", "v"), []map[string]any{{"a": "1"}, {"a": "1", "p": "v"}}, ours, ""},
		"same":     {"one that is there", push("ours", "a", "1"), []map[string]any{{"a": "1"}}, ours, ""},
		"all same": {"an entry that is so", push("ours", "", `{"a": "1"}`), []map[string]any{{"a": "1"}}, ours, ""},
		"deleted":  {"a version that is deleted is followed", push("back", "p", "v"), []map[string]any{{"x": "y"}, nil, {"p": "v"}}, ours, ""},
		"theirs":   {"one without the mark", push("db", "p", "v"), nil, nil, "secret not managed by external-secrets: db has not the custom metadata"},
		"text":     {"no object and no property", push("fresh", "", "planted"), nil, nil, "set match.remoteRef.property"},
		"outside":  {"a path that leads out of the engine", push("../old/db", "p", "v"), nil, nil, "which no entry has"},
		"denied":   {"no rights", push("forbidden", "p", "planted"), nil, nil, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			s.second["ours"], s.tags["ours"] = []map[string]any{{"a": "1"}}, ours
			s.second["back"], s.tags["back"] = []map[string]any{{"x": "y"}, nil}, ours
			s.answers(s.takes)
			p, _ := s.opened(t, byToken, credentials).(provider.Writer)
			for range 2 { // again, as an engine does that was killed before it noted it
				err := p.Put(t.Context(), tc.push)
				if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "planted")) {
					t.Fatalf("%s: %v", tc.reason, err)
				}
			}
			if tc.err != "" {
				return
			}
			if diff := cmp.Diff(fmt.Sprint(tc.want), fmt.Sprint(s.second[tc.push.Key])); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.tags, s.tags[tc.push.Key]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPutMeanwhile: what somebody else writes between the look and the write is not lost.
func TestPutMeanwhile(t *testing.T) {
	s := newServer(t)
	s.second["ours"], s.tags["ours"] = []map[string]any{{"a": "1"}}, map[string]any{"managed-by": "external-secrets"}
	s.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && len(s.second["ours"]) == 1 {
			s.second["ours"] = append(s.second["ours"], map[string]any{"a": "1", "theirs": "2"})
		}
		return s.takes(w, r)
	})
	p, _ := s.opened(t, byToken, credentials).(provider.Writer)
	if err := p.Put(t.Context(), push("ours", "p", "v")); err == nil || !strings.Contains(err.Error(), "check-and-set") {
		t.Errorf("got %v", err)
	}
	if err := p.Put(t.Context(), push("ours", "p", "v")); err != nil || fmt.Sprint(s.second["ours"][2]) != "map[a:1 p:v theirs:2]" {
		t.Errorf("it has %v (%v)", s.second["ours"], err)
	}
}

// TestTokenThatEnded: a write logs in again as a read does.
func TestTokenThatEnded(t *testing.T) {
	s := newServer(t)
	s.answers(s.takes)
	p, _ := s.opened(t, byRole, credentials).(provider.Writer)
	if err := p.Put(t.Context(), push("a", "p", "v")); err != nil {
		t.Fatal(err)
	}
	s.revoke()
	if err := p.Put(t.Context(), push("b", "p", "v")); err != nil || s.second["b"] == nil {
		t.Errorf("it has %v (%v)", s.second["b"], err)
	}
}

func TestDeleteAndExists(t *testing.T) {
	s := newServer(t)
	s.second["ours"], s.tags["ours"] = []map[string]any{{"a": "1", "b": "2"}}, map[string]any{"managed-by": "external-secrets"}
	s.answers(s.takes)
	p, _ := s.opened(t, byToken, credentials).(provider.Writer)
	exists := func(target provider.Target, want bool) {
		t.Helper()
		if is, err := p.Exists(t.Context(), target); err != nil || is != want {
			t.Errorf("%s: %v, %v", target, is, err)
		}
	}
	for target, want := range map[provider.Target]bool{{Key: "ours"}: true, {Key: "ours", Property: "a"}: true, {Key: "ours", Property: "c"}: false, {Key: "nope"}: false, {Key: "gone"}: false, {Key: "db"}: true} {
		exists(target, want)
	}
	for _, target := range []provider.Target{{Key: "db"}, {Key: "db", Property: "password"}, {Key: "nope"}, {Key: "ours", Property: "c"}, {Key: "ours", Property: "a"}} {
		if err := p.Delete(t.Context(), target); err != nil {
			t.Errorf("%s: %v", target, err)
		}
	}
	exists(provider.Target{Key: "db", Property: "password"}, true)
	exists(provider.Target{Key: "ours", Property: "a"}, false)
	exists(provider.Target{Key: "ours", Property: "b"}, true)
	if err := p.Delete(t.Context(), provider.Target{Key: "ours", Property: "b"}); err != nil || s.second["ours"] != nil || s.tags["ours"] != nil {
		t.Errorf("with its last field, it has %v (%v)", s.second["ours"], err)
	}
}

// TestFirstVersion: an engine of version 1 has the mark in the entry.
func TestFirstVersion(t *testing.T) {
	s := newServer(t)
	s.answers(s.takes)
	p, _ := s.opened(t, `{"path":"old","version":"v1","auth":{"tokenSecretRef":{"name":"creds","key":"token"}}}`, credentials).(provider.Writer)
	if err := p.Put(t.Context(), push("db", "p", "v")); !errors.Is(err, provider.ErrNotManaged) {
		t.Errorf("an entry of others: %v", err)
	}
	if err := errors.Join(p.Put(t.Context(), push("fresh", "p", "v")), p.Put(t.Context(), push("fresh", "q", "w"))); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"p": "v", "q": "w", "custom_metadata": map[string]any{"managed-by": "external-secrets"}}
	if diff := cmp.Diff(want, s.first["fresh"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := errors.Join(p.Delete(t.Context(), provider.Target{Key: "db"}), p.Delete(t.Context(), provider.Target{Key: "fresh"})); err != nil || s.first["db"] == nil || s.first["fresh"] != nil {
		t.Errorf("after it, it has %v (%v)", s.first, err)
	}
}
