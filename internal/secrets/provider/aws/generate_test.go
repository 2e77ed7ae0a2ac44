package aws

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// TestSessionToken has what STS is told and gives.
func TestSessionToken(t *testing.T) {
	s := newServer(t)
	around := store.NewShelf(cluster(true), nil).Around("ns")
	for name, tc := range map[string]struct {
		reason, more, err string
		want              []url.Values
	}{
		"plain": {"credentials of a user", keys, "", []url.Values{{"Action": {"GetSessionToken"}, "by": {"AKIDGIVEN"}}}},
		"parameters": {
			"for a time, with a second factor", keys + `,"requestParameters":{"sessionDuration":900,"serialNumber":"arn:mfa","tokenCode":"123456"}`, "",
			[]url.Values{{"Action": {"GetSessionToken"}, "by": {"AKIDGIVEN"}, "SerialNumber": {"arn:mfa"}, "TokenCode": {"123456"}}},
		},
		"role": {"after a role was assumed", keys + `,"role":"arn:aws:iam::1:role/reader"`, "", []url.Values{
			{"Action": {"AssumeRole"}, "RoleArn": {"arn:aws:iam::1:role/reader"}, "RoleSessionName": {"causeway"}, "by": {"AKIDGIVEN"}}, {"Action": {"GetSessionToken"}, "by": {"ASIAMADE2"}},
		}},
		"engine":    {"a generator is never the engine", `"x":1`, "the engine's own identity is for", nil},
		"forbidden": {"a role that is not theirs", keys + `,"role":"arn:aws:iam::1:role/forbidden"`, "AccessDenied", []url.Values{{"Action": {"AssumeRole"}, "RoleArn": {"arn:aws:iam::1:role/forbidden"}, "RoleSessionName": {"causeway"}, "by": {"AKIDGIVEN"}}}},
		"region":    {"a region is needed", keys + `,"region":"x.example.com/"`, "is none", nil},
		"form":      {"a spec of another form", keys + `,"requestParameters":"planted"`, "spec: json", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s.mu.Lock()
			s.made = 1
			s.mu.Unlock()
			got, err := s.factory().SessionToken(t.Context(), json.RawMessage(`{"region":"eu-central-1",`+tc.more+`}`), around)
			if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "planted") || strings.Contains(err.Error(), "given-secret-key")) {
				t.Fatalf("%s: got the error %v, want %q", tc.reason, err, tc.err)
			}
			if diff := cmp.Diff(tc.want, s.told()); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
			if err != nil {
				return
			}
			id := string(got["access_key_id"])
			if !strings.HasPrefix(id, "ASIAMADE") || string(got["secret_access_key"]) != "made-secret-key-of-"+id || string(got["session_token"]) != "made-session-token-of-"+id || len(got) != 4 {
				t.Errorf("%s: got %q", tc.reason, got)
			}
			if ends, err := strconv.ParseInt(string(got["expiration"]), 10, 64); err != nil || time.Until(time.Unix(ends, 0)) < 50*time.Minute {
				t.Errorf("%s: it ends at %s", tc.reason, got["expiration"])
			}
		})
	}
}

// TestRegistryToken has what registries of AWS give, and what is no login.
func TestRegistryToken(t *testing.T) {
	s := newServer(t)
	around := store.NewShelf(cluster(true), nil).Around("ns")
	token := base64.StdEncoding.EncodeToString([]byte("AWS:hunter22:more"))
	ends := 1_800_000_000
	data := object{"authorizationToken": token, "proxyEndpoint": "https://1.dkr.ecr.eu-central-1.amazonaws.com", "expiresAt": ends}
	for name, tc := range map[string]struct {
		reason, more string
		answer       any
		want         map[string]string
		err          string
	}{
		"private": {"of a private registry", "", object{"authorizationData": []object{data}}, map[string]string{
			"username": "AWS", "password": "hunter22:more", "proxy_endpoint": "https://1.dkr.ecr.eu-central-1.amazonaws.com", "expires_at": "1800000000",
		}, ""},
		"public":   {"of the public one", `"scope":"public",`, object{"authorizationData": data}, map[string]string{"username": "AWS", "password": "hunter22:more", "expires_at": "1800000000"}, ""},
		"nothing":  {"an answer without one", "", object{}, nil, "the answer has none"},
		"no login": {"a token that is none", "", object{"authorizationData": []object{{"authorizationToken": "hunter22", "proxyEndpoint": "https://x", "expiresAt": ends}}}, nil, "the answer has none"},
		"no end":   {"a login without an end", `"scope":"public",`, object{"authorizationData": object{"authorizationToken": token}}, nil, "the answer has none"},
		"scope":    {"another registry", `"scope":"planted",`, nil, nil, "neither private nor public"},
		"denied":   {"who may not", "", "AccessDeniedException", nil, "cannot get an authorization token of ECR: AccessDeniedException: no"},
	} {
		t.Run(name, func(t *testing.T) {
			s.answers(func(w http.ResponseWriter, operation string, _ object) bool {
				if code, refused := tc.answer.(string); refused {
					fail(w, code, "no given-secret-key")
					return true
				}
				if operation == "GetAuthorizationToken" {
					say(w, tc.answer)
				}
				return operation == "GetAuthorizationToken"
			})
			got, err := s.factory().RegistryToken(t.Context(), json.RawMessage(fmt.Sprintf(`{"region":"eu-central-1",%s%s}`, tc.more, keys)), around)
			if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "hunter22") || strings.Contains(err.Error(), "given-secret-key")) {
				t.Fatalf("%s: got the error %v, want %q", tc.reason, err, tc.err)
			}
			if no := (*provider.Refused)(nil); errors.As(err, &no) != (name == "denied") {
				t.Errorf("%s: %v", tc.reason, err)
			}
			texts := map[string]string(nil)
			for key, value := range got {
				if texts == nil {
					texts = map[string]string{}
				}
				texts[key] = string(value)
			}
			if diff := cmp.Diff(tc.want, texts); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
}

// TestGeneratorsDial where stores may, and nowhere else.
func TestGeneratorsDial(t *testing.T) {
	s := newServer(t)
	closed := cluster(true)
	closed.Dial = egress.DialRemote
	around, spec := store.NewShelf(closed, nil).Around("ns"), json.RawMessage(`{"region":"eu-central-1",`+keys+`}`)
	_, session := s.factory().SessionToken(t.Context(), spec, around)
	_, registry := s.factory().RegistryToken(t.Context(), spec, around)
	for _, err := range []error{session, registry} {
		if err == nil || !strings.Contains(err.Error(), "is a local address") {
			t.Error(err)
		}
	}
}
