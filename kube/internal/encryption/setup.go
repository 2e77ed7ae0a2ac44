package encryption

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
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
	// mark has the names of the plugins that have encrypted something, in the folder of the datastore: a key that is lost
	// is not replaced, and a plugin is not left out, also where that folder is moved without what lies beside it.
	mark = "encrypted"
)

// Config says how Secrets are to be kept.
type Config struct {
	// Mode is ByAge or Off.
	Mode string
	// Socket is that of a plugin of somebody else, which encrypts in the place of the key file. Empty: none.
	Socket string
	// DataDir has the key file, StoreDir the datastore, RunDir what only this run needs; its path has to be short.
	DataDir, StoreDir, RunDir string
	// Log gets a line when the key file cannot be used any more, and when it can be again. Nil: none.
	Log *slog.Logger
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
	before, err := marked(c)
	if err != nil {
		return nil, err
	}
	if slices.Contains(before, othersPlugin) && c.Socket == "" {
		return nil, fmt.Errorf("a plugin of --kms-socket has encrypted Secrets of this cluster, and without it they cannot be read: "+
			"start it again with that socket, or once it has no Secrets any more take the line %s out of %s", othersPlugin, c.mark())
	}
	key, err := openKey(c, slices.Contains(before, ownPlugin))
	if err != nil {
		return nil, err
	}
	if err := note(c, before, key != nil); err != nil {
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
		s.own = kms.New(key, kms.Options{Log: c.Log})
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
func openKey(c Config, used bool) (*agefile.Key, error) {
	path := filepath.Join(c.DataDir, KeyFile)
	made, err := there(path)
	switch {
	case err != nil:
		return nil, err
	case used && !made:
		return nil, fmt.Errorf("the file %s is gone, and without it Secrets of this cluster cannot be read: put it back, or start with an empty data folder", path)
	case !made && (c.Mode == Off || c.Socket != ""):
		return nil, nil //nolint:nilnil // no key is no failure
	}
	if !made {
		if _, err := agefile.Add(path, time.Now()); err != nil {
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
