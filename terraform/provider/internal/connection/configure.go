package connection

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// Resource is embedded by resources. Hub is nil where nothing is configured,
// as in `terraform validate`.
type Resource struct{ Hub *Connection }

// Configure takes the way to the hub.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.Hub, _ = req.ProviderData.(*Connection)
}

// DataSource is embedded by data sources, which are read only when the hub is
// configured.
type DataSource struct{ Hub *Connection }

// Configure takes the way to the hub.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.Hub, _ = req.ProviderData.(*Connection)
}
