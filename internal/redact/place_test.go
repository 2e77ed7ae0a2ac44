package redact

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is masked by the place where it stands, and what is shown beside it.
func TestPlaces(t *testing.T) {
	type m = map[string]any
	type l = []any
	for name, tc := range map[string]struct {
		reason     string
		m          Masker
		value      any
		want       any
		wantMasked bool
	}{
		"Secret":           {"all of its data, of whatever form", Masker{}, m{"apiVersion": "v1", "kind": "Secret", "data": m{"a": l{"x", int64(1), true, m{"b": "y"}}, "n": nil}, "type": "Opaque"}, m{"apiVersion": "v1", "kind": "Secret", "data": m{"a": l{Mask, Mask, Mask, m{"b": Mask}}, "n": nil}, "type": "Opaque"}, true},
		"Within":           {"of a Secret inside of another object too", Masker{}, m{"spec": m{"apiVersion": "v1", "kind": "Secret", "stringData": m{"a": "x"}}}, m{"spec": m{"apiVersion": "v1", "kind": "Secret", "stringData": m{"a": Mask}}}, true},
		"Other Secret":     {"a kind of another group has other data", Masker{}, m{"apiVersion": "e.com/v1", "kind": "Secret", "data": m{"a": "x"}}, m{"apiVersion": "e.com/v1", "kind": "Secret", "data": m{"a": "x"}}, false},
		"Last applied":     {"a copy of everything", Masker{}, m{"metadata": m{"annotations": m{"kubectl.kubernetes.io/last-applied-configuration": "{}"}}}, m{"metadata": m{"annotations": m{"kubectl.kubernetes.io/last-applied-configuration": Mask}}}, true},
		"Number":           {"a password of digits", Masker{}, m{"password": int64(123456)}, m{"password": Mask}, true},
		"Flag":             {"yes or no is no secret", Masker{}, m{"token": true, "usePassword": false}, m{"token": true, "usePassword": false}, false},
		"Reference":        {"what is below such a key names one", Masker{}, m{"password": m{"secretKeyRef": m{"name": "a", "key": "b"}}}, m{"password": m{"secretKeyRef": m{"name": "a", "key": "b"}}}, false},
		"Plural":           {"a mapping of secrets, and what names something in it", Masker{}, m{"passwords": m{"bob": "x", "pin": int64(1), "name": "n", "enabled": true, "deep": m{"a": "y"}}}, m{"passwords": m{"bob": Mask, "pin": Mask, "name": "n", "enabled": true, "deep": m{"a": "y"}}}, true},
		"Items":            {"a list under a key that is no plural", Masker{}, m{"secret": l{"x", int64(5), false, m{"name": "n", "v": "y"}}}, m{"secret": l{Mask, Mask, false, m{"name": "n", "v": Mask}}}, true},
		"Key beside":       {"a value that is named by a key", Masker{}, m{"key": "apiKey", "value": "x"}, m{"key": "apiKey", "value": Mask}, true},
		"Plain beside":     {"another one", Masker{}, m{"name": "COLOR", "value": "blue"}, m{"name": "COLOR", "value": "blue"}, false},
		"Flagged":          {"after a flag; one that has its value, and a word, are none", Masker{}, l{"--token", "x", "--password=", "y", "password", "z", int64(1), "w"}, l{"--token", Mask, "--password=", "y", "password", "z", int64(1), "w"}, true},
		"First":            {"nothing is before the first", Masker{}, l{"--token"}, l{"--token"}, false},
		"Schema":           {"a definition names fields", Masker{}.For(m{"apiVersion": "apiextensions.k8s.io/v1"}), m{"password": "a", "args": l{"--token", "x"}, "doc": "password: x"}, m{"password": "a", "args": l{"--token", "x"}, "doc": "password: x"}, false},
		"Generator":        {"so do groups below that of External Secrets", Masker{}.For(m{"apiVersion": "generators.external-secrets.io/v1alpha1"}), m{"password": "a"}, m{"password": "a"}, false},
		"Likeness":         {"a group that ends alike is another", Masker{}.For(m{"apiVersion": "my-external-secrets.io/v1"}), m{"password": "a"}, m{"password": Mask}, true},
		"Known in exempt":  {"what is known is masked there, too", NewMasker(NewKnown([]string{"swordfish"})).For(m{"apiVersion": "external-secrets.io/v1"}), m{"a": "is swordfish", "password": "x"}, m{"a": "is [masked]", "password": "x"}, true},
		"Secret in exempt": {"and so is a Secret", Masker{}.For(m{"apiVersion": "external-secrets.io/v1"}), m{"apiVersion": "v1", "kind": "Secret", "data": m{"a": "x"}}, m{"apiVersion": "v1", "kind": "Secret", "data": m{"a": Mask}}, true},
		"Annotation":       {"one of a Secret that is named, and no other", Masker{}.Hiding([]string{"note"}), m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"annotations": m{"note": "x", "more": "y"}, "labels": m{"note": "z"}}}, m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"annotations": m{"note": Mask, "more": "y"}, "labels": m{"note": "z"}}}, true},
		"Not its":          {"of another kind", Masker{}.Hiding([]string{"note"}), m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"annotations": m{"note": "x"}}}, m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"annotations": m{"note": "x"}}}, false},
		"Null":             {"of nothing nothing is masked", Masker{}, m{"password": nil}, m{"password": nil}, false},
	} {
		t.Run(name, func(t *testing.T) {
			before := cmp.Diff(nil, tc.value)
			got, masked := tc.m.At(Place{}, tc.value)
			if diff := cmp.Diff(tc.want, got); diff != "" || masked != tc.wantMasked {
				t.Errorf("%s: masked is %t: -want +got:\n%s", tc.reason, masked, diff)
			}
			if before != cmp.Diff(nil, tc.value) {
				t.Errorf("%s: the value itself was changed", tc.reason)
			}
		})
	}
}

