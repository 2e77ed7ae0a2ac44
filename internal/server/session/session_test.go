package session

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/backpressure"
	"github.com/causeway-gitops/causeway/test/await"
)

var errWrong = errors.New("wrong")

// house has one account, whose tokens all count.
type house struct {
	gone bool
	// away is why nobody can tell.
	away error
}

func (h *house) Verify(_ context.Context, name, password string) (*auth.User, error) {
	if name != "ann" || password != "right" {
		return nil, errWrong
	}
	return &auth.User{Name: name}, nil
}

func (h *house) Known(name string) bool { return name == "ann" }

func (h *house) Valid(context.Context, *token.Token) error {
	if h.gone {
		return errWrong
	}
	return h.away
}

type kubernetes struct{}

func (kubernetes) Review(_ context.Context, text string) (*auth.User, error) {
	if text != "of-a-pod" {
		return nil, ErrUnknown
	}
	return &auth.User{Name: "system:serviceaccount:a:b", Via: auth.Kubernetes}, nil
}

func newGate(t *testing.T) (*Gate, *house) {
	t.Helper()
	signer, err := token.New([]byte(strings.Repeat("k", 32)), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{}
	return &Gate{Signer: signer, Accounts: h, Kubernetes: kubernetes{}}, h
}

func signIn(t *testing.T, g *Gate) string {
	t.Helper()
	_, text, err := NewDoor(g).SignIn(t.Context(), "127.0.0.1", "ann", "right")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// through sends a request through a gate, and tells who came through.
func through(t *testing.T, g *Gate, adjust func(*http.Request)) (who string, code int) {
	t.Helper()
	who = "nobody"
	h := g.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if u := auth.From(r.Context()); u != nil {
			who = u.Name
		}
	}), func(w http.ResponseWriter, _ *http.Request, err error) {
		if errors.Is(err, ErrForged) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
	})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://causeway.example.com/api/v1/x", nil)
	adjust(r)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return who, w.Code
}

// A session that nobody can look up now has not ended.
func TestGateWhileAccountsAreAway(t *testing.T) {
	g, h := newGate(t)
	text := signIn(t, g)
	h.away = gitops.Problemf(gitops.Unreachable, "cannot read the accounts")
	for name, adjust := range map[string]func(*http.Request){
		"cookie": func(r *http.Request) { r.AddCookie(&http.Cookie{Name: hostOnly + cookieName, Value: text}) },
		"token":  func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+text) },
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://causeway.example.com/api/v1/x", nil)
		adjust(r)
		if _, err := g.Identify(r); !errors.Is(err, h.away) {
			t.Errorf("a %s is answered with %v", name, err)
		}
	}
}

func TestGate(t *testing.T) {
	g, _ := newGate(t)
	text := signIn(t, g)
	cookie := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: hostOnly + cookieName, Value: text}) }
	cases := map[string]struct {
		reason string
		adjust func(*http.Request)
		who    string
		code   int
	}{
		"Nobody":     {"who sends nothing is nobody, which is no error", func(*http.Request) {}, "nobody", 200},
		"Bearer":     {"programs send a token", func(r *http.Request) { r.Header.Set("Authorization", "bearer "+text) }, "ann", 200},
		"Kubernetes": {"or one of Kubernetes", func(r *http.Request) { r.Header.Set("Authorization", "Bearer of-a-pod") }, "system:serviceaccount:a:b", 200},
		"Unknown":    {"a token of nobody is refused", func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, "nobody", 401},
		"Cookie":     {"browsers send a cookie", cookie, "ann", 200},
		"Stale":      {"a cookie that is over is as good as none", func(r *http.Request) { r.AddCookie(&http.Cookie{Name: hostOnly + cookieName, Value: "x"}) }, "nobody", 200},
		"Neighbour":  {"a cookie that another host may have set is none", func(r *http.Request) { r.AddCookie(&http.Cookie{Name: cookieName, Value: text}) }, "nobody", 200},
		"Own page":   {"the own page may write", func(r *http.Request) { cookie(r); r.Header.Set("Sec-Fetch-Site", "same-origin") }, "ann", 200},
		"Other page": {"others may not write with the visitor's cookie", func(r *http.Request) { cookie(r); r.Header.Set("Sec-Fetch-Site", "cross-site") }, "nobody", 403},
		"Old browser": {
			"also where the browser tells the origin alone",
			func(r *http.Request) { cookie(r); r.Header.Set("Origin", "https://evil.example.com") }, "nobody", 403,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if who, code := through(t, g, tc.adjust); who != tc.who || code != tc.code {
				t.Errorf("%s: %s, %d", tc.reason, who, code)
			}
		})
	}
}

