package clusters

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

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
