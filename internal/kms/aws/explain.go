package aws

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// longest is how many characters of an error of the connection are shown.
const longest = 300

// advice is what to do about errors of which AWS does not say it.
var advice = map[string]string{
	"AccessDeniedException":    "permit kms:Encrypt and kms:Decrypt in the policy of the key, or of who asks",
	"NotFoundException":        "there is no such key in this region and account: look at its ARN or alias",
	"DisabledException":        "enable the key: without it nothing that it encrypted can be read",
	"KMSInvalidStateException": "if the key is to be deleted, cancel that: without it nothing that it encrypted can be read",
	"IncorrectKeyException":    "this was encrypted with another key",
}

// words are those that AWS has for errors.
var words = regexp.MustCompile(`^[A-Za-z]{1,60}$`)

// explain says why AWS did not do it, in words without values: what a client says of an answer that it cannot read
// quotes it, and the message of one may quote what was sent, to AWS or to who answers in its place.
func explain(ctx context.Context, err error) error {
	var (
		answer  smithy.APIError
		status  *awshttp.ResponseError
		request *smithyhttp.RequestSendError
		signing *net.OpError
	)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("AWS does not answer in time: %w", ctx.Err())
	case errors.As(err, &answer) && words.MatchString(answer.ErrorCode()) && answer.ErrorCode() != "UnknownError":
		said := answer.ErrorCode()
		if do := advice[answer.ErrorCode()]; do != "" {
			said += " (" + do + ")"
		}
		return errors.New(said)
	case errors.As(err, &status) && status.HTTPStatusCode() >= http.StatusMultipleChoices:
		return fmt.Errorf("the server answers %d %s", status.HTTPStatusCode(), http.StatusText(status.HTTPStatusCode()))
	case errors.As(err, &request):
		return errors.New(short(network(request.Err)))
	case errors.As(err, &signing):
		return errors.New(short(signing.Error()))
	case strings.Contains(err.Error(), "failed to refresh cached credentials"), strings.Contains(err.Error(), "get identity"):
		return errors.New("there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role of the machine, the container or the service account")
	default:
		return errors.New("the answer is not one of AWS, or not a whole one")
	}
}

// network is an error of a connection, without the address that was asked for.
func network(err error) string {
	var where *url.Error
	if errors.As(err, &where) {
		return where.Err.Error()
	}
	return err.Error()
}

// short is a text in one line.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if cut := []rune(text); len(cut) > longest {
		text = string(cut[:longest]) + "…"
	}
	return text
}
