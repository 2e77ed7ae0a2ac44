package local

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"reflect"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Contexts reads the kubeconfig of the fleet. It has what `up` writes and
// nothing else: clusters of this machine, and certificates to get in. One with
// a program, a file or an address of somebody else's is refused as a whole.
func (h Home) Contexts() (*api.Config, error) {
	all, err := h.contexts()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		err = ours(all)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w; `causeway down` and `causeway up` write it again", h.Kubeconfig(), err)
	}
	return all, nil
}

// ours tells what `up` would not have written.
func ours(all *api.Config) error {
	for name, c := range all.Clusters {
		address, err := url.Parse(c.Server)
		if err != nil || address.Scheme != "https" || !net.ParseIP(address.Hostname()).IsLoopback() {
			return fmt.Errorf("its cluster %s is not on this machine", name)
		}
		if c.ProxyURL != "" || c.CertificateAuthority != "" || c.InsecureSkipTLSVerify {
			return fmt.Errorf("its cluster %s is reached otherwise than one that `causeway up` started", name)
		}
	}
	for name, u := range all.AuthInfos {
		written := api.AuthInfo{ClientCertificateData: u.ClientCertificateData, ClientKeyData: u.ClientKeyData}
		if !sameLogin(*u, written) {
			return fmt.Errorf("its user %s signs in otherwise than with a certificate, as with a program or a file; `causeway up` writes no such user", name)
		}
	}
	return nil
}

// sameLogin compares all but where two users were read from.
func sameLogin(a, b api.AuthInfo) bool {
	a.LocationOfOrigin, b.LocationOfOrigin = "", ""
	a.Extensions, b.Extensions = nil, nil
	return reflect.DeepEqual(a, b)
}

// writeKubeconfig joins the clusters' kubeconfigs: a context a cluster, with
// the cluster's name; the hub is current.
func (r *Running) writeKubeconfig() error {
	r.kubeconfig.Lock()
	defer r.kubeconfig.Unlock()
	all := api.NewConfig()
	before, err := clientcmd.LoadFromFile(r.Home.Kubeconfig())
	if err != nil {
		before = all // the first start
	}
	for _, c := range r.Fleet.Clusters {
		path := r.Home.clusterKubeconfig(c.Name)
		one, err := clientcmd.LoadFromFile(path)
		if errors.Is(err, fs.ErrNotExist) && before.Contexts[c.Name] != nil { // a spoke that is just down
			all.Clusters[c.Name], all.AuthInfos[c.Name], all.Contexts[c.Name] = before.Clusters[c.Name], before.AuthInfos[c.Name], before.Contexts[c.Name]
			continue
		}
		if err != nil {
			return fmt.Errorf("cannot read the kubeconfig of cluster %s: %w", c.Name, err)
		}
		context := one.Contexts[one.CurrentContext]
		if context == nil {
			return fmt.Errorf("cannot use the kubeconfig of cluster %s (%s): it has no current context", c.Name, path)
		}
		all.Clusters[c.Name] = one.Clusters[context.Cluster]
		all.AuthInfos[c.Name] = one.AuthInfos[context.AuthInfo]
		all.Contexts[c.Name] = &api.Context{Cluster: c.Name, AuthInfo: c.Name, Namespace: namespaceIn(r.Fleet, c)}
	}
	all.CurrentContext = r.Fleet.Hub().Name
	text, err := clientcmd.Write(*all)
	if err != nil {
		return fmt.Errorf("cannot write the kubeconfig of fleet %s: %w", r.Fleet.Name, err)
	}
	return WriteFile(r.Home.Kubeconfig(), text)
}

// namespaceIn spares people `-n argocd` on the hub.
func namespaceIn(f *Fleet, c Cluster) string {
	if c.Hub {
		return f.Namespace
	}
	return ""
}
