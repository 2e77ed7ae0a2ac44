package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// agent is how the engine calls itself to servers.
const agent = "causeway"

var errTooLarge = errors.New("the answer is too large")

// structs are what the clients of Git hosts make of JSON: one of a repository or
// a request has a kilobyte or more, whatever is said of it. A page of a hundred
// takes a megabyte.
var structs = bounded.Cost{Element: 1500, Object: 500, Member: 60}

// maxMemory bounds what an answer takes when it is read, in bytes.
const maxMemory = 192 << 20

// transport is one client's way to a host.
type transport struct {
	Options
	base http.RoundTripper

	mu sync.Mutex
	// closed is until when the host's rate limit lets nothing through.
	closed time.Time
}

// RoundTrip sends a request until it gets an answer worth reading. The body
// of the answer has been read already.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.Host != "" && !strings.EqualFold(req.URL.Host, t.Host) {
		return nil, gitops.Problemf(gitops.Refused, "%s: a request goes to %s, where credentials must not go", t.verb(req), req.URL.Host).Do(fixOr(t.Options, "check the api address"))
	}
	body, err := replay(req)
	if err != nil {
		return nil, err
	}
	ctx, waits := req.Context(), waiter{clock: t.Clock, left: t.MaxWait}
	for attempt := 0; ; attempt++ {
		if err := t.waitOpen(ctx, &waits); err != nil {
			return nil, err
		}
		res, err := t.once(req, body)
		pause, again := t.retry(req, res, err, attempt)
		if !again {
			return t.finish(req, res, err)
		}
		if !waits.enough(pause) {
			return t.finish(req, res, err)
		}
		if err := waits.wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// once is one attempt.
func (t *transport) once(req *http.Request, body []byte) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.Timeout)
	defer cancel()
	out := req.Clone(ctx)
	if body != nil {
		out.Body = io.NopCloser(bytes.NewReader(body))
		out.ContentLength = int64(len(body))
	}
	if out.Header.Get("User-Agent") == "" {
		out.Header.Set("User-Agent", agent)
	}
	if t.Sign != nil {
		if err := t.Sign(out); err != nil {
			return nil, err
		}
	}
	res, err := t.base.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	res.Request = out
	defer res.Body.Close()
	content, err := io.ReadAll(io.LimitReader(res.Body, t.MaxBody+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > t.MaxBody {
		return nil, fmt.Errorf("%w: more than %d bytes", errTooLarge, t.MaxBody)
	}
	if bounded.Measured(content, structs) > maxMemory {
		return nil, fmt.Errorf("%w: it takes more than %d MiB of memory", errTooLarge, maxMemory>>20)
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(content)), int64(len(content))
	t.note(res)
	return res, nil
}

// finish hands on a success or a redirect, and makes a Problem of all else.
func (t *transport) finish(req *http.Request, res *http.Response, err error) (*http.Response, error) {
	if err != nil {
		return nil, t.broken(req, err)
	}
	if res.StatusCode < http.StatusBadRequest {
		if t.JSON && !isJSON(req, res) {
			return nil, gitops.Problemf(gitops.Unreachable, "%s: its answer is no JSON", t.verb(req)).Do("check the api address")
		}
		res.Request = req // without the credentials that Sign added
		return res, nil
	}
	return nil, t.refused(res)
}

// retry reports whether another attempt may help, and after which pause.
func (t *transport) retry(req *http.Request, res *http.Response, err error, attempt int) (time.Duration, bool) {
	if req.Context().Err() != nil || attempt >= defaultRetries {
		return 0, false
	}
	if err != nil {
		return backoff(attempt), repeatable(req) && passing(err)
	}
	if limited(res) {
		return t.pause(res, attempt), true
	}
	switch res.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return t.pause(res, attempt), repeatable(req)
	}
	return 0, false
}

// repeatable requests do the same once or twice. A POST may have been
// carried out although its answer was lost.
func repeatable(req *http.Request) bool { return req.Method != http.MethodPost }

// passing errors may be gone at the next attempt.
func passing(err error) bool {
	var p *gitops.Problem
	return !errors.Is(err, errTooLarge) && !errors.As(err, &p) && !untrusted(err)
}

// isJSON reports whether an answer that has to be JSON is.
func isJSON(req *http.Request, res *http.Response) bool {
	if req.Method != http.MethodGet || res.StatusCode != http.StatusOK {
		return true
	}
	content, ok := bodyOf(res)
	return ok && json.Valid(content)
}

// replay reads the request's body, so that it can be sent again.
func replay(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	defer req.Body.Close()
	return io.ReadAll(req.Body)
}
