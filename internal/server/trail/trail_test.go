package trail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// book is a keeper in memory, which may be out of order.
type book struct {
	entries []audit.Entry
	noted   []audit.Entry
	broken  error
}

func (b *book) Append(_ context.Context, e *audit.Entry) (*audit.Entry, error) {
	if b.broken != nil {
		return nil, b.broken
	}
	kept, _, err := audit.Link(e, int64(len(b.entries)), "")
	b.entries = append(b.entries, kept)
	return &kept, err
}

func (b *book) Note(e *audit.Entry) { b.noted = append(b.noted, *e) }

func (b *book) lines() (out []string) {
	for _, e := range b.entries {
		out = append(out, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s %s/%s", e.Who.Name, e.Outcome, e.Verb, e.Resource, e.Namespace, e.Name)), " "))
	}
	return out
}

// server answers what the header says, and tells of its writes when asked to.
func server(t *Trail) http.Handler {
	mux := http.NewServeMux()
	do := func(w http.ResponseWriter, r *http.Request) {
		e := &audit.Entry{Verb: "sync", Resource: "applications", Name: r.PathValue("name"), Changes: []audit.Change{{Path: "/operation"}}}
		switch r.Header.Get("Test-Tell") {
		case "begin":
			if err := t.Begin(r.Context(), auth.From(r.Context()), e); err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
		case "fail":
			_ = t.Begin(r.Context(), auth.From(r.Context()), e)
			t.Failed(r.Context(), auth.From(r.Context()), e, errors.New("the API server is away"))
		}
		code := http.StatusOK
		_, _ = fmt.Sscan(r.Header.Get("Test-Code"), &code)
		As(r.Context(), r.Header.Get("Test-As"), auth.Local)
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "secret"})
		w.WriteHeader(code)
		_, _ = w.Write([]byte("the body"))
	}
	for _, pattern := range []string{
		"/api/v1/session", "/api/v1/applications", "/api/v1/applications/sync", "/api/v1/applications/{namespace}/{name}", "/api/v1/applications/{namespace}/{name}/sync",
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			mux.HandleFunc(method+" "+pattern, do)
		}
	}
	return t.Wrap(mux)
}

