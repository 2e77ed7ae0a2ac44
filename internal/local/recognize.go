package local

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// Recognize finds the fleet that a connection leads to, whatever kubeconfig
// says so: of some state folders, and of all that the user has. False where it
// is none of theirs.
func Recognize(config *rest.Config, stateDirs ...string) (Home, bool) {
	ca := authorityOf(config)
	for _, dir := range slices.Concat(stateDirs, stateFolders()) {
		homes, err := Homes(dir)
		if err != nil {
			continue // no fleet of a folder that cannot be read can be up
		}
		for _, home := range homes {
			if home.has(config.Host, ca) {
				return home, true
			}
		}
	}
	return Home{}, false
}

// authorityOf is what vouches for the server of a connection; empty for
// nothing, or for what the machine trusts.
func authorityOf(config *rest.Config) []byte {
	ca := config.CAData
	if len(ca) == 0 && config.CAFile != "" {
		ca, _ = bounded.File(config.CAFile, maxFile) // one that cannot be read connects to nothing
	}
	return bytes.TrimSpace(ca)
}

// has reports whether a server is a cluster of the fleet: by whatever address,
// if the fleet's authority vouches for it, as that is of one cluster alone.
// Where nothing does, a fleet that runs is told by its address. The kubeconfig
// counts as it stands: with a program in it, it is a fleet's all the same.
func (h Home) has(address string, ca []byte) bool {
	all, err := h.contexts()
	if err != nil {
		return false
	}
	for _, c := range all.Clusters {
		own := bytes.TrimSpace(c.CertificateAuthorityData)
		if len(ca) > 0 && bytes.Equal(ca, own) || len(ca) == 0 && sameDoor(address, c.Server) && h.Running() {
			return true
		}
	}
	return false
}

// contexts reads the kubeconfig of the fleet, whatever it has.
func (h Home) contexts() (*api.Config, error) {
	text, err := bounded.File(h.Kubeconfig(), maxFile)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller tells one that is not there
	}
	all, err := clientcmd.Load(text)
	if err != nil {
		return nil, fmt.Errorf("it is no kubeconfig: %w", err)
	}
	return all, nil
}

// sameDoor reports whether two addresses are one port of this machine.
func sameDoor(a, b string) bool {
	one, other := portHere(a), portHere(b)
	return one != "" && one == other
}

// portHere is the port of an address on this machine; empty for others.
func portHere(address string) string {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	ip := net.ParseIP(u.Hostname())
	if !strings.EqualFold(u.Hostname(), "localhost") && !ip.IsLoopback() && !ip.Equal(net.IPv4zero) && !ip.Equal(net.IPv6zero) {
		return ""
	}
	return u.Port()
}

// stateFolders are the user's own, of all folders in which fleets were started.
func stateFolders() []string {
	base, err := places()
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		return nil // none was started yet
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, filepath.Join(base, e.Name()))
		}
	}
	return out
}
