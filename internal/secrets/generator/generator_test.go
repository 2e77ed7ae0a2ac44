package generator

import (
	"context"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

func TestPassword(t *testing.T) {
	identity := func(text string) ([]byte, error) { return []byte(text), nil }
	for name, tc := range map[string]struct {
		reason, spec string
		keys         []string
		length       int
		matches      string
		decode       func(string) ([]byte, error)
	}{
		"default":   {"24 characters, of which a quarter are digits and another one signs", `{}`, []string{"password"}, 24, `^([^0-9]*[0-9]){6}[^0-9]*$`, identity},
		"length":    {"as long as it is to be", `{"length":8,"digits":0,"symbols":0}`, []string{"password"}, 8, `^[a-zA-Z]{8}$`, identity},
		"digits":    {"digits alone", `{"length":6,"digits":6,"symbols":0}`, []string{"password"}, 6, `^[0-9]{6}$`, identity},
		"symbols":   {"signs of one's own", `{"length":4,"digits":0,"symbols":4,"symbolCharacters":"-_+=","allowRepeat":true}`, []string{"password"}, 4, `^[-_+=]{4}$`, identity},
		"distinct":  {"each of them once", `{"length":4,"digits":0,"symbols":4,"symbolCharacters":"-_+="}`, []string{"password"}, 4, `^[-_+=]{4}$`, identity},
		"lower":     {"no capitals", `{"length":26,"digits":0,"symbols":0,"noUpper":true}`, []string{"password"}, 26, `^[a-z]{26}$`, identity},
		"long":      {"longer than there are letters", `{"length":4096,"digits":0,"symbols":0,"allowRepeat":true}`, []string{"password"}, 4096, `^[a-zA-Z]+$`, identity},
		"keys":      {"one for each key", `{"secretKeys":["a","b"],"length":8}`, []string{"a", "b"}, 8, ``, identity},
		"raw":       {"raw is as it is", `{"encoding":"raw"}`, []string{"password"}, 24, ``, identity},
		"base64":    {"in base64", `{"encoding":"base64"}`, []string{"password"}, 24, ``, base64.StdEncoding.DecodeString},
		"base64url": {"of URLs", `{"encoding":"base64url"}`, []string{"password"}, 24, ``, base64.URLEncoding.DecodeString},
		"base32":    {"in base32", `{"encoding":"base32"}`, []string{"password"}, 24, ``, base32.StdEncoding.DecodeString},
		"hex":       {"in hexadecimal", `{"encoding":"hex"}`, []string{"password"}, 24, ``, hex.DecodeString},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Password(t.Context(), json.RawMessage(tc.spec), store.Around{})
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.keys, slices.Sorted(maps.Keys(got))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			seen := map[string]bool{}
			for key, value := range got {
				text, err := tc.decode(string(value))
				if err != nil || len(text) != tc.length || !regexp.MustCompile(tc.matches).Match(text) || seen[string(text)] {
					t.Errorf("%s: %s is %q (%v)", tc.reason, key, value, err)
				}
				seen[string(text)] = true
			}
		})
	}
}

func TestPasswordsThatThereAreNot(t *testing.T) {
	for name, tc := range map[string]struct{ reason, spec, want string }{
		"no JSON":      {"the spec is none", `[]`, "spec"},
		"negative":     {"a length below nothing", `{"length":-1}`, "spec.length -1"},
		"endless":      {"a length that nobody types", `{"length":1000000000}`, "spec.length"},
		"encoding":     {"an encoding that there is not", `{"encoding":"rot13"}`, `spec.encoding "rot13"`},
		"too many":     {"more digits than characters", `{"length":4,"digits":5}`, "spec"},
		"no letters":   {"more letters than there are, each once", `{"length":100,"digits":0,"symbols":0}`, "repeats are not allowed"},
		"no digits":    {"more digits than there are, each once", `{"length":20,"digits":11,"symbols":0}`, "repeats are not allowed"},
		"number":       {"a number that is none", `{"length":"8"}`, "spec"},
		"large number": {"a number that no machine has", `{"length":1e30}`, "spec"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Password(t.Context(), json.RawMessage(tc.spec), store.Around{}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, %v", tc.reason, got, err)
			}
		})
	}
}

func TestUUID(t *testing.T) {
	seen := map[string]bool{}
	for range 20 {
		got, err := UUID(t.Context(), nil, store.Around{})
		text := string(got["uuid"])
		if err != nil || !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(text) || seen[text] {
			t.Fatalf("got %v, %v", got, err)
		}
		seen[text] = true
	}
}

func TestFake(t *testing.T) {
	got, err := Fake(t.Context(), json.RawMessage(`{"data":{"a":"b"},"controller":"x"}`), store.Around{})
	if diff := cmp.Diff(map[string][]byte{"a": []byte("b")}, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if _, err := Fake(t.Context(), json.RawMessage(`{"data":["hunter22"]}`), store.Around{}); err == nil || strings.Contains(err.Error(), "hunter") {
		t.Errorf("got %v", err)
	}
}

// objects answers what is asked of an API server that has these generators.
type objects map[string]map[string]any

var errAway = errors.New("the API server is away")

func (o objects) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	one, _ := into.(*unstructured.Unstructured)
	if one.GroupVersionKind().GroupVersion() != (schema.GroupVersion{Group: group, Version: version}) {
		return fmt.Errorf("asked for %s", one.GroupVersionKind())
	}
	if name.Name == "away" {
		return errAway
	}
	spec, ok := o[one.GetKind()+" "+name.String()]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Group: group, Resource: "generators"}, name.Name)
	}
	if spec != nil {
		one.Object["spec"] = spec
	}
	return nil
}

