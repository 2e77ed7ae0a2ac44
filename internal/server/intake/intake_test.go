package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

func sent(ctx context.Context, body io.Reader) (http.ResponseWriter, *http.Request) {
	return httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodPost, "/", body)
}

// What is too long, or becomes too much, is told before it is decoded.
func TestBodiesAreMeasured(t *testing.T) {
	many := `{"applications":[` + strings.Repeat("0,", 50_000) + `0]}`
	for name, tc := range map[string]struct {
		reason, body  string
		long, invalid bool
	}{
		"Few":     {"what people send", `{"username":"ann","password":"x"}`, false, false},
		"None":    {"nothing is for the decoder to judge", "", false, false},
		"Broken":  {"so is what is no JSON", "[", false, false},
		"Text":    {"one long text stays one", `{"a":"` + strings.Repeat("a,", Most/2-10) + `"}`, false, false},
		"Long":    {"bytes", strings.Repeat(" ", Most+1), true, false},
		"Values":  {"a list of little", many, false, true},
		"Unsized": {"whatever its sender says of its length", many, false, true},
		"Keys":    {"an object of little", `{` + strings.Repeat(`"a":0,`, 50_000) + `"a":0}`, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			from := io.Reader(strings.NewReader(tc.body))
			if name == "Unsized" {
				from = io.MultiReader(from)
			}
			w, r := sent(t.Context(), from)
			end, err := New(nil).Take(w, r, "192.0.2.1", Most)
			var long *http.MaxBytesError
			var problem *gitops.Problem
			if errors.As(err, &long) != tc.long || errors.As(err, &problem) != tc.invalid {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if err != nil {
				return
			}
			end()
			if text, err := io.ReadAll(r.Body); err != nil || string(text) != tc.body {
				t.Errorf("%s: read %.40q, %v", tc.reason, text, err)
			}
		})
	}
}

// Who has as many bodies in work as one may waits, and nobody else does.
func TestPlacesOfOnePerson(t *testing.T) {
	ann, bob := &auth.User{Name: "ann", Via: auth.Local}, &auth.User{Name: "bob", Via: auth.Local}
	for name, tc := range map[string]struct {
		reason    string
		who       *auth.User
		from      string
		most      int
		other     *auth.User
		otherFrom string
	}{
		"Person":  {"a person, from wherever", ann, "192.0.2.1", each, bob, "192.0.2.1"},
		"Address": {"an address of nobody known", nil, "192.0.2.1", eachStranger, nil, "192.0.2.2"},
		"Network": {"a network of IPv6", nil, "2001:db8::1", eachStranger, nil, "2001:db8:0:1::1"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := New(nil)
				begin := func(who *auth.User, from string) (func(), error) {
					ctx := t.Context()
					if who != nil {
						ctx = auth.With(ctx, who)
					}
					w, r := sent(ctx, strings.NewReader("{}"))
					return p.TakeAny(w, r, from)
				}
				var ends []func()
				for range tc.most {
					end, err := begin(tc.who, tc.from)
					if err != nil {
						t.Fatal(err)
					}
					ends = append(ends, end)
				}
				began := time.Now()
				if _, err := begin(tc.who, tc.from); !errors.Is(err, session.ErrBusy) || time.Since(began) != waitTime {
					t.Errorf("%s: one more after %s: %v", tc.reason, time.Since(began), err)
				}
				if _, err := begin(tc.other, tc.otherFrom); err != nil {
					t.Errorf("%s: somebody else: %v", tc.reason, err)
				}
				ends[0]()
				if _, err := begin(tc.who, tc.from); err != nil {
					t.Errorf("%s: after one has ended: %v", tc.reason, err)
				}
			})
		})
	}
}

// One who has a /48 of IPv6 has 65,536 networks, and a share of the places; from
// however many sites strangers come, who came in before has a place.
func TestPlacesOfOneSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := origin.NewKnown()
		known.Add("203.0.113.9")
		p := New(known)
		begin := func(from string) error {
			w, r := sent(t.Context(), strings.NewReader(`{"username":"x","password":"y"}`))
			_, err := p.TakeAny(w, r, from)
			return err
		}
		for n := range strangers {
			if err := begin(fmt.Sprintf("2001:db8:0:%x::1", n)); (err == nil) != (n < eachSite) {
				t.Errorf("place %d of one site: %v", n, err)
			}
		}
		if err := begin("198.51.100.7"); err != nil {
			t.Errorf("somebody from elsewhere: %v", err)
		}
		for n := range strangers {
			_ = begin(fmt.Sprintf("2001:db8:%x::1", n+1))
		}
		if err := begin("198.51.100.8"); !errors.Is(err, session.ErrBusy) {
			t.Errorf("one more stranger: %v", err)
		}
		if err := begin("203.0.113.9"); err != nil {
			t.Errorf("who came in before: %v", err)
		}
	})
}

// Strangers who send slowly have no place meanwhile, and what is refused has none.
func TestPlacesComeAfterStrangersBodies(t *testing.T) {
	p := New(nil)
	for range 2 * eachStranger {
		w, r := sent(t.Context(), strings.NewReader(strings.Repeat(" ", Stranger+1)))
		if _, err := p.TakeAny(w, r, "192.0.2.1"); err == nil {
			t.Fatal("a long one is taken")
		}
		w, r = sent(t.Context(), strings.NewReader(strings.Repeat(" ", Most+1)))
		if _, err := p.Take(w, r, "192.0.2.1", Most); err == nil {
			t.Fatal("a long one is taken")
		}
	}
	w, r := sent(t.Context(), strings.NewReader("{}"))
	if _, err := p.TakeAny(w, r, "192.0.2.1"); err != nil {
		t.Error(err)
	}
}

// What waits in a handler keeps nobody from decoding.
func TestDecodedEndsDecoding(t *testing.T) {
	p := New(nil)
	for range 4 * decoding {
		end, err := p.Decode(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		Decoded(With(t.Context(), end))
		defer end() // twice is once
	}
	Decoded(t.Context())
}
