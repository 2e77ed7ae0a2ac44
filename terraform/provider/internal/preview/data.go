// Package preview is the data source causeway_fleet_preview: what changed
// metadata of clusters does to the applications of a fleet. The program
// `causeway` works it out, from a checkout of the fleet's repository.
package preview

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
)

// defaultWait bounds one preview: charts may have to be fetched.
const defaultWait = 10 * time.Minute

type data struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = &data{}

// Data is the data source causeway_fleet_preview.
func Data() datasource.DataSource { return &data{} }

type model struct {
	ID          types.String `tfsdk:"id"`
	Repository  types.String `tfsdk:"repository"`
	Revision    types.String `tfsdk:"revision"`
	RepoURLs    types.List   `tfsdk:"repository_urls"`
	Mirrors     types.Map    `tfsdk:"mirrors"`
	Changes     types.List   `tfsdk:"changes"`
	Clusters    types.String `tfsdk:"clusters"`
	Timeout     types.String `tfsdk:"timeout"`
	Summary     types.String `tfsdk:"summary"`
	Added       types.Int64  `tfsdk:"added"`
	Changed     types.Int64  `tfsdk:"changed"`
	Removed     types.Int64  `tfsdk:"removed"`
	Application types.List   `tfsdk:"applications"`
	JSON        types.String `tfsdk:"json"`
}

func (d *data) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_fleet_preview"
}

func (d *data) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	optional := func(doc string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: doc}
	}
	computed := func(doc string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: doc}
	}
	count := func(doc string) schema.Int64Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: doc}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "What this plan's changes of cluster metadata do to applications. It is read in the plan, where a warning shows it, and what fails by it, " +
			"as long as all of `changes` is known by then. " +
			"A cluster that is not in `changes` is taken as it is: what its removal does is a warning of the resource `causeway_cluster`. " +
			"It needs the program `causeway` and a checkout of the fleet's repository.",
		Attributes: map[string]schema.Attribute{
			"repository":      schema.StringAttribute{Required: true, MarkdownDescription: "Checkout of the repository with the ApplicationSets."},
			"revision":        optional("Commit or branch to look at (default `HEAD`)."),
			"repository_urls": schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Addresses that mean the checkout, besides those of its remotes; `URL=FOLDER` for a folder of it."},
			"mirrors":         schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Local folders to read in place of an address."},
			"changes":         schema.ListAttribute{Required: true, ElementType: types.StringType, MarkdownDescription: "The Secrets as they will be: the attribute `object` of each `causeway_cluster`. What others wrote into the hub's Secret stays, as it does in an apply. Pass them through a local value: what names a changing resource itself is read by Terraform in the apply, not in the plan."},
			"clusters":        optional("File or folder with the Secrets as they are (default: those of the hub; none where it cannot be asked yet). A file does not say who wrote a key: what it has and a change has not counts as removed, also what others than Terraform wrote."),
			"timeout":         optional("How long it may take, as in `10m` (the default)."),
			"id":              computed("Digest of the answer."),
			"summary":         computed("The answer for people."),
			"added":           count("Applications that will be made."),
			"changed":         count("Applications that will be different."),
			"removed":         count("Applications that will be deleted."),
			"applications":    schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "All of them, as `NAMESPACE/NAME`."},
			"json":            computed("The whole answer, as of `causeway preview -o json`."),
		},
	}
}

func (d *data) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	found, err := d.forecast(ctx, m)
	if err != nil {
		resp.Diagnostics.AddError("There is no preview", err.Error())
		return
	}
	resp.Diagnostics.Append(m.answer(ctx, found)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
	if title := found.title(); title != "" {
		resp.Diagnostics.AddWarning(title, found.text())
	}
}
