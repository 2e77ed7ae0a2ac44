package aws

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

func TestRead(t *testing.T) {
	s := newServer(t)
	secrets, parameters := s.opened(t, ofSecrets), s.opened(t, ofParameters)
	prefixed := s.opened(t, strings.Replace(ofSecrets, `"region"`, `"prefix":"team/","region"`, 1))
	for name, tc := range map[string]struct {
		reason   string
		of       provider.Reader
		ref      provider.Ref
		property string
		want     string
		is       error
		err      string
	}{
		"field":          {"a field of the current version", secrets, provider.Ref{Key: "db"}, "password", "s3cret<&>", nil, ""},
		"number":         {"a large number keeps its digits", secrets, provider.Ref{Key: "db"}, "serial", "12345678901234567890", nil, ""},
		"path":           {"a path of gjson", secrets, provider.Ref{Key: "db"}, `l.#(id=="x").v`, "1", nil, ""},
		"inner":          {"a path into a field", secrets, provider.Ref{Key: "db"}, "inner.a", "b", nil, ""},
		"dot":            {"the name of a field may have a dot", secrets, provider.Ref{Key: "db"}, "a.b", "dot", nil, ""},
		"arn":            {"a key may be an ARN", secrets, provider.Ref{Key: "arn:aws:secretsmanager:eu-central-1:1:secret:db-AbCdEf"}, "password", "s3cret<&>", nil, ""},
		"stage":          {"a label of a version", secrets, provider.Ref{Key: "db", Version: "AWSPREVIOUS"}, "password", "old", nil, ""},
		"id":             {"the ID of a version", secrets, provider.Ref{Key: "db", Version: "uuid/one"}, "", "by id", nil, ""},
		"no version":     {"a label that there is not", secrets, provider.Ref{Key: "db", Version: "NONE"}, "", "", entry.ErrNotFound, "staging label"},
		"absent":         {"a secret that there is not", secrets, provider.Ref{Key: "nope"}, "", "", entry.ErrNotFound, "cannot read secret nope"},
		"deleted":        {"one that is marked for deletion is gone", secrets, provider.Ref{Key: "gone"}, "", "", entry.ErrNotFound, "marked for deletion"},
		"text":           {"a value is no JSON", secrets, provider.Ref{Key: "text"}, "", "no JSON", nil, ""},
		"no JSON":        {"and has no property, which is no absence", secrets, provider.Ref{Key: "text"}, "a", "", nil, "no JSON"},
		"no field":       {"a field that there is not, of an entry that is there", secrets, provider.Ref{Key: "db"}, "nope", "", nil, `no such property: "nope"`},
		"binary":         {"bytes", secrets, provider.Ref{Key: "binary"}, "", "\x00\x01\xff", nil, ""},
		"large":          {"a megabyte", secrets, provider.Ref{Key: "large"}, "", strings.Repeat("x", 1<<20), nil, ""},
		"empty":          {"an answer without a value is no value", secrets, provider.Ref{Key: "empty"}, "", "", nil, "neither SecretString nor SecretBinary"},
		"no key":         {"a key is needed", secrets, provider.Ref{}, "", "", nil, "the key is empty"},
		"tags":           {"the tags", secrets, provider.Ref{Key: "db", Metadata: true}, "", `{"a.b":"c","env":"prod"}`, nil, ""},
		"tag":            {"one tag", secrets, provider.Ref{Key: "db", Metadata: true}, "a.b", "c", nil, ""},
		"no tags":        {"of a secret without", secrets, provider.Ref{Key: "text", Metadata: true}, "", `{}`, nil, ""},
		"tags of none":   {"of a secret that there is not", secrets, provider.Ref{Key: "nope", Metadata: true}, "", "", entry.ErrNotFound, ""},
		"tags of gone":   {"of one that is marked for deletion", secrets, provider.Ref{Key: "gone", Metadata: true}, "", "", entry.ErrNotFound, "marked for deletion"},
		"prefix":         {"the prefix is put before a key", prefixed, provider.Ref{Key: "one"}, "", "1", nil, ""},
		"out of prefix":  {"and cannot be left", prefixed, provider.Ref{Key: "db"}, "", "", entry.ErrNotFound, "team/db"},
		"arn and prefix": {"also by no ARN", prefixed, provider.Ref{Key: "arn:aws:secretsmanager:eu-central-1:1:secret:db-AbCdEf"}, "", "", nil, "and no ARN"},

		"parameter":           {"the latest value, decrypted", parameters, provider.Ref{Key: "/app/db"}, "password", "s3cret", nil, ""},
		"parameter, inner":    {"a path into it", parameters, provider.Ref{Key: "/app/db"}, "inner.a", "b", nil, ""},
		"parameter, arn":      {"by its ARN", parameters, provider.Ref{Key: "arn:aws:ssm:eu-central-1:1:parameter/app/db"}, "inner.a", "b", nil, ""},
		"parameter, version":  {"of a version", parameters, provider.Ref{Key: "/app/db", Version: "1"}, "password", "old", nil, ""},
		"list":                {"a list is a text", parameters, provider.Ref{Key: "/app/list"}, "", "a,b,c", nil, ""},
		"no parameter":        {"a parameter that there is not", parameters, provider.Ref{Key: "/nope"}, "", "", entry.ErrNotFound, "ParameterNotFound"},
		"parameter, no such":  {"a version that there is not is no absence of the parameter", parameters, provider.Ref{Key: "/app/db", Version: "9"}, "", "", nil, "ParameterVersionNotFound"},
		"parameter, tags":     {"its tags", parameters, provider.Ref{Key: "/app/db", Metadata: true}, "env", "prod", nil, ""},
		"parameter, bad tags": {"of what AWS does not know", parameters, provider.Ref{Key: "/nope", Metadata: true}, "", "", nil, "InvalidResourceId"},
	} {
		t.Run(name, func(t *testing.T) {
			one, err := tc.of.Read(t.Context(), tc.ref)
			var got []byte
			if err == nil {
				got, err = one.Value(tc.property)
			}
			if (err != nil) != (tc.is != nil || tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || errors.Is(err, entry.ErrNotFound) != (tc.is != nil)) {
				t.Fatalf("%s: got the error %v, want %q (%v)", tc.reason, err, tc.err, tc.is)
			}
			if string(got) != tc.want {
				t.Errorf("%s: got %.100q, want %.100q", tc.reason, got, tc.want)
			}
		})
	}
}

