package aws

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

func tagsIn(said object, field string) map[string]string {
	out := map[string]string{}
	all, _ := said[field].([]any)
	for _, one := range all {
		tag := one.(object)
		out[tag["Key"].(string)] = tag["Value"].(string)
	}
	return out
}

// takes has the server take what is written, as the documentation of both services says.
func (s *server) takes(w http.ResponseWriter, operation string, said object) bool {
	id, _ := said["SecretId"].(string)
	name, _ := said["Name"].(string)
	resource, _ := said["ResourceId"].(string)
	change := func(one secret) secret {
		if text, ok := said["SecretString"].(string); ok {
			one.versions, one.binary = map[string]string{"AWSCURRENT": text}, nil
		}
		if text, ok := said["SecretBinary"].(string); ok {
			one.versions = nil
			one.binary, _ = base64.StdEncoding.DecodeString(text)
		}
		return one
	}
	switch operation {
	case "CreateSecret":
		if _, is := s.secrets[name]; is {
			fail(w, "ResourceExistsException", "exists")
			return true
		}
		s.secrets[name] = change(secret{tags: tagsIn(said, "Tags")})
	case "PutSecretValue":
		s.secrets[id] = change(s.secrets[id])
	case "DeleteSecret":
		delete(s.secrets, id)
	case "RestoreSecret":
		one := s.secrets[id]
		one.deleted = false
		s.secrets[id] = one
	case "TagResource":
		one := s.secrets[id]
		one.tags = maps.Clone(one.tags)
		maps.Copy(one.tags, tagsIn(said, "Tags"))
		s.secrets[id] = one
	case "UntagResource":
		for _, key := range said["TagKeys"].([]any) {
			delete(s.secrets[id].tags, key.(string))
		}
	case "PutParameter":
		one, is := s.parameters[name]
		if overwrite, _ := said["Overwrite"].(bool); is && !overwrite || overwrite && said["Tags"] != nil {
			fail(w, "ParameterAlreadyExists", "exists")
			return true
		}
		if !is {
			one.tags = tagsIn(said, "Tags")
		}
		one.versions = append(one.versions, said["Value"].(string))
		one.kind, _ = said["Type"].(string)
		one.key, _ = said["KeyId"].(string)
		s.parameters[name] = one
	case "AddTagsToResource":
		maps.Copy(s.parameters[resource].tags, tagsIn(said, "Tags"))
	case "RemoveTagsFromResource":
		for _, key := range said["TagKeys"].([]any) {
			delete(s.parameters[resource].tags, key.(string))
		}
	case "DeleteParameter":
		delete(s.parameters, name)
	default:
		return false
	}
	say(w, object{})
	return true
}

// writer is a store of a service at a server that takes what is written.
func writer(t *testing.T, service string) (*server, provider.Writer) {
	t.Helper()
	s := newServer(t)
	ours := map[string]string{"managed-by": "external-secrets", "team": "a"}
	s.secrets["ours"] = secret{versions: map[string]string{"AWSCURRENT": `{"a":"1"}`}, tags: maps.Clone(ours)}
	s.secrets["bare"] = secret{tags: maps.Clone(ours)}
	s.parameters["ours"] = parameter{versions: []string{`{"a":"1"}`}, tags: maps.Clone(ours)}
	s.instead = s.takes
	config := map[string]string{secretsManager: ofSecrets, parameterStore: ofParameters}[service]
	w, _ := s.opened(t, config).(provider.Writer)
	return s, w
}

func (s *server) holds(service, key string) (value string, tags map[string]string) {
	if service == parameterStore {
		one := s.parameters[key]
		if len(one.versions) == 0 {
			return "", nil
		}
		return one.versions[len(one.versions)-1], one.tags
	}
	one := s.secrets[key]
	return one.versions["AWSCURRENT"] + string(one.binary), one.tags
}

// wrote are the operations that changed something.
func (s *server) wrote() (all []string) {
	for _, one := range s.asked {
		if !strings.HasPrefix(one, "Get") && !strings.HasPrefix(one, "Describe") && !strings.HasPrefix(one, "List") {
			all = append(all, one)
		}
	}
	return all
}