func ask(t *testing.T, h http.Handler, user, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/api/v1"+path, nil)
	r.RemoteAddr = "10.0.0.7:4711"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if user != "" {
		r = r.WithContext(auth.With(r.Context(), &auth.User{Name: user, Via: auth.Local}))
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestWhatIsToldOf(t *testing.T) {
	const app = "/applications/argocd/web"
	cases := map[string]struct {
		reason             string
		user, method, path string
		headers            []string
		want               []string
	}{
		"read":         {"who reads what they may is not told of", "ann", "GET", app, nil, nil},
		"missing":      {"nor is what is not there", "ann", "GET", app, []string{"Test-Code", "404"}, nil},
		"denied read":  {"what may not be read is", "ann", "GET", app, []string{"Test-Code", "403"}, []string{"ann denied get applications argocd/web"}},
		"nobody reads": {"pages ask before anybody has signed in", "", "GET", app, []string{"Test-Code", "401"}, nil},
		"nobody":       {"nobody is let write", "", "POST", app + "/sync", []string{"Test-Code", "401"}, []string{"denied sync applications argocd/web"}},
		"told":         {"what is told of has one entry", "ann", "POST", app + "/sync", []string{"Test-Tell", "begin"}, []string{"ann allowed sync applications /web"}},
		"untold":       {"a write that nobody tells of has one, too", "ann", "DELETE", app, nil, []string{"ann allowed delete applications argocd/web"}},
		"failed":       {"what begins and fails has two", "ann", "POST", app + "/sync", []string{"Test-Tell", "fail", "Test-Code", "500"}, []string{"ann allowed sync applications /web", "ann failed sync applications /web"}},
		"hidden":       {"writing what may not be read is denied", "ann", "POST", app + "/sync", []string{"Test-Code", "404"}, []string{"ann denied sync applications argocd/web"}},
		"conflict":     {"what cannot be done now has failed", "ann", "POST", app + "/sync", []string{"Test-Code", "409"}, []string{"ann failed sync applications argocd/web"}},
		"sign-in":      {"who signs in is named by what they say", "", "POST", "/session", []string{"Test-As", "bob"}, []string{"bob allowed sign-in session /"}},
		"no sign-in":   {"and so is who does not", "", "POST", "/session", []string{"Test-As", "bob", "Test-Code", "401"}, []string{"bob denied sign-in session /"}},
		"sign-out":     {"who signs out is known", "ann", "DELETE", "/session", []string{"Test-Code", "204"}, []string{"ann allowed sign-out session /"}},
		"nobody goes":  {"nobody signs out, which is no write", "", "DELETE", "/session", []string{"Test-Code", "204"}, nil},
		"nowhere":      {"a write to no address is one, too", "ann", "PUT", "/nowhere", nil, []string{"ann denied update /" + "/api/v1/nowhere"}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			b := &book{}
			ask(t, server(New(b, slog.New(slog.DiscardHandler))), c.user, c.method, c.path, c.headers...)
			if diff := cmp.Diff(c.want, b.lines()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
			for _, e := range b.entries {
				if e.From.Address != "10.0.0.7" {
					t.Errorf("it comes from %+v", e.From)
				}
			}
		})
	}
}

func TestWhatIsKnownOfARequest(t *testing.T) {
	b := &book{}
	ask(t, server(New(b, slog.New(slog.DiscardHandler))), "ann", "POST", "/applications/argocd/web/sync", "Test-Tell", "begin",
		ReasonHeader, "caf%C3%A9 "+strings.Repeat("x", 2000), "Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"User-Agent", "curl/8", "X-Forwarded-For", "192.0.2.1")
	e := b.entries[0]
	if want := (audit.Origin{Address: "10.0.0.7", Forwarded: "192.0.2.1", Agent: "curl/8"}); e.From != want || e.Trace != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("from %+v, trace %q", e.From, e.Trace)
	}
	if !strings.HasPrefix(e.Reason, "café xxx") || len(e.Reason) > MaxReason {
		t.Errorf("the reason has %d bytes: %.20s", len(e.Reason), e.Reason)
	}
	ask(t, server(New(b, slog.New(slog.DiscardHandler))), "ann", "DELETE", "/session", ReasonHeader, "100% done", "Traceparent", "made up")
	if e := b.entries[1]; e.Reason != "100% done" || len(e.Trace) != 32 {
		t.Errorf("the reason is %q, the trace %q", e.Reason, e.Trace)
	}
	w := ask(t, server(New(b, slog.New(slog.DiscardHandler))), "ann", "DELETE", "/session", "Traceparent", "00-"+strings.Repeat("0", 32)+"-b7ad6b7169203331-01")
	if last := b.entries[2].Trace; len(last) != 32 || last == b.entries[1].Trace || w.Header().Get(TraceHeader) != last || strings.Trim(last, "0") == "" {
		t.Errorf("the trace is %q, and %q for the sender", last, w.Header().Get(TraceHeader))
	}
}

// What the audit cannot tell of is not done, and nobody gets a session.
func TestAuditThatIsAway(t *testing.T) {
	b := &book{broken: gitops.Problemf(gitops.Unreachable, "the audit cannot be written")}
	h := server(New(b, slog.New(slog.DiscardHandler)))
	for label, tell := range map[string]string{"told": "begin", "untold": ""} {
		w := ask(t, h, "ann", "POST", "/session", "Test-Tell", tell)
		if w.Code != http.StatusServiceUnavailable || label == "untold" && w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "the body") || w.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s: the answer is %d, %v: %s", label, w.Code, w.Header(), w.Body)
		}
		if !strings.Contains(w.Body.String(), "the audit cannot be written") {
			t.Errorf("%s: it does not say why: %s", label, w.Body)
		}
	}
	if w := ask(t, h, "ann", "POST", "/applications/argocd/web", "Test-Code", "403"); w.Code != http.StatusForbidden || len(b.noted) != 1 {
		t.Errorf("a refusal is %d, with %d notes for later", w.Code, len(b.noted))
	}
	if w := ask(t, h, "ann", "GET", "/applications"); w.Code != http.StatusOK {
		t.Errorf("a read is %d", w.Code)
	}
}

