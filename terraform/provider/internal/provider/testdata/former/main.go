// Command former stands in for the providers that a configuration used before:
// it keeps whatever is configured, and notes in a file what it is asked to
// delete. It talks to no cluster.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func main() {
	name := "helm"
	if strings.Contains(filepath.Base(os.Args[0]), "kubernetes") {
		name = "kubernetes"
	}
	err := providerserver.Serve(context.Background(), func() provider.Provider { return former(name) }, providerserver.ServeOpts{
		Address: "registry.terraform.io/hashicorp/" + name,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type former string

func (f former) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = string(f)
}

func (former) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (former) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (former) DataSources(context.Context) []func() datasource.DataSource                        { return nil }

func (f former) Resources(context.Context) []func() resource.Resource {
	if f == "kubernetes" {
		return []func() resource.Resource{func() resource.Resource {
			return kept{name: "kubernetes_secret_v1", schema: schema.Schema{
				Attributes: map[string]schema.Attribute{"data": schema.MapAttribute{Optional: true, ElementType: types.StringType}},
				Blocks: map[string]schema.Block{"metadata": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
					"name":        schema.StringAttribute{Optional: true},
					"namespace":   schema.StringAttribute{Optional: true},
					"labels":      schema.MapAttribute{Optional: true, ElementType: types.StringType},
					"annotations": schema.MapAttribute{Optional: true, ElementType: types.StringType},
				}}}},
			}}
		}}
	}
	return []func() resource.Resource{func() resource.Resource {
		return kept{name: "helm_release", schema: schema.Schema{Attributes: map[string]schema.Attribute{"name": schema.StringAttribute{Optional: true}}}}
	}}
}

// kept is a resource that is what it is configured to be.
type kept struct {
	name   string
	schema schema.Schema
}

func (k kept) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = k.name
}

func (k kept) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = k.schema
}

func (kept) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
}
func (kept) Read(context.Context, resource.ReadRequest, *resource.ReadResponse)       {}
func (kept) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

func (k kept) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
	note, err := os.OpenFile(os.Getenv("FORMER_DELETED"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintln(note, k.name)
	_ = note.Close()
}