func TestAccountThatIsGone(t *testing.T) {
	g, h := newGate(t)
	text := signIn(t, g)
	h.gone = true
	if who, code := through(t, g, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+text) }); who != "nobody" || code != http.StatusUnauthorized {
		t.Errorf("%s, %d", who, code)
	}
}

// Passwords are typed where the name belongs: the audit has no such text.
func TestNamesThatTheAuditHas(t *testing.T) {
	g, _ := newGate(t)
	d := NewDoor(g)
	for typed, want := range map[string]string{
		"ann": "ann", "ann@example.com": "ann@example.com", "": Unknown, "hunter2": Unknown, "P@ssw0rd": Unknown, "p@ss word.com": Unknown, "x@y.z1": Unknown,
	} {
		if got := d.named(typed); got != want {
			t.Errorf("%q is %q, want %q", typed, got, want)
		}
	}
}

func TestCookies(t *testing.T) {
	long := strings.Repeat("x", 2*chunk+10)
	w := httptest.NewRecorder()
	if !writeCookie(w, long, time.Hour, true) {
		t.Fatal("a long token is not kept")
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://causeway.example.com/", nil)
	for _, c := range w.Result().Cookies() {
		if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || len(c.Value) > 4096 || !strings.HasPrefix(c.Name, hostOnly) || c.Path != "/" || c.Domain != "" {
			t.Errorf("cookie %s: %+v", c.Name, c)
		}
		if c.MaxAge > 0 {
			r.AddCookie(c)
		}
	}
	if got := readCookie(r); got != long {
		t.Errorf("%d of %d characters come back", len(got), len(long))
	}
	if writeCookie(httptest.NewRecorder(), strings.Repeat("x", maxChunks*chunk+1), time.Hour, true) {
		t.Error("a token that no browser keeps is handed out")
	}
}

// A sign-in that has begun, and the ID token that it ends with, belong to one host:
// by TLS, nobody else puts theirs in their place, and without TLS no browser takes
// a name that says so.
func TestCookiesOfSignIns(t *testing.T) {
	attempt := func(w http.ResponseWriter, value string, base *url.URL) { writeAttempt(w, value, base) }
	id := func(w http.ResponseWriter, value string, base *url.URL) { writeID(w, value, base, time.Hour) }
	for _, tc := range []struct {
		address string
		write   func(http.ResponseWriter, string, *url.URL)
		want    http.Cookie
	}{
		{"https://causeway.example.com/ops", attempt, http.Cookie{Name: hostOnly + attemptName, Path: "/", Secure: true}},
		{"http://causeway.example.com/ops", attempt, http.Cookie{Name: attemptName, Path: "/ops" + oidc.CallbackPath}},
		{"https://causeway.example.com/ops", id, http.Cookie{Name: hostOnly + idName, Path: "/", Secure: true}},
		{"http://causeway.example.com/ops", id, http.Cookie{Name: idName, Path: "/ops" + sessionPath}},
	} {
		base, err := url.Parse(tc.address)
		if err != nil {
			t.Fatal(err)
		}
		w, want := httptest.NewRecorder(), &tc.want
		tc.write(w, "sealed", base)
		tc.write(w, "", base)
		for n, c := range w.Result().Cookies() {
			if c.Name != want.Name || c.Path != want.Path || c.Secure != want.Secure || c.Domain != "" || (c.MaxAge > 0) != (n == 0) {
				t.Errorf("at %s: %+v", tc.address, c)
			}
		}
	}
}

// settled has an issuer that nobody asks.
type settled struct{ *oidc.Issuer }

func (s settled) Current(context.Context) (*oidc.Issuer, error) { return s.Issuer, nil }

func (settled) User(oidc.Claims) *auth.User { return nil }

// The issuer gets the ID token back that it gave, and none that another host of
// the same domain left in the browser.
func TestSignOutTakesNobodysToken(t *testing.T) {
	g, _ := newGate(t)
	base := &url.URL{Scheme: "https", Host: "causeway.example.com"}
	g.Issuers = settled{&oidc.Issuer{Config: &oidc.Config{URLs: []*url.URL{base}, LogoutURL: "https://issuer.example.com/out?hint={{token}}"}}}
	text, err := g.begin(&auth.User{Name: "ann", Via: auth.OIDC, Claims: map[string]any{"sub": "1"}}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{hostOnly + idName: "given", idName: ""} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodDelete, base.String()+sessionPath, nil)
		r.AddCookie(&http.Cookie{Name: hostOnly + cookieName, Value: text})
		r.AddCookie(&http.Cookie{Name: name, Value: "given"})
		to, err := NewDoor(g).SignOut(httptest.NewRecorder(), r)
		if want = "https://issuer.example.com/out?hint=" + want; err != nil || to != want {
			t.Errorf("with a cookie %s it leads to %s, %v", name, to, err)
		}
	}
}