// TestPut: both services make entries with the mark, put fields beside others, and write nothing of others, nor anything twice.
func TestPut(t *testing.T) {
	one := func(key, property, value, metadata string) provider.Push {
		return provider.Push{Target: provider.Target{Key: key, Property: property}, Value: []byte(value), Metadata: []byte(metadata)}
	}
	const mark, ours = "map[managed-by:external-secrets]", "map[managed-by:external-secrets team:a]"
	for name, tc := range map[string]struct {
		reason      string
		push        provider.Push
		value, tags string
		writes      int
		err         string
	}{
		"new":    {"an entry that there is not", one("fresh", "", "v<&>", ""), "v<&>", mark, 1, ""},
		"field":  {"a field of one", one("fresh", "p", "v<&>", ""), `{"p":"v<&>"}`, mark, 1, ""},
		"tagged": {"with tags of its own", one("fresh", "", "v", `{"tags":{"x":"y"}}`), "v", "map[managed-by:external-secrets x:y]", 1, ""},
		"beside": {"a field beside others", one("ours", "p", "v", ""), `{"a":"1","p":"v"}`, ours, 1, ""},
		"same":   {"what is there", one("ours", "a", "1", ""), `{"a":"1"}`, ours, 0, ""},
		"other":  {"another value", one("ours", "", "w", ""), "w", ours, 1, ""},
		"retag":  {"tags that are named are all there are", one("ours", "a", "1", `{"kind":"PushSecretMetadata","spec":{"tags":{"x":"y"}}}`), `{"a":"1"}`, "map[managed-by:external-secrets x:y]", 2, ""},
		"theirs": {"one without the mark", one("plain", "", "planted", ""), "", "", 0, "secret not managed by external-secrets: plain has not the tag managed-by=external-secrets"},
		"known":  {"metadata that there are not", one("ours", "p", "v", `{"resourcePolicy":{}}`), "", "", 0, `does not know the field "resourcePolicy"`},
	} {
		for _, service := range []string{secretsManager, parameterStore} {
			t.Run(name+"/"+service, func(t *testing.T) {
				s, w := writer(t, service)
				s.secrets["plain"] = secret{versions: map[string]string{"AWSCURRENT": "theirs"}}
				for range 2 { // again, as an engine does that was killed before it noted it
					err := w.Put(t.Context(), tc.push)
					if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "planted")) {
						t.Fatalf("%s: %v", tc.reason, err)
					}
				}
				if got := s.wrote(); len(got) != tc.writes {
					t.Errorf("%s: it wrote %v", tc.reason, got)
				}
				value, tags := s.holds(service, tc.push.Key)
				if tc.err == "" && (value != tc.value || fmt.Sprint(tags) != tc.tags) {
					t.Errorf("%s: it has %s %v, want %s %s", tc.reason, value, tags, tc.value, tc.tags)
				}
			})
		}
	}
}

// TestRetag: the tags that AWS has written itself stay.
func TestRetag(t *testing.T) {
	set, gone := retag(map[string]string{"managed-by": "external-secrets", "old": "x", "team": "a", "aws:cloudformation:stack-name": "shop"}, map[string]string{"team": "b"})
	if diff := cmp.Diff(map[string]string{"team": "b"}, set); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"old"}, gone); diff != "" {
		t.Error(diff)
	}
}

