// Command causeway-kube runs a whole Kubernetes control plane in one process, on this machine's loopback address.
package main

import (
	"os"

	"github.com/causeway-gitops/causeway/kube/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], os.Stdout, os.Stderr))
}
