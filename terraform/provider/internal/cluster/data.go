package cluster

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// data reads a cluster's Secret, without its credentials.
type data struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = &data{}

// Data is the data source causeway_cluster.
func Data() datasource.DataSource { return &data{} }

type facts struct {
	SecretName  types.String `tfsdk:"secret_name"`
	Namespace   types.String `tfsdk:"namespace"`
	ID          types.String `tfsdk:"id"`
	Name        types.String `tfsdk:"cluster_name"`
	Environment types.String `tfsdk:"environment"`
	Server      types.String `tfsdk:"server"`
	Labels      types.Map    `tfsdk:"labels"`
	Annotations types.Map    `tfsdk:"annotations"`
}

func (d *data) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_cluster"
}

func (d *data) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	computed := func(doc string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: doc}
	}
	texts := func(doc string) schema.MapAttribute {
		return schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: doc}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A cluster of the fleet, whoever described it, with all its metadata and without its credentials.",
		Attributes: map[string]schema.Attribute{
			"secret_name":  schema.StringAttribute{Required: true, MarkdownDescription: "Name of the Secret."},
			"namespace":    schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Its namespace (default: that of the provider)."},
			"id":           computed("`NAMESPACE/NAME`."),
			"cluster_name": computed("Name of the cluster, as Applications call it."),
			"environment":  computed("The label `environment`."),
			"server":       computed("Address of the cluster's API."),
			"labels":       texts("All labels."),
			"annotations":  texts("All annotations, but for kubectl's own copy of the whole Secret."),
		},
	}
}

func (d *data) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var f facts
	resp.Diagnostics.Append(req.Config.Get(ctx, &f)...)
	if resp.Diagnostics.HasError() {
		return
	}
	client := d.Hub.ForData(ctx, &resp.Diagnostics)
	if client == nil {
		return
	}
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("v1")
	o.SetKind("Secret")
	o.SetNamespace(d.Hub.NamespaceOr(f.Namespace.ValueString()))
	o.SetName(f.SecretName.ValueString())
	live, err := client.Read(ctx, o)
	if err == nil && (live == nil || live.GetLabels()[labelType] != "cluster") {
		err = fmt.Errorf("there is no cluster's Secret %s/%s", o.GetNamespace(), o.GetName())
	}
	if err != nil {
		resp.Diagnostics.AddError("The cluster cannot be read", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, f.of(ctx, live))...)
}

func (f facts) of(ctx context.Context, live *unstructured.Unstructured) facts {
	f.ID = types.StringValue(live.GetNamespace() + "/" + live.GetName())
	f.Namespace = types.StringValue(live.GetNamespace())
	f.Name = types.StringValue(object.Text(live, "name"))
	f.Server = types.StringValue(object.Anonymous(object.Text(live, "server")))
	f.Environment = types.StringValue(live.GetLabels()[keyStage])
	f.Labels, _ = types.MapValueFrom(ctx, types.StringType, live.GetLabels())
	f.Annotations, _ = types.MapValueFrom(ctx, types.StringType, object.Annotations(live))
	return f
}
