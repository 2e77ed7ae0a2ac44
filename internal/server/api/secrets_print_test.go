package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestWishesPrintNoSecrets: what somebody sends to be stored is in no text that is made of it without thinking of it.
func TestWishesPrintNoSecrets(t *testing.T) {
	const planted = "hunter2"
	text, args, env, empty := planted, []string{planted}, map[string]string{"TOKEN": planted}, ""
	cluster := MemberSecrets{Password: &text, BearerToken: &text, Cert: &text, Key: &text, Args: &args, Env: &env, Proxy: &empty}
	repository := RepositorySecrets{Password: &text, BearerToken: &text, SSHKey: &text, TLSCert: &text, TLSKey: &text, AppKey: &text, GoogleSecret: &text, Proxy: &text}
	for name, tc := range map[string]struct {
		v    any
		tell []string
	}{
		"cluster":      {cluster, []string{"password", "keyData", "env:1", "args:1"}},
		"pointer":      {&cluster, []string{"bearerToken"}},
		"wish":         {MemberWish{MemberFields: MemberFields{Name: "spoke"}, Secrets: cluster}, []string{"spoke", "password"}},
		"probe":        {MemberProbe{MemberWish: MemberWish{MemberFields: MemberFields{Name: "spoke"}, Secrets: cluster}}, []string{"spoke"}},
		"repository":   {repository, []string{"sshPrivateKey", "githubAppPrivateKey"}},
		"its pointer":  {&repository, []string{"proxy"}},
		"its wish":     {RepositoryWish{RepositoryFields: RepositoryFields{URL: "https://git.example.com"}, Secrets: repository}, []string{"git.example.com", "password"}},
		"its probe":    {RepositoryProbe{RepositoryWish: RepositoryWish{RepositoryFields: RepositoryFields{URL: "https://git.example.com"}, Secrets: repository}}, []string{"git.example.com"}},
		"none of them": {MemberSecrets{}, []string{"{}"}},
	} {
		var logged, inJSON bytes.Buffer
		slog.New(slog.NewTextHandler(&logged, nil)).Info("it", "value", tc.v)
		slog.New(slog.NewJSONHandler(&inJSON, nil)).Info("it", "value", tc.v)
		for way, got := range map[string]string{
			"%v": fmt.Sprintf("%v", tc.v), "%+v": fmt.Sprintf("%+v", tc.v), "%#v": fmt.Sprintf("%#v", tc.v), "slog": logged.String(), "slog in JSON": inJSON.String(),
		} {
			if strings.Contains(got, planted) {
				t.Errorf("%s by %s: %s", name, way, got)
			}
			for _, want := range tc.tell {
				if !strings.Contains(got, want) {
					t.Errorf("%s by %s does not tell %s: %s", name, way, want, got)
				}
			}
		}
	}
	// What a client sends is as it was.
	if data, err := json.Marshal(MemberWish{Secrets: cluster}); err != nil || !strings.Contains(string(data), `"password":"`+planted+`"`) {
		t.Errorf("a wish that is sent: %s, %v", data, err)
	}
}
