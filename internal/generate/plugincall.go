package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	// defaultPluginTime is how long a plugin may take unless its ConfigMap says otherwise.
	defaultPluginTime = 30 * time.Second
	// pluginAnswer is the largest answer of a plugin, in bytes.
	pluginAnswer = 16 << 20
	pluginPath   = "api/v1/getparams.execute"
)

// pluginService is a plugin's web service.
type pluginService struct {
	base    *url.URL
	token   string
	timeout time.Duration
}

type pluginRequest struct {
	Set   string      `json:"applicationSetName"`
	Input pluginInput `json:"input"`
}

type pluginInput struct {
	Parameters map[string]any `json:"parameters"`
}

type pluginResponse struct {
	Output struct {
		Parameters []map[string]any `json:"parameters"`
	} `json:"output"`
}

var (
	errNoURL     = plain("is no http or https address")
	errElsewhere = plain("it redirects to another host, which must not see the token")
)

func serviceURL(text string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimSpace(text))
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, errNoURL
	}
	return base, nil
}

// ask sends the input and returns the parameters of the answer.
func (s *pluginService) ask(ctx context.Context, set string, input map[string]any) ([]map[string]any, error) {
	body, err := json.Marshal(pluginRequest{Set: set, Input: pluginInput{Parameters: input}})
	if err != nil {
		return nil, errorf("cannot write the request: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base.JoinPath(pluginPath).String(), bytes.NewReader(body))
	if err != nil {
		return nil, errorf("cannot make the request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := s.client().Do(request)
	if err != nil {
		return nil, s.unreachable(err)
	}
	defer func() { _ = response.Body.Close() }()
	return s.read(response)
}

// client follows redirects within the plugin's own host only.
func (s *pluginService) client() *http.Client {
	return &http.Client{CheckRedirect: func(to *http.Request, via []*http.Request) error {
		const most = 5
		if to.URL.Host != s.base.Host || to.URL.Scheme != s.base.Scheme {
			return errElsewhere
		}
		if len(via) >= most {
			return plain("it redirects too often")
		}
		return nil
	}}
}

func (s *pluginService) unreachable(err error) error {
	if errors.Is(err, errElsewhere) {
		return problemf(gitops.Forbidden, "%s: %w", s.base.Host, errElsewhere).Do("set baseUrl to the address that it redirects to")
	}
	var cause *url.Error
	if errors.As(err, &cause) {
		err = cause.Err // without the address, which may hold a password
	}
	return problemf(gitops.Unreachable, "%s does not answer: %w", s.base.Host, err).Do("check that the plugin runs, and baseUrl")
}

func (s *pluginService) read(response *http.Response) ([]map[string]any, error) {
	text, err := io.ReadAll(io.LimitReader(response.Body, pluginAnswer+1))
	if err != nil {
		return nil, s.unreachable(err)
	}
	if code := response.StatusCode; code < 200 || code > 299 {
		return nil, s.refused(code, text)
	}
	if len(text) > pluginAnswer {
		return nil, problemf(gitops.Invalid, "%s answers more than %d bytes", s.base.Host, pluginAnswer).Do("let the plugin return less")
	}
	if _, err := bounded.Check(text); err != nil {
		return nil, s.unreadable(err)
	}
	var out pluginResponse
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, s.unreadable(io.ErrUnexpectedEOF)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, s.unreadable(err)
	}
	if out.Output.Parameters == nil {
		return nil, s.unreadable(plain("output.parameters is missing"))
	}
	return out.Output.Parameters, nil
}

func (s *pluginService) unreadable(err error) error {
	return problemf(gitops.Invalid, "cannot read the answer of %s: %w", s.base.Host, err).
		Do(`let the plugin answer {"output": {"parameters": [{…}]}}`)
}

// refused tells a status, with the message that the plugin may give for it.
func (s *pluginService) refused(code int, text []byte) error {
	var said struct{ Message, Error string }
	_ = json.Unmarshal(text, &said) // without a message the status is enough
	message := orText(said.Message, said.Error)
	if s.token != "" { // it would stand between all letters
		message = strings.ReplaceAll(message, s.token, gitops.Redacted)
	}
	p := problemf(gitops.Unreachable, "%s answers %d %s %s", s.base.Host, code, word(http.StatusText(code)), cut(message, 300))
	p.What = strings.TrimSpace(p.What)
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		p.Kind, p.Fix = gitops.Refused, "check the token that the ConfigMap names"
	case code == http.StatusNotFound:
		p.Kind, p.Fix = gitops.NotFound, "check baseUrl: the plugin answers below it at /"+pluginPath
	case code < 500 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout:
		p.Kind, p.Fix = gitops.Invalid, "check the input parameters"
	}
	return p
}

func orText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
