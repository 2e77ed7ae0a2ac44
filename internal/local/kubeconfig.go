package local

import (
	"errors"
	"fmt"
	"io/fs"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

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
