package codecommit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

const (
	// maxBody bounds an answer, in bytes.
	maxBody = 32 << 20
	// longest is how many characters of AWS's own words are shown.
	longest = 200
)

var (
	errMalformed     = errors.New("the answer is not of the API's form")
	errTooLarge      = fmt.Errorf("the answer is too large: more than %d bytes", maxBody)
	errNoCredentials = errors.New("there are no usable AWS credentials")
)

// refusals are the codes of errors that other credentials or more rights end.
// https://docs.aws.amazon.com/codecommit/latest/APIReference/CommonErrors.html.
var refusals = map[string]bool{
	"AccessDenied": true, "AccessDeniedException": true, "NotAuthorized": true, "UnauthorizedOperation": true, "OptInRequired": true,
	"UnrecognizedClientException": true, "InvalidClientTokenId": true, "IncompleteSignature": true, "IncompleteSignatureException": true,
	"InvalidSignatureException": true, "SignatureDoesNotMatch": true, "MissingAuthenticationToken": true, "MissingAuthenticationTokenException": true,
	"ExpiredToken": true, "ExpiredTokenException": true, "RequestExpired": true,
}

// throttles are the codes of errors that mean "later".
var throttles = map[string]bool{
	"Throttling": true, "ThrottlingException": true, "ThrottledException": true, "RequestLimitExceeded": true, "TooManyRequestsException": true,
}

// explain makes a Problem of what the SDK returns. The SDK has tried again
// what may pass.
func (c *Client) explain(err error) error {
	var (
		answer smithy.APIError
		res    *awshttp.ResponseError
		sent   *smithyhttp.RequestSendError
	)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return wire.Explain(c.subject, err)
	case errors.As(err, &answer):
		return c.answered(err, answer)
	case errors.As(err, &res) && res.HTTPStatusCode() >= http.StatusMultipleChoices:
		return c.answered(err, &smithy.GenericAPIError{})
	case errors.As(err, &sent):
		return c.problem(gitops.Unreachable, sent.Err.Error(), err)
	case errors.Is(err, errTooLarge):
		return c.problem(gitops.Unreachable, errTooLarge.Error(), err)
	case errors.Is(err, errNoCredentials):
		return c.problem(gitops.Refused, errNoCredentials.Error(), err).Do("give the engine's pod a role or AWS_* variables, and check role")
	}
	return c.malformed()
}

// answered is about an error that AWS, or a proxy on the way to it, tells.
func (c *Client) answered(err error, answer smithy.APIError) *gitops.Problem {
	var (
		status int
		res    *awshttp.ResponseError
	)
	if errors.As(err, &res) {
		status = res.HTTPStatusCode()
	}
	code := answer.ErrorCode()
	p := c.problem(gitops.Unreachable, words(status, answer), err)
	switch {
	case throttles[code], status == http.StatusTooManyRequests:
		p.Fix = "use a longer requeueAfterSeconds"
	case refusals[code], status == http.StatusUnauthorized, status == http.StatusForbidden:
		p.Kind, p.Fix = gitops.Refused, "check role, and that its policy allows to list and read repositories"
	case code == "RepositoryDoesNotExistException", status == http.StatusNotFound:
		p.Kind, p.Fix = gitops.NotFound, "check region and role"
	case answer.ErrorFault() == smithy.FaultClient, status == http.StatusBadRequest:
		p.Kind = gitops.Invalid
	}
	return p
}

func words(status int, answer smithy.APIError) string {
	all := []string{fmt.Sprintf("the server answers %d %s", status, http.StatusText(status))}
	for _, more := range []string{answer.ErrorCode(), answer.ErrorMessage()} {
		if more != "" {
			all = append(all, more)
		}
	}
	return strings.Join(all, ": ")
}

func (c *Client) problem(kind gitops.ProblemKind, text string, cause error) *gitops.Problem {
	text = strings.Join(strings.Fields(text), " ")
	if short := []rune(text); len(short) > longest {
		text = string(short[:longest]) + "…"
	}
	p := gitops.Problemf(kind, "cannot read %s: %s", c.subject, text)
	p.Err = cause
	return p
}

func (c *Client) malformed() error {
	return c.problem(gitops.Unreachable, errMalformed.Error(), errMalformed)
}

// named tells errors of getting credentials from those of using them.
type named struct{ aws.CredentialsProvider }

// Retrieve implements aws.CredentialsProvider.
func (n named) Retrieve(ctx context.Context) (aws.Credentials, error) {
	got, err := n.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return got, fmt.Errorf("%w: %w", errNoCredentials, err)
	}
	return got, nil
}

// bounded lets no answer grow without end.
type bounded struct{ aws.HTTPClient }

// Do implements aws.HTTPClient.
func (b bounded) Do(req *http.Request) (*http.Response, error) {
	res, err := b.HTTPClient.Do(req)
	if res != nil && res.Body != nil {
		res.Body = &limited{ReadCloser: res.Body, left: maxBody}
	}
	return res, err
}

// limited fails where io.LimitReader would pretend that an answer ends.
type limited struct {
	io.ReadCloser

	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}
