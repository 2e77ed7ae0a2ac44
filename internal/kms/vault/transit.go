package vault

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/vault/api"
)

// Encrypt implements kms.Key. It uses the latest version of the key, unless the key says another one.
func (k *Key) Encrypt(ctx context.Context, plain []byte) (text []byte, id string, err error) {
	data, err := k.ask(ctx, "encrypt", map[string]any{"plaintext": base64.StdEncoding.EncodeToString(plain)})
	if err != nil {
		return nil, "", err
	}
	said, _ := data["ciphertext"].(string)
	version := versionOf(said)
	if version == "" {
		return nil, "", fmt.Errorf("cannot encrypt with %s at %s: it does not answer as the transit engine does: there is no ciphertext such as vault:v1:…", k.id(), k.config.Server)
	}
	return []byte(said), k.id() + ":" + version, nil
}

// Decrypt implements kms.Key.
func (k *Key) Decrypt(ctx context.Context, text []byte, id string) ([]byte, error) {
	if !strings.HasPrefix(id, k.id()+":") {
		return nil, fmt.Errorf("cannot decrypt what was encrypted with the key %s: this is %s: start this plugin with the former key, and another one with this key for a provider of another name", id, k.id())
	}
	data, err := k.ask(ctx, "decrypt", map[string]any{"ciphertext": string(text)})
	if err != nil {
		return nil, err
	}
	said, _ := data["plaintext"].(string)
	plain, err := base64.StdEncoding.DecodeString(said)
	if err != nil || len(plain) == 0 {
		return nil, fmt.Errorf("cannot decrypt with %s at %s: it does not answer as the transit engine does: there is no plaintext", k.id(), k.config.Server)
	}
	return plain, nil
}

// id is that of all versions.
func (k *Key) id() string { return "vault:" + k.config.Mount + "/" + k.config.Key }

// versionOf is v3 of vault:v3:….
func versionOf(text string) string {
	parts := strings.SplitN(text, ":", 3) //nolint:mnd // those of a ciphertext
	if len(parts) < 3 || parts[0] != "vault" || !strings.HasPrefix(parts[1], "v") {
		return ""
	}
	return parts[1]
}

// ask has the transit engine do something, with a new token where the one of the last login does not count any more.
func (k *Key) ask(ctx context.Context, what string, body map[string]any) (map[string]any, error) {
	data, used, err := k.once(ctx, what, body)
	if denied(err) && k.forget(used) {
		data, used, err = k.once(ctx, what, body)
		k.learn(denied(err))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot %s with %s at %s: %w", what, k.id(), k.config.Server, masked(plain(err), body, used))
	}
	return data, nil
}

func (k *Key) once(ctx context.Context, what string, body map[string]any) (data map[string]any, used string, err error) {
	token, err := k.tokenNow(ctx)
	if err != nil {
		return nil, "", err
	}
	k.client.SetToken(token)
	text, err := json.Marshal(body)
	if err != nil {
		return nil, "", err
	}
	path := k.config.Mount + "/" + what + "/" + k.config.Key
	answer, err := k.client.Logical().WriteBytesWithContext(ctx, path, text)
	if err != nil {
		return nil, token, err
	}
	if answer == nil {
		return nil, token, errors.New("the server answers without data")
	}
	return answer.Data, token, nil
}

func denied(err error) bool {
	var answer *api.ResponseError
	return errors.As(err, &answer) && answer.StatusCode == http.StatusForbidden
}

// plain is an error in one line. What Vault says of a request is kept; a page of something else is not.
func plain(err error) error {
	var answer *api.ResponseError
	if !errors.As(err, &answer) {
		var told *url.Error
		if errors.As(err, &told) {
			return told.Err
		}
		return err
	}
	said := fmt.Sprintf("the server answers %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	if len(answer.Errors) == 0 || answer.RawError {
		return errors.New(said)
	}
	return fmt.Errorf("%s: %s", said, strings.Join(strings.Fields(strings.Join(answer.Errors, "; ")), " "))
}
