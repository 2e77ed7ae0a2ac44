package gcp

import (
	"bytes"
	"context"
	"errors"
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
	global, region := s.opened(t, ofKey), s.opened(t, ofRegion)
	enabled := s.opened(t, strings.Replace(ofKey, `"projectID"`, `"secretVersionSelectionPolicy":"LatestOrFetch","projectID"`, 1))
	for name, tc := range map[string]struct {
		reason   string
		of       provider.Reader
		ref      provider.Ref
		property string
		want     string
		version  string
		is       error
		err      string
	}{
		"field":         {"a field of the latest version", global, provider.Ref{Key: "db"}, "password", "s3cret<&>", "2", nil, ""},
		"number":        {"a large number keeps its digits", global, provider.Ref{Key: "db"}, "serial", "12345678901234567890", "2", nil, ""},
		"path":          {"a path into a field", global, provider.Ref{Key: "db"}, "inner.a", "b", "2", nil, ""},
		"dot":           {"the name of a field may have a dot", global, provider.Ref{Key: "db"}, "a.b", "dot", "2", nil, ""},
		"latest":        {"by its name", global, provider.Ref{Key: "db", Version: "latest"}, "password", "s3cret<&>", "2", nil, ""},
		"version":       {"a version", global, provider.Ref{Key: "db", Version: "1"}, "password", "old", "1", nil, ""},
		"alias":         {"by its alias", global, provider.Ref{Key: "db", Version: "stable"}, "password", "old", "1", nil, ""},
		"no version":    {"one that there is not", global, provider.Ref{Key: "db", Version: "9"}, "", "", "", entry.ErrNotFound, "cannot read version 9 of secret db of project shop: NOT_FOUND"},
		"whole name":    {"a name as Google has it, of another project", global, provider.Ref{Key: "projects/other/secrets/db"}, "", "other", "1", nil, ""},
		"whole version": {"with a version", global, provider.Ref{Key: "projects/shop/secrets/db/versions/1"}, "password", "old", "1", nil, ""},
		"absent":        {"a secret that there is not", global, provider.Ref{Key: "nope"}, "", "", "", entry.ErrNotFound, "secret nope of project shop"},
		"no versions":   {"one without versions", global, provider.Ref{Key: "none"}, "", "", "", entry.ErrNotFound, "NOT_FOUND"},
		"destroyed":     {"a version that is, says nothing of the secret", global, provider.Ref{Key: "gone"}, "", "", "", nil, "DESTROYED"},
		"newest":        {"not even where others are enabled", global, provider.Ref{Key: "wrong"}, "", "", "", nil, "DESTROYED"},
		"disabled":      {"what is disabled is not", global, provider.Ref{Key: "off"}, "", "", "", nil, "DISABLED"},
		"enabled":       {"the version before it, for who wants that", enabled, provider.Ref{Key: "off"}, "", "on", "1", nil, ""},
		"not destroyed": {"nor is one that was destroyed in its way", enabled, provider.Ref{Key: "wrong"}, "", "right", "1", nil, ""},
		"none enabled":  {"where no version is enabled", enabled, provider.Ref{Key: "gone"}, "", "", "", nil, "no version is enabled"},
		"asked for":     {"not in place of a version that was asked for", enabled, provider.Ref{Key: "off", Version: "2"}, "", "", "", nil, "DISABLED"},
		"text":          {"a value is no JSON", global, provider.Ref{Key: "text"}, "", "no JSON", "1", nil, ""},
		"no JSON":       {"and has no property, which is no absence", global, provider.Ref{Key: "text"}, "a", "", "", nil, "no JSON"},
		"no field":      {"a field that there is not", global, provider.Ref{Key: "db"}, "nope", "", "", nil, "no such property"},
		"binary":        {"bytes", global, provider.Ref{Key: "binary"}, "", "\x00\x01\xff", "1", nil, ""},
		"large":         {"as much as Google keeps", global, provider.Ref{Key: "large"}, "", strings.Repeat("x", 64<<10), "1", nil, ""},
		"no key":        {"a key is needed", global, provider.Ref{}, "", "", "", nil, "the key is empty"},
		"odd key":       {"a key leads nowhere else", global, provider.Ref{Key: "db:destroy"}, "", "", "", nil, "no name of a secret"},
		"odd path":      {"nor does one with slashes", global, provider.Ref{Key: "projects/shop/../secrets/db"}, "", "", "", nil, "no name of a secret"},
		"odd version":   {"nor a version", global, provider.Ref{Key: "db", Version: "1:destroy"}, "", "", "", nil, "neither a number nor an alias"},
		"region":        {"of a region", region, provider.Ref{Key: "here"}, "", "regional", "1", nil, ""},
		"other region":  {"of another one", global, provider.Ref{Key: "projects/shop/locations/europe-west3/secrets/here"}, "", "", "", nil, `of the location "europe-west3", and the store of ""`},
		"global":        {"what is global is not of a region", region, provider.Ref{Key: "projects/shop/secrets/db"}, "", "", "", nil, "use a store of that location"},
		"metadata":      {"labels and annotations", global, provider.Ref{Key: "db", Metadata: true}, "", `{"annotations":{"owner":"me"},"labels":{"env":"prod","team":"a"}}`, "", nil, ""},
		"label":         {"a label", global, provider.Ref{Key: "db", Metadata: true}, "labels.env", "prod", "", nil, ""},
		"annotation":    {"an annotation whose name has dots", global, provider.Ref{Key: "text", Metadata: true}, "annotations.example.com/owner", "you", "", nil, ""},
		"escaped":       {"or as a path", global, provider.Ref{Key: "text", Metadata: true}, `annotations.example\.com/owner`, "you", "", nil, ""},
		"annotations":   {"all annotations", global, provider.Ref{Key: "db", Metadata: true}, "annotations", `{"owner":"me"}`, "", nil, ""},
		"no labels":     {"of a secret without", global, provider.Ref{Key: "binary", Metadata: true}, "labels", `{}`, "", nil, ""},
		"labels of no":  {"of a secret that there is not", global, provider.Ref{Key: "nope", Metadata: true}, "", "", "", entry.ErrNotFound, "cannot read the labels of secret nope"},
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
			if string(got) != tc.want || err == nil && one.Version != tc.version {
				t.Errorf("%s: got %.100q of version %q, want %.100q of %q", tc.reason, got, one.Version, tc.want, tc.version)
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
	global, region := s.opened(t, ofKey), s.opened(t, ofRegion)
	for name, tc := range map[string]struct {
		reason string
		of     provider.Reader
		find   esv1.Find
		want   []string
		err    string
	}{
		"name":       {"by name, over pages", global, find("", "^(t|b)", nil), []string{"binary=\x00\x01\xff", "team-One=1", "team-two=2", "text=no JSON"}, ""},
		"path":       {"by the beginning of the name", global, find("team", "o$", nil), []string{"team-two=2"}, ""},
		"part":       {"and no other part of it", global, find("two", ".", nil), nil, ""},
		"case":       {"in its case", global, find("team-O", ".", nil), []string{"team-One=1"}, ""},
		"other case": {"and in no other one", global, find("team-o", ".", nil), nil, ""},
		"tags":       {"by labels, as they are", global, find("", "t", map[string]string{"env": "prod"}), []string{"team-two=2", "text=no JSON"}, ""},
		"all tags":   {"all of them", global, find("", "", map[string]string{"env": "prod", "team": "b"}), nil, ""},
		"signs":      {"a label that a filter may not hold", global, find("", "", map[string]string{"env": "prod OR name:x"}), nil, ""},
		"gone":       {"without versions", global, find("", "", map[string]string{"kind": "odd"}), nil, ""},
		"destroyed":  {"one whose latest version is destroyed is still there", global, find("", "", map[string]string{"kind": "wrong"}), nil, "DESTROYED"},
		"disabled":   {"one that cannot be read is no absence", global, find("", "", map[string]string{"kind": "off"}), nil, "DISABLED"},
		"none":       {"nothing is no error", global, find("", "nothing", nil), nil, ""},
		"everything": {"without either", global, find("team", "", nil), nil, "set find.name or find.tags"},
		"bad name":   {"no expression", global, find("", "(", nil), nil, "find.name.regexp"},
		"region":     {"of a region alone", region, find("", "t|h", nil), []string{"here=regional", "there=t"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := tc.of.Find(t.Context(), tc.find)
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s: got the error %v, want %q", tc.reason, err, tc.err)
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

// TestCalls: Google counts requests, and a token is got once.
func TestCalls(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, ofKey)
	for range 2 {
		if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Find(t.Context(), find("team", ".", nil)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"POST /token", "GET projects/shop/secrets/db/versions/latest access", "GET projects/shop/secrets/db/versions/latest access",
		"GET projects/shop/secrets", "GET projects/shop/secrets/team-One/versions/latest access", "GET projects/shop/secrets/team-two/versions/latest access",
	}
	got := s.operations()
	slices.Sort(got[len(got)-2:]) // these are read at the same time
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestRefusals: what Google refuses is told apart from what is not there, and a token that
// ended is got again.
func TestRefusals(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, ofKey)
	_, err := p.Read(t.Context(), provider.Ref{Key: "projects/denied/secrets/db"})
	if no := (*provider.Refused)(nil); !errors.As(err, &no) || errors.Is(err, entry.ErrNotFound) || !strings.Contains(err.Error(), "PERMISSION_DENIED") {
		t.Error(err)
	}
	if err != nil && strings.Contains(err.Error(), "made-access-token") {
		t.Error(err)
	}
	s.revoke()
	s.operations()
	if _, err := p.Read(t.Context(), provider.Ref{Key: "text"}); err != nil {
		t.Errorf("a token that ended: %v", err)
	}
	read := "GET projects/shop/secrets/text/versions/latest access"
	if diff := cmp.Diff([]string{read, "POST /token", read}, s.operations()); diff != "" {
		t.Error(diff)
	}
	s.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			fail(w, http.StatusUnauthorized, "UNAUTHENTICATED", "no")
		}
		return r.Method == http.MethodGet
	})
	for range 3 {
		_, err := p.Read(t.Context(), provider.Ref{Key: "text"})
		if no := (*provider.Refused)(nil); !errors.As(err, &no) {
			t.Error(err)
		}
	}
	if asked := s.operations(); slices.Contains(asked, "POST /token") {
		t.Errorf("a token that is not taken is got again and again: %v", asked)
	}
}

func TestThrottling(t *testing.T) {
	s := newServer(t)
	p, first := s.opened(t, ofKey), true
	s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		defer func() { first = false }()
		if first {
			fail(w, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Quota exceeded")
		}
		return first
	})
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err != nil {
		t.Error(err)
	}
	s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		fail(w, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "Quota exceeded")
		return true
	})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := p.Read(ctx, provider.Ref{Key: "db"})
	if no := (*provider.Refused)(nil); err == nil || !strings.Contains(err.Error(), "RESOURCE_EXHAUSTED: Quota exceeded") || errors.Is(err, entry.ErrNotFound) || errors.As(err, &no) {
		t.Errorf("throttled to the end: %v", err)
	}
}