// A stream that begins with a flush begins once.
func TestAnswersThatAreFlushedFirst(t *testing.T) {
	var said strings.Builder
	h := New(&book{}, slog.New(slog.DiscardHandler)).Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, "an event")
	}))
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(&said, "", 0)
	s.Start()
	resp, err := s.Client().Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	s.Close()
	if err != nil || string(body) != "an event" || said.String() != "" {
		t.Errorf("%q, %v; the server says %q", body, err, said.String())
	}
}

// Whoever tries many times has a few entries, and the rest is counted.
func TestFloodsAreCounted(t *testing.T) {
	b := &book{}
	trail := New(b, slog.New(slog.DiscardHandler))
	refused := trail.Refusing(func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusUnauthorized) })
	const tries = 5000
	for i := range tries {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/applications", nil)
		r.RemoteAddr = fmt.Sprintf("10.0.%d.%d:1", i/2%20, i%3)
		w := httptest.NewRecorder()
		if refused(w, r, errors.New("an old token")); w.Code != http.StatusUnauthorized {
			t.Fatalf("the answer is %d", w.Code)
		}
	}
	few := len(b.entries)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	trail.Run(ctx)
	sum := int64(few)
	for _, e := range b.entries[few:] {
		sum += e.Count
	}
	if few > 2*strangersBurst || sum != tries {
		t.Errorf("there are %d entries at once, and %d attempts in all, want %d", few, sum, tries)
	}
	if e := b.entries[0]; e.Outcome != audit.Denied || e.Message != "an old token" || e.Who.Name != "" {
		t.Errorf("the first is %+v", e)
	}
}

// What is counted is kept until it is told of: of headers as long as a sender likes no
// more is kept than an entry has, and of changes their digest.
func TestFloodsKeepNothingElseOfARequest(t *testing.T) {
	const networks, long = 500, 64 << 10
	f, before := newFlood(), heap()
	for n := range networks {
		address := fmt.Sprintf("2001:db8:%x::1", n)
		for range strangerBurst {
			f.admit(nil, &audit.Entry{Verb: "get", From: audit.Origin{Address: address}, Outcome: audit.Denied})
		}
		agent, changes := strings.Repeat("x", long), []audit.Change(nil)
		if n%2 == 0 {
			changes = []audit.Change{{Path: "/operation"}}
		}
		name, _, _ := strings.Cut("web?"+agent, "?")
		f.admit(nil, &audit.Entry{Verb: "get", Name: name, From: audit.Origin{Address: address, Agent: agent}, Changes: changes, Outcome: audit.Denied})
	}
	if kept := heap() - before; kept > networks*long/4 {
		t.Errorf("%d bytes are kept of %d networks", kept, networks)
	}
	for _, e := range f.counted() {
		if e.Name != "web" || len(e.From.Agent) > 200 || len(e.Changes) > 0 || (e.More == 1) != (e.Digest != "") {
			t.Errorf("counted is %+v", e)
		}
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// An issuer may let people choose the name that is shown of them: who floods
// under the name of another does not hide what that one tries.
func TestFloodsOfNamesakes(t *testing.T) {
	b := &book{}
	trail := New(b, slog.New(slog.DiscardHandler))
	named := func(sub string) *auth.User {
		return &auth.User{Name: "ann", Via: auth.OIDC, Claims: map[string]any{"sub": sub}}
	}
	for range 2 * knownBurst {
		trail.Failed(t.Context(), named("1"), &audit.Entry{Verb: "sync"}, errors.New("no"))
	}
	few := len(b.entries)
	trail.Failed(t.Context(), named("2"), &audit.Entry{Verb: "delete"}, errors.New("no"))
	if few >= 2*knownBurst || len(b.entries) != few+1 {
		t.Errorf("there are %d entries of one, and %d of both", few, len(b.entries))
	}
}

// However many networks strangers come from, what they try is not told as that
// of somebody who is known, nor hides it, and nobody's name is put to all of it.
func TestStrangersHideNobody(t *testing.T) {
	b := &book{}
	trail := New(b, slog.New(slog.DiscardHandler))
	refused := trail.Refusing(func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusUnauthorized) })
	const tries = 20 * senders
	for n := range tries {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/applications", nil)
		r.RemoteAddr = fmt.Sprintf("[2001:db8:%x:%x::1]:1", n/100, n%100)
		refused(httptest.NewRecorder(), r, errors.New("made up"))
	}
	few := len(b.entries)
	ann := &auth.User{Name: "ann", Via: auth.Local}
	trail.Failed(t.Context(), ann, &audit.Entry{Verb: "delete", Resource: "applications", Name: "theirs"}, errors.New("no"))
	if len(b.entries) != few+1 || b.entries[len(b.entries)-1].Who.Name != "ann" {
		t.Errorf("what ann tried has no entry: there are %d, and were %d", len(b.entries), few)
	}
	sum := int64(few)
	for _, e := range trail.flood.counted() {
		sum += e.Count
		if e.Who.Name == "ann" || e.Count > tries/2 && e.From.Address != several {
			t.Errorf("%d tries are said to be those of %q from %s", e.Count, e.Who.Name, e.From.Address)
		}
	}
	if sum != tries {
		t.Errorf("%d attempts are told of, and were %d", sum, tries)
	}
}

