package vault

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// retries are few: API servers ask again themselves, and wait for seconds only.
const retries = 1

// Key is one of the transit engine.
type Key struct {
	config Config
	client *api.Client
	now    func() time.Time

	mu       sync.Mutex
	token    string // of the last login
	loggedIn time.Time
	pause    time.Duration // until a refusal has it be another one; soonest if it is zero
	until    time.Time
}

// Open connects to nothing yet: a server that is away is told when it is needed, and may be there by then.
func Open(c Config) (*Key, error) {
	c.Mount = strings.Trim(c.Mount, "/")
	if err := c.check(); err != nil {
		return nil, err
	}
	transport, err := transportOf(c)
	if err != nil {
		return nil, err
	}
	client, err := api.NewClient(&api.Config{
		Address: c.Server, HttpClient: &http.Client{Transport: provider.Bounded(transport), CheckRedirect: same}, MaxRetries: retries,
	})
	if err != nil {
		return nil, err
	}
	// What the environment says is the shell's, and not this key's.
	client.ClearToken()
	client.ClearNamespace()
	client.SetHeaders(http.Header{api.RequestHeaderName: {"true"}})
	if c.Namespace != "" {
		client.SetNamespace(c.Namespace)
	}
	return &Key{config: c, client: client, now: time.Now}, nil
}

// same follows no redirect: the library does that itself, to hosts of the same scheme.
func same(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func transportOf(c Config) (*http.Transport, error) {
	transport, is := http.DefaultTransport.(*http.Transport)
	if !is {
		return nil, errors.New("the program has no transport to make one of")
	}
	transport = transport.Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CAFile == "" {
		return transport, nil
	}
	text, err := readFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("cannot read ca-file: %w", err)
	}
	transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("ca-file %s has no certificate in PEM", c.CAFile)
	}
	return transport, nil
}

// mostFile bounds what is read of a token or of certificates, in bytes.
const mostFile = 1 << 20

func readFile(path string) (text []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	text, err = io.ReadAll(io.LimitReader(file, mostFile+1))
	if err == nil && len(text) > mostFile {
		err = fmt.Errorf("%s has more than %d KiB", path, mostFile>>10) //nolint:mnd // KiB
	}
	return text, err
}

// secret is what a file has, which nobody but the user may read.
func secret(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case info.Mode().Perm()&0o007 != 0:
		return "", fmt.Errorf("all users of the machine can read or write %s: take that from them with chmod o-rwx, and replace what is in it", path)
	}
	return content(path)
}

// content is what a file has, whoever may read it: the kubelet writes the tokens of service accounts for all users of a
// pod's containers, in folders that nobody else enters, and replaces them before they end.
func content(path string) (string, error) {
	text, err := readFile(path)
	if err != nil {
		return "", err
	}
	found := strings.TrimSpace(string(text))
	if found == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return found, nil
}
