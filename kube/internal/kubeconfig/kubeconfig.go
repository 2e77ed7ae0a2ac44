// Package kubeconfig writes the kubeconfig of an embedded cluster. It never touches a file that it did not write:
// merging into a person's own kubeconfig is left to kubectl.
package kubeconfig

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/causeway-gitops/causeway/kube/internal/pki"
	"github.com/causeway-gitops/causeway/kube/internal/whole"
)

// mark is the first line of each file that this package wrote.
const mark = "# Written by causeway-kube; replaced at its next start.\n"

// ErrForeign says that the file is somebody else's.
var ErrForeign = errors.New("the file was not written by causeway-kube")

// Entry is one cluster, its administrator, and the name of the context that joins them.
type Entry struct {
	Name   string
	Server string // URL
	CA     []byte // PEM
	Admin  pki.Pair
}

// Render returns the file's content.
func Render(e Entry) ([]byte, error) {
	config := api.NewConfig()
	config.Clusters[e.Name] = &api.Cluster{Server: e.Server, CertificateAuthorityData: e.CA}
	config.AuthInfos[e.Name] = &api.AuthInfo{ClientCertificateData: e.Admin.Cert, ClientKeyData: e.Admin.Key}
	config.Contexts[e.Name] = &api.Context{Cluster: e.Name, AuthInfo: e.Name}
	config.CurrentContext = e.Name
	body, err := clientcmd.Write(*config)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the kubeconfig of cluster %s: %w", e.Name, err)
	}
	return append([]byte(mark), body...), nil
}

// Write puts the entry at path, readable by this user alone. A reader sees the old file or the whole new one.
func Write(path string, e Entry) error {
	body, err := Render(e)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of the kubeconfig: %w", err)
	}
	if err := whole.Write(path, body); err != nil {
		return fmt.Errorf("cannot keep the kubeconfig: %w", err)
	}
	return nil
}

// Remove deletes the file at path when this package wrote it; no file is no error, another's file is ErrForeign.
func Remove(path string) error {
	body, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read the kubeconfig that is to be replaced: %w", err)
	}
	if !bytes.HasPrefix(body, []byte(mark)) {
		return fmt.Errorf("cannot replace kubeconfig %s: %w; name another path", path, ErrForeign)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("cannot remove kubeconfig %s: %w", path, err)
	}
	return nil
}