func never(*http.Request) bool { return false }

// A body that does not come ends, and one that has come leaves no limit behind.
func TestBodiesComeInTime(t *testing.T) {
	seen := &limited{ResponseRecorder: httptest.NewRecorder()}
	InTime(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if left := time.Until(seen.read); left <= 0 || left > readTime {
			t.Errorf("the body has %s to come", left)
		}
		if text, err := io.ReadAll(r.Body); err != nil || string(text) != "{}" {
			t.Errorf("%q, %v", text, err)
		}
	})).ServeHTTP(seen, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("{}")))
	if !seen.read.IsZero() || seen.times != 2 {
		t.Errorf("after its end the limit is %s, set %d times", seen.read, seen.times)
	}
}

// Who does not read an answer is ended.
func TestSlowReadersAreEnded(t *testing.T) {
	ended := make(chan error, 1)
	endless := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for part := bytes.Repeat([]byte("x"), 1<<20); ; {
			if _, err := w.Write(part); err != nil {
				ended <- err
				return
			}
		}
	})
	s := httptest.NewServer(within(endless, time.Minute, 10*time.Millisecond))
	defer s.Close()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: causeway.example.com\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(await.Limit):
		t.Fatal("who does not read is waited for")
	}
}

// limited has a limit on reading, as a connection has.
type limited struct {
	*httptest.ResponseRecorder

	read, write time.Time
	times       int
}

func (l *limited) SetWriteDeadline(t time.Time) error {
	l.write = t
	return nil
}

func (l *limited) SetReadDeadline(t time.Time) error {
	l.read = t
	l.times++
	return nil
}

func TestWhatHasNotChangedIsNotSent(t *testing.T) {
	text := strings.Repeat("the same ", 1000)
	h := Harden(Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}), never))
	ask := func(tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", "gzip")
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	first := ask("")
	tag := first.Header().Get("ETag")
	if first.Code != http.StatusOK || tag == "" || first.Header().Get("Content-Encoding") != "gzip" || first.Body.Len() > 1000 {
		t.Fatalf("%d, tag %q, %d bytes of %s", first.Code, tag, first.Body.Len(), first.Header().Get("Content-Encoding"))
	}
	if again := ask(tag); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("%d with %d bytes", again.Code, again.Body.Len())
	}
	for _, asked := range []string{"*", `"other", ` + tag, strings.TrimPrefix(tag, "W/")} {
		if again := ask(asked); again.Code != http.StatusNotModified || again.Body.Len() != 0 || again.Header().Get("ETag") != tag {
			t.Errorf("asked with %s: %d with %d bytes", asked, again.Code, again.Body.Len())
		}
	}
	text += "and more"
	if changed := ask(tag); changed.Code != http.StatusOK {
		t.Errorf("what has changed is answered with %d", changed.Code)
	}
}

// Who asks for the head alone is told the tag of the whole, and who does not
// take what is compressed gets it plain: both of one that was compressed before.
func TestTagsOfHeadsAndOfWhatWasCompressed(t *testing.T) {
	text := strings.Repeat("the same ", 10_000)
	h := Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}), never)
	server := httptest.NewServer(h)
	defer server.Close()
	ask := func(method, encoding, tag string) (code int, head http.Header, body string) {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", encoding)
		r.Header.Set("If-None-Match", tag)
		w, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = w.Body.Close() }()
		from := io.Reader(w.Body)
		if w.Header.Get("Content-Encoding") == "gzip" && method == http.MethodGet && w.StatusCode == http.StatusOK {
			if from, err = gzip.NewReader(w.Body); err != nil {
				t.Fatal(err)
			}
		}
		all, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		return w.StatusCode, w.Header, string(all)
	}
	var tag string
	for _, encoding := range []string{"gzip", "gzip, br", "identity", "gzip;q=0", "gzip"} {
		_, head, body := ask(http.MethodGet, encoding, "")
		compressed := head.Get("Content-Encoding") == "gzip"
		if body != text || compressed != (encoding == "gzip" || encoding == "gzip, br") {
			t.Errorf("%s: %d bytes, compressed: %t", encoding, len(body), compressed)
		}
		if tag == "" {
			tag = head.Get("ETag")
		}
		if head.Get("ETag") != tag {
			t.Errorf("%s: the tag is %s, not %s", encoding, head.Get("ETag"), tag)
		}
	}
	if code, head, body := ask(http.MethodHead, "gzip", ""); code != http.StatusOK || head.Get("ETag") != tag || body != "" {
		t.Errorf("the head: %d, tag %s instead of %s", code, head.Get("ETag"), tag)
	}
	if code, _, _ := ask(http.MethodHead, "gzip", tag); code != http.StatusNotModified {
		t.Errorf("the head of what is known is answered with %d", code)
	}
}

