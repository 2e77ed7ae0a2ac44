package vault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/causeway-gitops/causeway/internal/secrets/provider/aws"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
	"github.com/causeway-gitops/causeway/internal/secrets/value"
)

// dynamicSpec is what a VaultDynamicSecret says.
// https://external-secrets.io/latest/api/generator/vault.
type dynamicSpec struct {
	Provider Config `json:"provider"`
	// Path that is asked, such as database/creds/app.
	Path string `json:"path"`
	// Method is GET when it is empty.
	Method string `json:"method,omitempty"`
	// Parameters are the body of a request that writes, GetParameters the query of a GET.
	Parameters    map[string]any      `json:"parameters,omitempty"`
	GetParameters map[string][]string `json:"getParameters,omitempty"`
	// ResultType is Data, Auth or Raw; Data when it is empty.
	ResultType         string        `json:"resultType,omitempty"`
	AllowEmptyResponse bool          `json:"allowEmptyResponse,omitempty"`
	RetrySettings      retrySettings `json:"retrySettings,omitzero"`
}

type retrySettings struct {
	MaxRetries    *int   `json:"maxRetries,omitempty"`
	RetryInterval string `json:"retryInterval,omitempty"`
}

// Parts of an answer that may be taken.
const (
	resultData = "Data"
	resultAuth = "Auth"
	resultRaw  = "Raw"
)

// Methods of requests.
const (
	get    = "GET"
	list   = "LIST"
	remove = "DELETE"
)

var methods = []string{"", get, list, remove, "POST", "PUT", "PATCH"}

// parseDynamic reads a spec, whose errors quote nothing of it.
func parseDynamic(text json.RawMessage) (dynamicSpec, error) {
	var spec dynamicSpec
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // parameters are sent as they are written
	if err := decoder.Decode(&spec); err != nil {
		return spec, fmt.Errorf("spec: %w", value.Parse(text, new(dynamicSpec)))
	}
	spec.Path, spec.Method = strings.Trim(spec.Path, "/"), strings.ToUpper(spec.Method)
	return spec, spec.check()
}

func (s dynamicSpec) check() error {
	switch {
	case s.Path == "":
		return errors.New("spec.path is empty: write what Vault is asked for, such as database/creds/app")
	case slices.ContainsFunc(strings.Split(s.Path, "/"), func(part string) bool { return part == "." || part == ".." }):
		return fmt.Errorf("spec.path %q has a part that no path has", s.Path)
	case !slices.Contains(methods, s.Method):
		return fmt.Errorf("spec.method %q is none of GET, LIST, POST, PUT, PATCH and DELETE", s.Method)
	case !slices.Contains([]string{"", resultData, resultAuth, resultRaw}, s.ResultType):
		return fmt.Errorf("spec.resultType %q is none of Data, Auth and Raw", s.ResultType)
	}
	if _, err := s.RetrySettings.pause(); err != nil {
		return err
	}
	if err := s.Provider.check(); err != nil {
		return fmt.Errorf("spec.provider: %w", err)
	}
	return nil
}

const (
	mostRetries = 5
	mostPause   = 5 * time.Second
)

// pause is how long a request waits before it is sent again; zero for the client's own.
func (s retrySettings) pause() (time.Duration, error) {
	if s.RetryInterval == "" {
		return 0, nil
	}
	pause, err := time.ParseDuration(s.RetryInterval)
	if err != nil || pause < 0 {
		return 0, fmt.Errorf("spec.retrySettings.retryInterval %q is no time such as 2s", s.RetryInterval)
	}
	return min(pause, mostPause), nil
}

// dial is a client for a spec, without a token.
func (s dynamicSpec) dial(ctx context.Context, around store.Around) (*Provider, error) {
	client, err := connect(ctx, s.Provider, around)
	if err != nil {
		return nil, fmt.Errorf("spec.provider: %w", err)
	}
	if n := s.RetrySettings.MaxRetries; n != nil {
		client.SetMaxRetries(min(max(0, *n), mostRetries))
	}
	if pause, err := s.RetrySettings.pause(); err == nil && pause > 0 {
		client.SetMinRetryWait(pause)
		client.SetMaxRetryWait(pause)
	}
	return &Provider{config: s.Provider, client: client, around: around, sign: aws.OfEngine().SignCaller}, nil
}

// ask sends the request of a spec; nil where the server has nothing to say.
func (s dynamicSpec) ask(ctx context.Context, client *api.Client) (*api.Secret, error) {
	var secret *api.Secret
	var err error
	switch s.Method {
	case "", get:
		secret, err = client.Logical().ReadWithDataWithContext(ctx, s.Path, s.GetParameters)
	case list:
		secret, err = client.Logical().ListWithContext(ctx, s.Path)
	case remove:
		secret, err = client.Logical().DeleteWithContext(ctx, s.Path)
	default:
		secret, err = client.Logical().WriteWithContext(ctx, s.Path, s.Parameters)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot ask for %s: %w", s.Path, plain(err))
	}
	if secret == nil && !s.AllowEmptyResponse {
		return nil, fmt.Errorf("the server has no answer for %s: is the path right? where none is meant, set allowEmptyResponse", s.Path)
	}
	return secret, nil
}

// values are the fields of the part of an answer that a spec wants.
func (s dynamicSpec) values(secret *api.Secret) (map[string][]byte, error) {
	if secret == nil {
		return map[string][]byte{}, nil
	}
	fields := secret.Data
	var err error
	switch s.ResultType {
	case resultAuth:
		fields, err = fieldsOf(secret.Auth)
	case resultRaw:
		fields, err = fieldsOf(secret)
	}
	if err != nil {
		return nil, err
	}
	if len(fields) == 0 && !s.AllowEmptyResponse {
		part := s.ResultType
		if part == "" {
			part = resultData
		}
		return nil, fmt.Errorf("the answer for %s has no %s: set resultType to what it has, or allowEmptyResponse", s.Path, strings.ToLower(part))
	}
	out := make(map[string][]byte, len(fields))
	for name, field := range fields {
		if out[name], err = value.Bytes(field); err != nil {
			return nil, fmt.Errorf("the answer for %s is no JSON", s.Path)
		}
	}
	return out, nil
}

func fieldsOf(part any) (fields map[string]any, err error) {
	text, err := json.Marshal(part)
	if err != nil {
		return nil, errors.New("the answer is no JSON")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return fields, decoder.Decode(&fields)
}
