# A hub on Google GKE, with the project's facts as metadata.
terraform {
  required_version = ">= 1.11"

  required_providers {
    causeway = {
      source = "causeway-gitops/causeway"
    }
    google = {
      source  = "hashicorp/google"
      version = ">= 6.0"
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

variable "project" {
  description = "Project of the cluster."
  type        = string
}

variable "region" {
  description = "Region of the cluster."
  type        = string
  default     = "europe-west1"
}

provider "google" {
  project = var.project
  region  = var.region
}

data "google_client_config" "current" {}

resource "google_container_cluster" "hub" {
  name                = var.name
  location            = var.region
  enable_autopilot    = true
  deletion_protection = false
}

provider "causeway" {
  host                   = "https://${google_container_cluster.hub.endpoint}"
  cluster_ca_certificate = base64decode(google_container_cluster.hub.master_auth[0].cluster_ca_certificate)
  token                  = data.google_client_config.current.access_token
}

module "gitops_bridge" {
  source = "../../modules/gitops-bridge"

  cluster = {
    cluster_name = var.name
    environment  = "prod"
    addons       = { enable_cert_manager = true, enable_external_secrets = true }
    metadata = {
      gcp_project          = var.project
      gcp_region           = var.region
      gcp_cluster_name     = google_container_cluster.hub.name
      addons_repo_url      = "https://github.com/example/platform"
      addons_repo_path     = "addons"
      addons_repo_revision = "main"
    }
  }
  argocd = { values = [yamlencode({ image = var.image })] }
  apps   = { addons = file("${path.module}/addons.yaml") }
}
