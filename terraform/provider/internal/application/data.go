package application

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
)

// defaultWait is how long an Application may take to become healthy.
const defaultWait = 10 * time.Minute

// planned tells of what is read before anything is applied.
const planned = "A plan does not wait, and neither does a destroy: it takes what is there, and warns. " +
	"Terraform reads this in the apply when something that it depends on changes (`depends_on`), and else in the plan. " +
	"A postcondition that asks for `ready` stops a plan, and no destroy."

// data waits for an Application.
type data struct{ connection.DataSource }

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
	Ready     types.Bool   `tfsdk:"ready"`
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
		MarkdownDescription: "An Application as it is. An apply waits until the Application is there, synced and healthy, so that what depends on it comes after. " + planned,
		Attributes: map[string]schema.Attribute{
			"name":               schema.StringAttribute{Required: true, MarkdownDescription: "Name of the Application."},
			"namespace":          schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Its namespace (default: that of the provider)."},
			"wait":               schema.BoolAttribute{Optional: true, MarkdownDescription: "false: take it as it is, also in an apply. It is an error if it is not there."},
			"revision":           optional("Wait until this revision is the synced one."),
			"timeout":            optional("How long to wait, as in `15m` (default `10m`)."),
			"id":                 computed("`NAMESPACE/NAME`."),
			"sync_status":        computed("`Synced`, `OutOfSync` or `Unknown`."),
			"health_status":      computed("`Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing` or `Unknown`."),
			"ready":              schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether it is synced and healthy, at `revision` where that is given."},
			"synced_revision":    computed("Revision that was compared with the cluster."),
			"destination_server": computed("Address of the cluster's API, where the Application names that."),
			"destination_name":   computed("Name of the cluster, where the Application names that."),
			"external_urls":      schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Addresses at which it is served."},
		},
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
	client := d.Hub.ForData(ctx, &resp.Diagnostics)
	if client == nil {
		return
	}
	w := watch{
		hub: client, namespace: d.Hub.NamespaceOr(f.Namespace.ValueString()), names: []string{f.Name.ValueString()},
		revision: f.Revision.ValueString(), within: within, planning: d.Hub.Planning, now: time.Now,
	}
	if !f.waits() {
		w.planning = func() bool { return true }
	}
	live, err := f.read(ctx, w, &resp.Diagnostics)
	if err != nil {
		resp.Diagnostics.AddError("The Application is not as it should be", err.Error())
		return
	}
	f.Namespace, f.Ready = types.StringValue(w.namespace), types.BoolValue(w.complaint(live) == "")
	resp.Diagnostics.Append(resp.State.Set(ctx, f.of(ctx, live))...)
}

func (f facts) waits() bool { return f.Wait.IsNull() || f.Wait.ValueBool() }

// read returns the Application as it was at the last look.
func (f facts) read(ctx context.Context, w watch, d *diag.Diagnostics) (*unstructured.Unstructured, error) {
	found, err := w.await(ctx)
	name := f.Name.ValueString()
	live := found.live[name]
	switch {
	case errors.Is(err, errLate):
		return nil, fmt.Errorf("the Application %s/%s is not synced and healthy after %s: %s", w.namespace, name, w.within, cmp.Or(found.complaints[name], unanswered))
	case err != nil:
		return nil, err
	case f.waits():
		found.warn("The Application "+name+" is not synced and healthy", w.names, d)
	case live == nil:
		return nil, fmt.Errorf("there is no Application %s/%s", w.namespace, name)
	}
	return live, nil
}

// warn tells of Applications that a plan does not wait for.
func (s seen) warn(summary string, names []string, d *diag.Diagnostics) {
	if len(s.complaints) > 0 {
		d.AddWarning(summary, s.complaint(names)+"\n\nA plan takes them as they are, and does not wait.")
	}
}

// of fills in what the Application says, or that there is none.
func (f facts) of(ctx context.Context, live *unstructured.Unstructured) facts {
	f.ID = types.StringValue(f.Namespace.ValueString() + "/" + f.Name.ValueString())
	f.Health = types.StringValue(healthOf(live))
	if live == nil {
		live = &unstructured.Unstructured{}
	}
	f.Sync = types.StringValue(cmp.Or(at(live, "status", "sync", "status"), unknown))
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

// unknown is the status of what no engine has looked at.
const unknown = "Unknown"

func healthOf(live *unstructured.Unstructured) string {
	if live == nil {
		return "Missing"
	}
	return cmp.Or(at(live, "status", "health", "status"), unknown)
}

func at(o *unstructured.Unstructured, path ...string) string {
	text, _, _ := unstructured.NestedString(o.Object, path...)
	return text
}
