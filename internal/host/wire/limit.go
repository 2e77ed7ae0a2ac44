package wire

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	firstPause = 500 * time.Millisecond
	longest    = 8 * time.Second
	// epoch parts seconds from now from seconds since 1970: RateLimit-Reset
	// is the first in the IETF's draft, the second at GitHub and GitLab.
	epoch = 1_000_000_000
)

// waiter spends a budget of waiting.
type waiter struct {
	clock Clock
	left  time.Duration
}

func (w *waiter) enough(d time.Duration) bool { return d <= w.left }

func (w *waiter) wait(ctx context.Context, d time.Duration) error {
	w.left -= d
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-w.clock.After(d):
		return ctx.Err()
	}
}

// note remembers a limit that the answer says is used up.
func (t *transport) note(res *http.Response) {
	if remaining(res) != "0" {
		return
	}
	at, ok := reset(res, t.Clock.Now())
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if at.After(t.closed) {
		t.closed = at
	}
}

// waitOpen waits for the end of a limit that an earlier answer told of: GitHub
// bars clients that go on asking.
func (t *transport) waitOpen(ctx context.Context, w *waiter) error {
	t.mu.Lock()
	until := t.closed
	t.mu.Unlock()
	d := until.Sub(t.Clock.Now())
	if d <= 0 {
		return ctx.Err()
	}
	if !w.enough(d) {
		return t.exhausted(until)
	}
	return w.wait(ctx, d)
}

func (t *transport) exhausted(until time.Time) *gitops.Problem {
	p := gitops.Problemf(gitops.Unreachable, "cannot read %s: its rate limit is used up until %s", t.Subject, until.UTC().Format(time.RFC3339))
	return p.Do("use a token with a higher limit, or a longer requeueAfterSeconds")
}

// limited answers mean "later", not "never". GitHub says 403 for both.
func limited(res *http.Response) bool {
	if res.StatusCode == http.StatusTooManyRequests {
		return true
	}
	if res.StatusCode != http.StatusForbidden {
		return false
	}
	return remaining(res) == "0" || res.Header.Get("Retry-After") != "" || strings.Contains(strings.ToLower(message(res)), "rate limit")
}

// pause is how long the host wants to be left alone.
func (t *transport) pause(res *http.Response, attempt int) time.Duration {
	now := t.Clock.Now()
	if at, ok := retryAfter(res, now); ok {
		return max(at.Sub(now), 0)
	}
	if at, ok := reset(res, now); ok && limited(res) {
		return max(at.Sub(now), backoff(attempt)) // their clock may be ahead of ours
	}
	return backoff(attempt)
}

func backoff(attempt int) time.Duration { return min(firstPause<<attempt, longest) }

// retryAfter reads Retry-After: seconds or a date (RFC 9110, 10.2.3).
func retryAfter(res *http.Response, now time.Time) (time.Time, bool) {
	text := res.Header.Get("Retry-After")
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return now.Add(time.Duration(n) * time.Second), true
	}
	at, err := http.ParseTime(text)
	return at, err == nil
}

func remaining(res *http.Response) string {
	return first(res.Header, "X-RateLimit-Remaining", "RateLimit-Remaining")
}

func reset(res *http.Response, now time.Time) (time.Time, bool) {
	n, err := strconv.ParseUint(first(res.Header, "X-RateLimit-Reset", "RateLimit-Reset"), 10, 40)
	if err != nil {
		return time.Time{}, false
	}
	if n < epoch {
		return now.Add(time.Duration(n) * time.Second), true
	}
	return time.Unix(int64(n), 0), true
}

func first(h http.Header, names ...string) string {
	for _, n := range names {
		if v := h.Get(n); v != "" {
			return v
		}
	}
	return ""
}

// message is what the host says about an error, in the forms that hosts use;
// it leaves the body as it was.
func message(res *http.Response) string {
	seeker, ok := bodyOf(res)
	if !ok {
		return ""
	}
	var answer struct {
		Message any `json:"message"`
		Error   any `json:"error"`
		Text    any `json:"error_description"`
		Errors  any `json:"errors"`
	}
	if json.Unmarshal(seeker, &answer) != nil {
		return ""
	}
	all := []any{answer.Message, answer.Text, answer.Error}
	if list, ok := answer.Errors.([]any); ok && len(list) > 0 {
		all = append(all, list[0])
	}
	for _, v := range all {
		if text := words(v); text != "" {
			return text
		}
	}
	return ""
}

// words are a text, or that of an object with a message.
func words(v any) string {
	if object, ok := v.(map[string]any); ok {
		v = object["message"]
	}
	text, _ := v.(string)
	return text
}

func bodyOf(res *http.Response) ([]byte, bool) {
	content, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, false
	}
	res.Body = io.NopCloser(strings.NewReader(string(content)))
	return content, true
}
