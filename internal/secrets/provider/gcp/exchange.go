package gcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"golang.org/x/oauth2"
)

// exchanged is a token that servers give. Clients of these put answers into errors as
// they are, and some know no context: what a server said is noted in their place.
func exchanged(ctx context.Context, transport http.RoundTripper, get func(ctx context.Context) (*oauth2.Token, error)) (*oauth2.Token, error) {
	e := &exchange{ctx: ctx, next: transport}
	got, err := get(context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: e}))
	if err != nil && e.failed != nil {
		return nil, e.failed
	}
	if err == nil && got == nil {
		return nil, errNoToken
	}
	return got, err
}

type exchange struct {
	ctx  context.Context //nolint:containedctx // of one exchange, whose client knows none
	next http.RoundTripper
	// failed is why there was no answer, or what it said in place of a token.
	failed error
}

// RoundTrip implements http.RoundTripper.
func (e *exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	got, err := e.next.RoundTrip(r.WithContext(e.ctx))
	e.failed = err
	if err != nil || got.StatusCode < http.StatusMultipleChoices {
		return got, err
	}
	defer got.Body.Close()
	const most = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(got.Body, most))
	e.failed = read(got.StatusCode, body)
	if got.StatusCode < http.StatusBadRequest { // a token is for one server
		return nil, e.failed
	}
	got.Body = io.NopCloser(bytes.NewReader(body))
	return got, nil
}

// answer is an error that a server told, with Google's word for it, if it has one.
type answer struct {
	code            int
	status, message string
}

// Error is for nobody: see plain.
func (a *answer) Error() string { return fmt.Sprint(a.code, " ", a.status) }

// read is what a server says in the form of OAuth or of Google.
func read(code int, body []byte) *answer {
	out := &answer{code: code}
	var said struct {
		Error       json.RawMessage `json:"error"`
		Description string          `json:"error_description"`
	}
	if json.Unmarshal(body, &said) != nil {
		return out
	}
	if json.Unmarshal(said.Error, &out.status) == nil {
		out.message = said.Description
		return out
	}
	var more struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	}
	if json.Unmarshal(said.Error, &more) == nil {
		out.status, out.message = more.Status, more.Message
	}
	return out
}
