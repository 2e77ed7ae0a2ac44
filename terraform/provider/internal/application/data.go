package application

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
)

// defaultWait is how long an Application may take to become healthy.
const defaultWait = 10 * time.Minute

// data waits for an Application.
type data struct{ hub *connection.Connection }

var _ datasource.DataSourceWithConfigure = &data{}

// Data is the data source causeway_application.
func Data() datasource.DataSource { return &data{} }

type facts struct {
	Name      types.String `tfsdk:"name"`
	Namespace types.String `tfsdk:"namespace"`
	Wait      types.Bool   `tfsdk:"wait"`
	Revision  types.String `tfsdk:"revision"`
	Timeout   types.String `tfsdk:"timeout"`
	ID        types.String `tfsdk:"id"`
	Sync      types.String `tfsdk:"sync_status"`
	Health    types.String `tfsdk:"health_status"`
	Synced    types.String `tfsdk:"synced_revision"`
	Server    types.String `tfsdk:"destination_server"`
	Cluster   types.String `tfsdk:"destination_name"`
	URLs      types.List   `tfsdk:"external_urls"`
}

func (d *data) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_application"
}

func (d *data) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	computed := func(doc string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: doc}
	}
	optional := func(doc string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: doc}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "An Application as it is. It waits until the Application is there, synced and healthy, so that what depends on it comes after.",
		Attributes: map[string]schema.Attribute{
			"name":               schema.StringAttribute{Required: true, MarkdownDescription: "Name of the Application."},
			"namespace":          schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Its namespace (default: that of the provider)."},
			"wait":               schema.BoolAttribute{Optional: true, MarkdownDescription: "false: take it as it is."},
			"revision":           optional("Wait until this revision is the synced one."),
			"timeout":            optional("How long to wait, as in `15m` (default `10m`)."),
			"id":                 computed("`NAMESPACE/NAME`."),
			"sync_status":        computed("`Synced`, `OutOfSync` or `Unknown`."),
			"health_status":      computed("`Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing` or `Unknown`."),
			"synced_revision":    computed("Revision that was compared with the cluster."),
			"destination_server": computed("Address of the cluster's API, where the Application names that."),
			"destination_name":   computed("Name of the cluster, where the Application names that."),
			"external_urls":      schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Addresses at which it is served."},
		},
	}
}

func (d *data) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if hub, ok := req.ProviderData.(*connection.Connection); ok {
		d.hub = hub
	}
}

func (d *data) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var f facts
	resp.Diagnostics.Append(req.Config.Get(ctx, &f)...)
	if resp.Diagnostics.HasError() {
		return
	}
	within, err := patience(f.Timeout.ValueString())
	if err != nil {
		resp.Diagnostics.AddError("The timeout cannot be read", err.Error())
		return
	}
	client := d.hub.ForData(ctx, &resp.Diagnostics)
	if client == nil {
		return
	}
	o := named(d.hub.NamespaceOr(f.Namespace.ValueString()), f.Name.ValueString())
	live, err := f.await(ctx, client, o, within)
	if err != nil {
		resp.Diagnostics.AddError("The Application is not as it should be", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, f.of(ctx, live))...)
}

func (f facts) of(ctx context.Context, live *unstructured.Unstructured) facts {
	f.ID = types.StringValue(live.GetNamespace() + "/" + live.GetName())
	f.Namespace = types.StringValue(live.GetNamespace())
	f.Sync = types.StringValue(at(live, "status", "sync", "status"))
	f.Health = types.StringValue(at(live, "status", "health", "status"))
	f.Synced = types.StringValue(at(live, "status", "sync", "revision"))
	f.Server = types.StringValue(at(live, "spec", "destination", "server"))
	f.Cluster = types.StringValue(at(live, "spec", "destination", "name"))
	urls, _, _ := unstructured.NestedStringSlice(live.Object, "status", "summary", "externalURLs")
	if urls == nil {
		urls = []string{}
	}
	f.URLs, _ = types.ListValueFrom(ctx, types.StringType, urls)
	return f
}

func at(o *unstructured.Unstructured, path ...string) string {
	text, _, _ := unstructured.NestedString(o.Object, path...)
	return text
}
