provider "causeway" {
  config_path = terraform_data.clusters.output
}

locals {
  # What a spoke says itself wins over what is said for all of them.
  spokes = { for name, spoke in var.spokes : name => merge(spoke, {
    addons = merge({ enable_metrics = var.enable_metrics }, spoke.addons)
  }) }

  # What ApplicationSets read of every cluster, besides its own facts.
  repositories = {
    addons_repo_url         = var.repository
    addons_repo_path        = "addons"
    addons_repo_revision    = "HEAD"
    workloads_repo_url      = var.repository
    workloads_repo_path     = "workloads/sets"
    workloads_repo_revision = "HEAD"
  }
}

# The bridge: one Secret on the hub for each cluster, with switches and facts.
module "spokes" {
  source   = "../../terraform/modules/gitops-bridge"
  for_each = local.spokes

  install = false
  cluster = {
    cluster_name = each.key
    environment  = each.value.environment
    addons       = each.value.addons
    metadata     = merge({ region = each.value.region }, local.repositories)
    server       = local.servers[each.key].server
    config = jsonencode({ tlsClientConfig = {
      caData   = local.servers[each.key]["certificate-authority-data"]
      certData = local.users[each.key]["client-certificate-data"]
      keyData  = local.users[each.key]["client-key-data"]
    } })
  }
}

# The hub, and with it the two ApplicationSets from which all else follows. The
# engine runs beside it already: `causeway up` does that.
module "hub" {
  source = "../../terraform/modules/gitops-bridge"

  install = false
  cluster = {
    cluster_name = "hub"
    environment  = var.hub.environment
    addons       = var.hub.addons
    metadata     = merge({ region = var.hub.region }, local.repositories)
  }
  apps = {
    addons    = file("${path.module}/bootstrap/addons.yaml")
    workloads = file("${path.module}/bootstrap/workloads.yaml")
  }

  # Created after the spokes, destroyed before them: what is deployed goes
  # while its cluster is still known.
  depends_on = [module.spokes]
}