// One who has a /64 of IPv6 is one sender, whatever the address.
func TestStrangersAreNetworks(t *testing.T) {
	f := newFlood()
	admitted := 0
	for n := range 4 * senders {
		e := &audit.Entry{Verb: "sign-in", Who: audit.Who{Name: fmt.Sprint("name-", n%7)}, From: audit.Origin{Address: fmt.Sprintf("2001:db8::%x", n)}}
		if f.admit(nil, e) {
			admitted++
		}
	}
	if len(f.strangers) != 1 || admitted > 2*strangerBurst {
		t.Errorf("%d senders have %d entries", len(f.strangers), admitted)
	}
	told := f.counted()
	if len(told) != 1 || told[0].Who.Name != several || told[0].From.Address == several {
		t.Errorf("what was counted is %+v", told)
	}
}

// People who are too many are forgotten, and nothing that was counted of them.
func TestPeopleOfFloodsAreNotLost(t *testing.T) {
	f, sum, tries := newFlood(), int64(0), int64(0)
	try := func(name string) {
		tries++
		if f.admit(&auth.User{Name: name, Via: auth.Local}, &audit.Entry{Verb: "delete", Who: audit.Who{Name: name}, Outcome: audit.Denied}) {
			sum++
		}
	}
	for range 2 * knownBurst {
		try("mallory")
	}
	for n := range people + 10 {
		try(fmt.Sprint("robot-", n))
	}
	if len(f.people) > people {
		t.Errorf("%d people are remembered", len(f.people))
	}
	for _, e := range f.counted() {
		if sum += e.Count; e.Who.Name != "mallory" {
			t.Errorf("%d attempts of mallory are told as those of %q", e.Count, e.Who.Name)
		}
	}
	if sum != tries {
		t.Errorf("%d attempts are told of, and were %d", sum, tries)
	}
}

// Whoever writes much has no details any more, and an entry of each write;
// others have theirs.
func TestDetailsAreBounded(t *testing.T) {
	b := &book{}
	trail := New(b, slog.New(slog.DiscardHandler))
	now := time.Now()
	trail.details.now = func() time.Time { return now }
	var changes []audit.Change
	for i := range 50 {
		changes = append(changes, audit.Change{Path: fmt.Sprintf("/annotations/%d", i), Old: strings.Repeat("o", 600), New: strings.Repeat("n", 600)})
	}
	begin := func(name string) audit.Entry {
		t.Helper()
		u := &auth.User{Name: name, Via: auth.Local}
		if err := trail.Begin(t.Context(), u, &audit.Entry{Verb: "update", Resource: "clusters", Name: "mine", Changes: changes}); err != nil {
			t.Fatal(err)
		}
		return b.entries[len(b.entries)-1]
	}
	whole := begin("ann")
	if len(whole.Changes) != len(changes) || whole.Digest != "" {
		t.Fatalf("the first has %d changes, and the digest %q", len(whole.Changes), whole.Digest)
	}
	const many = 500
	size := 0
	var last audit.Entry
	for range many {
		last = begin("mallory")
		text, err := json.Marshal(last)
		if err != nil {
			t.Fatal(err)
		}
		size += len(text)
	}
	text, err := json.Marshal(whole.Changes)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.entries) != many+1 || last.Who.Name != "mallory" || last.Name != "mine" || len(last.Changes) != 0 || last.More != 50 || last.Digest != audit.Hash(text) {
		t.Errorf("there are %d entries, the last %+v", len(b.entries), last)
	}
	if most := detailsBurst + detailsBurst/2 + many*1000; size > most {
		t.Errorf("they take %d bytes, and may take %d", size, most)
	}
	if e := begin("ann"); len(e.Changes) != len(changes) {
		t.Errorf("somebody else has %d changes", len(e.Changes))
	}
	now = now.Add(time.Hour)
	if e := begin("mallory"); len(e.Changes) != len(changes) {
		t.Errorf("later on there are %d changes", len(e.Changes))
	}
}

