variable "token" {
  type      = string
  ephemeral = true
}

resource "causeway_cluster" "spoke" {
  cluster_name = "spoke-dev"
  environment  = "dev"
  server       = "https://10.0.0.1:6443"

  addons   = { enable_cert_manager = true, enable_velero = false }
  metadata = { aws_region = "eu-west-1", addons_repo_url = "https://github.com/example/platform" }

  # The token is another one each time: the version says when to write it anew.
  config_wo         = jsonencode({ bearerToken = var.token })
  config_wo_version = "1"
}
