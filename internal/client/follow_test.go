package client

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChangesAreHeard(t *testing.T) {
	web, shop := Key{"argocd", "web"}, Key{"team", "shop"}
	cases := map[string]struct {
		reason, stream string
		want           []Change
		broken         bool
	}{
		"reset":   {"a stream begins with what may have been missed", "id: 7\nevent: reset\ndata: {\"version\":\"7\"}\n\n", []Change{{All: true}}, false},
		"changed": {"what changed and what is gone is named", "event: applications\ndata: {\"changed\":[{\"namespace\":\"argocd\",\"name\":\"web\",\"sync\":\"Synced\"}],\"gone\":[{\"namespace\":\"team\",\"name\":\"shop\"}]}\n\n", []Change{{Keys: []Key{web, shop}}}, false},
		"beats":   {"a stream that has nothing to say tells of no change", "event: beat\ndata: {}\n\nevent: beat\ndata: {}\n\n", nil, false},
		"later":   {"what a later server sends besides is no change", "event: weather\ndata: rain\n\n: a comment\n\n", nil, false},
		"parts":   {"data may come in several lines", "event:applications\ndata:{\"gone\":[\ndata:{\"namespace\":\"team\",\"name\":\"shop\"}]}\n\n", []Change{{Keys: []Key{shop}}}, false},
		"broken":  {"what is no event is said", "event: applications\ndata: {\n\n", nil, true},
		"cut off": {"an event that has not ended has not happened", "event: reset\ndata: {}", nil, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(c.stream)) }))
			defer s.Close()
			var got []Change
			err := dial(t, s).Follow(t.Context(), func(one Change) { got = append(got, one) })
			if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != c.broken {
				t.Errorf("%s: %v\n%s", c.reason, err, diff)
			}
		})
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { problem(w, 403, `{"detail":"ann may not"}`) }))
	defer s.Close()
	if err := dial(t, s).Follow(t.Context(), func(Change) {}); !Is(err, 403) || errors.Is(err, http.ErrHandlerTimeout) {
		t.Errorf("a stream that is refused says so: %v", err)
	}
}
