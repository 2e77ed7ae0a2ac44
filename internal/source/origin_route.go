package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/git"
	"github.com/causeway-gitops/causeway/internal/source/githubapp"
	"github.com/causeway-gitops/causeway/internal/source/logins"
	"github.com/causeway-gitops/causeway/internal/source/mirror"
)

// route says which origin serves a reference.
type route struct {
	// key is the same for references that share look-ups.
	key      string
	name     string
	spelling spelling
	open     func() origin
	// rekeyed reports whether the credential is another than it was.
	rekeyed func() bool
	// logins may be asked besides the credential; nil for none.
	logins *logins.User
}

// route decides by the form of the reference: a chart's repository is a
// Helm repository when it is a web address and a registry otherwise; what
// names no chart is Git unless it says oci.
func (r *Registry) route(ref gitops.SourceRef) (route, error) {
	at, err := address.Parse(ref.RepoURL)
	if err != nil {
		return route{}, gitops.Problemf(gitops.Invalid, "cannot use repository: %w", err).Do("correct repoURL")
	}
	if err := address.CheckChart(ref.Chart); err != nil {
		return route{}, gitops.Problemf(gitops.Invalid, "cannot use chart %q: %w", ref.Chart, err).Do("write the folder of the chart into repoURL")
	}
	cred := r.credential(ref)
	registry := isRegistry(at, ref, cred)
	rt := route{name: at.Name(), rekeyed: func() bool {
		return r.credential(ref).Fingerprint() != cred.Fingerprint()
	}}
	m, ok, err := r.mirrored(at, ref.Chart, registry)
	if err != nil {
		return route{}, err
	}
	if ok {
		if r.withholds(ref) {
			return route{}, withheld(ref)
		}
		rt.key, rt.open = m.key(), func() origin { return r.openMirror(m) }
		rt.rekeyed = func() bool { return false }
		return rt, nil
	}
	if err := r.closed(at, ref, cred); err != nil {
		return route{}, err
	}
	if r.opts.Offline && (at.Scheme != "file" || registry) {
		return route{}, notMirrored(ref)
	}
	if r.logins != nil && !ref.Anonymous && at.Password == "" && !cred.SignsIn() {
		rt.logins, cred.OwnSSH = r.logins, at.Scheme == "ssh"
	}
	return r.remoteRoute(rt, ref, at, cred, registry)
}

// withholds reports whether mirrors and locked folders are closed to a reference.
// What lies in them is no public host's: whoever writes a file of a repository
// would have it read for a project that does not permit it.
func (r *Registry) withholds(ref gitops.SourceRef) bool {
	return ref.Anonymous && !r.opts.PrivateHosts
}

func withheld(ref gitops.SourceRef) error {
	return gitops.Problemf(gitops.Refused, "a mirror stands for the repository, and project %q does not permit it", ref.Project).
		Do("add it to spec.sourceRepos of the project if it is to be read")
}

var errNoKey = &access.Refusal{Err: errors.New("no key is given for the repository, and those that ssh finds are not used")}

// closed tells why an address is not opened for a reference: a folder, one that
// ssh would open without credentials with whatever keys it finds, or one that
// git would connect to without asking whether it may.
func (r *Registry) closed(at address.Address, ref gitops.SourceRef, cred Credential) error {
	switch {
	case at.Scheme == "file" && (r.opts.NoFolders || ref.Anonymous):
		return gitops.Problemf(gitops.Refused, "folders of the engine's machine are no repositories").
			Do("use an address that a server answers, or name the folder with --mirror URL=" + at.Path)
	case at.Scheme == "ssh" && ref.Anonymous:
		return gitops.Problemf(gitops.Refused, "project %q does not permit the repository, and ssh opens none without a key", ref.Project).
			Do("add it to spec.sourceRepos of the project, or use its https:// address")
	case at.Scheme == "git" && cred.OnlyPublic:
		return gitops.Problemf(gitops.Refused, "project %q does not permit the repository, and others are not read by git://", ref.Project).
			Do("add it to spec.sourceRepos of the project, or use its https:// address")
	case at.Scheme == "ssh" && r.opts.NoKeys && cred.SSHKey == "":
		return gitops.Problemf(gitops.Refused, "%w", errNoKey).Do("add its repository Secret with sshPrivateKey, or use its https:// address")
	}
	return nil
}

