package api

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/server/intake"
)

// untouched fails where a body is read.
type untouched struct{ t *testing.T }

// Read implements io.Reader.
func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, http.ErrBodyReadAfterClose
}

// Nobody is told to sign in at each route that is not for all, whatever they
// send, and nothing of that is read.
func TestStrangersAreRefusedUnread(t *testing.T) {
	h, refused := newWorld().handler(), 0
	for _, r := range routes() {
		if slices.Contains(open, r.path) {
			continue
		}
		w := httptest.NewRecorder()
		asked := httptest.NewRequestWithContext(t.Context(), r.method, Prefix+r.path+"?unknown=1&limit=x", untouched{t})
		asked.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(w, asked)
		if w.Code != http.StatusUnauthorized || !strings.HasPrefix(w.Header().Get("Content-Type"), "application/problem+json") {
			t.Errorf("%s %s: %d %s", r.method, r.path, w.Code, w.Body)
		}
		refused++
	}
	if refused < 20 {
		t.Errorf("there are %d routes", refused)
	}
}

// What anybody may send is a few bytes, and what anybody may ask a few
// parameters.
func TestStrangersSendLittle(t *testing.T) {
	h := newWorld().handler()
	long := `{"username":"ann","password":"` + strings.Repeat("a", intake.Stranger) + `"}`
	if w := send(t, h, "", "POST", "/session", long); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a long body: %d %s", w.Code, w.Body)
	}
	if w := send(t, h, "", "GET", "/session?a"+strings.Repeat("&a", maxParametersStranger), ""); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("many parameters: %d %s", w.Code, w.Body)
	}
	if w := send(t, h, "reader", "GET", "/applications?a"+strings.Repeat("&a", maxParameters), ""); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("many parameters of somebody: %d %s", w.Code, w.Body)
	}
}

// A list of what does not fit is answered with a few of its parts, and one that
// would become too much is not looked at.
func TestAnswersToWhatDoesNotFitAreBrief(t *testing.T) {
	h := newWorld().handler()
	for _, tc := range []struct {
		body, want string
		code       int
	}{
		{`{"applications":[` + strings.Repeat("{},", 5_000) + `{}]}`, "more", http.StatusUnprocessableEntity},
		{`{"` + strings.Repeat("k", 500_000) + `":1,"applications":[]}`, "unexpected property", http.StatusUnprocessableEntity},
		{`{"applications":[` + strings.Repeat("0,", 500_000) + `0]}`, "too many values", http.StatusUnprocessableEntity},
		{"[" + strings.Repeat("x", 900_000), "invalid character", http.StatusBadRequest},
	} {
		w := send(t, h, "writer", "POST", "/applications/sync", tc.body)
		if w.Code != tc.code || w.Body.Len() > maxDetails*4*maxDetail || !strings.Contains(w.Body.String(), tc.want) {
			t.Errorf("%.40s: %d, %d bytes: %.300s", tc.body, w.Code, w.Body.Len(), w.Body)
		}
	}
}

func TestBrief(t *testing.T) {
	long := strings.Repeat("ä", maxWhole)
	m := &huma.ErrorModel{Detail: long}
	for n := range 100 {
		m.Errors = append(m.Errors, &huma.ErrorDetail{Message: strconv.Itoa(n), Location: long, Value: long})
	}
	if _, err := brief(nil, "", m); err != nil {
		t.Fatal(err)
	}
	if len(m.Detail) > maxWhole+len("…") || len(m.Errors) != maxDetails+1 || m.Errors[maxDetails].Message != "and 80 more" {
		t.Errorf("%d bytes, %d details, the last one %+v", len(m.Detail), len(m.Errors), m.Errors[len(m.Errors)-1])
	}
	for _, e := range m.Errors[:maxDetails] {
		if value, _ := e.Value.(string); len(e.Location) > maxDetail+len("…") || len(value) > maxDetail+len("…") {
			t.Errorf("a detail has %d and %d bytes", len(e.Location), len(value))
		}
	}
}