// Where two sides are compared, a value is secret if one of them says so: of a Secret
// that becomes a ConfigMap, and of arguments that move.
func TestOneSideMakesAPlaceSecret(t *testing.T) {
	secret := map[string]any{"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"a": "x"}}
	config := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"a": "y"}}
	var m Masker
	for name, tc := range map[string]struct {
		reason string
		place  Place
		want   bool
	}{
		"Before":  {"it was a Secret", m.Field(Place{}, "data", secret, config), true},
		"After":   {"it becomes one", m.Field(Place{}, "data", config, secret), true},
		"Neither": {"it never is", m.Field(Place{}, "data", config, config), false},
		"Gone":    {"one side has no such field", m.Field(Place{}, "data", nil, secret), true},
		"Below":   {"all that is below a secret is", m.Field(m.Field(Place{}, "data", secret), "name", map[string]any{"name": "x"}), true},
		"Moved":   {"an argument is a flag's value on one side", m.Item(Place{}, Item{[]any{"x", "y"}, 1}, Item{[]any{"--token", "y"}, 1}), true},
		"Shown":   {"it is on none", m.Item(Place{}, Item{[]any{"x", "y"}, 1}), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.place.Secret(); got != tc.want {
				t.Errorf("%s: secret is %t", tc.reason, got)
			}
		})
	}
}

// The keys that are taken for those of secrets.
func TestSensitiveKeys(t *testing.T) {
	for key, want := range map[string]bool{
		"password": true, "adminPassword": true, "admin.password": true, "DB_PASSWORD": true, "--db-password": true, "auth/token": true,
		"PWD": true, "client secret": true, ".dockerconfigjson": true, "ssh-privatekey": true, "tls.key": true, "AWS_SECRET_ACCESS_KEY": true,
		"oauthSecret": true, "GITHUB_OAUTH_SECRET": true, "CLICKHOUSE_SECRET": true, "warehouseSecret": true, "AUTH_SECRET": true, "NEXTAUTH_SECRET": true,
		"": false, "passwordFile": false, "secretName": false, "tokens": false, "key": false, "public.key": false, "monkey": false,
		"existingSecret": false, "auth.existingSecret": false, "imagePullSecret": false, "tlsSecret": false, "useSecret": false,
		"nginx.ingress.kubernetes.io/auth-secret": false, "checksum/secret": false, "IMAGE_PULL_SECRET": false,
	} {
		if got := Sensitive(key); got != want {
			t.Errorf("%q is sensitive: %t", key, got)
		}
	}
}

// A value is looked up by its path as a part of the whole, so that what is above it counts.
func TestValuesByTheirPaths(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		path   []string
		value  any
		want   any
	}{
		"Root":     {"all of them", nil, map[string]any{"password": "x", "a": 1.0}, map[string]any{"password": Mask, "a": int64(1)}},
		"Above":    {"a mapping of secrets has it", []string{"tokens", "bob"}, "x", Mask},
		"Too far":  {"the key of secrets is not directly above", []string{"tokens", "bob", "name"}, "x", "x"},
		"Nothing":  {"there is none", []string{"a", "password"}, nil, nil},
		"Go types": {"what a program made", []string{"a"}, map[string]string{"password": "x"}, map[string]any{"password": Mask}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Masker{}.Value(tc.path, tc.value)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
