package application

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
)

// maxNames bounds what one data source asks for twice a second.
const maxNames = 1000

const notReady = "Not all Applications are synced and healthy"

// all waits for several Applications.
type all struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = &all{}

// All is the data source causeway_applications.
func All() datasource.DataSource { return &all{} }

type group struct {
	Names     types.List   `tfsdk:"names"`
	Namespace types.String `tfsdk:"namespace"`
	Timeout   types.String `tfsdk:"timeout"`
	ID        types.String `tfsdk:"id"`
	Health    types.Map    `tfsdk:"health_status"`
	Ready     types.Bool   `tfsdk:"ready"`
}

// Metadata names the data source.
func (*all) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_applications"
}

// Schema has its attributes.
func (*all) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Several Applications. An apply waits until all of them are there, synced and healthy, so that it ends when a fleet has what it is to have. " + planned,
		Attributes: map[string]schema.Attribute{
			"names":         schema.ListAttribute{Required: true, ElementType: types.StringType, MarkdownDescription: "Names of the Applications, at most 1000."},
			"namespace":     schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Their namespace (default: that of the provider)."},
			"timeout":       schema.StringAttribute{Optional: true, MarkdownDescription: "How long to wait for all of them, as in `15m` (default `10m`)."},
			"id":            schema.StringAttribute{Computed: true, MarkdownDescription: "The namespace."},
			"health_status": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Health of each, by name; `Missing` for one that is not there."},
			"ready":         schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether all of them are synced and healthy."},
		},
	}
}

// Read waits.
func (d *all) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var g group
	resp.Diagnostics.Append(req.Config.Get(ctx, &g)...)
	var names []string
	resp.Diagnostics.Append(g.Names.ElementsAs(ctx, &names, false)...)
	if resp.Diagnostics.HasError() {
		return
	}
	within, err := patience(g.Timeout.ValueString())
	if err == nil && len(names) > maxNames {
		err = fmt.Errorf("names has %d, more than %d: use several data sources", len(names), maxNames)
	}
	if err != nil {
		resp.Diagnostics.AddError("This cannot be waited for", err.Error())
		return
	}
	client := d.Hub.ForData(ctx, &resp.Diagnostics)
	if client == nil {
		return
	}
	slices.Sort(names)
	names = slices.Compact(names)
	g.Namespace = types.StringValue(d.Hub.NamespaceOr(g.Namespace.ValueString()))
	g.ID = g.Namespace
	w := watch{hub: client, namespace: g.Namespace.ValueString(), names: names, within: within, planning: d.Hub.Planning, now: time.Now}
	found, err := w.await(ctx)
	if errors.Is(err, errLate) {
		err = fmt.Errorf("after %s, %d of %d are not:\n%s", within, len(found.unfinished(names)), len(names), found.complaint(names))
	}
	if err != nil {
		resp.Diagnostics.AddError(notReady, err.Error())
		return
	}
	found.warn(notReady, names, &resp.Diagnostics)
	health := map[string]string{}
	for _, name := range names {
		health[name] = healthOf(found.live[name])
	}
	values, problems := types.MapValueFrom(ctx, types.StringType, health)
	resp.Diagnostics.Append(problems...)
	g.Health, g.Ready = values, types.BoolValue(len(found.complaints) == 0)
	resp.Diagnostics.Append(resp.State.Set(ctx, g)...)
}
