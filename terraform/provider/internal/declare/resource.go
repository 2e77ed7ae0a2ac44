package declare

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
)

// removeTime is how long a deletion may take: an Application drains first.
const removeTime = 10 * time.Minute

// declared is the resource of a kind.
type declared struct {
	connection.Resource

	kind Kind
}

var (
	_ resource.ResourceWithConfigure      = &declared{}
	_ resource.ResourceWithModifyPlan     = &declared{}
	_ resource.ResourceWithImportState    = &declared{}
	_ resource.ResourceWithValidateConfig = &declared{}
	_ resource.ResourceWithMoveState      = &declared{}
)

// Resource makes the resource type of a kind.
func Resource(k Kind) func() resource.Resource {
	return func() resource.Resource { return &declared{kind: k} }
}

func (r *declared) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.kind.Type
}

func (r *declared) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.kind.schema()
}

// ValidateConfig says what is wrong before any cluster is known.
func (r *declared) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	_, err := r.kind.desired(req.Config.Raw, connection.DefaultNamespace)
	if err != nil && !isNotYet(err) {
		refuse(&resp.Diagnostics, "This is no valid "+r.kind.Type, err)
	}
}

// desired is what a configuration asks for, in the control namespace unless it
// names another one.
func (r *declared) desired(config tftypes.Value) (wanted, error) {
	name, known := r.Hub.Namespace()
	if !known {
		name = ""
	}
	w, err := r.kind.desired(config, name)
	if err == nil && !known && w.object.GetNamespace() == "" {
		return w, errNotYet
	}
	return w, err
}

func refuse(into *diag.Diagnostics, summary string, err error) { into.AddError(summary, err.Error()) }
