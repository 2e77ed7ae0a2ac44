// Package logins finds what the person at this machine is signed in with: by
// Git's credential helpers, netrc, Docker's and Helm's own files.
//
// It asks nobody who would have to answer by hand, keeps nothing beyond the life
// of the process, and tells no helper whether an answer was right.
package logins

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

// User answers for the person who runs this process. It is safe for concurrent
// use: each question is asked once.
type User struct {
	git *git.Command
	log *slog.Logger

	askingGit    turn // guards answers
	answers      map[string]access.Credential
	askingDocker turn // guards registries
	registries   map[string]auth.Credential

	netrc  func() []machine
	charts func() *access.Credentials
	store  func() credentials.Store
}

// New makes a User who asks Git by a command.
func New(command *git.Command, log *slog.Logger) *User {
	u := &User{
		git: command, log: log, askingGit: newTurn(), answers: map[string]access.Credential{},
		askingDocker: newTurn(), registries: map[string]auth.Credential{},
	}
	u.netrc = sync.OnceValue(u.readNetrc)
	u.charts = sync.OnceValue(u.readCharts)
	u.store = sync.OnceValue(u.openStore)
	return u
}

// Git returns what Git's helpers have for a repository, or else netrc; nothing
// where it would go over a network in the clear.
func (u *User) Git(ctx context.Context, at address.Address) access.Credential {
	if at.Scheme == "http" && !address.IsLoopback(at.Host) {
		return access.Credential{}
	}
	if !u.askingGit.begin(ctx) {
		return access.Credential{}
	}
	defer u.askingGit.end()
	key := at.User + "@" + at.String()
	if known, ok := u.answers[key]; ok {
		return known
	}
	answer, err := u.git.Login(ctx, at)
	switch {
	case ctx.Err() != nil:
		return answer // whoever comes next asks again
	case err != nil:
		u.log.ErrorContext(ctx, "Git's credential helpers do not answer", "host", at.Host, "error", err)
	}
	if !answer.SignsIn() {
		answer = u.ofNetrc(at)
	}
	u.answers[key] = answer
	return answer
}

// Charts returns what Helm has for a repository, or else netrc.
func (u *User) Charts(at address.Address) access.Credential {
	known, _ := u.charts().For(at.String(), "")
	if !known.SignsIn() {
		n := u.ofNetrc(at)
		known.Username, known.Password = n.Username, n.Password
	}
	return known
}

// maxFile bounds what is read of a file with logins.
const maxFile = 1 << 20 // bytes

// read reads a file; nothing where there is none.
func (u *User) read(name string) []byte {
	data, err := bounded.File(name, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		u.log.Warn("cannot read logins", "file", name, "error", err)
	}
	return data
}