func find(path, name string, tags map[string]string) (f esv1.Find) {
	f.Tags = tags
	if path != "" {
		f.Path = &path
	}
	if name != "" {
		f.Name = &esv1.FindName{RegExp: name}
	}
	return f
}

func TestFind(t *testing.T) {
	s := newServer(t)
	secrets, parameters := s.opened(t, ofSecrets), s.opened(t, ofParameters)
	prefixed := s.opened(t, strings.Replace(ofSecrets, `"region"`, `"prefix":"team/","region"`, 1))
	for name, tc := range map[string]struct {
		reason string
		of     provider.Reader
		find   esv1.Find
		want   []string
		err    string
	}{
		"name":              {"by name, anywhere in it", secrets, find("", "^team/t", nil), []string{"team/three=3", "team/two=2"}, ""},
		"path":              {"below a path", secrets, find("team/", "o", nil), []string{"team/one=1", "team/two=2"}, ""},
		"tags":              {"by tags, all of them", secrets, find("", "", map[string]string{"env": "prod", "team": "a"}), []string{"team/one=1"}, ""},
		"whole tag":         {"AWS compares beginnings, and what is deleted is not there", secrets, find("team", "", map[string]string{"env": "prod"}), []string{"team/one=1", "team/three=3"}, ""},
		"tag and name":      {"by both", secrets, find("", "three", map[string]string{"env": "prod"}), []string{"team/three=3"}, ""},
		"signs":             {"a tag that a filter may not hold", secrets, find("", "", map[string]string{"env": "!prod", "ü": "*"}), nil, ""},
		"none":              {"nothing is no error", secrets, find("", "nothing", nil), nil, ""},
		"everything":        {"without either", secrets, find("team", "", nil), nil, "set find.name or find.tags"},
		"bad name":          {"no expression", secrets, find("", "(", nil), nil, "find.name.regexp"},
		"unreadable":        {"one that cannot be read is no absence", secrets, find("", "^empty", nil), nil, "DecryptionFailure"},
		"prefix":            {"a prefix cannot be left", prefixed, find("", ".", map[string]string{"env": "prod"}), []string{"team/one=1", "team/three=3"}, ""},
		"path out":          {"also by no path", prefixed, find("db", ".", nil), nil, ""},
		"parameters":        {"below a path, decrypted", parameters, find("/app", "e", nil), []string{"/app/deep/one=1"}, ""},
		"all parameters":    {"without a path", parameters, find("", "^(plain|/other)$", nil), []string{"/other=o", "plain=no hierarchy"}, ""},
		"tagged parameters": {"by tags and a path", parameters, find("/app/deep", "", map[string]string{"env": "prod", "team": "a"}), []string{"/app/deep/one=1"}, ""},
		"both":              {"by tags and name", parameters, find("", "deep", map[string]string{"env": "prod"}), []string{"/app/deep/one=1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := tc.of.Find(t.Context(), tc.find)
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s: got the error %v, want %q", tc.reason, err, tc.err)
			}
			if err != nil {
				return
			}
			var got []string
			for name, value := range found {
				got = append(got, name+"="+string(value))
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
}

// TestCalls: AWS counts and limits requests.
func TestCalls(t *testing.T) {
	s := newServer(t)
	s.page = 100
	secrets, parameters := s.opened(t, ofSecrets), s.opened(t, ofParameters)
	for name, tc := range map[string]struct {
		reason string
		of     provider.Reader
		find   esv1.Find
		denied string
		want   []string
		found  int
	}{
		"secrets":    {"25 secrets are two batches", secrets, find("many/", ".", nil), "", []string{"ListSecrets", "BatchGetSecretValue", "BatchGetSecretValue"}, 25},
		"parameters": {"values come with the list", parameters, find("/many", "forgiven", nil), "", []string{"GetParametersByPath"}, 1},
		"by tags":    {"25 parameters are three requests", parameters, find("", "", map[string]string{"kind": "many"}), "", []string{"DescribeParameters", "GetParameters", "GetParameters", "GetParameters"}, 25},
		"no batch":   {"without the right to read many, each is read", secrets, find("team/", ".", nil), "BatchGetSecretValue", []string{"ListSecrets", "BatchGetSecretValue", "GetSecretValue", "GetSecretValue", "GetSecretValue"}, 3},
		"no path":    {"and without that to read a path", parameters, find("/app", ".", nil), "GetParametersByPath", []string{"GetParametersByPath", "DescribeParameters", "GetParameters"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s.answers(func(w http.ResponseWriter, operation string, _ object) bool {
				if operation == tc.denied {
					fail(w, "AccessDeniedException", "not authorized to perform "+operation)
				}
				return operation == tc.denied
			})
			s.operations()
			found, err := tc.of.Find(t.Context(), tc.find)
			if err != nil || len(found) != tc.found {
				t.Fatalf("%s: found %d (%v)", tc.reason, len(found), err)
			}
			if diff := cmp.Diff(tc.want, s.operations()); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
}

// TestRefusals: what AWS refuses is told apart from what is not there, and credentials
// that ended are got again.
func TestRefusals(t *testing.T) {
	s := newServer(t)
	for _, code := range []string{"AccessDeniedException", "ExpiredTokenException", "UnrecognizedClientException", "InvalidSignatureException"} {
		s.answers(func(w http.ResponseWriter, _ string, _ object) bool {
			fail(w, code, "no, User: arn:aws:iam::1:user/x, not with given-secret-key")
			return true
		})
		for _, config := range []string{ofSecrets, ofParameters} {
			p := s.opened(t, config)
			_, err := p.Read(t.Context(), provider.Ref{Key: "db"})
			if no := (*provider.Refused)(nil); !errors.As(err, &no) || errors.Is(err, entry.ErrNotFound) || !strings.Contains(err.Error(), code) {
				t.Errorf("%s of %s: %v", code, config, err)
			}
			if err != nil && strings.Contains(err.Error(), "given-secret-key") {
				t.Error(err)
			}
		}
	}
	s.answers(nil)
	p := s.opened(t, ofRole)
	s.revoke()
	s.operations()
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
		t.Errorf("a token that ended: %v", err)
	}
	if diff := cmp.Diff([]string{"GetSecretValue", "AssumeRole", "GetSecretValue"}, s.operations()); diff != "" {
		t.Error(diff)
	}
}

func throttled(w http.ResponseWriter) bool {
	fail(w, "ThrottlingException", "Rate exceeded")
	return true
}

func TestThrottling(t *testing.T) {
	s := newServer(t)
	p, first := s.opened(t, ofSecrets), true
	s.answers(func(w http.ResponseWriter, _ string, _ object) bool {
		defer func() { first = false }()
		return first && throttled(w)
	})
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
		t.Error(err)
	}
	s.answers(func(w http.ResponseWriter, _ string, _ object) bool { return throttled(w) })
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := s.opened(t, ofParameters).Read(ctx, provider.Ref{Key: "/app/db"})
	if err == nil || !strings.Contains(err.Error(), "ThrottlingException: Rate exceeded") || errors.Is(err, entry.ErrNotFound) {
		t.Errorf("throttled to the end: %v", err)
	}
}

// TestWhatIsNoAnswer: half an answer, or one of somebody else, is neither a value nor an absence, and no error quotes it.
func TestWhatIsNoAnswer(t *testing.T) {
	s := newServer(t)
	for name, tc := range map[string]struct {
		reason string
		answer func(w http.ResponseWriter)
		want   string
	}{
		"half": {"an answer that ends early", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"Name":"db","SecretString":"hunter22`))
		}, ""},
		"no JSON": {"an answer that is no JSON", func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"Name":"db","SecretString":hunter22}`)) }, ""},
		"other":   {"a value that is no text", func(w http.ResponseWriter) { say(w, object{"SecretString": object{"a": "hunter22"}}) }, ""},
		"nothing": {"an object without fields", func(w http.ResponseWriter) { say(w, object{}) }, ""},
		"page": {"a page of a proxy", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("<html>hunter22</html>"))
		}, "404 Not Found"},
		"redirect": {"another server", func(w http.ResponseWriter) {
			w.Header().Set("Location", "/hunter22")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, "307 Temporary Redirect"},
		"endless": {"more than there is memory for", func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"SecretString":"`))
			for range 20 {
				_, _ = w.Write(bytes.Repeat([]byte("hunter22"), 1<<17))
			}
			_, _ = w.Write([]byte(`"}`))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s.answers(func(w http.ResponseWriter, _ string, _ object) bool {
				tc.answer(w)
				return true
			})
			for _, config := range []string{ofSecrets, ofParameters} {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // half an answer is asked for again
				p := s.opened(t, config)
				_, err := p.Read(ctx, provider.Ref{Key: "db"})
				_, search := p.Find(ctx, find("", ".", nil))
				cancel()
				for _, err := range []error{err, search} {
					if err == nil || errors.Is(err, entry.ErrNotFound) || strings.Contains(err.Error(), "hunter22") || !strings.Contains(err.Error(), tc.want) {
						t.Errorf("%s: got the error %v, want %q", tc.reason, err, tc.want)
					}
				}
			}
		})
	}
}

