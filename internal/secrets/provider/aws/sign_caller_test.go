package aws

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// TestSignCaller: who proves to another server who it is gets there as a store does.
func TestSignCaller(t *testing.T) {
	s := newServer(t)
	given := Auth{SecretRef: &Keys{AccessKeyID: esv1.SecretKeySelector{Name: "creds", Key: "id"}, SecretAccessKey: esv1.SecretKeySelector{Name: "creds", Key: "key"}}}
	account := func(name string) Auth {
		return Auth{JWT: &TokenOfAWS{ServiceAccountRef: &esv1.ServiceAccountSelector{Name: name}}}
	}
	for name, tc := range map[string]struct {
		reason string
		caller Caller
		by     string
		told   []url.Values
		err    string
	}{
		"keys": {"keys of a Secret", Caller{Auth: given}, "AKIDGIVEN/", nil, ""},
		"role": {"a role, that is told the identifier of who asks", Caller{Auth: given, Region: "eu-central-1", Role: "arn:aws:iam::1:role/c", ExternalID: "ext"}, "ASIAMADE2/", []url.Values{
			{"Action": {"AssumeRole"}, "RoleArn": {"arn:aws:iam::1:role/c"}, "RoleSessionName": {"causeway"}, "by": {"AKIDGIVEN"}, "ExternalId": {"ext"}},
		}, ""},
		"account": {"a token of a service account", Caller{Auth: account("irsa")}, "ASIAMADE2/", []url.Values{{
			"Action": {"AssumeRoleWithWebIdentity"}, "RoleArn": {"arn:aws:iam::1:role/irsa"}, "RoleSessionName": {"causeway"}, "WebIdentityToken": {"jwt of ns/irsa for sts.amazonaws.com"}, "by": {""},
		}}, ""},
		"refused": {"whom AWS refuses", Caller{Auth: account("denied")}, "", nil, "cannot assume role"},
		"engine":  {"the engine, which has no name here", Caller{}, "", nil, "auth.secretRef or auth.jwt"},
		"region":  {"a server of somebody else", Caller{Auth: given, Region: "x.example.com"}, "", nil, "region"},
	} {
		t.Run(name, func(t *testing.T) {
			s.mu.Lock()
			s.made, s.logins = 1, nil
			s.mu.Unlock()
			tc.caller.Header = http.Header{"X-Own": {"signed"}}
			signed, err := s.factory().SignCaller(t.Context(), tc.caller, store.NewShelf(cluster(true), nil).Around("ns"))
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s: got the error %v, want %q", tc.reason, err, tc.err)
			}
			if err != nil {
				return
			}
			authorization := signed.Header.Get("Authorization")
			if !strings.Contains(authorization, "Credential="+tc.by) || !strings.Contains(authorization, "x-own") {
				t.Errorf("%s: signed %s", tc.reason, authorization)
			}
			if diff := cmp.Diff(tc.told, s.told()); diff != "" {
				t.Errorf("%s: AWS was told (-want +got):\n%s", tc.reason, diff)
			}
			if text := fmt.Sprint(signed); strings.Contains(text, "given-secret-key") {
				t.Errorf("%s: the key is sent: %s", tc.reason, text)
			}
		})
	}
}
