package target

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
)

// Logins are the servers that somebody has signed in at.
type Logins struct {
	Servers map[string]Login `json:"servers"`
}

// Login is how somebody is known at a server.
type Login struct {
	User  string `json:"user,omitempty"`
	Token string `json:"token"`
}

// maxLogins bounds the file, in bytes.
const maxLogins = 1 << 20

func loginsFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("cannot find where logins are kept: %w; set %s, or --token-file", err, command.VariableToken)
	}
	return filepath.Join(dir, "causeway", "logins.json"), nil
}

// ReadLogins reads what earlier logins left. A file that others may read is refused.
func ReadLogins() (*Logins, error) {
	out := &Logins{Servers: map[string]Login{}}
	path, err := loginsFile()
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read earlier logins: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 || info.Size() > maxLogins {
		return nil, fmt.Errorf("%s is not used: others may read it, or it is no file of logins; run chmod 600 on it, or delete it and sign in again", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read earlier logins: %w", err)
	}
	if json.Unmarshal(text, out) != nil || out.Servers == nil {
		return nil, fmt.Errorf("%s is no file of logins: delete it and sign in again", path)
	}
	return out, nil
}

// Write replaces the file as a whole, for its owner alone.
func (l *Logins) Write() error {
	path, err := loginsFile()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot keep the login: %w", err)
	}
	if err := local.WriteFile(path, append(text, '\n')); err != nil {
		return fmt.Errorf("cannot keep the login: %w", err)
	}
	return nil
}
