resource "causeway_manifest" "settings" {
  manifest = yamlencode({
    apiVersion = "v1"
    kind       = "ConfigMap"
    metadata   = { name = "argocd-cm", namespace = "argocd" }
    data       = { "timeout.reconciliation" = "60s" }
  })
}