// credential is what a reference is read with.
func (r *Registry) credential(ref gitops.SourceRef) Credential {
	cred, _ := r.opts.Credentials.For(ref.RepoURL, ref.Project)
	if ref.Anonymous {
		cred = cred.Anonymous()
		cred.OnlyPublic = !r.opts.PrivateHosts
	}
	return cred
}

// isRegistry reports whether a reference means an OCI registry.
func isRegistry(at address.Address, ref gitops.SourceRef, cred Credential) bool {
	return at.Scheme == "oci" || (at.Scheme == "" && (ref.Chart != "" || cred.IsOCI())) || (ref.Chart != "" && cred.IsOCI())
}

// remoteRoute is the route of a reference that nothing local stands for.
func (r *Registry) remoteRoute(rt route, ref gitops.SourceRef, at address.Address, cred Credential, registry bool) (route, error) {
	rt.spelling = spellingOf(at)
	way := wayOf(ref, at, cred, rt.logins != nil)
	identity := " " + cred.Fingerprint() + " " + hash(way)
	if at.Password != "" {
		identity += " " + hash(at.User+":"+at.Password)
	}
	switch {
	case registry:
		full := registryName(at, ref.Chart)
		rt.key = fmt.Sprintf("oci %s chart=%t%s", full, ref.Chart != "", identity)
		rt.open = func() origin { return r.openOCI(full, ref.Chart != "", cred, rt.logins) }
	case ref.Chart != "" && at.IsWeb():
		rt.key, rt.open = "helm "+at.String()+identity, func() origin { return r.openHelm(at, cred, rt.logins) }
	case ref.Chart != "":
		return route{}, gitops.Problemf(gitops.Invalid, "a chart cannot come from a %s address", at.Scheme).Do("use an https:// or oci:// address, or set path instead of chart")
	case at.Scheme == "":
		return route{}, gitops.Problemf(gitops.Invalid, "the address has no scheme").Do("write https:// before it for Git, or oci:// for a registry")
	default:
		rt.key, rt.open = "git "+at.String()+identity, func() origin { return r.openGit(at, way, cred, rt.logins) }
	}
	return rt, nil
}

// notMirrored names what is missing in the same words for all who ask for
// it, so that it is told once.
func notMirrored(ref gitops.SourceRef) error {
	what := "repository " + gitops.PublicAddress(ref.RepoURL)
	if ref.Chart != "" {
		what = "chart " + ref.Chart + " of " + gitops.PublicAddress(ref.RepoURL)
	}
	revision := strings.TrimSpace(ref.Revision)
	if revision != "" {
		what += " at " + revision
	}
	p := gitops.Problemf(gitops.NotMirrored, "%s is not mirrored, and nothing may be fetched", what)
	p.Err = &gitops.MissingSource{Ref: ref}
	return p.Do("run `causeway mirror` where the network can be reached, or name a folder that stands for it with --mirror URL=PATH")
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}

// registryName is host/path/chart.
func registryName(at address.Address, chart string) string {
	return strings.TrimSuffix(path.Join(at.Host+at.Path, chart), "/")
}

// wayOf names who vouches for what is read of a repository, by whom and how its
// server is asked. References that share it may share what was fetched; it is
// empty for the usual one, of all that operators have opened.
func wayOf(ref gitops.SourceRef, at address.Address, cred Credential, logins bool) string {
	var way []string
	if ref.Anonymous {
		way = append(way, "anonymous")
	}
	if logins {
		way = append(way, "logins")
	}
	if at.Password != "" {
		way = append(way, fmt.Sprintf("%q in the address, for project %q", at.User, ref.Project))
	}
	if at.Scheme == "ssh" && at.User != "git" { // whose home and rights are another's
		way = append(way, fmt.Sprintf("as %q", at.User))
	}
	if by := cred.Way(); by != "" {
		way = append(way, by)
	}
	return strings.Join(way, " ")
}

