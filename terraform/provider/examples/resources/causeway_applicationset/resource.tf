resource "causeway_applicationset" "cert_manager" {
  name       = "cert-manager"
  generators = jsonencode([{ clusters = { selector = { matchLabels = { enable_cert_manager = "true" } } } }])

  template = {
    name        = "cert-manager-{{name}}"
    project     = "default"
    source      = { repo_url = "{{metadata.annotations.addons_repo_url}}", path = "cert-manager", target_revision = "main" }
    destination = { name = "{{name}}", namespace = "cert-manager" }
    sync_policy = { automated = {} }
  }
}
