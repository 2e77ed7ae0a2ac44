resource "causeway_application" "shop" {
  name    = "shop"
  project = "default"

  source = {
    repo_url        = "https://github.com/example/shop"
    path            = "deploy"
    target_revision = "main"
    helm            = { value_files = ["values.yaml"], values_object = yamlencode({ replicas = 2 }) }
  }
  destination = { name = "spoke-dev", namespace = "shop" }
  sync_policy = {
    automated    = { prune = true, self_heal = true }
    sync_options = ["CreateNamespace=true"]
  }
}
