package clusters

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/causeway-gitops/causeway/internal/fleet"
)

// TestFailedGroupsSayHowManyAreNotNamed marks a list that was cut.
func TestFailedGroupsSayHowManyAreNotNamed(t *testing.T) {
	s := fleet.ClusterState{FailedGroups: []string{"a.test/v1"}}
	if got := failedGroups(s); !slices.Equal(got, s.FailedGroups) {
		t.Errorf("all are named: got %q", got)
	}
	s.MoreFailed = 7
	if got := failedGroups(s); !slices.Equal(got, []string{"a.test/v1", "… and 7 more"}) {
		t.Errorf("got %q", got)
	}
}

func TestHandler(t *testing.T) {
	cases := map[string]struct {
		reason, token, given string
		want                 int
	}{
		"Right": {"the token opens", "t", "t", http.StatusOK},
		"Wrong": {"another does not", "t", "u", http.StatusUnauthorized},
		"None":  {"nor does none", "t", "", http.StatusUnauthorized},
		"Unset": {"without a token nobody gets in", "", "", http.StatusUnauthorized},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, Path, nil)
			r.Header.Set(Header, tc.given)
			w := httptest.NewRecorder()
			Handler(func() []Health { return []Health{{Name: "prod"}} }, tc.token).ServeHTTP(w, r)
			if w.Code != tc.want {
				t.Fatalf("%s: got %d", tc.reason, w.Code)
			}
			var list []Health
			if tc.want == http.StatusOK && (json.Unmarshal(w.Body.Bytes(), &list) != nil || len(list) != 1) {
				t.Errorf("got %s", w.Body)
			}
		})
	}
}
