terraform {
  required_version = ">= 1.11"

  required_providers {
    causeway = {
      source = "causeway-gitops/causeway"
    }
  }
}

variable "kubeconfig" {
  description = "Kubeconfig of the hub, as causeway-kube writes it."
  type        = string
}

variable "fleet" {
  description = "Checkout of the repository that the hub deploys."
  type        = string
  default     = "fleet"
}

variable "causeway" {
  description = "The program causeway, for the preview."
  type        = string
  default     = "causeway"
}

variable "enable_metrics" {
  description = "Whether the cluster has the addon metrics."
  type        = bool
  default     = false
}

locals {
  repository = "https://git.example.com/platform"
}

provider "causeway" {
  config_path   = var.kubeconfig
  causeway_path = var.causeway
}

module "gitops_bridge" {
  source = "../../modules/gitops-bridge"

  cluster = {
    cluster_name = "hub"
    environment  = "dev"
    addons       = { enable_guestbook = true, enable_metrics = var.enable_metrics }
    metadata = {
      addons_repo_url      = local.repository
      addons_repo_path     = "addons"
      addons_repo_revision = "HEAD"
    }
  }
  apps = { addons = file("${var.fleet}/bootstrap/addons.yaml") }
}

# What a changed switch does to applications, as a warning in the plan.
data "causeway_fleet_preview" "this" {
  repository      = var.fleet
  repository_urls = ["${local.repository}=."]
  changes         = [module.gitops_bridge.cluster.object]
}

# What depends on these comes after they are healthy.
data "causeway_application" "addons" {
  for_each = toset(concat(["guestbook"], var.enable_metrics ? ["metrics"] : []))

  name       = "${each.key}-hub"
  depends_on = [module.gitops_bridge]
}

output "health" {
  value = { for name, app in data.causeway_application.addons : name => app.health_status }
}
