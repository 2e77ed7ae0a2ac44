package target

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// TestIdentity is whom the hub takes the caller for, and nobody where it does not tell.
func TestIdentity(t *testing.T) {
	t.Setenv("USER", "local")
	ann := &authenticationv1.SelfSubjectReview{
		TypeMeta: metav1.TypeMeta{APIVersion: authenticationv1.SchemeGroupVersion.String(), Kind: "SelfSubjectReview"},
		Status:   authenticationv1.SelfSubjectReviewStatus{UserInfo: authenticationv1.UserInfo{Username: "ann@example.com"}},
	}
	refuse := func(code int32, reason metav1.StatusReason) *metav1.Status {
		return &metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: code, Reason: reason,
		}
	}
	cases := map[string]struct {
		reason string
		code   int
		answer any
		want   string
	}{
		"answered":  {"the name is the hub's, not this machine's", http.StatusCreated, ann, "ann@example.com"},
		"forbidden": {"who may not ask is nobody", http.StatusForbidden, refuse(http.StatusForbidden, metav1.StatusReasonForbidden), ""},
		"unserved":  {"an old hub knows no such question", http.StatusNotFound, refuse(http.StatusNotFound, metav1.StatusReasonNotFound), ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			asked := make(chan string, 10)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked <- r.Method + " " + r.URL.Path
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.code)
				_ = json.NewEncoder(w).Encode(c.answer)
			}))
			defer server.Close()
			h := &Hub{Config: &rest.Config{Host: server.URL}}
			for range 2 {
				if got := h.Identity(t.Context()); got != c.want {
					t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
				}
			}
			if len(asked) != 1 {
				t.Errorf("the hub was asked %d times, want once", len(asked))
			}
			if got, want := <-asked, "POST /apis/authentication.k8s.io/v1/selfsubjectreviews"; got != want {
				t.Errorf("the hub was asked %s, want %s", got, want)
			}
		})
	}
}
