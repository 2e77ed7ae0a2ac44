// Package connection says how the provider reaches the hub: the cluster whose
// API the engine reads. It makes no request of its own, and none can be made
// while a part of the settings is still unknown, as in a plan that makes the
// hub itself.
package connection

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Settings are the attributes of the provider's block. Their names are those
// of other providers for Kubernetes, so that a block can be copied.
type Settings struct {
	ConfigPath        types.String `tfsdk:"config_path"`
	ConfigContext     types.String `tfsdk:"config_context"`
	Kubeconfig        types.String `tfsdk:"kubeconfig"`
	Host              types.String `tfsdk:"host"`
	Token             types.String `tfsdk:"token"`
	ClusterCA         types.String `tfsdk:"cluster_ca_certificate"`
	ClientCertificate types.String `tfsdk:"client_certificate"`
	ClientKey         types.String `tfsdk:"client_key"`
	ServerName        types.String `tfsdk:"tls_server_name"`
	Insecure          types.Bool   `tfsdk:"insecure"`
	ProxyURL          types.String `tfsdk:"proxy_url"`
	Namespace         types.String `tfsdk:"namespace"`
	CausewayPath      types.String `tfsdk:"causeway_path"`
	Exec              *Exec        `tfsdk:"exec"`
}

// Exec is a program that prints credentials, as `aws eks get-token` does.
type Exec struct {
	APIVersion types.String `tfsdk:"api_version"`
	Command    types.String `tfsdk:"command"`
	Args       types.List   `tfsdk:"args"`
	Env        types.Map    `tfsdk:"env"`
}

// Read takes the settings from the provider's block.
func Read(ctx context.Context, from tfsdk.Config) (*Connection, error) {
	if !from.Raw.IsFullyKnown() {
		return &Connection{unknown: true, namespace: known(ctx, from)}, nil
	}
	var s Settings
	if d := from.Get(ctx, &s); d.HasError() {
		return nil, errText(d)
	}
	return &Connection{settings: s, namespace: s.Namespace.ValueString()}, nil
}

// known is the namespace where that much is known.
func known(ctx context.Context, from tfsdk.Config) string {
	var n types.String
	if d := from.GetAttribute(ctx, rootNamespace, &n); d.HasError() || n.IsUnknown() {
		return unknownNamespace
	}
	return n.ValueString()
}

func isSet(v attr.Value) bool { return v != nil && !v.IsNull() && !v.IsUnknown() }