// Many people take no room for ever, and those who are too many are one.
func TestDetailsOfMany(t *testing.T) {
	d := newDetails()
	now := time.Now()
	d.now = func() time.Time { return now }
	for i := range 2 * senders {
		if !d.take(strconv.Itoa(i), 500) {
			t.Fatalf("person %d has no details", i)
		}
	}
	if len(d.all) > senders+1 {
		t.Errorf("%d people are remembered", len(d.all))
	}
	now = now.Add(time.Hour)
	if d.take("one more", 500); len(d.all) != 1 {
		t.Errorf("%d people are remembered later on", len(d.all))
	}
}

// What was counted while the audit cannot be written is written later.
func TestCountsOfFloodsAreNotLost(t *testing.T) {
	var said strings.Builder
	b := &book{}
	trail := New(b, slog.New(slog.NewTextHandler(&said, nil)))
	u := &auth.User{Name: "ann"}
	const many = 2 * knownBurst
	for range many {
		trail.Failed(t.Context(), u, &audit.Entry{Verb: "sync"}, gitops.Problemf(gitops.Forbidden, "no"))
	}
	b.broken = errors.New("the disk is full")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	trail.Run(ctx)
	if len(b.noted) != 1 || int64(len(b.entries))+b.noted[0].Count != many || b.noted[0].Who.Name != "ann" {
		t.Errorf("there are %d entries, and %+v for later", len(b.entries), b.noted)
	}
	if !strings.Contains(said.String(), "the disk is full") {
		t.Errorf("the log does not say why: %s", &said)
	}
}

