package gcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

const (
	endpoint = "https://cloudkms.googleapis.com/v1/"
	scope    = "https://www.googleapis.com/auth/cloudkms"
	mostRead = 64 << 10 // bytes of an answer
)

// patience is how long Google may take to give a token: all who encrypt and decrypt wait for it, and what asks for it
// knows nothing of how long they do.
const patience = 5 * time.Second

// Key is one of Cloud KMS. Its id names the version that encrypted.
type Key struct {
	name     string
	endpoint string
	client   *http.Client
	patience time.Duration
	// find finds who asks.
	find func(ctx context.Context) (oauth2.TokenSource, error)

	mu     sync.Mutex
	tokens oauth2.TokenSource
}

var names = regexp.MustCompile(`^projects/[^/?#]+/locations/[^/?#]+/keyRings/[^/?#]+/cryptoKeys/[^/?#]+$`)

// Open takes a key by its name, and its credentials from where Google's own tools do: a file that
// GOOGLE_APPLICATION_CREDENTIALS names, gcloud's, or the identity of the machine. It asks for none yet.
func Open(name string) (*Key, error) {
	if !names.MatchString(name) {
		return nil, errors.New("name the key as projects/PROJECT/locations/LOCATION/keyRings/RING/cryptoKeys/KEY")
	}
	transport, is := http.DefaultTransport.(*http.Transport)
	if !is {
		return nil, errors.New("the program has no transport to make one of")
	}
	return &Key{
		name: name, endpoint: endpoint, find: ofEnvironment, patience: patience,
		client: &http.Client{Transport: provider.Bounded(transport.Clone()), CheckRedirect: same},
	}, nil
}

// same follows no redirect: a token is for one server.
func same(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func ofEnvironment(ctx context.Context) (oauth2.TokenSource, error) {
	found, err := google.FindDefaultCredentials(ctx, scope)
	if err != nil {
		return nil, err
	}
	return found.TokenSource, nil
}

// Encrypt implements kms.Key. It uses the primary version of the key.
func (k *Key) Encrypt(ctx context.Context, plain []byte) (text []byte, id string, err error) {
	var out struct {
		Name       string `json:"name"`
		Ciphertext []byte `json:"ciphertext"`
	}
	if err := k.ask(ctx, "encrypt", map[string][]byte{"plaintext": plain}, &out); err != nil {
		return nil, "", fmt.Errorf("cannot encrypt with the key %s: %w", k.name, err)
	}
	if len(out.Ciphertext) == 0 || !strings.HasPrefix(out.Name, k.name+"/cryptoKeyVersions/") {
		return nil, "", fmt.Errorf("cannot encrypt with the key %s: the answer is not one of Cloud KMS", k.name)
	}
	return out.Ciphertext, out.Name, nil
}

// Decrypt implements kms.Key. Cloud KMS finds the version itself.
func (k *Key) Decrypt(ctx context.Context, text []byte, id string) ([]byte, error) {
	if !strings.HasPrefix(id, k.name+"/") {
		return nil, fmt.Errorf("cannot decrypt what was encrypted with the key %s: this is %s: start this plugin with the former key, and another one with this key for a provider of another name", id, k.name)
	}
	var out struct {
		Plaintext []byte `json:"plaintext"`
	}
	if err := k.ask(ctx, "decrypt", map[string][]byte{"ciphertext": text}, &out); err != nil {
		return nil, fmt.Errorf("cannot decrypt with the key %s: %w", id, err)
	}
	if len(out.Plaintext) == 0 {
		return nil, fmt.Errorf("cannot decrypt with the key %s: the answer is not one of Cloud KMS", id)
	}
	return out.Plaintext, nil
}

// token is that of who asks. What finds it keeps it until it ends, and may ask for it after this request.
func (k *Key) token(ctx context.Context) (*oauth2.Token, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tokens == nil {
		asks := *k.client
		asks.Timeout = k.patience
		found, err := k.find(context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, &asks))
		if err != nil {
			return nil, errors.New("there are no credentials: set GOOGLE_APPLICATION_CREDENTIALS to their file, or let the machine have an identity")
		}
		k.tokens = found
	}
	token, err := k.tokens.Token()
	if late := net.Error(nil); errors.As(err, &late) && late.Timeout() {
		return nil, fmt.Errorf("google does not give a token within %s: look at the way to its server, or to the one of the machine's identity", k.patience)
	}
	if err != nil {
		return nil, errors.New("google does not accept who asks: look at the credentials of this process, or the identity of the machine")
	}
	return token, nil
}

// ask has Cloud KMS do something. What it says of a failure is left out but for its status: it may repeat what was sent.
func (k *Key) ask(ctx context.Context, what string, in map[string][]byte, out any) (err error) {
	token, err := k.token(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, k.endpoint+k.name+":"+what, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	token.SetAuthHeader(request)
	answer, err := k.client.Do(request)
	if err != nil {
		return network(ctx, err)
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostRead))
	switch {
	case err != nil:
		return network(ctx, err)
	case answer.StatusCode != http.StatusOK:
		return refused(answer.StatusCode, text)
	case json.Unmarshal(text, out) != nil:
		return errors.New("the answer is not one of Cloud KMS, or not a whole one")
	}
	return nil
}

func network(ctx context.Context, err error) error {
	var dial *net.OpError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("google does not answer in time: %w", ctx.Err())
	case errors.As(err, &dial):
		return errors.New(dial.Error())
	default:
		return errors.New("the server cannot be reached, or answers with what is no answer")
	}
}

// words are those that Google has for statuses.
var words = regexp.MustCompile(`^[A-Z_]{1,40}$`)

// advice is what to do, by the status of an answer.
var advice = map[int]string{
	http.StatusForbidden:  "permit cloudkms.cryptoKeyVersions.useToEncrypt and useToDecrypt, as the role roles/cloudkms.cryptoKeyEncrypterDecrypter does",
	http.StatusNotFound:   "there is no such key",
	http.StatusBadRequest: "a version that is disabled or destroyed neither encrypts nor decrypts: enable it",
}

func refused(status int, text []byte) error {
	var said struct {
		Error struct {
			Status string `json:"status"`
		} `json:"error"`
	}
	message := fmt.Sprintf("the server answers %d %s", status, http.StatusText(status))
	if json.Unmarshal(text, &said) == nil && words.MatchString(said.Error.Status) {
		message += ": " + said.Error.Status
	}
	if do := advice[status]; do != "" {
		message += " (" + do + ")"
	}
	return errors.New(message)
}
