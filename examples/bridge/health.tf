locals {
  # The ApplicationSets name what they make: an addon, a workload, its cluster.
  addons = flatten([for name, cluster in merge({ hub = var.hub }, local.spokes) :
    [for switch, on in cluster.addons : "${trimprefix(switch, "enable_")}-${name}" if on]
  ])
  workloads = [for name in keys(local.spokes) : "shop-${name}"]
}

# An apply ends when all of this is synced and healthy.
data "causeway_applications" "all" {
  names = concat(local.addons, local.workloads)

  depends_on = [module.hub, module.spokes]
}
