package api

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// A stream begins by asking to read all, goes on with changes, and where it
// was cut off by what has changed since.
func TestEvents(t *testing.T) {
	world := newWorld()
	server := httptest.NewServer(world.handler())
	defer server.Close()
	lines, end := opened(t, server, "")
	if got := next(t, lines, "event: "); got != "reset" {
		t.Fatalf("a new stream begins with %q", got)
	}
	world.put("web-dev", "shop", "dev", "OutOfSync", "Healthy")
	world.put("dns", "platform", "prod", "OutOfSync", "Healthy")
	id := next(t, lines, "id: ")
	if data := next(t, lines, "data: "); !strings.Contains(data, "web-dev") || strings.Contains(data, "dns") {
		t.Errorf("got %s", data)
	}
	end()
	world.put("web-prod", "shop", "prod", "Synced", "Healthy")
	lines, end = opened(t, server, id)
	defer end()
	if data := next(t, lines, "data: "); !strings.Contains(data, "web-prod") {
		t.Errorf("after coming back: %s", data)
	}
}

// An answer tells from which version on it misses changes: those that a stream
// which begins later does not tell of.
func TestAnswersTellTheirVersion(t *testing.T) {
	world := newWorld()
	h := world.handler()
	version := func() uint64 {
		v, err := strconv.ParseUint(send(t, h, "reader", "GET", "/applications", "").Header().Get(VersionHeader), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := version()
	for _, health := range []string{"Degraded", "Progressing", "Missing"} {
		world.put("dns", "platform", "prod", "Synced", health)
	}
	if now := version(); now != before {
		t.Errorf("what others change makes version %d of %d", now, before)
	}
	world.put("web-dev", "shop", "dev", "OutOfSync", "Healthy")
	server := httptest.NewServer(h)
	defer server.Close()
	lines, end := opened(t, server, "")
	defer end()
	if begin := next(t, lines, "id: "); begin != strconv.FormatUint(version(), 10) || version() <= before {
		t.Errorf("the stream begins at %s, the answer before was of %d, one now is of %d", begin, before, version())
	}
}

func TestEventsAreForReaders(t *testing.T) {
	if w := send(t, newWorld().handler(), "", "GET", "/events", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("nobody gets %d", w.Code)
	}
	if version := send(t, newWorld().handler(), "", "GET", "/applications", "").Header().Get(VersionHeader); version != "" {
		t.Errorf("nobody is told of version %s", version)
	}
}

func opened(t *testing.T, server *httptest.Server, last string) (*bufio.Scanner, func()) {
	t.Helper()
	lines, end, err := follow(t.Context(), server, last)
	if err != nil {
		t.Fatal(err)
	}
	return lines, end
}

// follow is opened for goroutines, which may not end a test.
func follow(ctx context.Context, server *httptest.Server, last string) (*bufio.Scanner, func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+Prefix+"/events", nil)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	r.Header.Set("X-Test-User", "reader")
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	resp, err := server.Client().Do(r) //nolint:bodyclose // by the function that comes back
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return bufio.NewScanner(resp.Body), func() {
		cancel()
		_ = resp.Body.Close()
	}, nil
}

// next is the rest of the next line that begins so.
func next(t *testing.T, lines *bufio.Scanner, start string) string {
	t.Helper()
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), start); ok {
			return rest
		}
	}
	t.Fatalf("the stream ended before a line with %q: %v", start, lines.Err())
	return ""
}

// TestFollows is about which answers end with the session of their reader:
// those without an end of their own, but for terminals, which look themselves.
func TestFollows(t *testing.T) {
	for at, want := range map[string]bool{
		"/events": true, "/applications/argocd/web/logs": true,
		"/applications/argocd/web/terminal/open": false, "/audit/export": false, "/applications/argocd/web": false, "/applications": false,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, Prefix+at, nil)
		if got := Follows(r); got != want {
			t.Errorf("%s ends with the session: %t, want %t", at, got, want)
		}
		if want && !Streams(r) {
			t.Errorf("%s is no stream", at)
		}
	}
}

// TestPartsOfChanges: an event has no more than fits, or one row; nothing is left out.
func TestPartsOfChanges(t *testing.T) {
	index := view.NewIndex(time.Unix(1, 0))
	begin := index.Begin().Version
	long := strings.Repeat("x", partSize/3)
	for n := range 10 {
		app := &v1alpha1.Application{}
		app.Namespace, app.Name = "argocd", fmt.Sprint("web-", n)
		if n%2 == 0 {
			app.Labels = map[string]string{"note": long}
		}
		if n == 4 {
			app.Labels["more"] = strings.Repeat(long, 12)
		}
		index.Put(view.RowOf(app, "dev"))
	}
	all := func(*view.Row) bool { return true }
	d, known := index.Since(begin, all)
	if !known || len(d.Changed) != 10 {
		t.Fatalf("%d of 10 changes are known", len(d.Changed))
	}
	for n := range 4_000 {
		d.Gone = append(d.Gone, view.Key{Namespace: "argocd", Name: fmt.Sprint("gone-", n)})
	}
	var changed []*view.Row
	var gone []view.Key
	for _, part := range parts(d) {
		if part.Weight() > partSize && len(part.Changed)+len(part.Gone) > 1 {
			t.Errorf("a part has %d rows and %d keys, of %d bytes", len(part.Changed), len(part.Gone), part.Weight())
		}
		changed, gone = append(changed, part.Changed...), append(gone, part.Gone...)
	}
	if !slices.Equal(changed, d.Changed) || !slices.Equal(gone, d.Gone) {
		t.Error("the parts are not the whole")
	}
	if n := len(parts(view.Delta{})); n != 1 {
		t.Errorf("nothing has %d parts", n)
	}
}
