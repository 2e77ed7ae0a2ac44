package provider

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"syscall"
	"time"
)

const (
	tries      = 6
	firstPause = 200 * time.Millisecond
	mostPause  = 30 * time.Second
	// mostRest is how much of an answer is read that nobody wants, in bytes, so that its
	// connection can be used again.
	mostRest = 64 << 10
)

// Patient tries requests again that a server refuses for a while, as long as there is
// time, for clients that do not do so themselves. What comes last is what it returns. All
// requests have to be such that may be sent twice.
func Patient(next http.RoundTripper) http.RoundTripper { return patient{next} }

type patient struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	pause := firstPause
	for try := 1; ; try++ {
		got, err := p.next.RoundTrip(r)
		wait := max(asked(got), pause/2+rand.N(pause)) //nolint:gosec // so that many do not ask at the same time
		if try == tries || !passes(got, err) || wait > mostPause || !hasTime(r, wait) {
			return got, err
		}
		again, failed := sameAgain(r)
		if failed != nil {
			return got, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-r.Context().Done():
			timer.Stop()
			return got, err
		case <-timer.C:
		}
		if got != nil {
			_, _ = io.CopyN(io.Discard, got.Body, mostRest)
			_ = got.Body.Close()
		}
		r, pause = again, pause*2
	}
}

// asked is how long a server wants others to wait.
func asked(got *http.Response) time.Duration {
	if got == nil {
		return 0
	}
	seconds, err := strconv.Atoi(got.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// passes reports whether it may be otherwise a little later.
func passes(got *http.Response, err error) bool {
	if err != nil {
		var number syscall.Errno // not an address that stores may not ask, and never may
		return errors.As(err, &number) || errors.Is(err, io.EOF)
	}
	switch got.StatusCode {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

func hasTime(r *http.Request, wait time.Duration) bool {
	end, limited := r.Context().Deadline()
	return r.Context().Err() == nil && (!limited || time.Until(end) > wait)
}

func sameAgain(r *http.Request) (*http.Request, error) {
	again := r.Clone(r.Context())
	if r.Body == nil || r.Body == http.NoBody {
		return again, nil
	}
	if r.GetBody == nil {
		return nil, errors.New("the request can be read once")
	}
	var err error
	again.Body, err = r.GetBody()
	return again, err
}
