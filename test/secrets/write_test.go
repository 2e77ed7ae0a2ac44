package secrets

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// writes has a real Vault take what PushSecrets write, in both versions of its KV engine.
func writes(t *testing.T, v vault) {
	v.put("theirs", map[string]any{"a": "b"})
	v.has(http.MethodPost, "old/theirs", map[string]any{"a": "b"})
	for name, config := range map[string]string{
		"second": `{"path":"secret","auth":{"tokenSecretRef":{"name":"creds","key":"root"}}}`,
		"first":  `{"path":"old","version":"v1","auth":{"tokenSecretRef":{"name":"creds","key":"root"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, v, config, nil)
			w, _ := p.(provider.Writer)
			put := func(key, property, value string) error {
				return w.Put(t.Context(), provider.Push{Target: provider.Target{Key: key, Property: property}, Value: []byte(value)})
			}
			holds := func(key, want string) {
				t.Helper()
				one, err := p.Read(t.Context(), provider.Ref{Key: key})
				if got := string(one.Text); err != nil || got != want && got != strings.TrimSuffix(want, "}")+`,"custom_metadata":{"managed-by":"external-secrets"}}` && !strings.HasPrefix(got, `{"custom_metadata":{"managed-by":"external-secrets"},`+want[1:]) {
					t.Errorf("%s has %s, want %s (%v)", key, got, want, err)
				}
			}
			if err := put("theirs", "a", "c"); !errors.Is(err, provider.ErrNotManaged) {
				t.Errorf("an entry of others: %v", err)
			}
			for range 2 {
				if err := errors.Join(put("pushed/one", "p", "v"), put("pushed/one", "q", "w"), put("pushed/two", "", `{"n":123456}`), put("pushed/large", "", `{"n":12345678901234567890}`)); err != nil {
					t.Fatal(err)
				}
			}
			holds("pushed/one", `{"p":"v","q":"w"}`)
			holds("pushed/two", `{"n":123456}`)
			if name == "second" { // what is there was not written again
				metadata := v.has(http.MethodGet, "secret/metadata/pushed/one", nil)
				if got := text(metadata, "data", "current_version") + text(metadata, "data", "custom_metadata"); got != "2map[managed-by:external-secrets]" {
					t.Errorf("the metadata are %s", got)
				}
				if got := text(v.has(http.MethodGet, "secret/metadata/pushed/large", nil), "data", "current_version"); got != "1" { // Vault rounds it
					t.Errorf("a large number has %s versions", got)
				}
				v.has(http.MethodDelete, "secret/data/pushed/two", nil)
				if err := put("pushed/two", "again", "x"); err != nil {
					t.Errorf("onto a version that is deleted: %v", err)
				}
				holds("pushed/two", `{"again":"x"}`)
			}
			if err := w.Delete(t.Context(), provider.Target{Key: "pushed/one", Property: "p"}); err != nil {
				t.Fatal(err)
			}
			holds("pushed/one", `{"q":"w"}`)
			for _, target := range []provider.Target{{Key: "pushed/one", Property: "q"}, {Key: "pushed/two"}, {Key: "theirs"}, {Key: "nope"}} {
				is, err := w.Exists(t.Context(), target)
				err = errors.Join(err, w.Delete(t.Context(), target))
				now, failed := w.Exists(t.Context(), target)
				if got := fmt.Sprint(is, now); errors.Join(err, failed) != nil || got != map[string]string{"pushed/one": "true false", "pushed/two": "true false", "theirs": "true true", "nope": "false false"}[target.Key] {
					t.Errorf("%s: %s (%v, %v)", target, got, err, failed)
				}
			}
		})
	}
}
