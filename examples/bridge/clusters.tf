# Stands in for what makes clusters, such as a module for EKS: one hub and three
# spokes on this machine, gone with the state.
resource "terraform_data" "clusters" {
  input = "${path.module}/.causeway/bridge/kubeconfig"

  provisioner "local-exec" {
    command     = "causeway up --file causeway.yaml --state-dir .causeway --detach --serve=" # pages would print a password
    working_dir = path.module
  }

  provisioner "local-exec" {
    when        = destroy
    command     = "causeway down --file causeway.yaml --state-dir .causeway --delete"
    working_dir = path.module
  }
}

# How each cluster is reached. It is not known before the clusters are there.
locals {
  kubeconfig = yamldecode(file(terraform_data.clusters.output))
  servers    = { for c in local.kubeconfig.clusters : c.name => c.cluster }
  users      = { for u in local.kubeconfig.users : u.name => u.user }
}