func TestListsWithoutEnd(t *testing.T) {
	s := newServer(t)
	s.answers(func(w http.ResponseWriter, _ string, _ object) bool {
		say(w, object{"SecretList": []any{}, "Parameters": []any{}, "NextToken": "again"})
		return true
	})
	for _, config := range []string{ofSecrets, ofParameters} {
		if _, err := s.opened(t, config).Find(t.Context(), find("", "x", nil)); err == nil || !strings.Contains(err.Error(), "has no end") {
			t.Error(err)
		}
	}
}

func TestConfigurations(t *testing.T) {
	s := newServer(t)
	for name, tc := range map[string]struct{ config, err string }{
		"service":    {`{"region":"eu-central-1"}`, `service "" is neither`},
		"region":     {`{"service":"SecretsManager"}`, "region is empty"},
		"host":       {`{"service":"SecretsManager","region":"x.example.com/"}`, "is none"},
		"two":        {`{"service":"SecretsManager","region":"eu-central-1","auth":{"secretRef":{},"jwt":{"serviceAccountRef":{"name":"bare"}}}}`, annotationRole},
		"policy":     {`{"service":"SecretsManager","region":"eu-central-1","sessionTagsPolicy":"Simple"}`, "not supported yet"},
		"no account": {`{"service":"SecretsManager","region":"eu-central-1","auth":{"jwt":{}}}`, "set serviceAccountRef"},
		"no secret":  {`{"service":"SecretsManager","region":"eu-central-1","auth":{"secretRef":{"accessKeyIDSecretRef":{"name":"creds","key":"id"}}}}`, "secretAccessKeySecretRef: the name is empty"},
		"bare":       {fmt.Sprintf(ofAccount, "bare"), annotationRole},
		"absent":     {fmt.Sprintf(ofAccount, "nobody"), "ServiceAccount ns/nobody does not exist"},
		"forbidden":  {fmt.Sprintf(ofAccount, "denied"), "cannot assume role arn:aws:iam::1:role/forbidden with a token of the ServiceAccount denied: AccessDenied"},
		"engine":     {`{"service":"SecretsManager","region":"eu-central-1"}`, "the engine's own identity is for ClusterSecretStores"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.open(t, tc.config)
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("got the error %v, want %q", err, tc.err)
			}
			if strings.Contains(err.Error(), "jwt of ns") {
				t.Error(err)
			}
		})
	}
	for reason, config := range map[string]string{
		"what concerns deletions is left alone":                    `"secretsManager":{"forceDeleteWithoutRecovery":true}`,
		"and what would be told for a role, where none is assumed": `"externalID":"x","sessionTags":[{"key":"a","value":"b"}],"transitiveTagKeys":["a"]`,
	} {
		if _, err := s.open(t, `{"service":"SecretsManager","region":"eu-central-1",`+config+`,`+keys+`}`); err != nil {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

// TestVersions: an entry tells which version it is of.
func TestVersions(t *testing.T) {
	s := newServer(t)
	for name, tc := range map[string]struct {
		of   provider.Reader
		ref  provider.Ref
		want string
	}{
		"secret":    {s.opened(t, ofSecrets), provider.Ref{Key: "db"}, "v-AWSCURRENT"},
		"parameter": {s.opened(t, ofParameters), provider.Ref{Key: "/app/db"}, "1"},
	} {
		one, err := tc.of.Read(t.Context(), tc.ref)
		if err != nil || one.Version != tc.want {
			t.Errorf("%s: got the version %q, want %q (%v)", name, one.Version, tc.want, err)
		}
	}
}
