package vault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/redact"
)

// tokenNow is a token: that of the last login, unless it is used up.
func (k *Key) tokenNow(ctx context.Context) (string, error) {
	if k.config.TokenFile != "" {
		token, err := secret(k.config.TokenFile)
		if err != nil {
			return "", fmt.Errorf("cannot use token-file: %w", err)
		}
		return token, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.token != "" && (k.until.IsZero() || k.now().Before(k.until)) {
		return k.token, nil
	}
	return k.logIn(ctx)
}

// How old a login is at least before a refusal has it be made again: what refuses a younger one is a policy, and each
// login has Vault keep another token. It is twice as long each time that another login was refused as well.
const (
	soonest = time.Minute
	latest  = time.Hour
)

// forget has the next call log in again, unless somebody has done so meanwhile. It reports whether it is worth another
// try.
func (k *Key) forget(used string) bool {
	if k.config.TokenFile != "" {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.token != used {
		return true
	}
	if k.now().Before(k.loggedIn.Add(max(k.pause, soonest))) {
		return false
	}
	k.token = ""
	return true
}

// learn is told whether the other login was refused, too.
func (k *Key) learn(refused bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !refused {
		k.pause = 0
		return
	}
	k.pause = min(2*max(k.pause, soonest), latest)
}

// logIn gets a token, which is used for two thirds of its life.
func (k *Key) logIn(ctx context.Context) (string, error) {
	path, body, err := k.login()
	if err != nil {
		return "", err
	}
	began := k.now()
	answer, err := k.client.Logical().WriteWithContext(ctx, path, body)
	if err != nil {
		return "", fmt.Errorf("cannot log in at %s: %w", path, masked(plain(err), body))
	}
	if answer == nil || answer.Auth == nil || answer.Auth.ClientToken == "" {
		return "", fmt.Errorf("the login at %s gave no token", path)
	}
	k.token, k.loggedIn, k.until = answer.Auth.ClientToken, began, time.Time{}
	if life := answer.Auth.LeaseDuration; life > 0 {
		k.until = began.Add(time.Duration(life) * time.Second * 2 / 3) //nolint:mnd // two thirds
	}
	return k.token, nil
}

// login is where to log in, and what to say there.
func (k *Key) login() (path string, body map[string]any, err error) {
	c := k.config
	if c.AppRole != "" {
		id, err := secret(c.SecretIDFile)
		if err != nil {
			return "", nil, fmt.Errorf("cannot use secret-id-file: %w", err)
		}
		return at(cmp.Or(c.AuthPath, "approle")), map[string]any{"role_id": c.AppRole, "secret_id": id}, nil
	}
	jwt, err := content(cmp.Or(c.JWTFile, ofPod))
	if err != nil {
		return "", nil, fmt.Errorf("cannot use jwt-file: %w", err)
	}
	return at(cmp.Or(c.AuthPath, "kubernetes")), map[string]any{"role": c.Role, "jwt": jwt}, nil
}

func at(path string) string { return "auth/" + strings.Trim(path, "/") + "/login" }

// masked is an error without what was said in a request, with which token: a server may repeat it.
func masked(err error, body map[string]any, token ...string) error {
	said := token
	for name, value := range body {
		if text, is := value.(string); is && name != "role" {
			said = append(said, text)
		}
	}
	if text := redact.NewKnown(said).Text(err.Error()); text != err.Error() {
		return errors.New(text)
	}
	return err
}
