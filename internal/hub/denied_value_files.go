package hub

import (
	"context"
	"net"
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/idna"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/render/helm/web"
)

// undenied has the files of Local for projects that deny no repository in which
// they lie. It stands before the web, too: hosts serve the files of repositories
// one by one, under many spellings of their addresses.
type undenied struct {
	web.Local
	projects interface {
		Project(ctx context.Context, name string) (*v1alpha1.AppProject, error)
	}
}

// File implements web.Local.
func (u undenied) File(ctx context.Context, address, project string) ([]byte, error) {
	p, err := u.projects.Project(ctx, project)
	if err != nil {
		return nil, err
	}
	repositories := repositoriesOf(address)
	if len(repositories) > deepest {
		return nil, inTooManyFolders(address, project)
	}
	for _, at := range repositories {
		if _, err := policy.Besides(p, gitops.SourceRef{RepoURL: at}); err != nil {
			return nil, err
		}
	}
	return u.Local.File(ctx, address, project)
}

// repositoriesOf are the addresses of what may be the repository of a file: those of
// the folders that it lies in, on the host that has them. None is one that no
// connection is made to.
func repositoriesOf(address string) []string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil
	}
	names := strings.Split(strings.TrimPrefix(path.Clean("/"+u.Path), "/"), "/")
	host := strings.TrimSuffix(connected(u.Hostname()), ".")
	if port := u.Port(); port != "" && port != "443" && port != "80" {
		host = net.JoinHostPort(host, port)
	}
	host, names = servedBy(host, names)
	var out []string
	for i := range len(names) - 1 { // the last one is the file
		at := url.URL{Scheme: "https", Host: host, Path: "/" + path.Join(names[:i+1]...)}
		out = append(out, at.String())
	}
	return out
}

// connected is a host as connections are made to it: fullwidth letters are letters.
func connected(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.ToLower(host)
}

// servedBy are the host of repositories whose files another one serves, and the names
// that lead to them there.
func servedBy(host string, names []string) (repositories string, inside []string) {
	host = strings.TrimPrefix(host, "www.")
	switch host {
	case "raw.githubusercontent.com", "raw.github.com", "codeload.github.com":
		return "github.com", names
	case "media.githubusercontent.com": // /media/OWNER/NAME
		return "github.com", names[1:]
	}
	return host, names
}