func (r *Registry) openGit(at address.Address, way string, cred Credential, own *logins.User) origin {
	plain := at
	plain.User, plain.Password = "", ""
	store := r.store(filepath.Join("git", hash(fmt.Sprintf("%q by %q", plain.String(), way))))
	remote := git.NewRemote(store, at, r.session(cred)).Clocked(r.opts.Clock)
	if own != nil {
		remote.Asking(func(ctx context.Context) Credential { return merged(cred, own.Git(ctx, at)) })
	}
	o := gitOrigin(remote, at.Scheme == "file")
	o.folder = store.Dir()
	return o
}

// merged is a login with what is known of how the server is spoken to.
func merged(cred, login Credential) Credential {
	cred.Username, cred.Password = login.Username, login.Password
	cred.CA += login.CA
	if login.TLSCert != "" {
		cred.TLSCert, cred.TLSKey = login.TLSCert, login.TLSKey
	}
	cred.Insecure = cred.Insecure || login.Insecure
	return cred
}

// session gives the credential for one operation: an App's is a token that
// does not last long.
func (r *Registry) session(cred Credential) git.Credential {
	if cred.App == nil {
		return func(context.Context) (Credential, error) { return cred, nil }
	}
	tokens, err := githubapp.New(cred, r.opts.Limits.Operation, r.now)
	return func(ctx context.Context) (Credential, error) {
		if err != nil {
			return cred, err
		}
		token, err := tokens.Token(ctx)
		now := cred
		now.Username, now.Password = "x-access-token", token
		return now, err
	}
}

// local is a mirror that serves a reference.
type local struct {
	mirror mirror.Mirror
	// path is the folder; chart and artifact say what is looked for in it.
	path     string
	chart    bool
	artifact bool
	// only limits a chart mirror to one chart: the last part of an OCI name.
	only string
}

func (l local) key() string {
	return fmt.Sprintf("mirror %s chart=%t artifact=%t only=%s worktree=%t", l.path, l.chart, l.artifact, l.only, l.mirror.WorkTree)
}

// mirrored is the mirror of an address; an error where its folder has something
// that it does not serve.
func (r *Registry) mirrored(at address.Address, chart string, registry bool) (_ local, ok bool, err error) {
	name := at.Name()
	if registry {
		name = strings.Trim(path.Join(name, chart), "/")
	}
	m, rest, ok := r.mirrors.Find(name)
	if !ok {
		return local{}, false, nil
	}
	l := local{mirror: m, chart: chart != "", artifact: registry && chart == ""}
	if registry {
		l.only = path.Base(name)
	}
	if !l.chart && !l.artifact {
		rest = bareName(m.Path, rest)
	}
	l.path, err = m.Below(rest)
	return l, err == nil, err
}

// bareName is a name with .git behind it where a folder has only that.
func bareName(folder, rest string) string {
	full := filepath.Join(folder, filepath.FromSlash(rest))
	if _, err := os.Stat(full); err == nil || rest == "" {
		return rest
	}
	if _, err := os.Stat(full + ".git"); err != nil {
		return rest
	}
	return rest + ".git"
}

func (r *Registry) openMirror(l local) origin {
	if l.chart || l.artifact {
		return r.openShelf(l)
	}
	return r.openFolder(l.path, l.mirror.WorkTree)
}

func (r *Registry) openFolder(dir string, workTree bool) origin {
	if !workTree && git.IsRepository(dir) {
		at := address.Address{Scheme: "file", Path: dir}
		return r.openGit(at, "", Credential{}, nil)
	}
	return folderOrigin(r.folder(dir), dir, r.opts.Log)
}

// folder returns the one Folder of a path: two would write into one store.
func (r *Registry) folder(dir string) *mirror.Folder {
	if f, ok := r.folders[dir]; ok {
		return f
	}
	f := mirror.NewFolder(dir, r.store(filepath.Join("folders", hash(dir))), r.opts.Limits.Files)
	r.folders[dir] = f
	return f
}

// storeOf is where the store of a mirror folder lies.
func (r *Registry) storeOf(dir string) string { return filepath.Join(r.dir, "folders", hash(dir)) }
