// Package provider is the Terraform provider as Terraform sees it: its
// settings, and what it offers.
package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/application"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/applicationset"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/cluster"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/declare"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/install"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/manifest"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/preview"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/project"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/repository"
)

// Address of the provider in a registry.
const Address = "registry.terraform.io/causeway-gitops/causeway"

// causeway is the provider.
type causeway struct{ version string }

// New makes the provider.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &causeway{version: version} }
}

func (p *causeway) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName, resp.Version = "causeway", p.version
}

func (p *causeway) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = settings()
}

// Configure keeps the way to the hub; it does not go there.
func (p *causeway) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	hub, err := connection.Read(ctx, req.Config)
	if err != nil {
		resp.Diagnostics.AddError("The provider's settings cannot be used", err.Error())
		return
	}
	resp.ResourceData, resp.DataSourceData = hub, hub
}

func (p *causeway) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		install.Resource,
		declare.Resource(cluster.Kind()),
		declare.Resource(application.Kind()),
		declare.Resource(applicationset.Kind()),
		declare.Resource(project.Kind()),
		declare.Resource(repository.Kind()),
		declare.Resource(manifest.Kind()),
	}
}

func (p *causeway) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{cluster.Data, application.Data, application.All, preview.Data}
}
