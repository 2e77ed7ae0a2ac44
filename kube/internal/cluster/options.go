// Package cluster starts the parts of an embedded cluster in order, tells when all of it can be used, and stops it:
// etcd, the API server, then controllers, scheduler and kubelets.
package cluster

import (
	"fmt"
	"regexp"
	"time"

	"github.com/causeway-gitops/causeway/kube/internal/encryption"
)

// Options describe one cluster. The zero value of a field asks for its default.
type Options struct {
	// Name is that of the cluster and the context in the kubeconfig.
	Name string
	// DataDir keeps the cluster across starts. Empty: a temporary cluster.
	DataDir string
	// KubeconfigOut is where the kubeconfig is put once the cluster is ready.
	KubeconfigOut string
	// Nodes is how many nodes there are at least.
	Nodes int
	// APIOnly leaves out scheduler, kubelets and the controllers of workloads:
	// what is written stays as it was written.
	APIOnly bool
	// Port of the API server. 0: that of the last start, or a free one.
	Port int
	// Encryption is how Secrets are kept: encryption.ByAge or encryption.Off.
	Encryption string
	// KMSSocket is that of a KMS v2 plugin which encrypts them in the place of this process. Empty: none.
	KMSSocket string
	// AuditLog is a file that gets one line a request. Empty: none.
	AuditLog string
	// LogFile is where the components log. Empty: in the data folder.
	LogFile string
	// Verbosity above 0 sends the logs to standard error instead.
	Verbosity int
	// ReadyWithin bounds how long the start may take.
	ReadyWithin time.Duration
	// OnReady is called once, when the cluster can be used.
	OnReady func(server, kubeconfig string)
}

// maxNodes keeps a slip of the finger from filling the machine's memory.
const maxNodes = 5000

var validName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

// Validate tells what is wrong with the options.
func (o Options) Validate() error {
	if !validName.MatchString(o.Name) {
		return fmt.Errorf("cannot name a cluster %q: use letters, digits, '.', '_' and '-', 63 at most", o.Name)
	}
	if o.Nodes < 1 || o.Nodes > maxNodes {
		return fmt.Errorf("cannot run %d nodes: give 1 to %d", o.Nodes, maxNodes)
	}
	if o.Port < 0 || o.Port > 65535 {
		return fmt.Errorf("cannot serve on port %d: give 1 to 65535, or 0 for a free one", o.Port)
	}
	if o.Encryption != encryption.ByAge && o.Encryption != encryption.Off {
		return fmt.Errorf("cannot keep Secrets by %q: use %s or %s", o.Encryption, encryption.ByAge, encryption.Off)
	}
	if o.KMSSocket != "" && o.Encryption == encryption.Off {
		return fmt.Errorf("cannot encrypt with the plugin at %s and not encrypt at all: give either the socket or --encryption=%s", o.KMSSocket, encryption.Off)
	}
	if o.ReadyWithin <= 0 {
		return fmt.Errorf("cannot be ready within %s: give a time above zero", o.ReadyWithin)
	}
	return nil
}
