package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ServeHTTP hands a request on, or spoils it.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.requests.Add(1)
	class, identity := classify(r)
	var d decision
	if s := p.options.Schedule(r); s != nil {
		d = s.decide(class, identity)
	}
	if d.fault != None {
		p.note(d.fault)
	}
	switch d.fault {
	case Cut:
		panic(http.ErrAbortHandler)
	case Disconnect:
		if c, ok := r.Context().Value(connKey{}).(net.Conn); ok {
			_ = c.Close()
		}
		panic(http.ErrAbortHandler)
	case Slow:
		wait(r.Context(), d.quiet, time.Duration(1+d.detail%500)*time.Millisecond)
	case Hang:
		wait(r.Context(), d.quiet, time.Duration(1000+d.detail%3000)*time.Millisecond)
		panic(http.ErrAbortHandler)
	case Conflict:
		refuse(w, http.StatusConflict, metav1.StatusReasonConflict)
	case Throttled:
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests)
	case Internal:
		refuse(w, http.StatusInternalServerError, metav1.StatusReasonInternalError)
	case Unavailable:
		refuse(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable)
	default:
	}
	if ownAnswer[d.fault] {
		return
	}
	p.forward(w, r, class, d)
}

var ownAnswer = map[Fault]bool{Conflict: true, Throttled: true, Internal: true, Unavailable: true}

// wait ends early with the request or the schedule.
func wait(ctx context.Context, quiet <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-quiet:
	case <-timer.C:
	}
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	body, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Message: "spoiled on purpose: " + strconv.Itoa(code), Reason: reason, Code: int32(code), //nolint:gosec // an HTTP status
	})
	if err == nil {
		_, _ = w.Write(body)
	}
}

// forward sends the request on and passes the answer back as it comes.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request, class Class, d decision) {
	proxy := &httputil.ReverseProxy{
		Transport: p.transport, FlushInterval: -1, ErrorLog: silent(),
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.SetURL(p.upstream)
			pr.Out.Host = p.upstream.Host
		},
		ModifyResponse: func(resp *http.Response) error {
			p.observe(r, class, resp.StatusCode, d.fault)
			return spoil(resp, d)
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			p.observe(r, class, 0, d.fault)
			panic(http.ErrAbortHandler)
		},
	}
	proxy.ServeHTTP(w, r)
}

func (p *Proxy) observe(r *http.Request, class Class, status int, f Fault) {
	if class == Read || class == Watch || class == Lease || p.options.Observe == nil {
		return
	}
	p.options.Observe(Written{At: time.Now(), Method: r.Method, Path: r.URL.Path, Dry: r.URL.Query().Has("dryRun"), Status: status, Spoiled: f})
}

// spoil changes an answer on its way back.
func spoil(resp *http.Response, d decision) error {
	switch d.fault {
	case Lost:
		_ = resp.Body.Close()
		panic(http.ErrAbortHandler)
	case Truncated:
		return halve(resp)
	case WatchEnd, WatchCut, WatchGone, WatchStill:
		if resp.StatusCode == http.StatusOK {
			resp.Body = spoiledWatch(resp, d)
		}
	default:
	}
	return nil
}

// spoiledWatch breaks JSON streams at their events, and others anywhere.
func spoiledWatch(resp *http.Response, d decision) io.ReadCloser {
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		return newStream(resp.Body, d)
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(io.LimitReader(resp.Body, int64(d.detail%8192)), broken{}), resp.Body}
}

// halve cuts a body in the middle; its length still promises the whole.
func halve(resp *http.Response) error {
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return err
	}
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body[:len(body)/2]), broken{}))
	return nil
}

// broken is the end of a body that was cut.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
