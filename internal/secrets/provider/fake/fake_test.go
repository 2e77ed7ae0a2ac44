package fake

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

const config = `{"data":[{"key":"a","value":"old"},{"key":"a","value":"bare"},{"key":"a","value":"one","version":"v1"},{"key":"a","value":"two","version":"v2"},
	{"key":"team/b","value":"{\"x\":\"y\"}"},{"key":"empty"}]}`

func opened(t *testing.T) provider.Reader {
	t.Helper()
	p, err := Open(t.Context(), json.RawMessage(config), store.Around{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRead(t *testing.T) {
	p := opened(t)
	for name, tc := range map[string]struct {
		reason string
		ref    provider.Ref
		want   string
		gone   bool
	}{
		"later":      {"of two with a key the later counts", provider.Ref{Key: "a"}, "bare", false},
		"version":    {"a version is the very one", provider.Ref{Key: "a", Version: "v1"}, "one", false},
		"empty":      {"an empty value is one", provider.Ref{Key: "empty"}, "", false},
		"no version": {"a version that there is not", provider.Ref{Key: "a", Version: "v3"}, "", true},
		"unversed":   {"no version is not the latest", provider.Ref{Key: "team/b", Version: "v1"}, "", true},
		"absent":     {"a key that there is not", provider.Ref{Key: "nope"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			one, err := p.Read(t.Context(), tc.ref)
			if errors.Is(err, entry.ErrNotFound) != tc.gone || (err != nil) != tc.gone || string(one.Text) != tc.want || !tc.gone && one.Version != tc.ref.Version {
				t.Errorf("%s: got %q, %v", tc.reason, one.Text, err)
			}
		})
	}
}

func TestFind(t *testing.T) {
	p := opened(t)
	for name, tc := range map[string]struct {
		reason string
		find   esv1.Find
		want   map[string][]byte
		err    string
	}{
		"greatest": {"the greatest version counts", esv1.Find{Name: &esv1.FindName{RegExp: "^a$"}}, map[string][]byte{"a": []byte("two")}, ""},
		"anywhere": {"a pattern matches anywhere", esv1.Find{Name: &esv1.FindName{RegExp: "m/"}}, map[string][]byte{"team/b": []byte(`{"x":"y"}`)}, ""},
		"none":     {"nothing is no error", esv1.Find{Name: &esv1.FindName{RegExp: "nope"}}, map[string][]byte{}, ""},
		"pattern":  {"a pattern that is none", esv1.Find{Name: &esv1.FindName{RegExp: "("}}, nil, "name.regexp"},
		"tags":     {"there are no tags", esv1.Find{Tags: map[string]string{"a": "b"}}, nil, "unsupported find operator"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := p.Find(t.Context(), tc.find)
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	if _, err := Open(t.Context(), json.RawMessage(`{"data":"hunter22"}`), store.Around{}); err == nil || strings.Contains(err.Error(), "hunter") {
		t.Errorf("a configuration that is none: %v", err)
	}
}

// TestWrites: what is pushed is read, beside what the configuration says, which stays when the former is deleted.
func TestWrites(t *testing.T) {
	p, _ := opened(t).(provider.Writer)
	r, _ := p.(provider.Reader)
	put := func(key, property, value string) error {
		return p.Put(t.Context(), provider.Push{Target: provider.Target{Key: key, Property: property}, Value: []byte(value)})
	}
	if err := errors.Join(put("new", "p", "v"), put("new", "q", "w"), put("team/b", "z", "1")); err != nil {
		t.Fatal(err)
	}
	if err := put("a", "p", "v"); !errors.Is(err, provider.ErrNoObject) {
		t.Errorf("a text has no property: %v", err)
	}
	for key, want := range map[string]string{"new": `{"p":"v","q":"w"}`, "team/b": `{"x":"y","z":"1"}`} {
		if one, err := r.Read(t.Context(), provider.Ref{Key: key}); err != nil || string(one.Text) != want {
			t.Errorf("%s is %s (%v)", key, one.Text, err)
		}
	}
	for _, target := range []provider.Target{{Key: "new", Property: "p"}, {Key: "new", Property: "q"}, {Key: "a"}, {Key: "nope"}} {
		if err := p.Delete(t.Context(), target); err != nil {
			t.Error(err)
		}
	}
	for target, want := range map[provider.Target]bool{{Key: "new"}: false, {Key: "a"}: true, {Key: "team/b", Property: "z"}: true, {Key: "team/b", Property: "p"}: false} {
		if is, err := p.Exists(t.Context(), target); err != nil || is != want {
			t.Errorf("%s: %v, %v", target, is, err)
		}
	}
}
