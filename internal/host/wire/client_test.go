package wire_test

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
	"github.com/causeway-gitops/causeway/test/nobody"
)

var noon = hosttest.Noon()

const token = "s3cret-t0ken"

func open(t *testing.T, o wire.Options) *http.Client {
	t.Helper()
	o.Subject = "the organisation acme (git.example.com)"
	client, err := wire.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestAnswersTakeNoMoreThanTheyMay has some hundred kilobytes that become structs.
func TestAnswersTakeNoMoreThanTheyMay(t *testing.T) {
	row := `{"id":1296269,"name":"Hello-World","owner":{"login":"octocat","id":1},"private":false,"topics":["octocat","atom","api"],"permissions":{"admin":false,"push":false,"pull":true}}`
	for item, c := range map[string]struct {
		items   int
		refused bool
	}{"{}": {140_000, true}, "null": {140_000, true}, row: {5000, false}} {
		server := hosttest.NewServer(t)
		server.Fail(hosttest.Answer(200, "["+strings.Repeat(item+",", c.items)+item+"]"))
		_, err := send(t.Context(), open(t, wire.Options{Clock: hosttest.NewClock(noon)}), "GET", server.URL+"/x", "")
		if refused := err != nil && strings.Contains(err.Error(), "takes more than 192 MiB of memory"); refused != c.refused || len(server.Asked()) != 1 {
			t.Errorf("%d of %.20s: asked %d times, %v", c.items, item, len(server.Asked()), err)
		}
	}
}

func send(ctx context.Context, client *http.Client, method, address, body string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := client.Do(req)
	if err != nil {
		return "", wire.Explain("the organisation acme", err)
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	return string(content), err
}

func seconds(n ...float64) []time.Duration {
	var all []time.Duration
	for _, s := range n {
		all = append(all, time.Duration(s*float64(time.Second)))
	}
	return all
}

func TestAttempts(t *testing.T) {
	at := func(d time.Duration) string { return strconv.FormatInt(noon.Add(d).Unix(), 10) }
	ok := hosttest.Answer(http.StatusOK, "fine")
	cases := map[string]struct {
		reason  string
		method  string
		answers []http.HandlerFunc
		waits   []time.Duration
		want    string // part of the error; none when empty
		kind    gitops.ProblemKind
		asked   int
	}{
		"at once":     {"nothing to wait for", "GET", []http.HandlerFunc{ok}, nil, "", 0, 1},
		"seconds":     {"Retry-After in seconds", "GET", []http.HandlerFunc{hosttest.Answer(429, "", "Retry-After", "7"), ok}, seconds(7), "", 0, 2},
		"date":        {"Retry-After as a date", "GET", []http.HandlerFunc{hosttest.Answer(429, "", "Retry-After", noon.Add(9*time.Second).Format(http.TimeFormat)), ok}, seconds(9), "", 0, 2},
		"past date":   {"a date that is over", "GET", []http.HandlerFunc{hosttest.Answer(429, "", "Retry-After", noon.Add(-time.Hour).Format(http.TimeFormat)), ok}, nil, "", 0, 2},
		"github":      {"GitHub's primary limit is a 403 with a time", "GET", []http.HandlerFunc{hosttest.Answer(403, `{"message":"API rate limit exceeded"}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", at(12*time.Second)), ok}, seconds(12), "", 0, 2},
		"behind":      {"a limit that by our clock is over", "GET", []http.HandlerFunc{hosttest.Answer(403, "", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", at(-time.Second)), ok}, seconds(0.5), "", 0, 2},
		"secondary":   {"GitHub's secondary limit is a 403 with Retry-After", "GET", []http.HandlerFunc{hosttest.Answer(403, `{"message":"You have exceeded a secondary rate limit"}`, "Retry-After", "3"), ok}, seconds(3), "", 0, 2},
		"untimed":     {"a limit that gives no time", "GET", []http.HandlerFunc{hosttest.Answer(403, `{"message":"You have exceeded a secondary rate limit"}`), ok}, seconds(0.5), "", 0, 2},
		"gitlab":      {"GitLab's header", "GET", []http.HandlerFunc{hosttest.Answer(429, "Retry later", "RateLimit-Remaining", "0", "RateLimit-Reset", at(5*time.Second)), ok}, seconds(5), "", 0, 2},
		"draft":       {"RateLimit-Reset in seconds from now", "GET", []http.HandlerFunc{hosttest.Answer(429, "", "RateLimit-Reset", "4"), ok}, seconds(4), "", 0, 2},
		"post":        {"a limit refuses before anything is done", "POST", []http.HandlerFunc{hosttest.Answer(429, "", "Retry-After", "1"), ok}, seconds(1), "", 0, 2},
		"too long":    {"an hour is not waited for", "GET", []http.HandlerFunc{hosttest.Answer(403, "", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", at(time.Hour))}, nil, "rate limit is used up until 2026-05-01T13:00:00Z", gitops.Unreachable, 1},
		"budget":      {"waits add up", "GET", []http.HandlerFunc{hosttest.Answer(429, "", "Retry-After", "20"), hosttest.Answer(429, "", "Retry-After", "20")}, seconds(20), "rate limit", gitops.Unreachable, 2},
		"outage":      {"an outage passes", "GET", []http.HandlerFunc{hosttest.Answer(502, ""), hosttest.Answer(503, ""), hosttest.Answer(504, ""), ok}, seconds(0.5, 1, 2), "", 0, 4},
		"hang up":     {"a connection that breaks", "GET", []http.HandlerFunc{hosttest.HangUp, ok}, seconds(0.5), "", 0, 2},
		"cut":         {"an answer that is cut off", "GET", []http.HandlerFunc{hosttest.Answer(200, "half", "Content-Length", "10"), ok}, seconds(0.5), "", 0, 2},
		"maintenance": {"503 with Retry-After", "GET", []http.HandlerFunc{hosttest.Answer(503, "", "Retry-After", "6"), ok}, seconds(6), "", 0, 2},
		"lasting":     {"an outage that lasts", "GET", []http.HandlerFunc{hosttest.Answer(503, ""), hosttest.Answer(503, ""), hosttest.Answer(503, ""), hosttest.Answer(503, "")}, seconds(0.5, 1, 2), "answers 503", gitops.Unreachable, 4},
		"post outage": {"a POST may have been carried out", "POST", []http.HandlerFunc{hosttest.Answer(502, "")}, nil, "cannot write to the organisation acme", gitops.Unreachable, 1},
		"put outage":  {"a PUT does the same twice", "PUT", []http.HandlerFunc{hosttest.Answer(502, ""), ok}, seconds(0.5), "", 0, 2},
		"500":         {"an error of the server is told at once", "GET", []http.HandlerFunc{hosttest.Answer(500, `{"message":"boom"}`)}, nil, "answers 500 Internal Server Error: boom", gitops.Unreachable, 1},
		"401":         {"wrong token", "GET", []http.HandlerFunc{hosttest.Answer(401, `{"message":"Bad credentials `+token+`"}`)}, nil, "401 Unauthorized: Bad credentials [redacted]", gitops.Refused, 1},
		"403":         {"a 403 that is no limit", "GET", []http.HandlerFunc{hosttest.Answer(403, `{"message":"no"}`, "X-RateLimit-Remaining", "5")}, nil, "403 Forbidden: no", gitops.Refused, 1},
		"404":         {"not there", "GET", []http.HandlerFunc{hosttest.Answer(404, `<html>`)}, nil, "404 Not Found", gitops.NotFound, 1},
		"422":         {"a request that is wrong", "POST", []http.HandlerFunc{hosttest.Answer(422, `{"errors":[{"message":"body is too long"}]}`)}, nil, "body is too long", gitops.Invalid, 1},
		"huge":        {"more than is read", "GET", []http.HandlerFunc{hosttest.Answer(200, strings.Repeat("x", 2000))}, nil, "more than 1000 bytes", gitops.Unreachable, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			server := hosttest.NewServer(t)
			server.Fail(c.answers...)
			clock := hosttest.NewClock(noon)
			_, err := send(t.Context(), open(t, wire.Options{Clock: clock, MaxBody: 1000}), c.method, server.URL+"/x", "body")
			if diff := cmp.Diff(c.waits, clock.Waits()); diff != "" {
				t.Errorf("%s: waits (-want +got):\n%s", c.reason, diff)
			}
			if got := len(server.Asked()); got != c.asked {
				t.Errorf("%s: asked %d times, want %d", c.reason, got, c.asked)
			}
			if c.want == "" {
				if err != nil {
					t.Errorf("%s: %v", c.reason, err)
				}
				return
			}
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != c.kind || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "acme") {
				t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), token) {
				t.Errorf("the token shows in %q", err)
			}
		})
	}
}

func TestBodyIsSentAgain(t *testing.T) {
	server := hosttest.NewServer(t)
	server.Fail(hosttest.Answer(429, "", "Retry-After", "1"))
	server.Handle("POST /x", func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	got, err := send(t.Context(), open(t, wire.Options{Clock: hosttest.NewClock(noon)}), "POST", server.URL+"/x", "the text")
	if err != nil || got != "the text" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestUsedUpLimitIsKeptTo(t *testing.T) {
	server := hosttest.NewServer(t)
	reset := strconv.FormatInt(noon.Add(10*time.Second).Unix(), 10)
	server.Fail(hosttest.Answer(200, "last", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset))
	server.JSON("GET /x", "next")
	clock := hosttest.NewClock(noon)
	client := open(t, wire.Options{Clock: clock})
	for range 2 {
		if _, err := send(t.Context(), client, "GET", server.URL+"/x", ""); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(seconds(10), clock.Waits()); diff != "" {
		t.Errorf("the second request waits for the limit before it is sent (-want +got):\n%s", diff)
	}
	if got := len(server.Asked()); got != 2 {
		t.Errorf("asked %d times", got)
	}
}

func TestCancelled(t *testing.T) {
	server := hosttest.NewServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	server.Handle("GET /x", func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := send(ctx, open(t, wire.Options{Clock: hosttest.NewClock(noon)}), "GET", server.URL+"/x", "")
	if !errors.Is(err, context.Canceled) || len(server.Asked()) != 1 {
		t.Errorf("got %v after %d requests", err, len(server.Asked()))
	}
	before, stop := context.WithCancel(t.Context())
	stop()
	if _, err = send(before, open(t, wire.Options{}), "GET", server.URL+"/x", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}

func TestTimeout(t *testing.T) {
	server := hosttest.NewServer(t)
	server.Handle("GET /x", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err := send(t.Context(), open(t, wire.Options{Clock: hosttest.NewClock(noon), Timeout: 20 * time.Millisecond}), "GET", server.URL+"/x", "")
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Unreachable || !strings.Contains(err.Error(), "no answer within") {
		t.Errorf("got %v", err)
	}
}

func TestNobodyAnswers(t *testing.T) {
	clock := hosttest.NewClock(noon)
	_, err := send(t.Context(), open(t, wire.Options{Clock: clock}), "GET", "http://"+nobody.Address(t), "")
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Unreachable || len(clock.Waits()) != 3 {
		t.Errorf("got %v after %v", err, clock.Waits())
	}
}

func TestCertificates(t *testing.T) {
	server := httptest.NewTLSServer(hosttest.Answer(http.StatusOK, "fine"))
	server.Config.ErrorLog = nil
	defer server.Close()
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	for name, o := range map[string]wire.Options{"authority": {CA: authority}, "insecure": {Insecure: true}} {
		if _, err := send(t.Context(), open(t, o), "GET", server.URL, ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	clock := hosttest.NewClock(noon)
	_, err := send(t.Context(), open(t, wire.Options{Clock: clock}), "GET", server.URL, "")
	if err == nil || !strings.Contains(err.Error(), "caRef") || !errors.Is(err, wire.ErrUntrusted) || len(clock.Waits()) != 0 {
		t.Errorf("an unknown certificate is not tried again: %v, %v", err, clock.Waits())
	}
	if _, err := wire.New(wire.Options{CA: "no certificate"}); err == nil || !strings.Contains(err.Error(), "PEM") {
		t.Errorf("got %v", err)
	}
}

func TestCredentialsStayAtTheHost(t *testing.T) {
	other, server := hosttest.NewServer(t), hosttest.NewServer(t)
	server.Handle("GET /x", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/x", http.StatusFound) })
	server.Handle("GET /moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/here", http.StatusMovedPermanently)
	})
	server.JSON("GET /here", "{}")
	_, err := send(t.Context(), open(t, wire.Options{}), "GET", server.URL+"/x", "")
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Kind != gitops.Refused || len(other.Asked()) != 0 {
		t.Errorf("got %v; the other host was asked %v", err, other.Asked())
	}
	if _, err := send(t.Context(), open(t, wire.Options{}), "GET", server.URL+"/moved", ""); err != nil {
		t.Errorf("a redirect within the host: %v", err)
	}
	bound := open(t, wire.Options{Host: strings.TrimPrefix(server.URL, "http://")})
	if _, err := send(t.Context(), bound, "GET", other.URL+"/x", ""); !errors.As(err, &p) || p.Kind != gitops.Refused || len(other.Asked()) != 0 {
		t.Errorf("a request to another host: %v", err)
	}
}

func TestSign(t *testing.T) {
	server := hosttest.NewServer(t)
	server.Require("Private-Token", token)
	server.JSON("GET /x", "{}")
	signed := open(t, wire.Options{Sign: func(r *http.Request) error {
		r.Header.Set("Private-Token", token)
		return nil
	}})
	if _, err := send(t.Context(), signed, "GET", server.URL+"/x", ""); err != nil {
		t.Error(err)
	}
	broken := open(t, wire.Options{Sign: func(*http.Request) error {
		return gitops.Problemf(gitops.Refused, "no token")
	}})
	if _, err := send(t.Context(), broken, "GET", server.URL+"/x", ""); err == nil || err.Error() != "no token" {
		t.Errorf("got %v", err)
	}
}

func TestOnlyJSON(t *testing.T) {
	for body, want := range map[string]bool{"[]": true, "": false, "<html>": false, `[{"a":1}`: false} {
		server := hosttest.NewServer(t)
		server.JSON("GET /x", body)
		_, err := send(t.Context(), open(t, wire.Options{JSON: true}), "GET", server.URL+"/x", "")
		if (err == nil) != want {
			t.Errorf("%q: %v", body, err)
		}
	}
}
