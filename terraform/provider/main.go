// Command terraform-provider-causeway is the Terraform provider: Terraform
// starts it and talks to it over its protocol, version 6.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/provider"
)

//go:generate go run ./internal/reference/write

// version is set when the program is linked.
var version = "0.0.0-dev"

func main() {
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{Address: provider.Address})
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
