package trail

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// ReasonHeader is where a request says why it is made. What is not ASCII is
// percent-encoded, as in addresses.
const ReasonHeader = "X-Causeway-Reason"

// TraceHeader tells the sender by which trace the audit knows a request: that of
// its traceparent, or one of its own.
const TraceHeader = "X-Causeway-Trace"

// MaxReason bounds a reason, in bytes.
const MaxReason = 500

// request is what the audit wants to know of one, while it is answered. One
// goroutine answers it.
type request struct {
	from   audit.Origin
	reason string
	trace  string
	// who tries to become somebody, while nobody is known.
	who audit.Who
	// told: an entry of it is in the audit.
	told bool
}

type requestKey struct{}

func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	return r
}

// As tells as whom the sender of a request tries to sign in.
func As(ctx context.Context, name string, via auth.Via) {
	if r := requestOf(ctx); r != nil {
		r.who = audit.Who{Name: name, Via: string(via)}
	}
}

// Idle tells that a request is answered without anything that is done, whatever
// its method: there is nothing to tell of.
func Idle(ctx context.Context) {
	if r := requestOf(ctx); r != nil {
		r.told = true
	}
}

var traceParent = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$`)

func read(r *http.Request) *request {
	out := &request{from: audit.Origin{Address: r.RemoteAddr, Forwarded: r.Header.Get("X-Forwarded-For"), Agent: r.UserAgent()}}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		out.from.Address = host
	}
	out.reason = r.Header.Get(ReasonHeader)
	if plain, err := url.PathUnescape(out.reason); err == nil {
		out.reason = plain
	}
	out.trace = traceOf(r.Header.Get("Traceparent"))
	return out
}

// traceOf is the trace that a sender is in, or a new one.
func traceOf(parent string) string {
	if found := traceParent.FindStringSubmatch(parent); found != nil && strings.Trim(found[1], "0") != "" {
		return found[1]
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// Detach is a context for what a request begins and does not wait for: the audit
// tells the same of it.
func Detach(ctx context.Context) context.Context {
	out := context.WithoutCancel(ctx)
	if r := requestOf(ctx); r != nil {
		of := *r
		of.told = true
		return withRequest(out, &of)
	}
	return out
}

func withRequest(ctx context.Context, r *request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}
