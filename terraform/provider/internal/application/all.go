package application

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
)

const (
	// maxNames bounds what one data source asks for twice a second.
	maxNames = 1000
	// maxComplaints are told in full; of the others the names are.
	maxComplaints = 5
)

// all waits for several Applications.
type all struct{ hub *connection.Connection }

var _ datasource.DataSourceWithConfigure = &all{}

// All is the data source causeway_applications.
func All() datasource.DataSource { return &all{} }

type group struct {
	Names     types.List   `tfsdk:"names"`
	Namespace types.String `tfsdk:"namespace"`
	Timeout   types.String `tfsdk:"timeout"`
	ID        types.String `tfsdk:"id"`
	Health    types.Map    `tfsdk:"health_status"`
}

// Metadata names the data source.
func (*all) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_applications"
}

// Schema has its attributes.
func (*all) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Several Applications. It waits until all of them are there, synced and healthy, so that an apply ends when a fleet has what it is to have.",
		Attributes: map[string]schema.Attribute{
			"names":         schema.ListAttribute{Required: true, ElementType: types.StringType, MarkdownDescription: "Names of the Applications, at most 1000."},
			"namespace":     schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Their namespace (default: that of the provider)."},
			"timeout":       schema.StringAttribute{Optional: true, MarkdownDescription: "How long to wait for all of them, as in `15m` (default `10m`)."},
			"id":            schema.StringAttribute{Computed: true, MarkdownDescription: "The namespace."},
			"health_status": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Health of each, by name."},
		},
	}
}

// Configure takes the way to the hub.
func (d *all) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if hub, ok := req.ProviderData.(*connection.Connection); ok {
		d.hub = hub
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
	client := d.hub.ForData(ctx, &resp.Diagnostics)
	if client == nil {
		return
	}
	slices.Sort(names)
	names = slices.Compact(names)
	g.Namespace = types.StringValue(d.hub.NamespaceOr(g.Namespace.ValueString()))
	g.ID = g.Namespace
	health, err := awaitAll(ctx, client, g.Namespace.ValueString(), names, within)
	if err != nil {
		resp.Diagnostics.AddError("Not all Applications are synced and healthy", err.Error())
		return
	}
	values, problems := types.MapValueFrom(ctx, types.StringType, health)
	resp.Diagnostics.Append(problems...)
	g.Health = values
	resp.Diagnostics.Append(resp.State.Set(ctx, g)...)
}

// awaitAll returns the health of each once all are as they should be. An error
// tells of those that were not at the last look.
func awaitAll(ctx context.Context, hub reader, namespace string, names []string, within time.Duration) (map[string]string, error) {
	health, complaints := map[string]string{}, map[string]string{}
	err := wait.PollUntilContextTimeout(ctx, awaitPoll, within, true, func(ctx context.Context) (bool, error) {
		whole := len(health) == 0 // then all of them are looked at in this one
		if !whole && len(health) == len(names) {
			clear(health) // one may have changed while others were waited for
			whole = true
		}
		for _, name := range names {
			if health[name] != "" {
				continue
			}
			live, err := hub.Read(ctx, named(namespace, name))
			switch {
			case err != nil && over(ctx):
				return false, nil // the time is over, which the caller says better
			case err != nil:
				return false, err
			case live == nil:
				complaints[name] = "it is not there"
			case facts{}.fine(live):
				health[name] = at(live, "status", "health", "status")
			default:
				complaints[name] = facts{}.complaint(live)
			}
		}
		return whole && len(health) == len(names), nil
	})
	if err == nil || !errors.Is(err, context.DeadlineExceeded) {
		return health, err
	}
	return nil, fmt.Errorf("after %s, %d of %d are not:\n%s", within, len(names)-len(health), len(names), unfinished(names, health, complaints))
}

// unfinished tells of the first in full, and of the others by name.
func unfinished(names []string, health, complaints map[string]string) string {
	var lines, others []string
	for _, name := range names {
		switch {
		case health[name] != "":
		case len(lines) < maxComplaints:
			lines = append(lines, name+": "+complaints[name])
		default:
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		lines = append(lines, "and "+strings.Join(others, ", "))
	}
	return strings.Join(lines, "\n")
}

func named(namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(APIVersion)
	o.SetKind("Application")
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// patience reads a timeout.
func patience(text string) (time.Duration, error) {
	if text == "" {
		return defaultWait, nil
	}
	within, err := time.ParseDuration(text)
	if err != nil || within <= 0 {
		return 0, fmt.Errorf("timeout = %q: write a duration, as in \"15m\"", text)
	}
	return within, nil
}
