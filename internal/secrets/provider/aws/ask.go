package aws

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// asker is what both services have in common.
type asker struct {
	config      Config
	credentials *aws.CredentialsCache
	known       provider.Known

	mu      sync.Mutex
	renewed time.Time
}

// expired are the codes of errors that new credentials of the same role end.
var expired = []string{"ExpiredToken", "ExpiredTokenException", "UnrecognizedClientException", "InvalidClientTokenId"}

// refused are those that other credentials or more rights end.
// https://docs.aws.amazon.com/secretsmanager/latest/apireference/CommonErrors.html.
var refused = append([]string{
	"AccessDenied", accessDenied, "NotAuthorized", "OptInRequired", "IncompleteSignature", "InvalidSignatureException", "SignatureDoesNotMatch",
	"MissingAuthenticationToken", "MissingAuthenticationTokenException", "InvalidIdentityToken", "IDPRejectedClaim", "RequestExpired",
}, expired...)

const accessDenied = "AccessDeniedException"

// ask asks, and once more with new credentials where those that there were have ended.
func ask[Out any](ctx context.Context, a *asker, what string, question func(context.Context) (Out, error)) (Out, error) {
	last := &atomic.Pointer[error]{} // also of who signs in, for whoever asks
	ctx = context.WithValue(ctx, lastTry{}, last)
	out, err := question(ctx)
	if slices.Contains(expired, code(err)) {
		a.renew()
		out, err = question(ctx)
	}
	if err == nil {
		return out, nil
	}
	if was := last.Load(); ctx.Err() != nil && was != nil {
		err = &late{*was}
	}
	return out, a.explain(ctx, what, err)
}

// late is the last error of a request that was tried until the time was over.
type late struct{ err error }

// Error is for nobody: see plain.
func (l *late) Error() string { return l.err.Error() }

// Unwrap is the error.
func (l *late) Unwrap() error { return l.err }

// once is how long new credentials are not replaced again by who asked with older ones.
const once = 10 * time.Second

// renew has credentials be asked for anew. Those that a Secret gives stay as they are:
// the store is opened again for these.
func (a *asker) renew() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); now.Sub(a.renewed) > once {
		a.renewed = now
		a.credentials.Invalidate()
	}
}

// code is what AWS calls an error; empty of one that is not AWS's.
func code(err error) string {
	var answer smithy.APIError
	if !errors.As(err, &answer) {
		return ""
	}
	return answer.ErrorCode()
}

// answered is what the service that was asked said; empty of an error of signing in,
// which says nothing of entries, and of one that was tried until the time was over, as
// that may be such an error.
func answered(err error) (code, message string) {
	var (
		who    *unproven
		late   *late
		answer smithy.APIError
	)
	if errors.As(err, &who) || errors.As(err, &late) || !errors.As(err, &answer) {
		return "", ""
	}
	return answer.ErrorCode(), answer.ErrorMessage()
}

// lacksRight reports whether who asks may not do what was asked for.
func lacksRight(err error) bool {
	code, _ := answered(err)
	return code == accessDenied
}

// explain says what could not be done, and why, in words without values: what a client
// says of an answer that it cannot read quotes it.
func (a *asker) explain(ctx context.Context, what string, err error) error {
	told := &told{text: a.known.Masked(fmt.Sprintf("cannot %s: %s", what, a.plain(ctx, err))), err: err}
	if slices.Contains(refused, code(err)) {
		return &provider.Refused{Err: told}
	}
	return told
}

// told is an error with other words.
type told struct {
	text string
	err  error
}

// Error implements error.
func (t *told) Error() string { return t.text }

// Unwrap is what it is about.
func (t *told) Unwrap() error { return t.err }

func (a *asker) plain(ctx context.Context, err error) string {
	var (
		late    *late
		who     *unproven
		unsaid  *unsaid
		answer  smithy.APIError
		status  *awshttp.ResponseError
		request *smithyhttp.RequestSendError
	)
	switch {
	case errors.As(err, &late):
		return "not within the time that there is, as at last " + a.plain(context.WithoutCancel(ctx), late.err)
	case errors.As(err, &unsaid):
		return unsaid.Error()
	case errors.As(err, &who):
		return "cannot " + who.what + ": " + a.plain(ctx, who.err)
	case ctx.Err() != nil:
		return "AWS does not answer within the time that there is"
	case errors.As(err, &answer) && !isNobodys(answer.ErrorCode()):
		return a.known.Short(answer.ErrorCode() + ": " + answer.ErrorMessage())
	case errors.As(err, &status) && status.HTTPStatusCode() >= http.StatusMultipleChoices:
		return fmt.Sprintf("the server answers %d %s", status.HTTPStatusCode(), http.StatusText(status.HTTPStatusCode()))
	case provider.TooMuch(err):
		return "the answer is longer than is read"
	case errors.As(err, &request):
		return a.known.Short(network(request.Err))
	default:
		return "the answer is not one of AWS, or not a whole one"
	}
}

// isNobodys reports what the client calls an error that has no code.
func isNobodys(code string) bool { return code == "" || code == "UnknownError" }

// network is an error of a connection, without the address that was asked for.
func network(err error) string {
	var where *url.Error
	if errors.As(err, &where) {
		err = where.Err
	}
	var op *net.OpError
	if errors.As(err, &op) || where != nil {
		return err.Error()
	}
	return "cannot connect"
}
