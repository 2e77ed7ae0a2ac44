locals {
  described = concat([module.hub.cluster.object], [for spoke in module.spokes : spoke.cluster.object])
}

# What a change of the clusters does to applications: a warning in the plan.
data "causeway_fleet_preview" "this" {
  repository      = path.module
  repository_urls = ["${var.repository}=examples/bridge/platform"]
  changes         = local.described
}
