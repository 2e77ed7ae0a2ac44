package azure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azcertificates"
	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azkeys"
	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azsecrets"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Vault reads a Key Vault.
type Vault struct {
	who   *identity
	known provider.Known

	secrets      *azsecrets.Client
	keys         *azkeys.Client
	certificates *azcertificates.Client
}

var _ provider.Reader = (*Vault)(nil)

// answer is an error that a server told, with its word for it, if it has one.
type answer struct {
	code            int
	status, message string
	// login is that it is of who signs in.
	login bool
}

// answerIn is what was told in an error; nil where nothing was.
func answerIn(err error) *answer {
	var (
		login *azidentity.AuthenticationFailedError
		vault *azcore.ResponseError
	)
	switch {
	case errors.As(err, &login) && login.RawResponse != nil:
		out := read(login.RawResponse)
		out.login = true
		return out
	case errors.As(err, &vault) && vault.RawResponse != nil:
		return read(vault.RawResponse)
	default:
		return nil
	}
}

// read is what a server says in the form of OAuth or of Azure. Clients keep the body.
func read(response *http.Response) *answer {
	out := &answer{code: response.StatusCode}
	body, err := runtime.Payload(response)
	if err != nil {
		return out
	}
	type coded struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	var said struct {
		Error       json.RawMessage `json:"error"`
		Description string          `json:"error_description"`
		Errors      []coded         `json:"errors"` // of a registry
	}
	if json.Unmarshal(body, &said) != nil {
		return out
	}
	if len(said.Errors) > 0 {
		out.status, out.message = said.Errors[0].Code, said.Errors[0].Message
		return out
	}
	if json.Unmarshal(said.Error, &out.status) == nil {
		out.message = said.Description
		return out
	}
	var more coded
	if json.Unmarshal(said.Error, &more) == nil {
		out.status, out.message = more.Code, more.Message
	}
	return out
}

// refuses reports whether other credentials or more rights would end an error.
func (a *answer) refuses() bool {
	switch {
	case a == nil:
		return false
	case a.login && a.code == http.StatusBadRequest:
		return a.status != ""
	default:
		return a.code == http.StatusUnauthorized || a.code == http.StatusForbidden
	}
}

// absences are the codes of what there is not.
var absences = []string{"SecretNotFound", "KeyNotFound", "CertificateNotFound"}

// explain says what could not be done, and why, in words without values: what a client
// says of an answer has all of it.
func explain(ctx context.Context, known *provider.Known, what string, err error) error {
	var already *told
	if errors.As(err, &already) { // of who signs in
		return err
	}
	said := answerIn(err)
	out := error(&told{text: known.Masked(fmt.Sprintf("cannot %s: %s", what, plain(ctx, known, said, err))), err: err})
	switch {
	case said.refuses():
		return &provider.Refused{Err: out}
	case said != nil && !said.login && said.code == http.StatusNotFound && slices.Contains(absences, said.status):
		return fmt.Errorf("%w: %w", entry.ErrNotFound, out)
	default:
		return out
	}
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

// NonRetriable has clients not ask again.
func (t *told) NonRetriable() {}

// unsaid is an error that is not Azure's, and can be told as it is.
type unsaid struct{ err error }

// Error implements error.
func (u *unsaid) Error() string { return u.err.Error() }

// Unwrap is what is told.
func (u *unsaid) Unwrap() error { return u.err }

func plain(ctx context.Context, known *provider.Known, said *answer, err error) string {
	var (
		own   *unsaid
		where *url.Error
		op    *net.OpError
	)
	switch {
	case errors.As(err, &own):
		return own.Error()
	case said != nil && said.status != "":
		return known.Short(said.status + ": " + said.message)
	case said != nil:
		return fmt.Sprintf("the server answers %d %s", said.code, http.StatusText(said.code))
	case ctx.Err() != nil:
		return "Azure does not answer within the time that there is"
	case provider.TooMuch(err):
		return "the answer is longer than is read"
	case errors.As(err, &op):
		return known.Short(op.Error())
	case errors.As(err, &where):
		return known.Short(where.Err.Error())
	default:
		return "the answer is not one of Azure, or not a whole one"
	}
}