// Who remembers an answer and its tag has the same contents sent as all others.
func TestAnswersThatHaveATag(t *testing.T) {
	text := strings.Repeat("the same ", 10_000)
	given := Tag([]byte(text))
	h := Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("ETag", given)
		_, _ = io.WriteString(w, text[:10])
		_, _ = io.WriteString(w, text[10:])
	}), never)
	ask := func(method, encoding, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "/", nil)
		r.Header.Set("Accept-Encoding", encoding)
		r.Header.Set("If-None-Match", tag)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	plain := func(w *httptest.ResponseRecorder) string {
		if w.Header().Get("Content-Encoding") != "gzip" {
			return w.Body.String()
		}
		from, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	for _, encoding := range []string{"identity", "gzip", "gzip", "identity", "gzip, br"} {
		w := ask(http.MethodGet, encoding, "")
		if got := plain(w); got != text || w.Header().Get("ETag") != given || w.Code != http.StatusOK {
			t.Errorf("%s: %d with %d bytes, tag %s", encoding, w.Code, len(got), w.Header().Get("ETag"))
		}
		for _, asked := range []string{given, strings.TrimPrefix(given, "W/"), "*"} {
			if w := ask(http.MethodGet, encoding, asked); w.Code != http.StatusNotModified || w.Body.Len() != 0 || w.Header().Get("ETag") != given {
				t.Errorf("%s, known as %s: %d with %d bytes", encoding, asked, w.Code, w.Body.Len())
			}
		}
	}
	old := given
	text += "and more"
	given = Tag([]byte(text))
	if w := ask(http.MethodGet, "gzip", old); plain(w) != text || given == old {
		t.Errorf("what has changed is answered with %d", w.Code)
	}
}

// An answer that is too long to be kept back goes out whole.
func TestLongAnswers(t *testing.T) {
	part := strings.Repeat("x", 1<<20)
	h := Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 6 {
			_, _ = io.WriteString(w, part)
		}
	}), never)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	if w.Code != http.StatusOK || w.Body.Len() != 6<<20 || w.Header().Get("ETag") != "" {
		t.Errorf("%d with %d bytes", w.Code, w.Body.Len())
	}
}

// Browsers are told to come by TLS alone where they came by it, and where
// somebody they know vouches for the certificate.
func TestBrowsersAreToldToComeByTLS(t *testing.T) {
	plain := Harden(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("x")) }))
	for name, tc := range map[string]struct {
		handler http.Handler
		address string
		want    bool
	}{
		"in the clear": {plain, "http://causeway.example.com/", false},
		"by TLS":       {plain, "https://causeway.example.com/", true},
		"unknown":      {Unpinned(plain), "https://causeway.example.com/", false},
	} {
		w := httptest.NewRecorder()
		tc.handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, tc.address, nil))
		if got := w.Header().Get("Strict-Transport-Security") != ""; got != tc.want {
			t.Errorf("%s: it is told: %t", name, got)
		}
	}
}

// Small answers that nobody reads end in time, though their handlers have said
// all that they have to say: many of one connection, one after the other too.
func TestUnreadSmallAnswersEndInTime(t *testing.T) {
	ended := make(chan struct{}, 1)
	small := backpressure.New(origin.Share{All: 1 << 30, Site: 1 << 30, Network: 1 << 30}, nil).Wrap(within(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, strings.Repeat("no", 1<<10))
	}), time.Minute, 10*time.Millisecond))
	s := httptest.NewUnstartedServer(small)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			ended <- struct{}{}
		}
	}
	s.Start()
	defer s.Close()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	asked := strings.Repeat("GET /api/v1/events HTTP/1.1\r\nHost: causeway.example.com\r\n\r\n", 1<<10)
	go func() {
		for {
			if _, err := io.WriteString(conn, asked); err != nil {
				return
			}
		}
	}()
	select {
	case <-ended:
	case <-time.After(await.Limit):
		t.Fatal("who does not read is waited for")
	}
}
