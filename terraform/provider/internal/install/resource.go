package install

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/deploy"
	"github.com/causeway-gitops/causeway/deploy/charts"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/connection"
)

const (
	defaultName = "causeway"
	defaultWait = 5 * time.Minute
	removeTime  = 5 * time.Minute
)

// engineResource is the resource causeway_install.
type engineResource struct{ connection.Resource }

var (
	_ resource.ResourceWithConfigure   = &engineResource{}
	_ resource.ResourceWithModifyPlan  = &engineResource{}
	_ resource.ResourceWithImportState = &engineResource{}
)

// Resource is the resource causeway_install.
func Resource() resource.Resource { return &engineResource{} }

// model are the resource's attributes.
type model struct {
	ID              types.String   `tfsdk:"id"`
	Name            types.String   `tfsdk:"name"`
	Namespace       types.String   `tfsdk:"namespace"`
	CreateNamespace types.Bool     `tfsdk:"create_namespace"`
	SkipCRDs        types.Bool     `tfsdk:"skip_crds"`
	Values          types.List     `tfsdk:"values"`
	Set             types.Map      `tfsdk:"set"`
	Wait            types.Bool     `tfsdk:"wait"`
	Timeout         types.String   `tfsdk:"timeout"`
	Takeover        *takeoverModel `tfsdk:"takeover"`
	Version         types.String   `tfsdk:"version"`
	Definitions     types.String   `tfsdk:"definitions"`
	Objects         types.Map      `tfsdk:"objects"`
}

func (r *engineResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_install"
}

func (r *engineResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	text := func(doc string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: doc}
	}
	flag := func(doc string) schema.BoolAttribute {
		return schema.BoolAttribute{Optional: true, MarkdownDescription: doc}
	}
	computed := func(doc string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: doc}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The engine in the hub: its definitions and its chart, of the provider's own version. Destroying it removes the " +
			"chart's objects. The definitions and the namespace stay, for with them would go every Application and ApplicationSet. " +
			"Where Argo CD runs in the namespace, the engine takes its place as `causeway import argocd` does, by the program `causeway`. " +
			"Where the takeover would change something, the plan refuses it, and nothing is written. The apply compares once more, with the engine there and no replica of it: where it refuses, what it made of the " +
			"engine is removed again, and the definitions and the namespace stay. Argo CD's controllers are scaled to 0, nothing of it is deleted, and destroying the resource hands back to it. " +
			"Where Argo CD was handed back to by `causeway import argocd --revert`, the engine is not started beside it: the plan and the apply are refused, and say what to do. " +
			"An engine that was installed by something else, such as Helm or `causeway bootstrap`, is refused until it is imported.",
		Attributes: map[string]schema.Attribute{
			"id":               computed("`NAMESPACE/NAME`, which is also what is imported."),
			"name":             schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Name of the release (default `causeway`)."},
			"namespace":        schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Its namespace (default: that of the provider)."},
			"create_namespace": flag("Make the namespace where it is missing (default true). It is never deleted."),
			"skip_crds":        flag("Leave the definitions to somebody else. Those that are there already are always kept."),
			"values":           schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Values of the chart: documents of YAML, the last one wins."},
			"set":              schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Single values by their path, in the words of `helm --set`, as in `\"engine.workers\" = 8`."},
			"wait":             flag("Wait until the engine runs (default true)."),
			"timeout":          text("How long to wait, as in `5m` (the default)."),
			"takeover":         takeoverAttribute(),
			"version":          computed("Version of the engine."),
			"definitions":      computed("Digest of the definitions. A plan that shows it changing installs them."),
			"objects":          schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "The chart's objects as JSON. A plan that shows one changing shows drift."},
		},
	}
}

// made is what a configuration comes to.
type made struct {
	objects     []*unstructured.Unstructured
	definitions []*unstructured.Unstructured
}

// make fills in the computed attributes.
func (r *engineResource) make(ctx context.Context, m *model) (made, error) {
	rel := release{name: or(m.Name, defaultName), namespace: r.Hub.NamespaceOr(m.Namespace.ValueString())}
	var out made
	if d := m.Values.ElementsAs(ctx, &rel.documents, false); d.HasError() {
		return out, fmt.Errorf("values: %s", d.Errors()[0].Detail())
	}
	if d := m.Set.ElementsAs(ctx, &rel.set, false); d.HasError() {
		return out, fmt.Errorf("set: %s", d.Errors()[0].Detail())
	}
	if _, err := m.patience(); err != nil {
		return out, err
	}
	if _, err := m.Takeover.within(); err != nil {
		return out, err
	}
	var err error
	if out.objects, err = rel.render(); err != nil {
		return out, err
	}
	m.Definitions = types.StringValue("")
	if !m.SkipCRDs.ValueBool() {
		if out.definitions, err = deploy.Definitions(); err != nil {
			return out, err
		}
		sum, err := digest(out.definitions)
		if err != nil {
			return out, err
		}
		m.Definitions = types.StringValue(sum)
	}
	version, err := charts.Version()
	if err != nil {
		return out, err
	}
	m.Name, m.Namespace = types.StringValue(rel.name), types.StringValue(rel.namespace)
	m.ID, m.Version = types.StringValue(rel.namespace+"/"+rel.name), types.StringValue(version)
	m.Objects, err = described(ctx, out.objects)
	return out, err
}

// described are the objects by their names, as JSON.
func described(ctx context.Context, all []*unstructured.Unstructured) (types.Map, error) {
	texts := map[string]string{}
	for _, o := range all {
		text, err := json.Marshal(o.Object)
		if err != nil {
			return types.Map{}, err
		}
		texts[key(o)] = string(text)
	}
	m, d := types.MapValueFrom(ctx, types.StringType, texts)
	if d.HasError() {
		return m, fmt.Errorf("cannot keep the objects: %s", d.Errors()[0].Detail())
	}
	return m, nil
}

func key(o *unstructured.Unstructured) string {
	return strings.Join([]string{o.GetAPIVersion(), o.GetKind(), o.GetNamespace(), o.GetName()}, "/")
}

// kept are the objects of a state.
func (m model) kept() (map[string]*unstructured.Unstructured, error) {
	out := map[string]*unstructured.Unstructured{}
	for name, v := range m.Objects.Elements() {
		text, _ := v.(types.String)
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON([]byte(text.ValueString())); err != nil {
			return nil, fmt.Errorf("the state is damaged at object %s: %w", name, err)
		}
		out[name] = o
	}
	return out, nil
}

func (m model) patience() (time.Duration, error) {
	text := m.Timeout.ValueString()
	if text == "" {
		return defaultWait, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("timeout = %q: write a duration, as in \"5m\"", text)
	}
	return d, nil
}

func or(v types.String, otherwise string) string {
	if v.ValueString() == "" {
		return otherwise
	}
	return v.ValueString()
}
