package access

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/causeway-gitops/causeway/internal/source/address"
)

// Trust is what the ConfigMaps about hosts say.
type Trust struct {
	// KnownHosts is the content of argocd-ssh-known-hosts-cm.
	KnownHosts string
	// CAs has PEM certificates by host name, as in argocd-tls-certs-cm.
	CAs map[string]string
}

// Credentials finds what opens a repository. The zero value knows none. It
// is safe for concurrent use; Replace and Trust swap their part as a whole.
type Credentials struct {
	repositories atomic.Pointer[[]entry]
	trust        atomic.Pointer[Trust]
}

type entry struct {
	Repository
	at address.Canonical
	// path is the start of the paths that a template is for.
	path string
}

// entryOf keeps a slash at the end of a template's address: it is for what is
// below it alone.
func entryOf(r Repository, at address.Address) entry {
	e := entry{Repository: r, at: at.Canonical()}
	if e.path = e.at.Path; e.path != "" && strings.HasSuffix(r.URL, "/") {
		e.path += "/"
	}
	return e
}

// Replace sets all repositories and templates that there are.
func (c *Credentials) Replace(all []Repository) {
	entries := make([]entry, 0, len(all))
	for _, r := range all {
		at, err := address.Parse(r.URL)
		if err != nil {
			continue // ParseRepository has refused it already
		}
		entries = append(entries, entryOf(r, at))
	}
	slices.SortFunc(entries, bestFirst)
	c.repositories.Store(&entries)
}

// Trust sets known hosts and certificates.
func (c *Credentials) Trust(t Trust) { c.trust.Store(&t) }

// Repositories lists all that are known.
func (c *Credentials) Repositories() []Repository {
	p := c.repositories.Load()
	if p == nil {
		return nil
	}
	out := make([]Repository, 0, len(*p))
	for _, e := range *p {
		out = append(out, e.Repository)
	}
	return out
}

// For returns what opens a repository on behalf of a project: the Secret of
// exactly this repository (one of the project before one of all), else the
// template with the longest matching address.
func (c *Credentials) For(repoURL, project string) (Credential, bool) {
	at, err := address.Parse(repoURL)
	if err != nil {
		return Credential{}, false
	}
	found, ok := c.find(at.Canonical(), project)
	found = c.trusting(at, found)
	return found, ok || found.KnownHosts != "" || found.CA != ""
}

// own is the credential with whose it is. One that says nothing of who asks, and
// nothing of the way, is nobody's.
func (r Repository) own() Credential {
	out := r.Credential
	if out.SignsIn() || out.connects() {
		out.Project = r.Project
	}
	return out
}

// SignsIn reports whether the credential proves an identity; a repository
// Secret without one takes it from a template.
func (c Credential) SignsIn() bool {
	return c.Username != "" || c.Password != "" || c.BearerToken != "" || c.SSHKey != "" || c.TLSKey != "" || c.App != nil || c.Unsupported != ""
}

// merge has the template sign in. Whether its password may be passed on is
// said where that is.
func merge(repository, template Credential) Credential {
	out := template
	out.Type, out.EnableOCI, out.Depth = repository.Type, repository.EnableOCI || template.EnableOCI, repository.Depth
	out.Insecure = repository.Insecure || template.Insecure
	out.PlainHTTP = repository.PlainHTTP || template.PlainHTTP
	out.ForceBasic = repository.ForceBasic || template.ForceBasic
	if repository.Proxy != "" {
		out.Proxy, out.NoProxy = repository.Proxy, repository.NoProxy
	}
	return out
}

// kind groups the schemes that credentials are shared by: a registry may be
// written with oci:// and without. What is for https is never sent over http.
func kind(scheme string) string {
	if scheme == "" {
		return "oci"
	}
	return scheme
}
