package aws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// logins are what STS was told since the last time.
func (s *server) told() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.logins = nil }()
	for _, login := range s.logins {
		login.Del("Version")
		login.Del("DurationSeconds")
	}
	return s.logins
}

func TestWhoAsks(t *testing.T) {
	s := newServer(t)
	chain := `{"service":"ParameterStore","region":"eu-central-1","additionalRoles":["arn:aws:iam::1:role/a","arn:aws:iam::1:role/b"],"role":"arn:aws:iam::1:role/c",
		"externalID":"ext","sessionTags":[{"key":"team","value":"x"}],"transitiveTagKeys":["team"],` + keys + `}`
	session := strings.Replace(ofSecrets, `"secretAccessKeySecretRef"`, `"sessionTokenSecretRef":{"name":"creds","key":"token"},"secretAccessKeySecretRef"`, 1)
	for name, tc := range map[string]struct {
		reason, config string
		want           []url.Values
	}{
		"keys":    {"keys of a Secret", ofSecrets, nil},
		"session": {"with the token of a session", session, nil},
		"role":    {"a role", ofRole, []url.Values{{"Action": {"AssumeRole"}, "RoleArn": {"arn:aws:iam::1:role/reader"}, "RoleSessionName": {"causeway"}, "by": {"AKIDGIVEN"}}}},
		"chain": {"one role after the other, and the last is told the rest", chain, []url.Values{
			{"Action": {"AssumeRole"}, "RoleArn": {"arn:aws:iam::1:role/a"}, "RoleSessionName": {"causeway"}, "by": {"AKIDGIVEN"}},
			{"Action": {"AssumeRole"}, "RoleArn": {"arn:aws:iam::1:role/b"}, "RoleSessionName": {"causeway"}, "by": {"ASIAMADE2"}},
			{
				"Action": {"AssumeRole"}, "RoleArn": {"arn:aws:iam::1:role/c"}, "RoleSessionName": {"causeway"}, "by": {"ASIAMADE3"},
				"ExternalId": {"ext"}, "Tags.member.1.Key": {"team"}, "Tags.member.1.Value": {"x"}, "TransitiveTagKeys.member.1": {"team"},
			},
		}},
		"account": {"a token of a service account", fmt.Sprintf(ofAccount, "irsa"), []url.Values{{
			"Action": {"AssumeRoleWithWebIdentity"}, "RoleArn": {"arn:aws:iam::1:role/irsa"}, "RoleSessionName": {"causeway"},
			"WebIdentityToken": {"jwt of ns/irsa for sts.amazonaws.com,more"}, "by": {""},
		}}},
		"audience": {"for whom its annotation says", fmt.Sprintf(ofAccount, "special"), []url.Values{{
			"Action": {"AssumeRoleWithWebIdentity"}, "RoleArn": {"arn:aws:iam::1:role/irsa"}, "RoleSessionName": {"causeway"},
			"WebIdentityToken": {"jwt of ns/special for elsewhere,more"}, "by": {""},
		}}},
	} {
		s.mu.Lock()
		s.made = 1
		s.mu.Unlock()
		p := s.opened(t, tc.config)
		key := "db"
		if name == "chain" {
			key = "/app/db"
		}
		for range 2 {
			if _, err := p.Read(t.Context(), provider.Ref{Key: key}); err != nil {
				t.Errorf("%s: %v", tc.reason, err)
			}
		}
		if diff := cmp.Diff(tc.want, s.told()); diff != "" {
			t.Errorf("%s: %s", tc.reason, diff)
		}
	}
}

