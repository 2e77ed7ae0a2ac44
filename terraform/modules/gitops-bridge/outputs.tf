locals {
  described = try(jsondecode(causeway_cluster.cluster[0].object), null)
}

output "cluster" {
  description = "The cluster's Secret, without its credentials."
  value = try({
    id   = causeway_cluster.cluster[0].id
    type = local.described.type
    metadata = [{
      name        = local.described.metadata.name
      namespace   = local.described.metadata.namespace
      labels      = local.described.metadata.labels
      annotations = local.described.metadata.annotations
    }]
    data = { name = local.described.stringData.name, server = local.described.stringData.server }
    # For causeway_fleet_preview.
    object = causeway_cluster.cluster[0].object
  }, null)
}

output "argocd" {
  description = "The engine's release."
  value = try({
    id        = causeway_install.argocd[0].name
    name      = causeway_install.argocd[0].name
    namespace = causeway_install.argocd[0].namespace
    chart     = "causeway"
    version   = causeway_install.argocd[0].version
    values    = causeway_install.argocd[0].values
    status    = "deployed"
  }, null)
}

output "apps" {
  description = "What was bootstrapped, by name."
  value = { for name, app in causeway_manifest.bootstrap : name => {
    id        = app.id
    name      = name
    namespace = app.namespace
    manifest  = app.object
    status    = "deployed"
  } }
}
