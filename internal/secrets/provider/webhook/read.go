package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Provider asks one server.
type Provider struct {
	config  Config
	secrets map[string]any
	render  store.Render
	client  *http.Client
}

var _ provider.Narrow = (*Provider)(nil)

// ReadsProperties implements provider.Narrow: templates see the property.
func (*Provider) ReadsProperties() {}

// Fields of a request that are templates, as they are called in errors.
const (
	fieldURL    = "url"
	fieldBody   = "body"
	fieldPath   = "result.jsonPath"
	fieldHeader = "headers."
)

// longestAnswer is in bytes.
const longestAnswer = 4 << 20

// Read is what the server says.
func (p *Provider) Read(ctx context.Context, ref provider.Ref) (entry.Entry, error) {
	texts, err := p.render(ctx, p.templates(), p.values(ref))
	if err != nil {
		return entry.Entry{}, err
	}
	body, err := p.ask(ctx, texts)
	if err != nil {
		return entry.Entry{}, err
	}
	return entry.Answer(body, texts[fieldPath]), nil
}

// Find is not what a server can be asked for.
func (*Provider) Find(context.Context, esv1.Find) (map[string][]byte, error) {
	return nil, errors.New("the provider webhook finds nothing: use extract")
}

func (p *Provider) templates() map[string]string {
	all := map[string]string{fieldURL: p.config.URL, fieldBody: p.config.Body, fieldPath: p.config.Result.JSONPath}
	for name, text := range p.config.Headers {
		all[fieldHeader+name] = text
	}
	return all
}

// values are what templates see: .remoteRef, and the Secrets of the store.
func (p *Provider) values(ref provider.Ref) map[string]any {
	all := map[string]any{"remoteRef": map[string]any{
		"key": ref.Key, "property": ref.Property, "version": ref.Version,
	}}
	for name, secret := range p.secrets {
		all[name] = secret
	}
	return all
}

func (p *Provider) ask(ctx context.Context, texts map[string]string) ([]byte, error) {
	method := p.config.Method
	if method == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(ctx, method, texts[fieldURL], strings.NewReader(texts[fieldBody]))
	if err != nil {
		return nil, errors.New("what the template of url gives is no address")
	}
	for name := range p.config.Headers {
		request.Header.Set(name, texts[fieldHeader+name])
	}
	response, err := p.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("cannot ask the server: %w", p.without(err))
	}
	defer response.Body.Close()
	status := fmt.Sprintf("%d %s", response.StatusCode, http.StatusText(response.StatusCode))
	switch {
	case response.StatusCode == http.StatusNotFound:
		return nil, fmt.Errorf("%w: the server answers %s", entry.ErrNotFound, status)
	case response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden:
		return nil, &provider.Refused{Err: fmt.Errorf("the server answers %s", status)}
	case !whole(response.StatusCode):
		return nil, fmt.Errorf("the server answers %s", status)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer breaks off: %w", p.without(err))
	case len(body) > longestAnswer:
		return nil, fmt.Errorf("the answer has more than %d MiB", longestAnswer>>20) //nolint:mnd // MiB
	case len(body) == 0: // of a proxy, or a server that fails: it would empty a key
		return nil, fmt.Errorf("the server answers %s, with nothing", status)
	}
	return body, nil
}

// whole reports whether an answer has a value in it: what was not modified, is
// elsewhere or has no content is nothing to empty a Secret for.
func whole(status int) bool {
	switch status {
	case http.StatusNoContent, http.StatusResetContent, http.StatusPartialContent:
		return false
	default:
		return status >= http.StatusOK && status < http.StatusMultipleChoices
	}
}

// quoted is what a client quotes of an answer that it does not understand.
var quoted = regexp.MustCompile(`(?s)".*"`)

// without drops the address of an error, in which secrets may be, and what it quotes.
func (p *Provider) without(err error) error {
	var told *url.Error
	if errors.As(err, &told) {
		err = told.Err
	}
	var hidden []string
	for _, secret := range p.secrets {
		values, _ := secret.(map[string]any)
		for _, v := range values {
			if text, ok := v.(string); ok {
				hidden = append(hidden, text)
			}
		}
	}
	said := err.Error()
	text := redact.NewKnown(hidden).Text(quoted.ReplaceAllLiteralString(said, redact.Mask))
	if text == said {
		return err
	}
	return errors.New(text)
}