func (objects) List(context.Context, client.ObjectList, ...client.ListOption) error { return errAway }

func TestGenerate(t *testing.T) {
	g := Generators{
		Objects: objects{
			"Fake ns/values":            {"data": map[string]any{"a": "b"}},
			"Fake ns/bare":              nil,
			"Fake ns/wrong":             {"data": "hunter22"},
			"ClusterGenerator /values":  {"kind": "Fake", "generator": map[string]any{"fakeSpec": map[string]any{"data": map[string]any{"c": "d"}}}},
			"ClusterGenerator /kind":    {"generator": map[string]any{}},
			"ClusterGenerator /nothing": {"kind": "Fake", "generator": map[string]any{"uuidSpec": map[string]any{}}},
			"ClusterGenerator /unknown": {"kind": "Grafana", "generator": map[string]any{"grafanaSpec": map[string]any{}}},
			"ClusterGenerator /itself":  {"kind": "ClusterGenerator", "generator": map[string]any{"clusterGeneratorSpec": map[string]any{}}},
		},
		Makers: map[string]Maker{"Fake": Fake, "UUID": UUID},
		Around: func(string) store.Around { return store.Around{} },
	}
	for name, tc := range map[string]struct {
		reason string
		ref    esv1.GeneratorRef
		want   map[string]string
		err    string
		is     error
	}{
		"values":          {"the values of one", esv1.GeneratorRef{Kind: "Fake", Name: "values"}, map[string]string{"a": "b"}, "", nil},
		"version":         {"whose version may be said", esv1.GeneratorRef{APIVersion: "generators.external-secrets.io/v1alpha1", Kind: "Fake", Name: "values"}, map[string]string{"a": "b"}, "", nil},
		"bare":            {"one that says nothing", esv1.GeneratorRef{Kind: "Fake", Name: "bare"}, map[string]string{}, "", nil},
		"cluster":         {"one for all namespaces", esv1.GeneratorRef{Kind: "ClusterGenerator", Name: "values"}, map[string]string{"c": "d"}, "", nil},
		"other group":     {"of another group", esv1.GeneratorRef{APIVersion: "v1", Kind: "Secret", Name: "values"}, nil, "generators are of", ErrKind},
		"unknown":         {"of a kind that this build has not", esv1.GeneratorRef{Kind: "ECRAuthorizationToken", Name: "x"}, nil, "this build has Fake, UUID", ErrKind},
		"absent":          {"one that is not there", esv1.GeneratorRef{Kind: "Fake", Name: "x"}, nil, "Fake ns/x", ErrAbsent},
		"away":            {"an API server that does not answer", esv1.GeneratorRef{Kind: "Fake", Name: "away"}, nil, "cannot read Fake ns/away", errAway},
		"wrong":           {"one that says nonsense", esv1.GeneratorRef{Kind: "Fake", Name: "wrong"}, nil, "Fake ns/wrong: spec", nil},
		"cluster kind":    {"one for all that says no kind", esv1.GeneratorRef{Kind: "ClusterGenerator", Name: "kind"}, nil, "spec.kind is empty", nil},
		"cluster spec":    {"or not what its kind is told", esv1.GeneratorRef{Kind: "ClusterGenerator", Name: "nothing"}, nil, "spec.generator has no fakeSpec", nil},
		"cluster unknown": {"or a kind that this build has not", esv1.GeneratorRef{Kind: "ClusterGenerator", Name: "unknown"}, nil, "Grafana", ErrKind},
		"cluster itself":  {"or itself", esv1.GeneratorRef{Kind: "ClusterGenerator", Name: "itself"}, nil, "ClusterGenerator", ErrKind},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := g.Generate(t.Context(), "ns", tc.ref)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || tc.is != nil && !errors.Is(err, tc.is) || strings.Contains(err.Error(), "hunter") {
					t.Errorf("%s: got %v", tc.reason, err)
				}
				return
			}
			texts := map[string]string{}
			for key, value := range got {
				texts[key] = string(value)
			}
			if diff := cmp.Diff(tc.want, texts); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", tc.reason, err, diff)
			}
		})
	}
}

func TestFieldOf(t *testing.T) {
	for kind, want := range map[string]string{
		"Password": "passwordSpec", "UUID": "uuidSpec", "ECRAuthorizationToken": "ecrAuthorizationTokenSpec", "GithubAccessToken": "githubAccessTokenSpec",
		"STSSessionToken": "stsSessionTokenSpec", "": "Spec", "fake": "fakeSpec",
	} {
		if got := fieldOf(kind); got != want {
			t.Errorf("%s: got %s", kind, got)
		}
	}
}
