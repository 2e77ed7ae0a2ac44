resource "causeway_cluster" "prod" {
  cluster_name = "prod"
  environment  = "prod"
  addons       = { enable_velero = true }
}

locals {
  clusters = [causeway_cluster.prod.object]
}

data "causeway_fleet_preview" "this" {
  repository = "${path.module}/../platform"
  changes    = local.clusters
}