// TestEnginesIdentity: what the engine is to AWS is for stores of the whole of its own cluster.
func TestEnginesIdentity(t *testing.T) {
	s := newServer(t)
	f := s.factory()
	f.Engine = func(context.Context, string) (aws.CredentialsProvider, error) {
		return credentials.NewStaticCredentialsProvider("AKIDGIVEN", "given-secret-key", ""), nil
	}
	config := json.RawMessage(`{"service":"SecretsManager","region":"eu-central-1"}`)
	for name, tc := range map[string]struct {
		namespace string
		engine    bool
		err       string
	}{
		"own cluster":   {"", true, ""},
		"namespace":     {"ns", true, "of the cluster that it runs in"},
		"other cluster": {"", false, "of the cluster that it runs in"},
	} {
		shelf := store.NewShelf(cluster(tc.engine), map[string]store.Factory{Name: f.Open})
		opened, err := shelf.Open(t.Context(), store.Store{UID: types.UID(name), NamespacedName: types.NamespacedName{Namespace: tc.namespace}, Provider: Name, Config: config}, "ns")
		if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: got the error %v, want %q", name, err, tc.err)
		}
		if err != nil {
			continue
		}
		if _, err := opened.Read(t.Context(), provider.Ref{Key: "db"}, time.Now()); err != nil {
			t.Error(err)
		}
	}
}

// TestEnvironment: a store takes nothing of what the environment says of AWS.
func TestEnvironment(t *testing.T) {
	s := newServer(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte("[default]\nregion = us-east-1\nendpoint_url = http://127.0.0.1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "AKIDENGINE", "AWS_SECRET_ACCESS_KEY": "x", "AWS_REGION": "us-west-1", "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
		"AWS_ENDPOINT_URL_SECRETS_MANAGER": "http://127.0.0.1:1", "AWS_ENDPOINT_URL_STS": "http://127.0.0.1:1", "AWS_CONFIG_FILE": file, "AWS_PROFILE": "default",
		"AWS_SECRETSMANAGER_ENDPOINT": s.URL, "AWS_STS_ENDPOINT": s.URL,
	} {
		t.Setenv(name, value)
	}
	p, err := OfEngine().Open(t.Context(), json.RawMessage(ofRole), store.NewShelf(cluster(true), nil).Around("ns"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
		t.Error(err)
	}
	who, err := ofEngine(t.Context(), "eu-central-1")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := who.Retrieve(t.Context()); err != nil || got.AccessKeyID != "AKIDENGINE" {
		t.Errorf("the engine itself is %s (%v)", got.AccessKeyID, err)
	}
}

// TestDial: AWS is asked where stores may ask, and nowhere else.
func TestDial(t *testing.T) {
	s := newServer(t)
	closed := cluster(true)
	closed.Dial = egress.DialRemote
	for _, config := range []string{ofSecrets, ofRole, fmt.Sprintf(ofAccount, "irsa")} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		p, err := s.factory().Open(ctx, json.RawMessage(config), store.NewShelf(closed, nil).Around("ns"))
		if err == nil {
			_, err = p.Read(ctx, provider.Ref{Key: "db"})
		}
		cancel()
		if err == nil || !strings.Contains(err.Error(), "is a local address") {
			t.Errorf("%s: %v", config, err)
		}
	}
	if asked := s.operations(); len(asked) > 0 {
		t.Errorf("it was asked for %v", asked)
	}
}

// TestSharedEntry: ten keys of one entry, asked for at a time, are one request.
func TestSharedEntry(t *testing.T) {
	s := newServer(t)
	shelf := store.NewShelf(cluster(false), map[string]store.Factory{Name: s.factory().Open})
	opened, err := shelf.Open(t.Context(), store.Store{UID: "one", NamespacedName: types.NamespacedName{Namespace: "ns"}, Provider: Name, Config: json.RawMessage(ofSecrets)}, "ns")
	if err != nil {
		t.Fatal(err)
	}
	since := time.Now()
	var group sync.WaitGroup
	errs := make([]error, 10)
	for i := range errs {
		group.Go(func() {
			_, errs[i] = opened.Read(t.Context(), provider.Ref{Key: "db", Property: fmt.Sprint("p", i)}, since)
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"GetSecretValue"}, s.operations()); diff != "" {
		t.Error(diff)
	}
}
