resource "causeway_install" "engine" {
  namespace = "argocd"
  values = [yamlencode({
    destination = { clusterAdmin = true }
    resources   = { limits = { memory = "2Gi" } }
  })]
  set = { "engine.workers" = 8 }
}