// TestWhatIsNoAnswer: half an answer, or one of somebody else, is neither a value nor an absence, and no error quotes it.
func TestWhatIsNoAnswer(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, ofKey)
	for name, tc := range map[string]struct {
		reason string
		answer func(w http.ResponseWriter)
		want   string
	}{
		"half": {"an answer that ends early", func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"name":"n","payload":{"data":"aHVudGVyMjI`))
		}, "not a whole one"},
		"no JSON": {"an answer that is no JSON", func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"secrets":hunter22}`)) }, "not a whole one"},
		"no base64": {"a value that is not in base64", func(w http.ResponseWriter) {
			say(w, object{"name": "n", "secrets": 1, "payload": object{"data": "!hunter22"}})
		}, ""},
		"sum": {"a value that is another one", func(w http.ResponseWriter) {
			say(w, object{"name": "n", "secrets": 1, "payload": object{"data": "aHVudGVyMjI=", "dataCrc32c": "1"}})
		}, ""},
		"nothing":    {"an answer without a value", func(w http.ResponseWriter) { say(w, object{"name": "n", "secrets": []object{{}}}) }, ""},
		"no content": {"an answer without any", func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }, "not one of Google"},
		"created":    {"an answer to another question", func(w http.ResponseWriter) { w.WriteHeader(http.StatusCreated); _, _ = w.Write([]byte("{}")) }, "not one of Google"},
		"null":       {"an answer that is none", func(w http.ResponseWriter) { say(w, nil) }, "not one of Google"},
		"page": {"a page of a proxy", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("<html>hunter22</html>"))
		}, "the server answers 404 Not Found"},
		"redirect": {"another server", func(w http.ResponseWriter) {
			w.Header().Set("Location", "/hunter22")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, "307 Temporary Redirect"},
		"endless": {"more than there is memory for", func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"name":"`))
			for range 20 {
				_, _ = w.Write(bytes.Repeat([]byte("hunter22"), 1<<17))
			}
			_, _ = w.Write([]byte(`"}`))
		}, "longer than is read"},
	} {
		t.Run(name, func(t *testing.T) {
			s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
				tc.answer(w)
				return true
			})
			_, err := p.Read(t.Context(), provider.Ref{Key: "db"})
			_, search := p.Find(t.Context(), find("", ".", nil))
			for _, err := range []error{err, search} {
				if err == nil || errors.Is(err, entry.ErrNotFound) || strings.Contains(err.Error(), "hunter22") || strings.Contains(err.Error(), "aHVudGVyMjI") || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%s: got the error %v, want %q", tc.reason, err, tc.want)
				}
			}
		})
	}
	s.answers(nil)
	s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // it is asked again
	defer cancel()
	if _, err := p.Read(ctx, provider.Ref{Key: "db"}); err == nil || !strings.Contains(err.Error(), "refused") || errors.Is(err, entry.ErrNotFound) {
		t.Errorf("a server that is gone: %v", err)
	}
}

func TestListsWithoutEnd(t *testing.T) {
	s := newServer(t)
	p := s.opened(t, ofKey)
	s.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		say(w, object{"nextPageToken": "again"})
		return true
	})
	if _, err := p.Find(t.Context(), find("", "x", nil)); err == nil || !strings.Contains(err.Error(), "has no end") {
		t.Error(err)
	}
}
