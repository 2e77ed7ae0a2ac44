# A hub in Docker, and everything that this machine's engine deploys to it.
terraform {
  required_version = ">= 1.11"

  required_providers {
    causeway = {
      source = "causeway-gitops/causeway"
    }
    kind = {
      source  = "tehcyx/kind"
      version = ">= 0.5.0"
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

resource "kind_cluster" "hub" {
  name           = var.name
  wait_for_ready = true
}

# Nothing is asked of the cluster while it is not there: one apply does it all.
provider "causeway" {
  host                   = kind_cluster.hub.endpoint
  cluster_ca_certificate = kind_cluster.hub.cluster_ca_certificate
  client_certificate     = kind_cluster.hub.client_certificate
  client_key             = kind_cluster.hub.client_key
}

module "gitops_bridge" {
  source = "../../modules/gitops-bridge"

  cluster = {
    cluster_name = var.name
    environment  = "dev"
    addons       = { enable_metrics_server = true }
    metadata = {
      addons_repo_url      = "https://github.com/example/platform"
      addons_repo_path     = "addons"
      addons_repo_revision = "main"
    }
  }
  argocd = { values = [yamlencode({ image = var.image })] }
  apps   = { addons = file("${path.module}/addons.yaml") }
}
