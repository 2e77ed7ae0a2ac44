# A hub on Azure AKS, with the subscription's facts as metadata.
terraform {
  required_version = ">= 1.11"

  required_providers {
    azurerm = {
      source  = "hashicorp/azurerm"
      version = ">= 4.0"
    }
    causeway = {
      source = "causeway-gitops/causeway"
    }
  }
}

variable "name" {
  description = "Name of the cluster."
  type        = string
  default     = "hub"
}

variable "image" {
  description = "Image of the engine, by repository and tag. None is released: docs/how-to/install.md says how to build one."
  type        = object({ repository = string, tag = string })
}

variable "location" {
  description = "Location of the cluster."
  type        = string
  default     = "westeurope"
}

provider "azurerm" {
  features {}
}

data "azurerm_client_config" "current" {}

resource "azurerm_resource_group" "hub" {
  name     = var.name
  location = var.location
}

resource "azurerm_kubernetes_cluster" "hub" {
  name                      = var.name
  location                  = azurerm_resource_group.hub.location
  resource_group_name       = azurerm_resource_group.hub.name
  dns_prefix                = var.name
  oidc_issuer_enabled       = true
  workload_identity_enabled = true

  default_node_pool {
    name       = "default"
    node_count = 2
    vm_size    = "Standard_D2s_v5"
  }

  identity {
    type = "SystemAssigned"
  }
}

provider "causeway" {
  host                   = azurerm_kubernetes_cluster.hub.kube_config[0].host
  cluster_ca_certificate = base64decode(azurerm_kubernetes_cluster.hub.kube_config[0].cluster_ca_certificate)
  client_certificate     = base64decode(azurerm_kubernetes_cluster.hub.kube_config[0].client_certificate)
  client_key             = base64decode(azurerm_kubernetes_cluster.hub.kube_config[0].client_key)
}

module "gitops_bridge" {
  source = "../../modules/gitops-bridge"

  cluster = {
    cluster_name = var.name
    environment  = "prod"
    addons       = { enable_cert_manager = true, enable_external_secrets = true }
    metadata = {
      azure_tenant_id       = data.azurerm_client_config.current.tenant_id
      azure_subscription_id = data.azurerm_client_config.current.subscription_id
      azure_resource_group  = azurerm_resource_group.hub.name
      azure_oidc_issuer     = azurerm_kubernetes_cluster.hub.oidc_issuer_url
      addons_repo_url       = "https://github.com/example/platform"
      addons_repo_path      = "addons"
      addons_repo_revision  = "main"
    }
  }
  argocd = { values = [yamlencode({ image = var.image })] }
  apps   = { addons = file("${path.module}/addons.yaml") }
}
