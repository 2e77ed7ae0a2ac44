package install

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// defaultTakeover is how long a takeover, or its way back, may take.
const defaultTakeover = 10 * time.Minute

// takeoverModel are the attributes of takeover.
type takeoverModel struct {
	AllowChanges types.Bool   `tfsdk:"allow_changes"`
	Mirrors      types.Map    `tfsdk:"mirrors"`
	PluginDir    types.String `tfsdk:"plugin_dir"`
	KeyFile      types.String `tfsdk:"sops_age_key_file"`
	Timeout      types.String `tfsdk:"timeout"`
}

func takeoverAttribute() schema.Attribute {
	text := func(doc string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: doc}
	}
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "How the engine takes the place of an Argo CD that runs in its namespace. The defaults fit where repositories are " +
			"reached from here, and neither plugins nor encrypted files are in use.",
		Attributes: map[string]schema.Attribute{
			"allow_changes":     schema.BoolAttribute{Optional: true, MarkdownDescription: "Take over even if that changes objects, or if it is not known what it changes (default false)."},
			"mirrors":           schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Local folders to read in place of an address."},
			"plugin_dir":        text("Folder of ConfigManagementPlugin files; their commands run on this machine."),
			"sops_age_key_file": text("File of age identities that open files encrypted by SOPS."),
			"timeout":           text("How long a takeover, or its way back, may take, as in `10m` (the default)."),
		},
	}
}

// within is how long a takeover may take.
func (m *takeoverModel) within() (time.Duration, error) {
	if m == nil || m.Timeout.ValueString() == "" {
		return defaultTakeover, nil
	}
	d, err := time.ParseDuration(m.Timeout.ValueString())
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("takeover.timeout = %q: write a duration, as in \"10m\"", m.Timeout.ValueString())
	}
	return d, nil
}

// allowed reports whether changes are accepted.
func (m *takeoverModel) allowed() bool { return m != nil && m.AllowChanges.ValueBool() }

// flags are the program's.
func (m *takeoverModel) flags() []string {
	if m == nil {
		return nil
	}
	var out []string
	mirrors := m.Mirrors.Elements()
	for _, url := range slices.Sorted(maps.Keys(mirrors)) {
		folder, _ := mirrors[url].(types.String)
		out = append(out, "--mirror", url+"="+folder.ValueString())
	}
	if dir := m.PluginDir.ValueString(); dir != "" {
		out = append(out, "--plugin-dir", dir)
	}
	if file := m.KeyFile.ValueString(); file != "" {
		out = append(out, "--sops-age-key-file", file)
	}
	return out
}
