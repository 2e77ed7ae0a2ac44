// Command causeway is a GitOps engine and its command line.
package main

import (
	"os"

	"github.com/causeway-gitops/causeway/internal/cli"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/memory"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
)

// version is set when a release is built.
var version = "dev"

func main() {
	hub.RenderWorker()
	jq.Worker()
	compute.Worker()
	memory.Collect(os.LookupEnv, memory.There())
	os.Exit(cli.Main(version))
}
