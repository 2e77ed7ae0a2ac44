package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// settings is the schema of the provider's block.
func settings() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Bridges Terraform and Causeway: describes clusters, installs the engine and declares what it deploys. " +
			"The settings say how the hub is reached, in the words of other providers for Kubernetes. " +
			"They may depend on resources of the same apply: nothing is asked of a cluster that is not there yet.",
		Attributes: map[string]schema.Attribute{
			"config_path":            text("Kubeconfig file, or several with the system's separator (default: `KUBE_CONFIG_PATH`, then what kubectl uses, then the pod's own account)."),
			"config_context":         text("Context of the kubeconfig (default: its current one)."),
			"kubeconfig":             hidden("Text of a kubeconfig, in place of a file."),
			"host":                   text("Address of the hub's API, as in `https://10.0.0.1:6443`."),
			"token":                  hidden("Bearer token."),
			"cluster_ca_certificate": text("Certificate authority of the hub, in PEM."),
			"client_certificate":     text("Client certificate, in PEM."),
			"client_key":             hidden("Key of the client certificate, in PEM."),
			"tls_server_name":        text("Name that the hub's certificate is checked against. Not with a `proxy_url` by https://, of which it would be asked as well."),
			"insecure":               schema.BoolAttribute{Optional: true, MarkdownDescription: "Do not check the hub's certificate."},
			"proxy_url":              text("Proxy on the way to the hub."),
			"namespace":              text("Control namespace: where the engine and its objects live (default `argocd`)."),
			"causeway_path":          text("Program `causeway`, for previews and for what takes over from Argo CD (default: the one in `PATH`)."),
			"exec": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Program that prints credentials.",
				Attributes: map[string]schema.Attribute{
					"api_version": schema.StringAttribute{Required: true, MarkdownDescription: "As in `client.authentication.k8s.io/v1`."},
					"command":     schema.StringAttribute{Required: true, MarkdownDescription: "The program."},
					"args":        schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Its arguments."},
					"env":         schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Its environment, besides the provider's own."},
				},
			},
		},
	}
}

func text(doc string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: doc}
}

func hidden(doc string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Sensitive: true, MarkdownDescription: doc}
}