func TestFormats(t *testing.T) {
	s, w := writer(t, secretsManager)
	if err := errors.Join(
		w.Put(t.Context(), provider.Push{Target: provider.Target{Key: "binary-one"}, Value: []byte("v")}),
		w.Put(t.Context(), provider.Push{Target: provider.Target{Key: "text-one"}, Value: []byte("v"), Metadata: []byte(`{"secretPushFormat":"string","kmsKeyID":"k","description":"d"}`)}),
		w.Put(t.Context(), provider.Push{Target: provider.Target{Key: "bare", Property: "p"}, Value: []byte("v")}), // made without a value
	); err != nil {
		t.Fatal(err)
	}
	if string(s.secrets["binary-one"].binary) != "v" || s.secrets["text-one"].versions["AWSCURRENT"] != "v" || string(s.secrets["bare"].binary) != `{"p":"v"}` {
		t.Errorf("it has %v %v %v", s.secrets["binary-one"], s.secrets["text-one"], s.secrets["bare"])
	}
	for key, want := range map[string]string{"gone": "not managed", "ours": "there are binary and string"} {
		if err := w.Put(t.Context(), provider.Push{Target: provider.Target{Key: key}, Metadata: []byte(map[string]string{"ours": `{"secretPushFormat":"hex"}`}[key])}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestSecretsMarkedForDeletion: one that is going already is left when it is deleted again, and taken back when it is written.
func TestSecretsMarkedForDeletion(t *testing.T) {
	s, w := writer(t, secretsManager)
	going := s.secrets["ours"]
	going.deleted = true
	s.secrets["ours"] = going
	for _, target := range []provider.Target{{Key: "ours"}, {Key: "ours", Property: "a"}, {Key: "gone"}} {
		if err := w.Delete(t.Context(), target); err != nil || !s.secrets["ours"].deleted {
			t.Errorf("%s: %v", target, err)
		}
	}
	err := w.Put(t.Context(), provider.Push{Target: provider.Target{Key: "ours", Property: "b"}, Value: []byte("2")})
	if got, _ := s.holds(secretsManager, "ours"); err != nil || got != `{"a":"1","b":"2"}` || s.secrets["ours"].deleted {
		t.Errorf("it has %s, deleted %v: %v", got, s.secrets["ours"].deleted, err)
	}
}

func TestDeleteAndExists(t *testing.T) {
	for service, theirs := range map[string]string{secretsManager: "db", parameterStore: "/app/db"} {
		t.Run(service, func(t *testing.T) {
			s, w := writer(t, service)
			for target, want := range map[provider.Target]bool{
				{Key: "ours"}: true, {Key: "ours", Property: "a"}: true, {Key: "ours", Property: "c"}: false, {Key: "nope"}: false, {Key: theirs}: true, {Key: theirs, Property: "inner"}: true,
			} {
				if is, err := w.Exists(t.Context(), target); err != nil || is != want {
					t.Errorf("%s: %v, %v", target, is, err)
				}
			}
			if err := w.Put(t.Context(), provider.Push{Target: provider.Target{Key: "ours", Property: "b"}, Value: []byte("2")}); err != nil {
				t.Fatal(err)
			}
			for _, step := range []struct {
				target provider.Target
				want   string
			}{{provider.Target{Key: "nope"}, `{"a":"1","b":"2"}`}, {provider.Target{Key: theirs}, `{"a":"1","b":"2"}`}, {provider.Target{Key: "ours", Property: "a"}, `{"b":"2"}`}, {provider.Target{Key: "ours", Property: "b"}, ""}} {
				if err := w.Delete(t.Context(), step.target); err != nil {
					t.Errorf("%s: %v", step.target, err)
				}
				got, _ := s.holds(service, "ours")
				if diff := cmp.Diff(step.want, got); diff != "" {
					t.Errorf("after %s (-want +got):\n%s", step.target, diff)
				}
			}
			if value, _ := s.holds(service, theirs); value == "" {
				t.Error("an entry of others is deleted")
			}
		})
	}
}

// TestKeysOfParameters: another value of a parameter is encrypted with the key that it had, or is not written.
func TestKeysOfParameters(t *testing.T) {
	field := provider.Push{Target: provider.Target{Key: "ours", Property: "b"}, Value: []byte("2")}
	for name, tc := range map[string]struct {
		reason   string
		now      parameter
		metadata string
		refused  bool
		key, err string
	}{
		"kept":    {"a key of one's own", parameter{key: "alias/shop"}, "", false, "alias/shop", ""},
		"default": {"that of AWS", parameter{}, "", false, "alias/aws/ssm", ""},
		"said":    {"another one that is named, without asking", parameter{key: "alias/shop"}, `{"kmsKeyID":"alias/other"}`, true, "alias/other", ""},
		"text":    {"none of what is not encrypted", parameter{kind: "String"}, "", true, "", ""},
		"to be":   {"none of what was not", parameter{kind: "String"}, `{"secretType":"SecureString"}`, true, "", ""},
		"refused": {"nothing is written without the right to see the key", parameter{key: "alias/shop"}, "", true, "alias/shop", "the role needs ssm:DescribeParameters, or set metadata.kmsKeyID"},
	} {
		for _, act := range []string{"put", "delete"} {
			if act == "delete" && tc.metadata != "" {
				continue
			}
			t.Run(name+"/"+act, func(t *testing.T) {
				s, w := writer(t, parameterStore)
				before := s.parameters["ours"]
				before.kind, before.key, before.versions = tc.now.kind, tc.now.key, []string{`{"a":"1","c":"3"}`}
				s.parameters["ours"] = before
				s.instead = func(rw http.ResponseWriter, operation string, said object) bool {
					if operation == "DescribeParameters" && tc.refused {
						fail(rw, accessDenied, "not authorized to perform ssm:DescribeParameters")
						return true
					}
					return s.takes(rw, operation, said)
				}
				push := field
				push.Metadata = []byte(tc.metadata)
				err := w.Put(t.Context(), push)
				if act == "delete" {
					err = w.Delete(t.Context(), provider.Target{Key: "ours", Property: "c"})
				}
				if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("%s: %v", tc.reason, err)
				}
				now := s.parameters["ours"]
				if now.key != tc.key || (len(now.versions) > 1) != (err == nil) {
					t.Errorf("%s: %d versions with the key %q, want %q", tc.reason, len(now.versions), now.key, tc.key)
				}
			})
		}
	}
}

// TestWritesThatAreRefused: throttled and without rights, nothing shows a value.
func TestWritesThatAreRefused(t *testing.T) {
	s, w := writer(t, secretsManager)
	times := 0
	s.instead = func(rw http.ResponseWriter, operation string, said object) bool {
		if operation != "CreateSecret" {
			return s.takes(rw, operation, said)
		}
		if times++; times == 1 {
			fail(rw, "ThrottlingException", "Rate exceeded")
			return true
		}
		fail(rw, accessDenied, "not authorized to perform secretsmanager:CreateSecret")
		return true
	}
	err := w.Put(t.Context(), provider.Push{Target: provider.Target{Key: "fresh"}, Value: []byte("planted-hunter22")})
	no := (*provider.Refused)(nil)
	if !errors.As(err, &no) || !strings.Contains(err.Error(), "cannot create secret fresh: AccessDeniedException") || strings.Contains(err.Error(), "planted") || times != 2 {
		t.Errorf("got %v, at the %d. time", err, times)
	}
}
