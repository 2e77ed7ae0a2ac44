package aws

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// TestWhatIsNoAbsence: an entry is gone only if the service that keeps it says so, as Secrets are deleted for that.
func TestWhatIsNoAbsence(t *testing.T) {
	s := newServer(t)
	for name, tc := range map[string]struct {
		reason, config, key, login, code, message string
		is                                        bool
	}{
		"sign in":             {"what signs in knows nothing of entries", ofRole, "db", "ResourceNotFoundException", "", "", false},
		"sign in, parameters": {"nor of parameters", strings.Replace(ofRole, secretsManager, parameterStore, 1), "/app/db", "ParameterNotFound", "", "", false},
		"key":                 {"a key is no word of AWS", ofSecrets, "was marked for deletion", "", "InvalidRequestException", "no", false},
		"marked":              {"what AWS says itself", ofSecrets, "db", "", "InvalidRequestException", "because it was marked for deletion.", true},
	} {
		t.Run(name, func(t *testing.T) {
			p := s.opened(t, tc.config)
			s.answers(func(w http.ResponseWriter, _ string, _ object) bool {
				if tc.code != "" {
					fail(w, tc.code, tc.message)
				}
				return tc.code != ""
			})
			s.refuseLogins(http.StatusForbidden, tc.login)
			defer s.refuseLogins(0, "")
			s.revoke()
			for _, metadata := range []bool{false, true} {
				_, err := p.Read(t.Context(), provider.Ref{Key: tc.key, Metadata: metadata})
				if err == nil || errors.Is(err, entry.ErrNotFound) != tc.is || !strings.Contains(err.Error(), tc.login+tc.code) {
					t.Errorf("%s: got the error %v", tc.reason, err)
				}
			}
			if found, err := p.Find(t.Context(), find("", "db", nil)); err == nil && tc.login != "" {
				t.Errorf("%s: found %v", tc.reason, found)
			}
		})
	}
}

// TestLateSignIn: what signs in is asked again while it has no answer, and what it said last is no absence either.
func TestLateSignIn(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, ofRole)
	s.refuseLogins(http.StatusServiceUnavailable, "ResourceNotFoundException")
	s.revoke()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := p.Read(ctx, provider.Ref{Key: "db"})
	if err == nil || errors.Is(err, entry.ErrNotFound) || !strings.Contains(err.Error(), "as at last ResourceNotFoundException") {
		t.Errorf("got the error %v", err)
	}
}

// TestInvalidParameters: AWS does not say why it calls names invalid, so that each is asked for.
func TestInvalidParameters(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, ofParameters)
	for name, tc := range map[string]struct {
		reason, code string
		want         map[string][]byte
		err          string
	}{
		"went":   {"one that went since it was listed", "ParameterNotFound", map[string][]byte{}, ""},
		"there":  {"one that is there", "", map[string][]byte{"/app/deep/one": []byte("1")}, ""},
		"unread": {"one that cannot be read", "InvalidKeyId", nil, "cannot read parameter /app/deep/one: InvalidKeyId"},
	} {
		t.Run(name, func(t *testing.T) {
			s.answers(func(w http.ResponseWriter, operation string, said object) bool {
				switch {
				case operation == "GetParameters":
					say(w, object{"Parameters": []object{}, "InvalidParameters": said["Names"]})
				case operation == "GetParameter" && tc.code != "":
					fail(w, tc.code, "no")
				default:
					return false
				}
				return true
			})
			got, err := p.Find(t.Context(), find("", "", map[string]string{"env": "prod", "team": "a"}))
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s: got the error %v, want %q", tc.reason, err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
}
