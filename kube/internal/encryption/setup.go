package encryption

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/causeway-gitops/causeway/kube/internal/kms"
	"github.com/causeway-gitops/causeway/kube/internal/kms/agefile"
	"github.com/causeway-gitops/causeway/kube/internal/whole"
)

// How Secrets are kept.
const (
	ByAge = "age" // encrypted, with a key file
	Off   = "off" // as they are
)

// Names of files in the data folder.
const (
	// KeyFile has the keys, as age-keygen writes them.
	KeyFile = "encryption.key"
	// mark says that something was encrypted with the keys, so that a file that is lost is not replaced.
	mark = "encrypted"
)

// Config says how Secrets are to be kept.
type Config struct {
	// Mode is ByAge or Off.
	Mode string
	// Socket is that of a plugin of somebody else, which encrypts in the place of the key file. Empty: none.
	Socket string
	// DataDir has the key file, RunDir what only this run needs; its path has to be short.
	DataDir, RunDir string
}

// Setup is what the API server needs.
type Setup struct {
	// File is the API server's configuration. Empty: nothing is encrypted, and nothing was.
	File string

	own    *kms.Server
	socket *kms.Socket
}

// Prepare makes the key file where it is missing, and listens for the API server.
func Prepare(ctx context.Context, c Config) (*Setup, error) {
	s, err := prepare(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("cannot set up the encryption of Secrets: %w", err)
	}
	return s, nil
}

func prepare(ctx context.Context, c Config) (*Setup, error) {
	key, err := openKey(c)
	if err != nil {
		return nil, err
	}
	if key == nil && c.Socket == "" {
		return &Setup{}, nil
	}
	s := &Setup{File: filepath.Join(c.RunDir, "encryption.yaml")}
	var own string
	if key != nil {
		own = filepath.Join(c.RunDir, "kms.sock")
		if s.socket, err = kms.Listen(ctx, own); err != nil {
			return nil, err
		}
		s.own = kms.New(key, kms.Options{})
	}
	text, err := configuration(c, own)
	if err == nil {
		err = whole.Write(s.File, text)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openKey opens the key file. It is nil where nothing is to be encrypted with it, and nothing was.
func openKey(c Config) (*agefile.Key, error) {
	path := filepath.Join(c.DataDir, KeyFile)
	made, err := there(path)
	if err != nil {
		return nil, err
	}
	marked, err := there(filepath.Join(c.DataDir, mark))
	switch {
	case err != nil:
		return nil, err
	case marked && !made:
		return nil, fmt.Errorf("the file %s is gone, and without it Secrets of this cluster cannot be read: put it back, or start with an empty data folder", path)
	case !made && (c.Mode == Off || c.Socket != ""):
		return nil, nil //nolint:nilnil // no key is no failure
	}
	if !made {
		if _, err := agefile.Add(path, time.Now()); err != nil {
			return nil, err
		}
	}
	if !marked { // also after an end between the two files
		if err := whole.Write(filepath.Join(c.DataDir, mark), []byte("Secrets of this cluster are encrypted with keys of the file "+KeyFile+".\n")); err != nil {
			return nil, err
		}
	}
	return agefile.Open(path)
}

func there(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Serves reports whether there is something to serve.
func (s *Setup) Serves() bool { return s.own != nil }

// Serve answers the API server until ctx ends.
func (s *Setup) Serve(ctx context.Context) error { return s.own.Serve(ctx, s.socket) }

// Close removes the socket.
func (s *Setup) Close() error {
	if s.socket == nil {
		return nil
	}
	return s.socket.Close()
}