// What can be repeated without end has a few entries, too, and leaves room for
// refusals; other writes have one each.
func TestWhatIsFleetingIsCounted(t *testing.T) {
	for verb := range fleeting {
		t.Run(verb, func(t *testing.T) {
			b := &book{}
			trail := New(b, slog.New(slog.DiscardHandler))
			u := &auth.User{Name: "ann"}
			const many = 20 * knownBurst
			for range many {
				if err := trail.Begin(t.Context(), u, &audit.Entry{Verb: verb}); err != nil {
					t.Fatal(err)
				}
			}
			few := int64(len(b.entries))
			trail.Failed(t.Context(), u, &audit.Entry{Verb: "sync"}, errors.New("no"))
			if err := trail.Begin(t.Context(), u, &audit.Entry{Verb: "sync"}); err != nil {
				t.Fatal(err)
			}
			if few >= many || int64(len(b.entries)) != few+2 {
				t.Errorf("there are %d entries of %d, and %d in all", few, many, len(b.entries))
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			trail.Run(ctx)
			if e := b.entries[len(b.entries)-1]; e.Verb != verb || e.Outcome != audit.Allowed || e.Count != many-few {
				t.Errorf("the rest is %+v, want %d", e, many-few)
			}
		})
	}
	for _, verb := range []string{"cancel", "refresh"} {
		if !fleeting[verb] {
			t.Errorf("who may read may %s without end", verb)
		}
	}
}

// What somebody has begun and what then fails is always told of.
func TestEndsOfWhatBeganAreNotCounted(t *testing.T) {
	b := &book{}
	trail := New(b, slog.New(slog.DiscardHandler))
	u := &auth.User{Name: "ann"}
	const many = 2 * knownBurst
	for range many {
		e := &audit.Entry{Verb: "sync"}
		if err := trail.Begin(t.Context(), u, e); err != nil {
			t.Fatal(err)
		}
		trail.Failed(t.Context(), u, e, gitops.Problemf(gitops.Forbidden, "Kubernetes does not let you"))
	}
	last := b.entries[len(b.entries)-1]
	if len(b.entries) != 2*many || last.Outcome != audit.Denied || last.Of != 2*many-1 {
		t.Errorf("there are %d entries, the last %+v", len(b.entries), last)
	}
}

func TestNoAuditIsKept(t *testing.T) {
	var none *Trail
	if err := none.Begin(t.Context(), nil, &audit.Entry{}); err != nil {
		t.Error(err)
	}
	none.Failed(t.Context(), nil, &audit.Entry{}, errors.New("no"))
	none.Run(t.Context())
	if w := ask(t, server(none), "ann", "DELETE", "/session"); w.Code != http.StatusOK {
		t.Errorf("the answer is %d", w.Code)
	}
}

func TestChanges(t *testing.T) {
	before := map[string]any{
		"metadata": map[string]any{"resourceVersion": "1", "annotations": map[string]any{"a/b": "old"}, "finalizers": []any{"x"}},
		"spec":     map[string]any{"source": map[string]any{"helm": map[string]any{"values": "password: hunter1"}}},
	}
	patch := `{"metadata":{"resourceVersion":"2","annotations":{"a/b":"new","c":"d"},"finalizers":null},
		"operation":{"initiatedBy":{"username":"ann"},"sync":{"prune":true,"sources":[{"helm":{"values":"password: hunter2"}}]},"list":[{"source":{"x":"hunter3"}}]},
		"spec":{"source":{"helm":{"values":"password: hunter2"}}}}`
	want := []audit.Change{
		{Path: "/metadata/annotations/a~1b", Old: `"old"`, New: `"new"`},
		{Path: "/metadata/annotations/c", New: `"d"`},
		{Path: "/metadata/finalizers", Old: `["x"]`},
		{Path: "/operation/initiatedBy/username", New: `"ann"`},
		{Path: "/operation/list", New: notShown},
		{Path: "/operation/sync/prune", New: `true`},
		{Path: "/operation/sync/sources", New: notShown},
		{Path: "/spec/source", Old: notShown, New: notShown},
	}
	if diff := cmp.Diff(want, Changes(before, []byte(patch))); diff != "" {
		t.Errorf("the changes (-want +got):\n%s", diff)
	}
}

// TestChangesHideTheCopyOfAnObject: what client-side apply was given has all values
// of an object, also where the annotations go with it.
func TestChangesHideTheCopyOfAnObject(t *testing.T) {
	const path = "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"
	before := map[string]any{"metadata": map[string]any{"annotations": map[string]any{gitops.AnnotationLastApplied: `{"data":{"p":"hunter1"}}`}}}
	for reason, tc := range map[string]struct {
		patch string
		want  []audit.Change
	}{
		"it is written": {
			`{"metadata":{"annotations":{"a":"b","kubectl.kubernetes.io/last-applied-configuration":"{\"data\":{\"p\":\"hunter2\"}}"}}}`,
			[]audit.Change{{Path: "/metadata/annotations/a", New: `"b"`}, {Path: path, Old: notShown, New: notShown}},
		},
		"it is taken away": {`{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":null}}}`, []audit.Change{{Path: path, Old: notShown}}},
		"all are":          {`{"metadata":{"annotations":null}}`, []audit.Change{{Path: "/metadata/annotations", Old: notShown}}},
	} {
		if diff := cmp.Diff(tc.want, Changes(before, []byte(tc.patch))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", reason, diff)
		}
	}
}

// TestLongKeysAreNotRepeated has a request write many fields below a key that is as long as the request may be.
func TestLongKeysAreNotRepeated(t *testing.T) {
	fields := map[string]any{}
	for i := range 5000 {
		fields[fmt.Sprintf("f%d", i)] = "a"
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{strings.Repeat("k", 200<<10): fields}})
	if err != nil {
		t.Fatal(err)
	}
	kept, all := 0, Changes(map[string]any{}, patch)
	for _, c := range all {
		kept += len(c.Path)
	}
	if !strings.HasSuffix(all[0].Path, "/f0") {
		t.Errorf("the last step of %q is not told", all[0].Path[max(0, len(all[0].Path)-20):])
	}
	if len(all) != mostChanges+1 || all[mostChanges].Path != "/…" || kept > 2<<20 {
		t.Errorf("%d changes with paths of %d bytes, the last one %q", len(all), kept, all[len(all)-1].Path)
	}
}
