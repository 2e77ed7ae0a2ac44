package source

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/git"
	"github.com/causeway-gitops/causeway/internal/source/mirror"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// The words of this stage that have packages of their own.
type (
	// Mirror says that a local folder stands for a repository or for all
	// whose address starts with its URL.
	Mirror = mirror.Mirror
	// Credential is what a repository is opened with.
	Credential = access.Credential
	// Repository is what one repository or repo-creds Secret says.
	Repository = access.Repository
	// Credentials finds the Credential of a repository; safe for concurrent use.
	Credentials = access.Credentials
	// Trust is what the ConfigMaps about known hosts and certificates say.
	Trust = access.Trust
	// Secret is a text that does not show itself.
	Secret = access.Secret
	// Rule is what may be read with the credential of a repository besides it.
	Rule = web.Rule
)

// Everywhere is what whoever acts for themselves, and for no project, permits. Who
// looks at Applications of a hub acts for their projects, whatever they may read.
func Everywhere(context.Context, string) (Rule, error) { return web.Everywhere{}, nil }

func nowhere(context.Context, string) (Rule, error) { return web.Nowhere{}, nil }

// ParseMirror reads URL=PATH, with ?worktree at the end for a Git checkout
// whose uncommitted edits count.
func ParseMirror(text string) (Mirror, error) { return mirror.Parse(text) }

// Top is the folder of the repository that a path belongs to, without links;
// empty where it belongs to none.
func Top(name string) string { return git.Top(name) }

// NewFiles serves single files of the web from the folders of mirrors.
func NewFiles(mirrors []Mirror) mirror.Table { return mirror.NewTable(mirrors) }

// ParseRepository reads a Secret labelled repository or repo-creds.
func ParseRepository(secret *corev1.Secret) (Repository, error) {
	return access.ParseRepository(secret)
}

// CredentialSource finds what opens a repository on behalf of a project.
// False means that nothing is known, so it is opened without.
type CredentialSource interface {
	For(repoURL, project string) (Credential, bool)
}

// Clock tells the time.
type Clock func() time.Time

// Options are the settings of a Registry; only CacheDir is needed.
type Options struct {
	// CacheDir holds fetched objects and charts. It can be deleted while
	// the engine is down.
	CacheDir string
	// Interval is how often each remote repository is looked up; default 2 minutes.
	Interval time.Duration
	// LocalInterval is how soon edits of local folders show where the
	// system cannot tell of them; default 500 ms.
	LocalInterval time.Duration
	Mirrors       []Mirror
	// Locked are folders that package lockfile keeps: they answer the
	// references in them before mirrors and the network do.
	Locked []string
	// Offline fetches nothing: what neither Locked nor Mirrors have, and is
	// no local folder, is a Problem of kind gitops.NotMirrored.
	Offline bool
	// NoFolders refuses addresses of folders on this machine that no mirror
	// stands for: whoever writes an address could read the machine's disk.
	NoFolders bool
	// PrivateHosts reads anonymous references from private addresses and out of
	// mirrors as well, which are refused otherwise: files of a repository would
	// have the engine ask whatever it reaches, and read what nobody permits.
	PrivateHosts bool
	Credentials  CredentialSource
	// Permits is what a project permits of the host of a chart repository: the
	// index may name archives elsewhere on it, which the credential opens as
	// well; or which repositories it permits, where a Git server sends on to
	// another one. By default nothing.
	Permits func(ctx context.Context, project string) (Rule, error)
	// Person tells who merely looks in a context, and asks for nothing that is kept
	// or looked up again; empty for who needs it, as everybody does by default.
	Person func(context.Context) string
	// Logins uses what the person at this machine is signed in with, where no
	// credential is known: see package logins. ssh reads their own configuration.
	Logins bool
	// NoKeys refuses ssh addresses that no credential has a key for: ssh would
	// open them with whatever keys it finds.
	NoKeys bool
	// SignIn is what to do where a server lets nobody in without a credential, or
	// not with this one; by default what the error says of repository Secrets.
	SignIn string
	Limits Limits
	Log    *slog.Logger
	Clock  Clock
}

func (o Options) complete() (Options, error) {
	if o.CacheDir == "" {
		return o, errors.New("cannot fetch sources: no cache folder is set; set --cache-dir")
	}
	dir, err := filepath.Abs(o.CacheDir)
	if err != nil {
		return o, err
	}
	o.CacheDir = dir
	o.Interval = or(o.Interval, 2*time.Minute)
	o.LocalInterval = or(o.LocalInterval, 500*time.Millisecond)
	o.Limits = o.Limits.complete()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Credentials == nil {
		o.Credentials = &Credentials{}
	}
	if o.Person == nil {
		o.Person = func(context.Context) string { return "" }
	}
	if o.Permits == nil {
		o.Permits = nowhere
	}
	for _, m := range o.Mirrors {
		if err := m.Check(); err != nil {
			return o, err
		}
	}
	return o, nil
}

func or[T int | int64 | time.Duration](v, fallback T) T {
	if v > 0 {
		return v
	}
	return fallback
}

// makeFolder makes a folder and proves that it can be written.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, "probe-")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
