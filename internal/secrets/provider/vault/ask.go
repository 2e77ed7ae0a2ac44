package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
)

// get is the data of a path, got with a new token where the one that there is has ended.
func (p *Provider) get(ctx context.Context, path string, query url.Values) (map[string]any, error) {
	if err := p.renew(ctx); err != nil {
		return nil, err
	}
	used := p.client.Token()
	data, err := once(ctx, p.client, path, query)
	if denied(err) && p.config.Auth != nil {
		if failed := p.replace(ctx, used); failed != nil {
			return nil, fmt.Errorf("cannot read %s: %w", path, failed)
		}
		if p.client.Token() != used {
			data, err = once(ctx, p.client, path, query)
		}
	}
	if err != nil && !errors.Is(err, entry.ErrNotFound) {
		err = fmt.Errorf("cannot read %s: %w", path, plain(err))
	}
	return data, err
}

// counts reports whether Vault knows the token, and refuses the path alone: with each
// login at each try, it would have a lease for each. A token that is given is read again,
// which makes none.
func (p *Provider) counts(ctx context.Context) bool {
	if p.config.Auth.TokenSecretRef != nil {
		return false
	}
	_, err := once(ctx, p.entrance(), "auth/token/lookup-self", nil)
	return err == nil
}

// once asks for a path. Nothing is absent unless Vault says so: what stands before it,
// or in its place, knows nothing of entries.
func once(ctx context.Context, client *api.Client, path string, query url.Values) (map[string]any, error) {
	response, err := client.Logical().ReadRawWithDataWithContext(ctx, path, query)
	if response != nil {
		defer response.Body.Close()
	}
	absent := response != nil && response.StatusCode == http.StatusNotFound
	switch {
	case err != nil && !absent:
		return nil, err
	case !absent && response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server answers %s", status(response.StatusCode))
	}
	var said struct {
		Data   map[string]any `json:"data"`
		Errors *[]string      `json:"errors"`
	}
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	if wrong := decoder.Decode(&said); wrong != nil {
		return nil, fmt.Errorf("the server answers %s, with what is not Vault's", status(response.StatusCode))
	}
	switch {
	case said.Data != nil: // also of a version that is deleted, which is a 404
		return said.Data, nil
	case absent && said.Errors != nil && len(*said.Errors) == 0:
		return nil, fmt.Errorf("%w: %s", entry.ErrNotFound, path)
	case absent && err != nil && said.Errors != nil:
		return nil, err
	default:
		return nil, fmt.Errorf("the server answers %s, without data", status(response.StatusCode))
	}
}

// renew logs in again where a token is near its end.
func (p *Provider) renew(ctx context.Context) error {
	used := p.client.Token()
	p.mu.Lock()
	over := !p.until.IsZero() && time.Now().After(p.until)
	p.mu.Unlock()
	if !over {
		return nil
	}
	return p.enter(ctx, used)
}

// enter logs in in place of a token, unless somebody else did so meanwhile.
func (p *Provider) enter(ctx context.Context, used string) error {
	p.entering.Lock()
	defer p.entering.Unlock()
	if p.client.Token() != used {
		return nil
	}
	return p.logIn(ctx)
}

// replace logs in in place of a token that was refused, if Vault does not know it any more.
func (p *Provider) replace(ctx context.Context, used string) error {
	p.entering.Lock()
	defer p.entering.Unlock()
	if p.client.Token() != used || p.counts(ctx) {
		return nil
	}
	return p.logIn(ctx)
}

func denied(err error) bool {
	var answer *api.ResponseError
	return errors.As(err, &answer) && answer.StatusCode == http.StatusForbidden
}

func status(code int) string { return fmt.Sprintf("%d %s", code, http.StatusText(code)) }

// plain is an error in one line. What Vault says of a request is kept; a page of
// something else is not.
func plain(err error) error {
	var answer *api.ResponseError
	if !errors.As(err, &answer) {
		var told *url.Error
		if errors.As(err, &told) {
			return told.Err
		}
		return err
	}
	said := "the server answers " + status(answer.StatusCode)
	if len(answer.Errors) == 0 || answer.RawError {
		return errors.New(said)
	}
	return fmt.Errorf("%s: %s", said, strings.Join(strings.Fields(strings.Join(answer.Errors, "; ")), " "))
}
